//! Garbage collection, case by case.

use serde_json::{Value, json};

use super::super::action::Propagation;
use super::super::collector::{FOREGROUND, ORPHAN};
use super::super::object::{Object, set};
use super::super::tank::Tank;
use super::{config_map, owned_by};

fn owned(name: &str, owners: &[Value]) -> Value {
    let mut object = config_map(name);
    set(&mut object, "metadata.ownerReferences", owners.to_vec());
    object
}

#[test]
fn dependents_follow_their_only_owner() {
    let mut tank = Tank::new();
    let owner = tank.create(config_map("owner"));
    let child = tank.create(owned("child", &[owned_by(&owner, false)]));
    tank.create(owned("grandchild", &[owned_by(&child, true)]));
    tank.settle();
    assert!(tank.log.is_empty(), "{:?}", tank.log);
    tank.delete("ConfigMap", "owner", Some(Propagation::Background));
    assert!(tank.find("ConfigMap", "owner").is_none(), "in the background the owner goes first");
    tank.settle();
    assert_eq!(
        tank.log,
        [
            "gone configmaps default/owner",
            "delete configmaps default/child Background",
            "gone configmaps default/child",
            "delete configmaps default/grandchild Background",
            "gone configmaps default/grandchild",
        ]
    );
}

#[test]
fn an_owner_that_never_was_takes_its_dependents_along() {
    let mut tank = Tank::new();
    let ghost = json!({"apiVersion": "v1", "kind": "ConfigMap", "name": "ghost", "uid": "none"});
    tank.create(owned("child", &[ghost]));
    tank.settle();
    assert!(tank.find("ConfigMap", "child").is_none());
}

#[test]
fn a_reference_must_name_its_owner_rightly() {
    type Change = fn(&mut Value);
    let cases: &[(&str, Change, bool)] = &[
        ("right", |_| (), true),
        ("another name", |reference| reference["name"] = "other".into(), false),
        ("another kind", |reference| reference["kind"] = "Secret".into(), false),
        ("another UID", |reference| reference["uid"] = "other".into(), false),
        ("a kind nobody serves", |reference| reference["kind"] = "Nothing".into(), true),
        ("a version nobody serves", |reference| reference["apiVersion"] = "v2".into(), true),
    ];
    for (what, change, stays) in cases {
        let mut tank = Tank::new();
        let owner = tank.create(config_map("owner"));
        let mut reference = owned_by(&owner, false);
        change(&mut reference);
        tank.create(owned("child", &[reference]));
        tank.settle();
        assert_eq!(tank.find("ConfigMap", "child").is_some(), *stays, "{what}");
    }
}

#[test]
fn owners_in_other_namespaces_do_not_count() {
    let mut tank = Tank::new();
    tank.create(json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "other"}}));
    let owner = tank.create(config_map("owner"));
    let mut child = owned("child", &[owned_by(&owner, false)]);
    set(&mut child, "metadata.namespace", "other");
    tank.create(child);
    tank.settle();
    assert!(tank.find("ConfigMap", "other/child").is_none());
    let told = tank.told("child");
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(
        told[0]
            .starts_with("OwnerRefInvalidNamespace: ownerRef [v1/ConfigMap, namespace: other, name: owner"),
        "{told:?}"
    );
    assert!(told[0].ends_with("does not exist in namespace \"other\""), "{told:?}");
}

#[test]
fn objects_of_the_cluster_own_and_are_owned_by_their_like() {
    let mut tank = Tank::new();
    let yard =
        tank.create(json!({"apiVersion": "example.org/v1", "kind": "Yard", "metadata": {"name": "yard"}}));
    let namespaced = tank.create(owned("child", &[owned_by(&yard, false)]));
    let mut wrong = json!({"apiVersion": "example.org/v1", "kind": "Yard", "metadata": {"name": "wrong"}});
    set(&mut wrong, "metadata.ownerReferences", json!([owned_by(&namespaced, false)]));
    tank.create(wrong);
    tank.settle();
    assert!(tank.find("ConfigMap", "child").is_some());
    assert!(tank.find("Yard", "wrong").is_some(), "nobody can tell, so it stays");
    tank.delete("Yard", "yard", None);
    tank.settle();
    assert!(tank.find("ConfigMap", "child").is_none());
    assert!(tank.find("Yard", "wrong").is_some());
}

#[test]
fn with_another_owner_only_the_dangling_reference_goes() {
    let mut tank = Tank::new();
    let (first, second) = (tank.create(config_map("first")), tank.create(config_map("second")));
    tank.create(owned("child", &[owned_by(&first, false), owned_by(&second, false)]));
    tank.settle();
    tank.delete("ConfigMap", "first", None);
    tank.settle();
    let child = tank.get("ConfigMap", "child");
    assert_eq!(child.owners(), [owned_by(&second, false)]);
    tank.delete("ConfigMap", "second", None);
    tank.settle();
    assert!(tank.find("ConfigMap", "child").is_none());
}

