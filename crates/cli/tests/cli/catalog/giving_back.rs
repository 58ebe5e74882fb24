//! The delete that can be taken back, as people see it.

use brokers::{Answer, Behaviour, Route};
use insta::assert_snapshot;

use super::shop::Shop;

const ON: &[&str] = &["--feature-gates", "DeclarativeDelete=true"];

fn policed() -> Behaviour {
    Behaviour { may_delete: Some("alice".to_owned()), ..Behaviour::default() }
}

#[test]
fn a_refusal_is_told_in_the_brokers_words_and_taken_back() {
    let mut shop = Shop::stocked(ON, policed());
    shop.say("bob", &["provision", "db", "--class", "database", "--plan", "small", "--wait"]);
    let before = shop.broker.as_ref().unwrap().instances();
    shop.say("bob", &["deprovision", "db", "--declarative", "--wait"]);
    shop.say("bob", &["instance", "list"]);
    shop.say("bob", &["undo", "db", "--wait"]);
    shop.say("bob", &["undo", "db"]);
    shop.say("bob", &["instance", "list"]);
    assert_eq!(shop.broker.as_ref().unwrap().instances(), before, "nothing was changed");
    shop.say("alice", &["bind", "db", "--name", "access", "--wait"]);
    shop.say("bob", &["unbind", "--name", "access", "--declarative", "--wait"]);
    shop.say("bob", &["undo", "binding/access", "--wait"]);
    shop.say("alice", &["unbind", "db", "--declarative", "--wait"]);
    shop.say("alice", &["deprovision", "db", "--declarative", "--wait"]);
    shop.say("alice", &["instance", "list"]);
    assert_snapshot!("catalog_declarative", shop.said());
    assert!(shop.broker.as_ref().unwrap().instances().is_empty());
}

#[test]
fn with_the_feature_off_the_message_names_it() {
    let mut shop = Shop::stocked(&[], policed());
    shop.succeed(&["provision", "db", "--class", "database", "--plan", "small", "--wait"]);
    shop.say("alice", &["deprovision", "db", "--declarative"]);
    shop.say("alice", &["deprovision", "db", "--declarative", "--abandon"]);
    assert_snapshot!("catalog_feature_off", shop.said());
}

#[test]
fn what_is_protected_is_only_given_back_by_its_spec() {
    let mut shop = Shop::stocked(&[ON, &["--after-deletion", "Retain"]].concat(), Behaviour::default());
    let class = ["--class", "database", "--plan", "small"];
    shop.succeed(&[&["provision", "db", "--deletion-protection", "--wait"][..], &class].concat());
    shop.say("alice", &["deprovision", "db"]);
    shop.say("alice", &["deprovision", "db", "--declarative", "--wait"]);
    shop.say("alice", &["instance", "list"]);
    shop.say("alice", &["undo", "db"]);
    shop.say("alice", &["deprovision", "db", "--wait"]);
    assert_snapshot!("catalog_protected", shop.said());
    assert_eq!(shop.broker.as_ref().unwrap().seen_of(Route::Deprovision).len(), 1);
}

#[test]
fn what_a_dead_broker_had_is_abandoned_only_when_it_does_not_answer() {
    let mut shop = Shop::stocked(&[], Behaviour::default());
    let class = ["--class", "database", "--plan", "small", "--wait"];
    for name in ["taken-back", "refused", "left"] {
        shop.succeed(&[&["provision", name][..], &class].concat());
    }
    shop.succeed(&["bind", "left", "--name", "access", "--wait"]);
    shop.say("alice", &["deprovision", "taken-back", "--abandon"]);
    shop.say("alice", &["deprovision", "taken-back", "--abandon", "--yes"]);
    shop.broker.as_ref().unwrap().next(Route::Deprovision, Answer::new(400, r#"{"description": "no"}"#));
    shop.say("alice", &["deprovision", "refused", "--abandon", "--yes"]);
    shop.say("alice", &["deprovision", "left", "--abandon", "--yes"]);
    shop.broker = None;
    shop.say("alice", &["unbind", "left", "--abandon", "--yes"]);
    shop.say("alice", &["deprovision", "left", "--abandon", "--yes"]);
    shop.say("alice", &["instance", "list"]);
    assert_snapshot!("catalog_abandon", shop.said());
}
