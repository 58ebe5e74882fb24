//! The life of a Namespace.

use serde_json::{Value, json};

use super::super::object::{Object, set};
use super::super::tank::Tank;
use super::{config_map, deployment, pod};

fn inside(mut object: Value) -> Value {
    set(&mut object, "metadata.namespace", "team");
    object
}

fn team() -> Tank {
    let mut tank = Tank::new();
    tank.create(json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "team"}}));
    tank.settle();
    tank.log.clear();
    tank
}

fn said(namespace: &Value) -> Vec<String> {
    namespace
        .items("status.conditions")
        .iter()
        .map(|found| {
            format!(
                "{}={} {}: {}",
                found.text("type"),
                found.text("status"),
                found.text("reason"),
                found.text("message")
            )
        })
        .collect()
}

#[test]
fn every_namespace_is_furnished() {
    let mut tank = team();
    assert!(tank.find("ServiceAccount", "team/default").is_some());
    assert_eq!(tank.get("ConfigMap", "team/kube-root-ca.crt")["data"], json!({"ca.crt": "CERTIFICATE"}));
    tank.delete("ServiceAccount", "team/default", None);
    tank.edit("ConfigMap", "team/kube-root-ca.crt", |map| map["data"] = json!({}));
    tank.settle();
    assert!(tank.find("ServiceAccount", "team/default").is_some());
    assert_eq!(tank.get("ConfigMap", "team/kube-root-ca.crt")["data"], json!({"ca.crt": "CERTIFICATE"}));
    tank.delete("ConfigMap", "team/kube-root-ca.crt", None);
    tank.settle();
    assert!(tank.find("ConfigMap", "team/kube-root-ca.crt").is_some());
}

#[test]
fn everything_in_it_goes_before_it_does() {
    let mut tank = team();
    tank.create(inside(deployment("web", 2)));
    tank.create(inside(config_map("settings")));
    tank.settle();
    tank.log.clear();
    tank.delete("Namespace", "team", None);
    tank.settle();
    assert!(tank.find("Namespace", "team").is_none(), "{}", tank.log.join("\n"));
    assert!(tank.controllers.index().contents("team").next().is_none());
    let place = |what: &str| {
        tank.log.iter().position(|line| line.starts_with(what)).unwrap_or_else(|| panic!("{what}"))
    };
    let last = |what: &str| tank.log.iter().rposition(|line| line.starts_with(what)).unwrap();
    assert!(last("gone pods team/") < place("delete configmaps team/settings"), "{}", tank.log.join("\n"));
    assert!(place("delete configmaps team/settings") < place("gone namespaces team"));
    assert!(tank.find("Namespace", "default").is_some());
}

#[test]
fn nothing_is_made_in_it_any_more() {
    let mut tank = team();
    let mut held = inside(config_map("held"));
    set(&mut held, "metadata.finalizers", json!(["example.org/hold"]));
    tank.create(held);
    tank.settle();
    tank.delete("Namespace", "team", None);
    tank.settle();
    assert!(tank.try_create(inside(config_map("late"))).is_err());
    assert!(tank.find("ServiceAccount", "team/default").is_none(), "it is not given again");
}

#[test]
fn conditions_tell_what_remains() {
    let mut tank = team();
    for name in ["one", "two"] {
        let mut held = inside(config_map(name));
        set(&mut held, "metadata.finalizers", json!(["example.org/hold", "example.org/other"]));
        tank.create(held);
    }
    tank.settle();
    tank.delete("Namespace", "team", None);
    tank.settle();
    let namespace = tank.get("Namespace", "team");
    assert_eq!(namespace.text("status.phase"), "Terminating");
    assert_eq!(
        said(&namespace),
        [
            "NamespaceDeletionDiscoveryFailure=False ResourcesDiscovered: All resources successfully discovered",
            "NamespaceDeletionGroupVersionParsingFailure=False ParsedGroupVersions: All legacy kube types successfully parsed",
            "NamespaceDeletionContentFailure=False ContentDeleted: All content successfully deleted, may be waiting on finalization",
            "NamespaceContentRemaining=True SomeResourcesRemain: Some resources are remaining: configmaps. has 2 resource instances",
            "NamespaceFinalizersRemaining=True SomeFinalizersRemain: Some content in the namespace has finalizers remaining: \
            example.org/hold in 2 resource instances, example.org/other in 2 resource instances",
        ]
    );
    tank.edit("ConfigMap", "team/one", |held| set(held, "metadata.finalizers", json!([])));
    tank.settle();
    assert!(said(&tank.get("Namespace", "team"))[3].ends_with("configmaps. has 1 resource instances"));
    tank.edit("ConfigMap", "team/two", |held| set(held, "metadata.finalizers", json!([])));
    tank.settle();
    assert!(tank.find("Namespace", "team").is_none());
}

#[test]
fn while_pods_remain_nothing_else_goes() {
    let mut tank = team();
    let mut held = inside(pod("held"));
    set(&mut held, "metadata.finalizers", json!(["example.org/hold"]));
    tank.create(held);
    tank.create(inside(config_map("settings")));
    tank.settle();
    tank.delete("Namespace", "team", None);
    tank.settle();
    assert!(tank.get("Pod", "team/held").is_deleting());
    assert!(!tank.get("ConfigMap", "team/settings").is_deleting());
    tank.turn(60);
    assert!(!tank.get("ConfigMap", "team/settings").is_deleting());
    tank.edit("Pod", "team/held", |held| set(held, "metadata.finalizers", json!([])));
    tank.settle();
    assert!(tank.find("Namespace", "team").is_none(), "{}", tank.log.join("\n"));
}

#[test]
fn its_own_finalizers_hold_it_when_all_is_gone() {
    let mut tank = team();
    tank.edit("Namespace", "team", |namespace| {
        set(namespace, "metadata.finalizers", json!(["example.org/hold"]));
    });
    tank.delete("Namespace", "team", None);
    tank.settle();
    let namespace = tank.get("Namespace", "team");
    assert_eq!(namespace.items("spec.finalizers").len(), 0);
    assert!(said(&namespace).iter().all(|line| line.contains("=False ")));
    tank.edit("Namespace", "team", |namespace| set(namespace, "metadata.finalizers", json!([])));
    tank.settle();
    assert!(tank.find("Namespace", "team").is_none());
}
