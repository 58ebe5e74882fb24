//! Server-side apply.

use fields::ApplyError;
use serde_json::{Value, json};

use crate::object::Object;

fn spec(spec: Value) -> Value {
    json!({"spec": spec})
}

#[test]
fn applying_what_does_not_exist_creates_it() {
    let mut object = Object::new();
    object.apply("alice", &spec(json!({"replicas": 1, "containers": [{"name": "a", "image": "x"}]})));
    assert_eq!(object.spec(), &json!({"replicas": 1, "containers": [{"name": "a", "image": "x"}]}));
    assert_eq!(
        object.managers(),
        [
            r#"alice/Apply/1 {"f:spec":{"f:containers":{"k:{\"name\":\"a\"}":{".":{},"f:image":{},"f:name":{}}},"f:replicas":{}}}"#
        ]
    );
    let entry = &object.entries()[0];
    assert_eq!(entry["apiVersion"], "shop.io/v1");
    assert_eq!(entry["fieldsType"], "FieldsV1");
    assert_eq!(entry["time"], "1970-01-01T00:00:01Z");
}

#[test]
fn what_is_no_longer_applied_goes() {
    let mut object = Object::new();
    object.apply("alice", &spec(json!({"replicas": 1, "paused": "yes", "tags": ["a", "b"], "selector": {"x": "y"},
        "containers": [{"name": "a", "ports": [{"port": 1}, {"port": 2}]}, {"name": "b"}], "free": {"p": 1, "q": {"r": 2}}})));
    object.apply(
        "alice",
        &spec(json!({"replicas": 1, "tags": ["b"],
        "containers": [{"name": "a", "ports": [{"port": 2}]}], "free": {"q": {}}})),
    );
    assert_eq!(
        object.spec(),
        &json!({"replicas": 1, "tags": ["b"], "containers": [{"name": "a", "ports": [{"port": 2}]}], "free": {"q": null}})
    );
}

#[test]
fn what_others_own_stays() {
    let mut object = Object::new();
    object.apply("alice", &spec(json!({"replicas": 1, "paused": "yes", "tags": ["a"]})));
    object.apply("bob", &spec(json!({"paused": "yes", "tags": ["a", "b"]})));
    object.apply("alice", &spec(json!({})));
    assert_eq!(object.spec(), &json!({"paused": "yes", "tags": ["a", "b"]}));
    assert_eq!(object.managers().len(), 2);
    object.apply("bob", &spec(json!({})));
    // What has nothing left is null; a server makes of it what its kind wants there.
    assert_eq!(object.spec(), &json!(null));
}

#[test]
fn what_an_updater_put_there_stays() {
    let mut object = Object::new();
    object.apply("alice", &spec(json!({"replicas": 1, "free": {"a": 1}})));
    object.update("bob", &spec(json!({"replicas": 1, "free": {"a": 1, "b": 2}, "paused": "yes"})));
    object.apply("alice", &spec(json!({})));
    assert_eq!(object.spec(), &json!({"paused": "yes", "free": {"b": 2}}));
}

#[test]
fn an_item_goes_with_what_updaters_put_into_it() {
    let mut object = Object::new();
    object.apply("alice", &spec(json!({"containers": [{"name": "a"}, {"name": "b"}]})));
    object.update("bob", &spec(json!({"containers": [{"name": "a", "image": "1"}, {"name": "b"}]})));
    object.apply("alice", &spec(json!({"containers": [{"name": "b"}]})));
    assert_eq!(object.spec(), &json!({"containers": [{"name": "b"}]}));
}

