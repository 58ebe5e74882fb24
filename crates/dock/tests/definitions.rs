//! Definitions of kinds, the versions of what they define, and how they go.

mod wire;

use dock::Dock;
use serde_json::{Value, json};
use wire::Exchange;

const DEFINITIONS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

/// A server on which `Thing` exists: in `v1`, where it is stored, with two fields, in `v1beta1` with the first of them.
async fn with_things() -> Dock {
    let dock = Dock::builder().controllers(false).start().await;
    let version = |name: &str, fields: Value| {
        let spec = json!({"type": "object", "properties": fields});
        json!({"name": name, "served": true, "storage": name == "v1",
            "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": spec}}}})
    };
    let size = json!({"type": "integer"});
    let tags = json!({"type": "array", "items": {"type": "string"}, "x-kubernetes-list-type": "set"});
    let versions =
        [version("v1", json!({"size": size, "tags": tags})), version("v1beta1", json!({"size": size}))];
    let definition = json!({
        "metadata": {"name": "things.shop.io"},
        "spec": {"group": "shop.io", "scope": "Namespaced", "names": {"plural": "things", "kind": "Thing"}, "versions": versions},
    });
    let made = dock.ask("POST", DEFINITIONS, &definition).await;
    assert_eq!(made.code, 201, "{}", made.body);
    dock
}

fn things(version: &str) -> String {
    format!("/apis/shop.io/{version}/namespaces/default/things")
}

fn thing(version: &str, metadata: &Value, spec: &Value) -> Value {
    json!({"apiVersion": format!("shop.io/{version}"), "kind": "Thing", "metadata": metadata, "spec": spec})
}

#[tokio::test]
async fn owners_in_a_version_are_followed_as_long_as_the_object_can_be_seen_in_it() {
    let dock = with_things().await;
    let made = dock
        .ask(
            "POST",
            &format!("{}?fieldManager=old", things("v1beta1")),
            &thing("v1beta1", &json!({"name": "t"}), &json!({"size": 1})),
        )
        .await;
    assert_eq!(made.code, 201, "{}", made.body);
    let path = format!("{}/t", things("v1"));
    let grown = dock.ask("PATCH", &format!("{path}?fieldManager=new"), &json!({"spec": {"size": 2}})).await;
    let managers = grown.body["metadata"]["managedFields"].as_array().expect("managers").clone();
    // Their order depends on whether a second began between the two.
    let fields = |name: &str| {
        let entry = managers.iter().find(|entry| entry["manager"] == name).expect("a manager");
        &entry["fieldsV1"]["f:spec"]
    };
    assert_eq!([fields("new"), fields("old")], [&json!({"f:size": {}}), &json!({})]);
    // The object gets what the version of the older owner does not know.
    let applied = thing("v1", &json!({"name": "t"}), &json!({"tags": ["x"]}));
    let apply = [("content-type", "application/apply-patch+yaml")];
    let refused = dock.ask_with("PATCH", &format!("{path}?fieldManager=applier"), &applied, &apply).await;
    assert_eq!(
        (refused.code, refused.body["message"].as_str()),
        (500, Some("failed to convert new object: .spec.tags: field not declared in schema"))
    );
    let tagged = dock.ask("PATCH", &path, &json!({"spec": {"tags": ["x"]}})).await;
    assert_eq!((tagged.code, tagged.body["metadata"].get("managedFields")), (200, None));
}

#[tokio::test]
async fn annotations_whose_last_was_taken_back_are_stored_until_the_next_write() {
    let dock = with_things().await;
    let path = format!("{}/t", things("v1"));
    let metadata = json!({"name": "t", "annotations": {"note": "a"}});
    dock.ask("POST", &things("v1"), &thing("v1", &metadata, &json!({"size": 1}))).await;
    let apply = [("content-type", "application/apply-patch+yaml")];
    let mut taken_back = Value::Null;
    for metadata in [json!({"name": "t", "annotations": {"note": "b"}}), json!({"name": "t"})] {
        let wanted = thing("v1", &metadata, &json!({"size": 1}));
        let applied =
            dock.ask_with("PATCH", &format!("{path}?fieldManager=a&force=true"), &wanted, &apply).await;
        assert_eq!(applied.code, 200, "{}", applied.body);
        taken_back = applied.body;
    }
    let annotations = |object: &Value| object["metadata"].get("annotations").cloned();
    let revision = |object: &Value| object["metadata"]["resourceVersion"].clone();
    assert_eq!(annotations(&taken_back), None);
    let same = json!({"spec": {"size": 1}});
    let first = dock.ask("PATCH", &path, &same).await.body;
    let second = dock.ask("PATCH", &path, &same).await.body;
    assert_eq!((annotations(&first), revision(&first) == revision(&taken_back)), (None, false));
    assert_eq!((annotations(&second), revision(&second) == revision(&first)), (None, true));
}

