//! The schemas of custom kinds, as their definitions give them.

use serde_json::{Value, json};

use super::schemas::{Components, LIST_META, OBJECT_META};
use super::{Names, reference};
use crate::registry::Resource;

const API_VERSION: &str = "APIVersion defines the versioned schema of this representation of an object. Servers should convert recognized schemas to the latest internal value, and may reject unrecognized values. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#resources";
const KIND: &str = "Kind is a string value representing the REST resource this object represents. Servers may infer this from the endpoint the client submits requests to. Cannot be updated. In CamelCase. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#types-kinds";
const METADATA: &str = "Standard object's metadata. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata";
const LIST_METADATA: &str = "Standard list metadata. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#types-kinds";

/// Adds the schemas of a custom kind in a version.
pub(super) fn add(
    components: &mut Components,
    resource: &Resource,
    version: &str,
    schema: Option<&Value>,
) -> Names {
    let group = &*resource.key.group;
    let package: Vec<&str> = group.rsplit('.').chain([version]).collect();
    let package = package.join(".");
    let names = Names {
        object: format!("{package}.{}", resource.kind),
        list: Some(format!("{package}.{}", resource.list_kind)),
    };
    components.want(OBJECT_META);
    components.want(LIST_META);
    components.put(names.object.clone(), object(resource, version, schema));
    let list = json!({
        "description": format!("{} is a list of {}", resource.list_kind, resource.kind),
        "type": "object",
        "required": ["items"],
        "properties": {
            "apiVersion": {"description": API_VERSION, "type": "string"},
            "kind": {"description": KIND, "type": "string"},
            "metadata": {"description": LIST_METADATA, "allOf": [reference(LIST_META)]},
            "items": {
                "description": format!("List of {}. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md", resource.key.resource),
                "type": "array",
                "items": reference(&names.object),
            },
        },
        "x-kubernetes-group-version-kind": [{"group": group, "version": version, "kind": *resource.list_kind}],
    });
    if let Some(name) = &names.list {
        components.put(name.clone(), list);
    }
    names
}

fn object(resource: &Resource, version: &str, schema: Option<&Value>) -> Value {
    let mut written = match schema {
        Some(schema @ Value::Object(_)) => schema.clone(),
        _ => json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true}),
    };
    let Some(fields) = written.as_object_mut() else { return written };
    let properties = fields.entry("properties").or_insert_with(|| json!({}));
    if let Some(properties) = properties.as_object_mut() {
        properties.insert("apiVersion".to_owned(), json!({"description": API_VERSION, "type": "string"}));
        properties.insert("kind".to_owned(), json!({"description": KIND, "type": "string"}));
        properties.insert(
            "metadata".to_owned(),
            json!({"description": METADATA, "allOf": [reference(OBJECT_META)]}),
        );
    }
    let known = json!([{"group": *resource.key.group, "version": version, "kind": *resource.kind}]);
    fields.insert("x-kubernetes-group-version-kind".to_owned(), known);
    written
}
