//! Owners of replicas, through the scale subresource.

use fields::scale::{ReplicasPath, from_scale, to_scale};
use serde_json::{Value, json};

const PATHS: [ReplicasPath<'static>; 2] = [
    ReplicasPath { api_version: "apps/v1", path: Some("spec.replicas") },
    ReplicasPath { api_version: "apps/v1beta1", path: None },
];

fn entry(manager: &str, operation: &str, api_version: &str, subresource: &str, fields: Value) -> Value {
    let mut entry = json!({"manager": manager, "operation": operation, "apiVersion": api_version,
        "fieldsType": "FieldsV1", "fieldsV1": fields, "time": "2020-01-01T00:00:00Z"});
    if !subresource.is_empty() {
        entry["subresource"] = json!(subresource);
    }
    entry
}

fn object(entries: Value) -> Value {
    json!({"metadata": {"managedFields": entries}})
}

#[test]
fn a_scale_shows_the_owners_of_replicas() {
    let parent = object(json!([
        entry("a", "Apply", "apps/v1", "", json!({"f:spec": {"f:replicas": {}, "f:selector": {}}})),
        entry("b", "Update", "apps/v1", "", json!({"f:spec": {"f:selector": {}}})),
        entry("c", "Update", "apps/v0", "", json!({"f:spec": {"f:replicas": {}}})),
        entry("d", "Update", "apps/v1beta1", "", json!({"f:spec": {"f:replicas": {}}})),
    ]));
    let fields = json!({"f:spec": {"f:replicas": {}}});
    assert_eq!(
        to_scale(&parent, &PATHS).unwrap(),
        Some(json!([entry("a", "Apply", "autoscaling/v1", "", fields)]))
    );
    assert_eq!(to_scale(&object(json!([])), &PATHS).unwrap(), None);
}

#[test]
fn whoever_scales_takes_the_replicas() {
    let parent = object(json!([
        entry("a", "Apply", "apps/v1", "", json!({"f:spec": {"f:replicas": {}, "f:selector": {}}})),
        entry("b", "Update", "apps/v1", "", json!({"f:spec": {"f:replicas": {}}})),
        entry("c", "Update", "apps/v0", "", json!({"f:spec": {"f:paused": {}}})),
    ]));
    let replicas = json!({"f:spec": {"f:replicas": {}}});
    let scale = object(json!([entry("s", "Update", "autoscaling/v1", "scale", replicas.clone())]));
    let mut arrived = entry("s", "Update", "apps/v1", "scale", replicas);
    arrived.as_object_mut().unwrap().remove("time");
    assert_eq!(
        from_scale(&parent, &scale, "apps/v1", &PATHS).unwrap(),
        Some(json!([entry("a", "Apply", "apps/v1", "", json!({"f:spec": {"f:selector": {}}})), arrived]))
    );
}

#[test]
fn an_applier_that_still_owns_the_replicas_keeps_its_entry() {
    let parent = object(json!([entry(
        "a",
        "Apply",
        "apps/v1",
        "",
        json!({"f:spec": {"f:replicas": {}, "f:selector": {}}})
    )]));
    let scale =
        object(json!([entry("a", "Apply", "autoscaling/v1", "", json!({"f:spec": {"f:replicas": {}}}))]));
    let kept = from_scale(&parent, &scale, "apps/v1", &PATHS).unwrap();
    assert_eq!(kept, Some(parent["metadata"]["managedFields"].clone()));
}
