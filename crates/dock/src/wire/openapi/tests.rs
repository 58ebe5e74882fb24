//! What clients look for in the documents.

use http::{HeaderMap, StatusCode, header};
use serde_json::{Value, json};

use super::Documents;
use crate::http::answer::Content;
use crate::registry::Registry;

fn read(registry: &Registry, group: &str, version: &str) -> Value {
    match Documents::default().document(registry, (group, version), "", &HeaderMap::new()).content {
        Content::Json(bytes) => serde_json::from_slice(&bytes).unwrap(),
        other => panic!("{other:?}"),
    }
}

fn definition() -> Value {
    json!({
        "metadata": {"name": "tabs.stable.example.com"},
        "spec": {
            "group": "stable.example.com", "scope": "Namespaced",
            "names": {"plural": "tabs", "singular": "tab", "kind": "Tab", "listKind": "TabList"},
            "versions": [{
                "name": "v1", "served": true, "storage": true, "subresources": {"status": {}},
                "schema": {"openAPIV3Schema": {
                    "type": "object", "description": "A tab.",
                    "properties": {"spec": {"type": "object", "properties": {"size": {"type": "integer"}}}},
                }},
            }],
        },
        "status": {
            "acceptedNames": {"plural": "tabs", "singular": "tab", "kind": "Tab", "listKind": "TabList"},
            "conditions": [{"type": "Established", "status": "True"}],
        },
    })
}

#[test]
fn every_reference_leads_somewhere() {
    fn check(value: &Value, schemas: &Value) {
        match value {
            Value::Object(fields) => {
                if let Some(Value::String(name)) = fields.get("$ref") {
                    let name = name.rsplit('/').next().unwrap();
                    assert!(schemas[name].is_object(), "{name}");
                    assert_ne!(schemas[name], json!({}), "{name}");
                }
                fields.values().for_each(|value| check(value, schemas));
            }
            Value::Array(items) => items.iter().for_each(|item| check(item, schemas)),
            _ => {}
        }
    }
    let registry = Registry::default();
    registry.define(&definition());
    let paths = Documents::default().index(&registry);
    let paths = paths["paths"].as_object().unwrap();
    assert!(paths.len() > 20);
    for path in paths.keys() {
        let parts: Vec<&str> = path.split('/').collect();
        let (group, version) = if parts[0] == "api" { ("", parts[1]) } else { (parts[1], parts[2]) };
        let document = read(&registry, group, version);
        check(&document, &document["components"]["schemas"]);
    }
}

#[test]
fn apply_finds_that_fields_are_checked() {
    let document = read(&Registry::default(), "apps", "v1");
    let patch = &document["paths"]["/apis/apps/v1/namespaces/{namespace}/deployments/{name}"]["patch"];
    assert_eq!(
        patch["x-kubernetes-group-version-kind"],
        json!({"group": "apps", "version": "v1", "kind": "Deployment"})
    );
    let parameters = patch["parameters"].as_array().unwrap();
    assert!(parameters.iter().any(|parameter| parameter["name"] == "fieldValidation"));
}

#[test]
fn explain_finds_fields_and_their_descriptions() {
    let document = read(&Registry::default(), "", "v1");
    let schemas = &document["components"]["schemas"];
    let pod = &schemas["io.k8s.api.core.v1.Pod"];
    assert_eq!(
        pod["x-kubernetes-group-version-kind"],
        json!([{"group": "", "version": "v1", "kind": "Pod"}])
    );
    assert_eq!(
        pod["properties"]["spec"]["allOf"],
        json!([{"$ref": "#/components/schemas/io.k8s.api.core.v1.PodSpec"}])
    );
    let ports = &schemas["io.k8s.api.core.v1.Container"]["properties"]["ports"];
    assert_eq!(ports["x-kubernetes-list-map-keys"], json!(["containerPort", "protocol"]));
    assert_eq!(ports["x-kubernetes-patch-merge-key"], "containerPort");
    assert!(ports["description"].as_str().unwrap().starts_with("List of ports to expose"));
    assert!(schemas["io.k8s.api.core.v1.PodList"].is_object());
}

#[test]
fn custom_kinds_are_as_their_definitions_say() {
    let registry = Registry::default();
    let before = Documents::default().index(&registry);
    registry.define(&definition());
    let after = Documents::default().index(&registry);
    assert_eq!(before["paths"]["apis/stable.example.com/v1"], Value::Null);
    let address = after["paths"]["apis/stable.example.com/v1"]["serverRelativeURL"].as_str().unwrap();
    assert!(address.starts_with("/openapi/v3/apis/stable.example.com/v1?hash="));
    let document = read(&registry, "stable.example.com", "v1");
    let tab = &document["components"]["schemas"]["com.example.stable.v1.Tab"];
    assert_eq!(tab["description"], "A tab.");
    assert_eq!(tab["properties"]["spec"]["properties"]["size"], json!({"type": "integer"}));
    assert!(tab["properties"]["metadata"]["allOf"].is_array());
    let patch =
        &document["paths"]["/apis/stable.example.com/v1/namespaces/{namespace}/tabs/{name}/status"]["patch"];
    assert_eq!(patch["requestBody"]["content"].as_object().unwrap().len(), 3);
}

#[test]
fn a_version_that_is_not_served_has_no_document() {
    let absent = Documents::default().document(&Registry::default(), ("apps", "v9"), "", &HeaderMap::new());
    assert_eq!(absent.code, StatusCode::NOT_FOUND);
}

#[test]
fn clients_keep_documents_as_long_as_they_are_good() {
    let registry = Registry::default();
    let documents = Documents::default();
    let ask =
        |query: &str, headers: &HeaderMap| documents.document(&registry, ("apps", "v1"), query, headers);
    let index = documents.index(&registry);
    let address = index["paths"]["apis/apps/v1"]["serverRelativeURL"].as_str().unwrap();
    let (_, query) = address.split_once('?').unwrap();
    let first = ask(query, &HeaderMap::new());
    assert!(
        first
            .headers
            .iter()
            .any(|(name, value)| name == header::CACHE_CONTROL && value == "public, immutable")
    );
    let (_, tag) = first.headers.iter().find(|(name, _)| name == header::ETAG).unwrap().clone();
    let known = HeaderMap::from_iter([(header::IF_NONE_MATCH, tag)]);
    assert_eq!(ask("", &known).code, StatusCode::NOT_MODIFIED);
    let moved = ask("hash=OLD", &HeaderMap::new());
    assert_eq!(moved.code, StatusCode::MOVED_PERMANENTLY);
    assert!(moved.headers.iter().any(|(name, value)| name == header::LOCATION && value == address));

    let before = documents.index(&registry);
    registry.define(&definition());
    let after = documents.index(&registry);
    assert_eq!(before["paths"]["apis/apps/v1"], after["paths"]["apis/apps/v1"]);
    assert!(after["paths"]["apis/stable.example.com/v1"].is_object());
}
