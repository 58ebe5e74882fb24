//! What the API server makes of objects, and what it says of them.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::{Decoded, convert, decode};
use crate::builtin;
use crate::json::Tree;

fn read(kind: (&str, &str, &str), text: &str) -> Result<Decoded, String> {
    let view = builtin(kind.0, kind.1, kind.2).unwrap();
    decode(view, Tree::parse(text).unwrap(), true).map_err(|error| error.to_string())
}

const DEPLOYMENT: (&str, &str, &str) = ("apps", "v1", "Deployment");
const POD: (&str, &str, &str) = ("", "v1", "Pod");

#[test]
fn what_go_always_writes_is_there() {
    let read = |text| read(DEPLOYMENT, text).unwrap().value;
    assert_eq!(
        read(
            r#"{"apiVersion": "apps/v1", "kind": "Deployment", "spec": {"replicas": 0, "minReadySeconds": 0, "paused": false}}"#
        ),
        json!({
            "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {},
            "spec": {
                "replicas": 0, "selector": null, "strategy": {},
                "template": {"metadata": {}, "spec": {"containers": null}},
            },
            "status": {},
        })
    );
}

#[test]
fn values_get_their_usual_form() {
    let text = r#"{
        "metadata": {"name": "p", "creationTimestamp": "2026-11-16T12:00:00.5+02:00", "labels": {"a": null}, "finalizers": []},
        "spec": {"containers": [{"name": "c", "resources": {"limits": {"cpu": "1000m", "memory": 1024}},
            "env": [{"name": "X", "valueFrom": {"resourceFieldRef": {"resource": "r"}}}]}, null]}
    }"#;
    assert_eq!(
        read(POD, text).unwrap().value,
        json!({
            "metadata": {"name": "p", "creationTimestamp": "2026-11-16T10:00:00Z", "labels": {"a": ""}},
            "spec": {"containers": [
                {
                    "name": "c",
                    "resources": {"limits": {"cpu": "1", "memory": "1024"}},
                    "env": [{"name": "X", "valueFrom": {"resourceFieldRef": {"resource": "r", "divisor": "0"}}}],
                },
                {"name": "", "resources": {}},
            ]},
            "status": {},
        })
    );
    let secret = read(("", "v1", "Secret"), r#"{"data": {"a": "aGk=\n", "b": null}}"#).unwrap().value;
    assert_eq!(secret, json!({"metadata": {}, "data": {"a": "aGk=", "b": ""}}));
    let role = ("rbac.authorization.k8s.io", "v1", "Role");
    assert_eq!(read(role, r#"{"rules": []}"#).unwrap().value, json!({"metadata": {}, "rules": []}));
    assert_eq!(read(role, "{}").unwrap().value, json!({"metadata": {}, "rules": null}));
}

#[test]
fn wrong_types_are_refused_in_gos_words() {
    let cases = [
        (
            DEPLOYMENT,
            r#"{"spec": {"replicas": "three"}}"#,
            "json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32",
        ),
        (
            DEPLOYMENT,
            r#"{"spec": {"replicas": 1.5}}"#,
            "json: cannot unmarshal number 1.5 into Go struct field DeploymentSpec.spec.replicas of type int32",
        ),
        (
            DEPLOYMENT,
            r#"{"spec": {"template": {"spec": {"containers": {}}}}}"#,
            "json: cannot unmarshal object into Go struct field PodSpec.spec.template.spec.containers of type []v1.Container",
        ),
        (
            DEPLOYMENT,
            r#"{"spec": []}"#,
            "json: cannot unmarshal array into Go struct field Deployment.spec of type v1.DeploymentSpec",
        ),
        (
            DEPLOYMENT,
            r#"{"spec": {"strategy": {"type": 1}}}"#,
            "json: cannot unmarshal number into Go struct field DeploymentStrategy.spec.strategy.type of type v1.DeploymentStrategyType",
        ),
        (
            POD,
            r#"{"metadata": {"labels": {"a": 1}}}"#,
            "json: cannot unmarshal number into Go struct field ObjectMeta.metadata.labels of type string",
        ),
        (
            POD,
            r#"{"spec": {"volumes": [{"hostPath": "x"}]}}"#,
            "json: cannot unmarshal string into Go struct field Volume.spec.volumes.VolumeSource.hostPath of type v1.HostPathVolumeSource",
        ),
        (
            POD,
            r#"{"metadata": {"creationTimestamp": 1}}"#,
            "json: cannot unmarshal number into Go struct field ObjectMeta.metadata.creationTimestamp of type string",
        ),
        (
            POD,
            r#"{"spec": {"containers": [{"resources": {"limits": {"cpu": "x"}}}]}}"#,
            "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
        ),
        (("", "v1", "Secret"), r#"{"data": {"a": "?"}}"#, "illegal base64 data at input byte 0"),
        (POD, "[]", "json: cannot unmarshal array into Go value of type v1.Pod"),
    ];
    for (kind, text, expected) in cases {
        assert_eq!(read(kind, text).unwrap_err(), expected, "{text}");
    }
}

#[test]
fn unknown_and_doubled_fields_are_named_in_their_order() {
    let text = r#"{"spec": {"foo": 1, "replicas": 1, "template": {"spec": {"containers": [{"name": "a"}, {"nmae": "b"}]}},
        "replicas": 2, "Paused": true}, "bar": {"baz": 1}}"#;
    let read = read(DEPLOYMENT, text).unwrap();
    assert_eq!(
        read.complaints,
        [
            r#"unknown field "spec.foo""#,
            r#"unknown field "spec.template.spec.containers[1].nmae""#,
            r#"duplicate field "spec.replicas""#,
            r#"unknown field "spec.Paused""#,
            r#"unknown field "bar""#,
        ]
    );
    assert_eq!(read.value.pointer("/spec/replicas"), Some(&json!(2)));
    assert_eq!(read.value.pointer("/spec/foo"), None);
}

#[test]
fn the_result_of_a_strategic_merge_is_refused_in_other_words() {
    let view = builtin("apps", "v1", "Deployment").unwrap();
    let said = |value: Value| convert(view, value, true).unwrap_err().to_string();
    assert_eq!(said(json!({"spec": {"replicas": "x"}})), "unrecognized type: int32");
    assert_eq!(said(json!({"spec": {"replicas": 1.5}})), "cannot convert float64 to int32");
    assert_eq!(said(json!({"spec": {"template": "x"}})), "cannot restore struct from: string");
    assert_eq!(said(json!({"metadata": {"finalizers": "x"}})), "cannot restore slice from string");
    assert_eq!(said(json!({"metadata": {"labels": {"a": 1}}})), "cannot convert int64 to string");
    assert_eq!(said(json!({"metadata": {"labels": 1}})), "cannot restore map from int64");
    let read = convert(view, json!({"spec": {"b": 1, "a": 1, "replicas": 2.0}}), true).unwrap();
    assert_eq!(read.complaints, [r#"unknown field "spec.a""#, r#"unknown field "spec.b""#]);
    assert_eq!(read.value.pointer("/spec/replicas"), Some(&json!(2)));
}

/// JSON with names that pods have, so that some of it fits.
fn documents() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        "[a-z0-9]{0,3}".prop_map(Value::from),
    ];
    leaf.prop_recursive(6, 40, 4, |inner| {
        let names = prop::sample::select(vec![
            "metadata",
            "labels",
            "name",
            "spec",
            "containers",
            "volumes",
            "ports",
            "resources",
            "limits",
            "env",
            "x",
        ]);
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            prop::collection::vec((names, inner), 0..4).prop_map(|fields| fields
                .into_iter()
                .map(|(name, value)| (name.to_owned(), value))
                .collect()),
        ]
    })
}

proptest! {
    #[test]
    fn reading_what_was_written_changes_nothing(document in documents()) {
        if let Ok(first) = read(POD, &document.to_string()) {
            let second = read(POD, &first.value.to_string()).unwrap();
            prop_assert_eq!(&second.value, &first.value);
            prop_assert!(second.complaints.is_empty());
            let view = builtin("", "v1", "Pod").unwrap();
            prop_assert_eq!(convert(view, first.value.clone(), true).unwrap().value, first.value);
        }
    }
}
