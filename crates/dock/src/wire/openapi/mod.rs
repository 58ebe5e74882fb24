//! The structure of all resources in `OpenAPI` v3, for clients that want to know it: `kubectl apply` asks it whether the
//! server checks fields, `kubectl explain` prints it.
//!
//! There is one document for each version of a group: the operations on its resources, and the schemas of all types
//! that these are made of. Documents are written when they are asked for; their addresses change when they do, so that
//! clients keep them as long as they are good.

mod custom;
mod paths;
mod schemas;

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::Arc;

use bytes::Bytes;
use http::StatusCode;
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use crate::http::answer::{Answer, Content};
use crate::registry::{Behaviour, Registry, Resource};
use crate::status::Status;

/// Which documents there are.
pub fn index(registry: &Registry) -> Value {
    let mut versions: BTreeMap<String, Sha256> = BTreeMap::new();
    for resource in registry.all() {
        for version in &resource.versions {
            let hash = versions.entry(path(&resource.key.group, version)).or_default();
            hash.update(format!(
                "{}/{}/{}",
                resource.key.resource,
                resource.kind,
                resource.subresources.len()
            ));
            if let Behaviour::Custom(custom) = &resource.behaviour {
                hash.update(custom.json_schema(version).map(Value::to_string).unwrap_or_default());
            }
        }
    }
    let paths: Map<String, Value> = versions
        .into_iter()
        .map(|(path, hash)| {
            let mut address = format!("/openapi/v3/{path}?hash=");
            for byte in hash.finalize() {
                let _ = write!(address, "{byte:02X}");
            }
            (path, json!({"serverRelativeURL": address}))
        })
        .collect();
    json!({"paths": paths})
}

/// The document of a group and version.
///
/// # Errors
/// None: a version that is not served has no document, and the answer says so.
pub fn document(registry: &Registry, group: &str, version: &str) -> Result<Answer, Status> {
    let resources = registry.all();
    let served = |resource: &&Arc<Resource>| {
        *resource.key.group == *group && resource.versions.iter().any(|served| **served == *version)
    };
    let resources: Vec<_> = resources.iter().filter(served).collect();
    if resources.is_empty() {
        return Ok(Answer::page_not_found());
    }
    let written = Bytes::from(write(&resources, group, version).to_string());
    Ok(Answer::with(StatusCode::OK, Content::Json(written)))
}

/// The end of a document's address: `api/v1`, `apis/apps/v1`.
fn path(group: &str, version: &str) -> String {
    if group.is_empty() { format!("api/{version}") } else { format!("apis/{group}/{version}") }
}

fn write(resources: &[&Arc<Resource>], group: &str, version: &str) -> Value {
    let mut components = schemas::Components::default();
    let mut paths = Map::new();
    for resource in resources {
        let names = match &resource.behaviour {
            Behaviour::Builtin(_) => components.builtin(group, version, &resource.kind),
            Behaviour::Custom(custom) => {
                let schema = custom.json_schema(version);
                custom::add(&mut components, resource, version, schema)
            }
        };
        paths::add(&mut paths, &mut components, resource, version, &names);
    }
    json!({
        "openapi": "3.0.0",
        "info": {"title": "Kubernetes", "version": "unversioned"},
        "paths": paths,
        "components": {
            "schemas": components.finish(),
            "securitySchemes": {"BearerToken": {
                "type": "apiKey", "name": "authorization", "in": "header",
                "description": "Bearer Token authentication",
            }},
        },
    })
}

/// How a resource's object and list are named among the schemas.
struct Names {
    object: String,
    list: Option<String>,
}

/// A reference to a schema.
fn reference(name: &str) -> Value {
    json!({"$ref": format!("#/components/schemas/{name}")})
}

#[cfg(test)]
mod tests;
