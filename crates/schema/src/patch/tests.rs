//! Strategic merges, as the API server makes them.

use serde_json::{Value, json};

use super::{PatchError, strategic_merge_patch};
use crate::builtin;

fn pod(object: Value, patch: &Value) -> Result<Value, PatchError> {
    let view = builtin("", "v1", "Pod").unwrap();
    strategic_merge_patch(view, object, &patch.to_string(), true).map(|merged| merged.object)
}

#[test]
fn lists_are_merged_by_their_keys() {
    let object = json!({"spec": {"containers": [{"name": "a", "image": "1"}, {"name": "b", "image": "1"}]}});
    let patch = json!({"spec": {"containers": [{"name": "b", "image": "2"}, {"name": "c", "image": "3"}]}});
    let expected = json!({"spec": {"containers": [
        {"name": "a", "image": "1"}, {"name": "b", "image": "2"}, {"name": "c", "image": "3"},
    ]}});
    assert_eq!(pod(object, &patch), Ok(expected));
}

#[test]
fn new_items_come_first_if_the_patch_begins_with_them() {
    let object = json!({"spec": {"containers": [{"name": "a"}, {"name": "b"}]}});
    let patch = json!({"spec": {"containers": [{"name": "c"}]}});
    assert_eq!(
        pod(object, &patch),
        Ok(json!({"spec": {"containers": [{"name": "c"}, {"name": "a"}, {"name": "b"}]}}))
    );
}

#[test]
fn an_order_can_be_given() {
    let object = json!({"spec": {"containers": [{"name": "a"}, {"name": "b"}, {"name": "x"}]}});
    let patch = json!({"spec": {
        "$setElementOrder/containers": [{"name": "b"}, {"name": "c"}, {"name": "a"}],
        "containers": [{"name": "c"}],
    }});
    assert_eq!(
        pod(object, &patch),
        Ok(json!({"spec": {"containers": [{"name": "b"}, {"name": "c"}, {"name": "a"}, {"name": "x"}]}}))
    );
}

#[test]
fn an_order_must_name_all_items_of_the_patch() {
    let patch = json!({"spec": {
        "$setElementOrder/containers": [{"name": "b"}], "containers": [{"name": "c"}],
    }});
    let error = pod(json!({"spec": {"containers": [{"name": "a"}]}}), &patch).unwrap_err();
    assert_eq!(error.code(), 500);
    assert_eq!(
        error.to_string(),
        "The order in patch list:\n[map[name:c]]\n doesn't match $setElementOrder list:\n[map[name:b]]\n"
    );
}

#[test]
fn items_are_deleted_and_lists_replaced() {
    let object = || json!({"spec": {"containers": [{"name": "a"}, {"name": "b", "args": ["x"]}]}});
    let patch = json!({"spec": {"containers": [{"name": "a", "$patch": "delete"}]}});
    assert_eq!(pod(object(), &patch), Ok(json!({"spec": {"containers": [{"name": "b", "args": ["x"]}]}})));
    let patch = json!({"spec": {"containers": [{"name": "z"}, {"$patch": "replace"}]}});
    assert_eq!(pod(object(), &patch), Ok(json!({"spec": {"containers": [{"name": "z"}]}})));
    let patch = json!({"spec": {"containers": [{"name": "b", "args": ["y", "z"]}]}});
    assert_eq!(
        pod(object(), &patch),
        Ok(json!({"spec": {"containers": [{"name": "a"}, {"name": "b", "args": ["y", "z"]}]}}))
    );
}

#[test]
fn single_values_are_added_and_taken_out() {
    let object = || json!({"metadata": {"finalizers": ["a", "b"]}});
    let patch = json!({"metadata": {"finalizers": ["c", "a"]}});
    assert_eq!(pod(object(), &patch), Ok(json!({"metadata": {"finalizers": ["c", "a", "b"]}})));
    let patch = json!({"metadata": {"$deleteFromPrimitiveList/finalizers": ["a", "x"]}});
    assert_eq!(pod(object(), &patch), Ok(json!({"metadata": {"finalizers": ["b"]}})));
}

