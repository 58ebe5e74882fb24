//! Objects as rows for people.

use serde_json::{Value, json};

use crate::requests::Call;

/// A table of objects.
pub fn of(call: &Call, objects: &[Value], metadata: &Value) -> Value {
    let include = call.options.other.get("includeObject").map_or("Metadata", String::as_str);
    let rows: Vec<Value> = objects.iter().map(|object| row(object, include)).collect();
    json!({
        "kind": "Table",
        "apiVersion": "meta.k8s.io/v1",
        "metadata": metadata,
        "columnDefinitions": [
            {"name": "Name", "type": "string", "format": "name", "description": "Name must be unique within a namespace. Is required when creating resources, although some resources may allow a client to request the generation of an appropriate name automatically. Name is primarily intended for creation idempotence and configuration definition. Cannot be updated. More info: https://kubernetes.io/docs/concepts/overview/working-with-objects/names#names", "priority": 0},
            {"name": "Created At", "type": "date", "format": "", "description": "CreationTimestamp is a timestamp representing the server time when this object was created. It is not guaranteed to be set in happens-before order across separate operations. Clients may not set this value. It is represented in RFC3339 form and is in UTC.\n\nPopulated by the system. Read-only. Null for lists. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata", "priority": 0},
        ],
        "rows": rows,
    })
}

fn row(object: &Value, include: &str) -> Value {
    let shown = match include {
        "None" => Value::Null,
        "Object" => object.clone(),
        _ => {
            json!({"kind": "PartialObjectMetadata", "apiVersion": "meta.k8s.io/v1", "metadata": object["metadata"]})
        }
    };
    json!({"cells": [object["metadata"]["name"], object["metadata"]["creationTimestamp"]], "object": shown})
}
