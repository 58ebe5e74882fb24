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

#[test]
fn what_was_written_for_service_catalog_applies_as_it_stands() {
    let mut shop = Shop::stocked(&[], Behaviour::default());
    let written = shop.file(
        "theirs.yaml",
        "\
apiVersion: servicecatalog.k8s.io/v1beta1
kind: ServiceInstance
metadata:
  name: theirs
  uid: 1b4e28ba-2fa1-11d2-883f-0016d3cca427
  resourceVersion: \"7\"
  finalizers: [kubernetes-incubator/service-catalog]
spec:
  clusterServiceClassExternalName: database
  clusterServicePlanExternalName: small
  clusterServiceClassRef: {name: service-database}
  userInfo: {username: eve}
status: {asyncOpInProgress: false}
---
apiVersion: servicecatalog.k8s.io/v1beta1
kind: ServiceBinding
metadata: {name: theirs}
spec:
  instanceRef: {name: theirs}
  secretName: credentials
",
    );
    let other = shop.file("other.yaml", "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}");
    shop.say("alice", &["apply", "-f", &written, "-f", &other]);
    shop.say("alice", &["instance", "list"]);
    shop.say("alice", &["apply", "-f", &written]);
    assert_snapshot!("catalog_apply", shop.said());
    shop.succeed(&["bind", "theirs", "--name", "second", "--wait"]);
    let made = shop.succeed(&["instance", "describe", "theirs", "-o", "json"]);
    let made: serde_json::Value = serde_json::from_str(&made).unwrap();
    assert_eq!(made["spec"]["userInfo"]["username"], "alice");
    assert_eq!(made["metadata"]["finalizers"], serde_json::json!(["slipway.dev/serviceinstances"]));
}
