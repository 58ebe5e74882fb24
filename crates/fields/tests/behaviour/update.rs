//! Creates, updates and patches.

use serde_json::{Value, json};

use crate::object::Object;

fn spec(spec: Value) -> Value {
    json!({"spec": spec})
}

#[test]
fn whoever_creates_an_object_owns_it() {
    let mut object = Object::new();
    object.update("alice", &json!({"metadata": {"labels": {"a": "1"}}, "spec": {"replicas": 1, "tags": ["t"]}, "status": {"ready": 1}}));
    assert_eq!(
        object.managers(),
        [
            r#"alice/Update/1 {"f:metadata":{"f:labels":{".":{},"f:a":{}}},"f:spec":{"f:replicas":{},"f:tags":{".":{},"v:\"t\"":{}}}}"#
        ]
    );
}

#[test]
fn whoever_changes_a_field_owns_it_alone() {
    let mut object = Object::new();
    object.update("alice", &spec(json!({"replicas": 1, "paused": "yes"})));
    object.update("bob", &spec(json!({"replicas": 2, "paused": "yes"})));
    assert_eq!(
        object.managers(),
        [r#"alice/Update/1 {"f:spec":{"f:paused":{}}}"#, r#"bob/Update/2 {"f:spec":{"f:replicas":{}}}"#]
    );
}

#[test]
fn what_is_removed_is_nobodys_and_empty_entries_vanish() {
    let mut object = Object::new();
    object.update("alice", &spec(json!({"replicas": 1})));
    object.update("bob", &spec(json!({"replicas": 1, "paused": "yes"})));
    object.update("carl", &spec(json!({"paused": "yes"})));
    assert_eq!(object.managers(), [r#"bob/Update/2 {"f:spec":{"f:paused":{}}}"#]);
}

#[test]
fn times_move_only_with_changes() {
    let mut object = Object::new();
    object.update("alice", &spec(json!({"replicas": 1})));
    let before = object.live.clone();
    object.update("alice", &spec(json!({"replicas": 1})));
    assert_eq!(object.live, before);
    object.update("alice", &spec(json!({"replicas": 1, "tags": ["a"]})));
    assert_eq!(
        object.managers(),
        [r#"alice/Update/3 {"f:spec":{"f:replicas":{},"f:tags":{".":{},"v:\"a\"":{}}}}"#]
    );
}

#[test]
fn appliers_come_first_then_the_oldest() {
    let mut object = Object::new();
    object.update("zoe", &spec(json!({"replicas": 1})));
    object.update("alice", &spec(json!({"replicas": 1, "paused": "yes"})));
    object.apply("carl", &spec(json!({"tags": ["a"]})));
    object.apply("bob", &spec(json!({"tags": ["b"]})));
    let names: Vec<&str> = object.entries().iter().map(|entry| entry["manager"].as_str().unwrap()).collect();
    assert_eq!(names, ["carl", "bob", "zoe", "alice"]);
}

#[test]
fn a_door_has_entries_of_its_own() {
    let mut object = Object::new();
    object.update("alice", &spec(json!({"replicas": 1})));
    object.update_by("alice", "status", &json!({"spec": {"replicas": 5}, "status": {"ready": 1}}));
    assert_eq!(
        object.managers(),
        [
            r#"alice/Update/1 {"f:spec":{"f:replicas":{}}}"#,
            r#"alice/Update/status/2 {"f:status":{".":{},"f:ready":{}}}"#
        ]
    );
}

#[test]
fn nameless_clients_are_unknown() {
    let mut object = Object::new();
    object.update("", &spec(json!({"replicas": 1})));
    assert_eq!(object.entries()[0]["manager"], "unknown");
}

#[test]
fn managed_fields_of_the_client() {
    let given = |fields: Value| json!({"metadata": {"managedFields": fields}, "spec": {"replicas": 1}});
    let entry = json!({"manager": "m", "operation": "Apply", "apiVersion": "shop.io/v1", "fieldsType": "FieldsV1",
        "fieldsV1": {"f:spec": {"f:replicas": {}}}});
    let with = |name: &str, value: Value| {
        let mut entry = entry.clone();
        entry[name] = value;
        entry
    };
    let kept = r#"alice/Update/1 {"f:spec":{"f:replicas":{}}}"#;
    for (fields, managers) in [
        (json!([]), vec![]),
        (json!([{}]), vec![]),
        (json!(null), vec![kept]),
        (json!([entry]), vec![r#"m/Apply/- {"f:spec":{"f:replicas":{}}}"#]),
        (json!([with("operation", json!("Delete"))]), vec![kept]),
        (json!([with("apiVersion", json!(""))]), vec![kept]),
        (json!([with("fieldsType", json!("FieldsV2"))]), vec![kept]),
        (json!([with("time", json!("tomorrow"))]), vec![kept]),
        (json!([with("fieldsV1", json!({"f:a": 1}))]), vec![kept]),
        (json!([with("apiVersion", json!("a/b/c"))]), vec![]),
    ] {
        let mut object = Object::new();
        object.update("alice", &spec(json!({"replicas": 1})));
        object.update("bob", &given(fields.clone()));
        assert_eq!(object.managers(), managers, "{fields}");
    }
}

#[test]
fn an_object_without_managers_stays_so() {
    let mut object = Object::new();
    object.update("alice", &spec(json!({"replicas": 1})));
    object.update("alice", &json!({"metadata": {"managedFields": [{}]}, "spec": {"replicas": 1}}));
    object.update("bob", &spec(json!({"replicas": 2})));
    assert_eq!(object.managers(), [""; 0]);
}

#[test]
fn a_subresource_takes_no_managed_fields() {
    let mut object = Object::new();
    object.update("alice", &spec(json!({"replicas": 1})));
    object.update_by(
        "bob",
        "status",
        &json!({"metadata": {"managedFields": []}, "spec": {"replicas": 1}, "status": {"ready": 1}}),
    );
    assert_eq!(object.managers().len(), 2);
}

#[test]
fn the_oldest_of_many_updaters_are_merged() {
    let mut object = Object::new();
    let mut labels = serde_json::Map::new();
    for at in 0..12 {
        labels.insert(format!("l{at:02}"), json!("x"));
        object.update(&format!("m{at:02}"), &json!({"metadata": {"labels": labels}}));
    }
    assert_eq!(object.managers().len(), 10);
    assert_eq!(
        object.managers()[0],
        r#"ancient-changes/Update/3 {"f:metadata":{"f:labels":{".":{},"f:l00":{},"f:l01":{},"f:l02":{}}}}"#
    );
    assert_eq!(object.entries()[1]["manager"], "m03");
}

#[test]
fn objects_that_do_not_fit_their_schema_lose_their_managers() {
    let mut object = Object::new();
    object.update("alice", &spec(json!({"replicas": 1})));
    object.update("bob", &spec(json!({"nope": 1})));
    assert_eq!(object.managers(), [""; 0]);
}