#[test]
fn conflicts_name_the_manager_and_the_field() {
    let mut object = Object::new();
    object.apply("alice", &spec(json!({"replicas": 1, "containers": [{"name": "a", "image": "1"}]})));
    object.update("bob", &spec(json!({"replicas": 1, "paused": "yes", "tags": ["t"], "containers": [{"name": "a", "image": "1"}]})));
    object.update_by("carl", "status", &json!({"spec": object.spec().clone(), "status": {"ready": 1}}));

    let one = object.try_apply("dora", &spec(json!({"replicas": 2})), false).unwrap_err();
    assert_eq!(one.to_string(), r#"Apply failed with 1 conflict: conflict with "alice": .spec.replicas"#);
    assert_eq!(one.code(), 409);

    let updater = object.try_apply("dora", &spec(json!({"paused": "no"})), false).unwrap_err();
    assert_eq!(
        updater.to_string(),
        r#"Apply failed with 1 conflict: conflict with "bob" using shop.io/v1: .spec.paused"#
    );

    let many = spec(json!({"replicas": 2, "paused": "no", "containers": [{"name": "a", "image": "2"}]}));
    let many = object.try_apply("dora", &many, false).unwrap_err();
    assert_eq!(
        many.to_string(),
        "Apply failed with 3 conflicts: conflicts with \"alice\":\n- .spec.replicas\n- .spec.containers[name=\"a\"].image\nconflicts with \"bob\" using shop.io/v1:\n- .spec.paused"
    );
    let ApplyError::Conflicts(conflicts) = many else { panic!() };
    assert_eq!(conflicts.all().len(), 3);
    assert_eq!(conflicts.all()[0].message(), r#"conflict with "alice""#);
    assert_eq!(conflicts.all()[2].field, ".spec.paused");

    let status = object.try_apply_by("dora", "status", &json!({"status": {"ready": 2}}), false).unwrap_err();
    assert_eq!(
        status.to_string(),
        r#"Apply failed with 1 conflict: conflict with "carl" with subresource "status" using shop.io/v1: .status.ready"#
    );
}

#[test]
fn equal_values_are_shared_without_conflict() {
    let mut object = Object::new();
    object.apply("alice", &spec(json!({"replicas": 1})));
    object.apply("bob", &spec(json!({"replicas": 1})));
    let fields = r#"{"f:spec":{"f:replicas":{}}}"#;
    // Nothing changed, so that nobody notes a time.
    assert_eq!(object.managers(), [format!("bob/Apply/- {fields}"), format!("alice/Apply/1 {fields}")]);
    let error = object.try_apply("alice", &spec(json!({"replicas": 2})), false).unwrap_err();
    assert_eq!(error.to_string(), r#"Apply failed with 1 conflict: conflict with "bob": .spec.replicas"#);
}

#[test]
fn by_force_fields_change_hands() {
    let mut object = Object::new();
    object.apply("alice", &spec(json!({"replicas": 1, "paused": "yes"})));
    object.force("bob", &spec(json!({"replicas": 2})));
    assert_eq!(
        object.managers(),
        [r#"alice/Apply/1 {"f:spec":{"f:paused":{}}}"#, r#"bob/Apply/2 {"f:spec":{"f:replicas":{}}}"#]
    );
    object.force("bob", &spec(json!({"replicas": 2, "paused": "no"})));
    assert_eq!(object.managers(), [r#"bob/Apply/3 {"f:spec":{"f:paused":{},"f:replicas":{}}}"#]);
}

#[test]
fn applying_the_same_again_changes_nothing() {
    let mut object = Object::new();
    let config =
        spec(json!({"replicas": 1, "tags": ["a"], "containers": [{"name": "a", "ports": [{"port": 1}]}]}));
    let first = object.apply("alice", &config).clone();
    assert_eq!(object.apply("alice", &config), &first);
}

#[test]
fn keys_that_are_absent_have_their_default() {
    let mut object = Object::new();
    object.apply("alice", &spec(json!({"containers": [{"name": "a", "ports": [{"port": 1}]}]})));
    object.apply(
        "bob",
        &spec(json!({"containers": [{"name": "a", "ports": [{"port": 1, "protocol": "TCP", "name": "p"}]}]})),
    );
    assert_eq!(
        object.spec()["containers"],
        json!([{"name": "a", "ports": [{"port": 1, "protocol": "TCP", "name": "p"}]}])
    );
}

#[test]
fn fields_behind_another_door_are_nobodys_here() {
    let mut object = Object::new();
    object.apply("alice", &json!({"spec": {"replicas": 1}, "status": {"ready": 1}}));
    assert_eq!(object.managers(), [r#"alice/Apply/1 {"f:spec":{"f:replicas":{}}}"#]);
    object
        .try_apply_by("alice", "status", &json!({"spec": {"replicas": 9}, "status": {"ready": 2}}), false)
        .unwrap();
    assert_eq!(object.managers()[1], r#"alice/Apply/status/2 {"f:status":{"f:ready":{}}}"#);
}

#[test]
fn objects_without_managers_were_there_before_the_first_apply() {
    let mut object = Object::new();
    object.update("old", &spec(json!({"replicas": 1, "tags": ["a"]})));
    object.live.as_mut().unwrap()["metadata"].as_object_mut().unwrap().remove("managedFields");
    object.apply("alice", &spec(json!({"paused": "yes"})));
    assert_eq!(
        object.managers(),
        [
            r#"alice/Apply/2 {"f:spec":{"f:paused":{}}}"#,
            r#"before-first-apply/Update/2 {"f:spec":{"f:replicas":{},"f:tags":{".":{},"v:\"a\"":{}}}}"#
        ]
    );
}

#[test]
fn what_cannot_be_applied_is_refused() {
    let mut object = Object::new();
    for (applied, code, message) in [
        (json!({"kind": "Other"}), 400, "invalid object type: shop.io/v1, Kind=Other"),
        (json!({"apiVersion": "v1"}), 400, "invalid object type: /v1, Kind=Thing"),
        (json!({"apiVersion": "a/b/c"}), 400, "invalid object type: /, Kind="),
        (json!({"metadata": {"managedFields": []}}), 400, "metadata.managedFields must be nil"),
        (
            spec(json!({"nope": 1})),
            500,
            "failed to create typed patch object (ns/n; shop.io/v1, Kind=Thing): .spec.nope: field not declared in schema",
        ),
        (
            spec(json!({"containers": [{"name": "a"}, {"name": "a"}]})),
            500,
            "failed to create typed patch object (ns/n; shop.io/v1, Kind=Thing): .spec.containers: duplicate entries for key [name=\"a\"]",
        ),
    ] {
        let error = object.try_apply("alice", &applied, false).unwrap_err();
        assert_eq!((error.code(), error.to_string().as_str()), (code, message));
    }
    object.apply("alice", &json!({"metadata": {"managedFields": null}}));
}

#[test]
fn live_duplicates_are_borne_until_they_are_applied() {
    let mut object = Object::new();
    object.update(
        "bob",
        &spec(
            json!({"containers": [{"name": "a", "image": "1"}, {"name": "a", "image": "2"}, {"name": "b"}]}),
        ),
    );
    object.apply("alice", &spec(json!({"containers": [{"name": "b", "image": "3"}]})));
    assert_eq!(object.spec()["containers"].as_array().unwrap().len(), 3);
    let conflict =
        object.try_apply("alice", &spec(json!({"containers": [{"name": "a"}]})), false).unwrap_err();
    assert_eq!(
        conflict.to_string(),
        r#"Apply failed with 1 conflict: conflict with "bob" using shop.io/v1: .spec.containers[name="a"]"#
    );
    object.force("alice", &spec(json!({"containers": [{"name": "a", "image": "4"}]})));
    assert_eq!(object.spec()["containers"], json!([{"name": "a", "image": "4"}, {"name": "b"}]));
}

#[test]
fn versions_are_followed_if_they_are_known() {
    let mut object = Object::new();
    object.apply("alice", &spec(json!({"replicas": 1})));
    let entry = |version: &str| {
        json!({"manager": "old", "operation": "Update", "apiVersion": version, "fieldsType": "FieldsV1",
        "fieldsV1": {"f:spec": {"f:paused": {}}}})
    };
    for (version, managers) in [("shop.io/v2", 2), ("shop.io/v0", 1)] {
        let mut other = Object::new();
        other.live.clone_from(&object.live);
        other.live.as_mut().unwrap()["metadata"]["managedFields"]
            .as_array_mut()
            .unwrap()
            .push(entry(version));
        other.apply("alice", &spec(json!({"replicas": 2})));
        assert_eq!(other.managers().len(), managers, "{version}");
    }
}

#[test]
fn what_another_version_does_not_have_cannot_be_followed_there() {
    let entry = json!({"manager": "old", "operation": "Update", "apiVersion": "shop.io/v1beta1",
        "fieldsType": "FieldsV1", "fieldsV1": {"f:spec": {"f:paused": {}}}});
    let followed = |field: Value| {
        let mut object = Object::new();
        object.update("alice", &spec(json!({"replicas": 1})));
        object.live.as_mut().unwrap()["metadata"]["managedFields"]
            .as_array_mut()
            .unwrap()
            .push(entry.clone());
        object.update("bob", &spec(field));
        object
    };
    // Of what both versions have, everybody keeps their own.
    assert_eq!(followed(json!({"replicas": 1, "paused": "x"})).managers().len(), 2);
    // Else the real server forgets all owners.
    let object = followed(json!({"replicas": 1, "tags": ["a"]}));
    assert_eq!(object.live.as_ref().unwrap()["metadata"].get("managedFields"), None);
    let mut object = followed(json!({"replicas": 1}));
    let refused = object.try_apply("carol", &spec(json!({"tags": ["a"]})), false).unwrap_err();
    assert_eq!(refused.to_string(), "failed to convert new object: .spec.tags: field not declared in schema");
}
