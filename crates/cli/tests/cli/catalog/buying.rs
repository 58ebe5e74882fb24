//! From an empty catalog to credentials, and back.

use brokers::{Behaviour, Route};
use insta::assert_snapshot;

use super::shop::Shop;

#[test]
fn a_whole_life_as_svcat_tells_it() {
    let mut shop = Shop::open(&[], Behaviour::default());
    let url = shop.url();
    shop.succeed(&["broker", "register", "warm-up", "--url", &url, "--scope", "namespace", "--wait"]);
    shop.succeed(&["broker", "deregister", "warm-up", "--wait"]);
    for arguments in [
        &["marketplace"][..],
        &["broker", "create", "acme", "--url", &url, "--wait"],
        &["broker", "list"],
        &["class", "list"],
        &["class", "describe", "database"],
        &["plan", "list", "--class", "database"],
        &["plan", "describe", "database/large"],
        &["marketplace"],
        &["marketplace", "-o", "yaml"],
        &["provision", "db", "--class", "database", "--plan", "small", "-p", "size=3", "--wait"],
        &["instance", "list"],
        &["bind", "db", "--name", "access", "--secret-name", "credentials", "--wait"],
        &["binding", "list"],
        &["binding", "describe", "access"],
        &["instance", "describe", "db"],
        &["touch", "db", "--wait"],
        &["sync", "broker", "acme", "--wait"],
        &["unbind", "db", "--wait"],
        &["deprovision", "db", "--wait"],
        &["instance", "list"],
    ] {
        shop.say("alice", arguments);
    }
    assert_snapshot!("catalog_life", shop.said());
    let broker = shop.broker.as_ref().unwrap();
    assert!(broker.instances().is_empty());
    for route in [Route::Provision, Route::Bind, Route::Unbind, Route::Update, Route::Deprovision] {
        let users: Vec<_> = broker.seen_of(route).iter().map(|seen| seen.username().unwrap()).collect();
        assert_eq!(users, ["alice"], "{route:?}");
    }
}

#[test]
fn what_takes_time_is_told_while_it_does() {
    let mut shop = Shop::stocked(&[], Behaviour { polls: Some(1), ..Behaviour::default() });
    shop.say("alice", &["provision", "db", "--class", "database", "--plan", "small", "--wait"]);
    shop.say("alice", &["bind", "db", "--wait"]);
    shop.say("alice", &["unbind", "--name", "db", "--wait"]);
    shop.say("alice", &["deprovision", "db", "--wait"]);
    assert_snapshot!("catalog_waiting", shop.said());
}

#[test]
fn machines_get_the_objects_themselves() {
    let mut shop = Shop::stocked(&[], Behaviour::default());
    shop.succeed(&["provision", "db", "--class", "database", "--plan", "small", "--wait"]);
    let list = shop.succeed(&["instance", "list", "-A", "-o", "json"]);
    let list: serde_json::Value = serde_json::from_str(&list).unwrap();
    assert_eq!(
        (list["kind"].as_str(), list["items"][0]["kind"].as_str()),
        (Some("List"), Some("ServiceInstance"))
    );
    assert!(list["items"][0]["metadata"].get("managedFields").is_none());
    for (arguments, kind) in [
        (&["broker", "describe", "acme", "-o", "yaml"][..], "kind: ClusterServiceBroker\n"),
        (&["class", "describe", "database", "-o", "yaml"], "kind: ClusterServiceClass\n"),
        (&["plan", "describe", "database/small", "-o", "yaml"], "kind: ClusterServicePlan\n"),
        (&["instance", "describe", "db", "-o", "yaml"], "kind: ServiceInstance\n"),
        (&["bind", "db", "--wait", "-o", "yaml"], "kind: ServiceBinding\n"),
        (&["broker", "list", "-o", "yaml"], "kind: List\n"),
    ] {
        let said = shop.succeed(arguments);
        assert!(said.contains(kind), "{arguments:?}: {said}");
    }
    let shown = shop.succeed(&["binding", "describe", "db", "--show-secrets"]);
    assert!(shown.contains("  username:  user\n"), "{shown}");
}