#[tokio::test]
async fn names_are_accepted_while_a_definition_waits_for_its_objects() {
    let dock = with_things().await;
    let held = thing("v1", &json!({"name": "t", "finalizers": ["a.b/c"]}), &json!({}));
    assert_eq!(dock.ask("POST", &things("v1"), &held).await.code, 201);
    let path = format!("{DEFINITIONS}/things.shop.io");
    dock.ask("DELETE", &path, &Value::Null).await;
    dock.ask("PATCH", &path, &json!({"spec": {"names": {"categories": ["all"]}}})).await;
    let names = dock.ask("GET", &path, &Value::Null).await.body["status"]["acceptedNames"].take();
    assert_eq!(names["categories"], json!(["all"]));
    dock.ask("PATCH", &format!("{}/t", things("v1")), &json!({"metadata": {"finalizers": null}})).await;
    assert_eq!(dock.ask("GET", &path, &Value::Null).await.code, 404);
}

#[tokio::test]
async fn nobody_is_asked_about_objects_that_go_with_their_definition() {
    let dock = with_things().await;
    assert_eq!(
        dock.ask("POST", &things("v1"), &thing("v1", &json!({"name": "t"}), &json!({}))).await.code,
        201
    );
    let rule =
        json!({"apiGroups": ["shop.io"], "apiVersions": ["*"], "operations": ["DELETE"], "resources": ["*"]});
    let policy = json!({
        "metadata": {"name": "kept"},
        "spec": {"matchConstraints": {"resourceRules": [rule]}, "validations": [{"expression": "false"}]},
    });
    let binding =
        json!({"metadata": {"name": "kept"}, "spec": {"policyName": "kept", "validationActions": ["Deny"]}});
    let registration = "/apis/admissionregistration.k8s.io/v1";
    dock.ask("POST", &format!("{registration}/validatingadmissionpolicies"), &policy).await;
    dock.ask("POST", &format!("{registration}/validatingadmissionpolicybindings"), &binding).await;
    let refused = dock.ask("DELETE", &format!("{}/t", things("v1")), &Value::Null).await;
    assert_eq!(refused.code, 422, "{}", refused.body);
    let path = format!("{DEFINITIONS}/things.shop.io");
    assert_eq!(dock.ask("DELETE", &path, &Value::Null).await.code, 200);
    assert_eq!(dock.ask("GET", &path, &Value::Null).await.code, 404);
}

#[tokio::test]
async fn watches_begin_no_earlier_than_the_definition_that_counts() {
    let dock = with_things().await;
    let list = dock.ask("GET", &things("v1"), &Value::Null).await.body;
    let from = list["metadata"]["resourceVersion"].as_str().expect("a revision").to_owned();
    let path = format!("{DEFINITIONS}/things.shop.io");
    assert_eq!(
        dock.ask("POST", &things("v1"), &thing("v1", &json!({"name": "t"}), &json!({}))).await.code,
        201
    );
    let watch = format!("{}?watch=true&timeoutSeconds=1&resourceVersion={from}", things("v1"));
    dock.ask("PATCH", &path, &json!({"metadata": {"annotations": {"a": "b"}}})).await;
    assert_eq!(dock.ask("GET", &watch, &Value::Null).await.body["type"], "ADDED");
    dock.ask("PATCH", &path, &json!({"spec": {"names": {"categories": ["all"]}}})).await;
    let told = dock.ask("GET", &watch, &Value::Null).await.body;
    assert_eq!((&told["type"], &told["object"]["code"]), (&json!("ERROR"), &json!(410)));
}