#[test]
fn in_the_foreground_blocking_dependents_go_first() {
    let mut tank = Tank::new();
    let owner = tank.create(config_map("owner"));
    let child = tank.create(owned("child", &[owned_by(&owner, true)]));
    let mut held = owned("held", &[owned_by(&child, true)]);
    set(&mut held, "metadata.finalizers", json!(["example.org/hold"]));
    tank.create(held);
    tank.create(owned("loose", &[owned_by(&owner, false)]));
    tank.settle();
    tank.delete("ConfigMap", "owner", Some(Propagation::Foreground));
    tank.settle();
    assert!(tank.get("ConfigMap", "owner").has_finalizer(FOREGROUND));
    assert!(tank.get("ConfigMap", "child").has_finalizer(FOREGROUND), "it has dependents of its own");
    assert!(tank.get("ConfigMap", "held").is_deleting());
    assert!(tank.find("ConfigMap", "loose").is_none(), "it goes too, but nobody waits for it");
    tank.edit("ConfigMap", "held", |held| set(held, "metadata.finalizers", json!([])));
    tank.log.clear();
    tank.settle();
    let gone: Vec<&String> = tank.log.iter().filter(|line| line.starts_with("gone")).collect();
    assert_eq!(gone, ["gone configmaps default/child", "gone configmaps default/owner"]);
}

#[test]
fn in_the_foreground_others_do_not_hold_the_owner_up() {
    let mut tank = Tank::new();
    let owner = tank.create(config_map("owner"));
    let mut loose = owned("loose", &[owned_by(&owner, false)]);
    set(&mut loose, "metadata.finalizers", json!(["example.org/hold"]));
    tank.create(loose);
    tank.settle();
    tank.delete("ConfigMap", "owner", Some(Propagation::Foreground));
    tank.settle();
    assert!(tank.find("ConfigMap", "owner").is_none());
    assert!(tank.get("ConfigMap", "loose").is_deleting());
}

#[test]
fn a_dependent_with_a_solid_owner_leaves_one_that_waits() {
    let mut tank = Tank::new();
    let (owner, solid) = (tank.create(config_map("owner")), tank.create(config_map("solid")));
    tank.create(owned("child", &[owned_by(&owner, true), owned_by(&solid, false)]));
    tank.settle();
    tank.delete("ConfigMap", "owner", Some(Propagation::Foreground));
    tank.settle();
    assert!(tank.find("ConfigMap", "owner").is_none());
    assert_eq!(tank.get("ConfigMap", "child").owners(), [owned_by(&solid, false)]);
}

#[test]
fn a_circle_that_waits_for_itself_is_broken() {
    let mut tank = Tank::new();
    let first = tank.create(config_map("first"));
    let second = tank.create(owned("second", &[owned_by(&first, true)]));
    tank.edit("ConfigMap", "first", |first| {
        set(first, "metadata.ownerReferences", json!([owned_by(&second, true)]));
    });
    tank.settle();
    tank.delete("ConfigMap", "first", Some(Propagation::Foreground));
    tank.settle();
    assert_eq!(tank.names("ConfigMap"), ["kube-root-ca.crt"]);
}

#[test]
fn orphans_lose_only_the_reference() {
    let mut tank = Tank::new();
    let (owner, other) = (tank.create(config_map("owner")), tank.create(config_map("other")));
    tank.create(owned("alone", &[owned_by(&owner, true)]));
    tank.create(owned("shared", &[owned_by(&owner, true), owned_by(&other, false)]));
    tank.settle();
    tank.delete("ConfigMap", "owner", Some(Propagation::Orphan));
    assert!(tank.get("ConfigMap", "owner").has_finalizer(ORPHAN));
    tank.settle();
    assert!(tank.find("ConfigMap", "owner").is_none());
    assert_eq!(tank.get("ConfigMap", "alone").owners(), [] as [Value; 0]);
    assert_eq!(tank.get("ConfigMap", "shared").owners(), [owned_by(&other, false)]);
}

#[test]
fn a_finalizer_on_a_collected_object_is_honoured() {
    let mut tank = Tank::new();
    let owner = tank.create(config_map("owner"));
    let mut child = owned("child", &[owned_by(&owner, false)]);
    set(&mut child, "metadata.finalizers", json!([ORPHAN]));
    let child = tank.create(child);
    tank.create(owned("grandchild", &[owned_by(&child, false)]));
    tank.settle();
    tank.delete("ConfigMap", "owner", None);
    tank.settle();
    assert!(tank.find("ConfigMap", "child").is_none());
    assert_eq!(tank.get("ConfigMap", "grandchild").owners(), [] as [Value; 0]);
}

#[test]
fn an_owner_of_the_same_name_but_another_uid_is_not_the_owner() {
    let mut tank = Tank::new();
    let owner = tank.create(config_map("owner"));
    let mut child = owned("child", &[owned_by(&owner, false)]);
    set(&mut child, "metadata.finalizers", json!(["example.org/hold"]));
    tank.create(child);
    tank.delete("ConfigMap", "owner", None);
    tank.create(config_map("owner"));
    tank.settle();
    assert!(tank.get("ConfigMap", "child").is_deleting());
    assert!(tank.find("ConfigMap", "owner").is_some());
}