#[test]
fn other_fields_go_where_only_some_are_retained() {
    let object = json!({"spec": {"volumes": [{"name": "v", "emptyDir": {}}]}});
    let patch = json!({"spec": {"volumes": [
        {"$retainKeys": ["name", "hostPath"], "name": "v", "hostPath": {"path": "/x"}},
    ]}});
    assert_eq!(
        pod(object.clone(), &patch),
        Ok(json!({"spec": {"volumes": [{"name": "v", "hostPath": {"path": "/x"}}]}}))
    );
    let patch = json!({"spec": {"$retainKeys": ["volumes"], "nodeName": "n"}});
    assert_eq!(
        pod(object, &patch),
        Err(PatchError::Unreadable("invalid patch format of retainKeys".to_owned()))
    );
}

#[test]
fn objects_are_replaced_deleted_or_merged() {
    let object = || json!({"metadata": {"labels": {"a": "1", "b": "2"}}});
    let patch = json!({"metadata": {"labels": {"$patch": "replace", "c": "3"}}});
    assert_eq!(pod(object(), &patch), Ok(json!({"metadata": {"labels": {"c": "3"}}})));
    let patch = json!({"metadata": {"labels": {"$patch": "delete"}}});
    assert_eq!(pod(object(), &patch), Ok(json!({"metadata": {"labels": {}}})));
    let patch = json!({"metadata": {"labels": {"a": null, "c": "3", "x": null}}});
    assert_eq!(pod(object(), &patch), Ok(json!({"metadata": {"labels": {"b": "2", "c": "3"}}})));
    let patch = json!({"metadata": {"labels": {"$patch": "mix"}}});
    assert_eq!(
        pod(object(), &patch).unwrap_err().to_string(),
        "unknown patch type: mix in map: map[$patch:mix]"
    );
    let budget = builtin("policy", "v1", "PodDisruptionBudget").unwrap();
    let object = json!({"spec": {"selector": {"matchLabels": {"a": "1"}}}});
    let patch = r#"{"spec": {"selector": {"matchLabels": {"b": "2"}}}}"#;
    assert_eq!(
        strategic_merge_patch(budget, object, patch, true).unwrap().object,
        json!({"spec": {"selector": {"matchLabels": {"b": "2"}}}})
    );
}

#[test]
fn refusals_are_the_servers() {
    let object = || json!({"metadata": {"finalizers": ["a"]}, "spec": {"containers": [{"name": "a"}]}});
    let cases = [
        (
            json!({"spec": {"containers": [{"image": "x"}]}}),
            500,
            "map: map[image:x] does not contain declared merge key: name",
        ),
        (
            json!({"metadata": {"finalizers": ["b", 1]}}),
            500,
            "list element types are not identical: [[a] [b 1]]",
        ),
        (
            json!({"spec": {"containers": [{"name": "a", "$patch": "merge"}]}}),
            500,
            "merging lists cannot yet be specified in the patch",
        ),
        (
            json!({"spec": {"$setElementOrder/nope": []}}),
            500,
            "unable to find api field in struct PodSpec for the json field \"nope\"",
        ),
        (json!({"spec": {"$setElementOrder": []}}), 400, "invalid patch format of setElementOrder list"),
        (json!({"spec": {"$deleteFromPrimitiveList": []}}), 400, "invalid patch format of primitive list"),
        (
            json!({"spec": {"$setElementOrder/containers": "x"}}),
            500,
            "expected a []interface {}, but received a string",
        ),
        (json!([1]), 400, "json: cannot unmarshal array into Go value of type map[string]interface {}"),
    ];
    for (patch, code, expected) in cases {
        let error = pod(object(), &patch).unwrap_err();
        assert_eq!((error.code(), error.to_string().as_str()), (code, expected), "{patch}");
    }
    let definition = builtin("apiextensions.k8s.io", "v1", "CustomResourceDefinition").unwrap();
    let schema = |inner: &str| json!({"spec": {"versions": 1, "names": {}, "conversion": {"webhook": {"clientConfig": {"service": inner}}}}});
    assert!(strategic_merge_patch(definition, schema("a"), &schema("b").to_string(), true).is_ok());
}
