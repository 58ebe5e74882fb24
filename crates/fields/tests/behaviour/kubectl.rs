//! kubectl's way from applying on the client's side to applying on the server's.

use serde_json::{Value, json};

use crate::object::{Object, complete};

const ANNOTATION: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// Creates an object as kubectl does on the client's side.
fn client_side(manager: &str, spec: &Value) -> Object {
    let config = complete(&json!({"spec": spec}));
    let mut object = Object::new();
    object.update(
        manager,
        &json!({"metadata": {"annotations": {ANNOTATION: config.to_string()}}, "spec": spec}),
    );
    object
}

#[test]
fn what_kubectl_applied_before_is_no_conflict_for_it() {
    let mut object = client_side("kubectl-client-side-apply", &json!({"replicas": 1, "paused": "yes"}));
    object.apply("kubectl", &json!({"spec": {"replicas": 2}}));
    assert_eq!(object.spec(), &json!({"replicas": 2, "paused": "yes"}));
    let annotation = &object.live.as_ref().unwrap()["metadata"]["annotations"][ANNOTATION];
    assert_eq!(
        annotation,
        "{\"apiVersion\":\"shop.io/v1\",\"kind\":\"Thing\",\"metadata\":{\"name\":\"n\",\"namespace\":\"ns\"},\"spec\":{\"replicas\":2}}\n"
    );
}

#[test]
fn others_and_what_changed_since_are_conflicts() {
    let mut object = client_side("kubectl-client-side-apply", &json!({"replicas": 1, "paused": "yes"}));
    let two = json!({"spec": {"replicas": 2, "paused": "no"}});
    assert!(object.try_apply("somebody", &two, false).is_err());
    let annotations = object.live.as_ref().unwrap()["metadata"]["annotations"].clone();
    object.update(
        "bob",
        &json!({"metadata": {"annotations": annotations}, "spec": {"replicas": 5, "paused": "yes"}}),
    );
    let error = object.try_apply("kubectl", &two, false).unwrap_err();
    assert_eq!(
        error.to_string(),
        r#"Apply failed with 1 conflict: conflict with "bob" using shop.io/v1: .spec.replicas"#
    );
}

#[test]
fn the_annotation_is_left_alone_by_others() {
    let mut object = client_side("kubectl-client-side-apply", &json!({"replicas": 1}));
    let before = object.live.as_ref().unwrap()["metadata"]["annotations"].clone();
    object.force("flux", &json!({"spec": {"replicas": 2}}));
    assert_eq!(object.live.as_ref().unwrap()["metadata"]["annotations"], before);
}

#[test]
fn an_annotation_that_would_be_too_long_goes() {
    let mut object = client_side("kubectl-client-side-apply", &json!({"replicas": 1}));
    object.apply("kubectl", &json!({"spec": {"paused": "x".repeat(300_000)}}));
    assert_eq!(object.live.as_ref().unwrap()["metadata"]["annotations"], json!({}));
}
