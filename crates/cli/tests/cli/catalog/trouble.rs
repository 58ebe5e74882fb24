//! What is wrong is said before anything is written.

use brokers::{Answer, Behaviour, Route};
use insta::assert_snapshot;

use super::shop::Shop;
use crate::transcript::Session;

#[test]
fn a_cluster_without_a_catalog_is_told_from_one_that_is_empty() {
    let session = Session::new();
    for arguments in [&["instance", "list"][..], &["marketplace"], &["instance", "describe", "db"]] {
        let output = session.command(&["catalog"]).args(arguments).arg("--embedded").output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1), "{arguments:?}: {said}");
        assert!(said.contains("this cluster has no service catalog"), "{arguments:?}: {said}");
        assert!(said.contains("--install-crds"), "{arguments:?}: {said}");
    }
}

#[test]
fn what_is_not_sold_or_not_there_is_named() {
    let mut shop = Shop::stocked(&[], Behaviour::default());
    for arguments in [
        &["provision", "db", "--class", "cache"][..],
        &["provision", "db", "--class", "database"],
        &["provision", "db", "--class", "database", "--plan", "tiny"],
        &["provision", "db", "--class", "database", "--plan", "small", "-p", "size"],
        &["provision", "db", "--class", "database", "--plan", "small", "--params-json", "[]"],
        &["provision", "db", "--class", "database", "--plan", "small", "--secret", "mine"],
        &["bind", "db"],
        &["unbind", "db"],
        &["unbind"],
        &["deprovision", "db"],
        &["undo", "db"],
        &["undo", "plan/db"],
        &["class", "describe", "cache"],
        &["plan", "describe", "database"],
        &["broker", "describe", "nobody"],
        &["sync", "broker", "nobody"],
        &["broker", "create", "other", "--url", "http://127.0.0.1:1", "--scope", "all"],
        &["marketplace", "--scope", "everywhere"],
    ] {
        shop.say("alice", arguments);
    }
    assert_snapshot!("catalog_wrong", shop.said());
}

#[test]
fn a_wait_that_cannot_end_well_ends_with_the_brokers_words() {
    let mut shop = Shop::stocked(&[], Behaviour::default());
    let refusal = r#"{"error": "Quota", "description": "no more than none"}"#;
    shop.broker.as_ref().unwrap().next(Route::Provision, Answer::new(400, refusal));
    let class = ["--class", "database", "--plan", "small", "--wait"];
    shop.say("alice", &[&["provision", "refused"][..], &class].concat());
    for _ in 0..9 {
        shop.broker
            .as_ref()
            .unwrap()
            .next(Route::Provision, Answer::new(429, r#"{"description": "too many"}"#));
    }
    shop.say("alice", &[&["provision", "late"][..], &class, &["--timeout", "2s"]].concat());
    assert_snapshot!("catalog_failures", shop.said());
}
