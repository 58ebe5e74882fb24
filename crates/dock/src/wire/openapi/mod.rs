//! The structure of all resources in `OpenAPI` v3, for clients that want to know it: `kubectl apply` asks it whether the
//! server checks fields, `kubectl explain` prints it.
//!
//! There is one document for each version of a group: the operations on its resources, and the schemas of all types
//! that these are made of. Documents are written when they are first asked for, and kept until a resource comes, changes
//! or goes; their addresses change when they do, so that clients keep them as long as they are good.

mod custom;
mod paths;
mod schemas;

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, StatusCode, header};
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use crate::http::answer::{Answer, Content};
use crate::registry::{Behaviour, Registry, Resource};

/// The documents that were written so far.
#[derive(Debug, Default)]
pub struct Documents(Mutex<Written>);

#[derive(Debug, Default)]
struct Written {
    /// The registry was of this generation.
    generation: u64,
    /// Which documents there are, with a hash of what they are about.
    hashes: BTreeMap<String, String>,
    documents: BTreeMap<String, Bytes>,
}

impl Documents {
    fn with<T>(&self, registry: &Registry, read: impl FnOnce(&mut Written) -> T) -> T {
        let mut written = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let generation = registry.generation();
        if written.generation != generation {
            let hashes = hashes(registry);
            // What did not change need not be written again.
            let kept = std::mem::take(&mut written.documents);
            let documents =
                kept.into_iter().filter(|(path, _)| written.hashes.get(path) == hashes.get(path)).collect();
            *written = Written { generation, hashes, documents };
        }
        read(&mut written)
    }

    /// Which documents there are.
    pub fn index(&self, registry: &Registry) -> Value {
        let address = |(path, hash): (&String, &String)| {
            (path.clone(), json!({"serverRelativeURL": format!("/openapi/v3/{path}?hash={hash}")}))
        };
        let paths: Map<String, Value> =
            self.with(registry, |written| written.hashes.iter().map(address).collect());
        json!({"paths": paths})
    }

    /// The document of a group and version, for a client that may know it already.
    pub fn document(
        &self,
        registry: &Registry,
        (group, version): (&str, &str),
        query: &str,
        headers: &HeaderMap,
    ) -> Answer {
        let path = path(group, version);
        let known = self.with(registry, |written| written.hashes.get(&path).cloned());
        let Some(hash) = known else { return Answer::page_not_found() };
        let wanted = query.split('&').find_map(|pair| pair.strip_prefix("hash="));
        if wanted.is_some_and(|wanted| wanted != hash) {
            let mut answer = Answer::with(StatusCode::MOVED_PERMANENTLY, Content::Text(String::new()));
            answer.header(header::LOCATION, &format!("/openapi/v3/{path}?hash={hash}"));
            return answer;
        }
        let tag = format!("\"{hash}\"");
        let fresh =
            headers.get(header::IF_NONE_MATCH).is_some_and(|known| known.as_bytes() == tag.as_bytes());
        let mut answer = if fresh {
            Answer::with(StatusCode::NOT_MODIFIED, Content::Text(String::new()))
        } else {
            let content = self.with(registry, |written| {
                let made = || Bytes::from(write(registry, group, version).to_string());
                written.documents.entry(path).or_insert_with(made).clone()
            });
            Answer::with(StatusCode::OK, Content::Json(content))
        };
        answer.header(header::ETAG, &tag);
        answer.headers.push((header::VARY, HeaderValue::from_static("Accept")));
        if wanted.is_some() {
            answer.headers.push((header::CACHE_CONTROL, HeaderValue::from_static("public, immutable")));
        }
        answer
    }
}

fn hashes(registry: &Registry) -> BTreeMap<String, String> {
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
    let hex = |hash: Sha256| {
        hash.finalize().iter().fold(String::new(), |mut hex, byte| {
            let _ = write!(hex, "{byte:02X}");
            hex
        })
    };
    versions.into_iter().map(|(path, hash)| (path, hex(hash))).collect()
}

/// The end of a document's address: `api/v1`, `apis/apps/v1`.
fn path(group: &str, version: &str) -> String {
    if group.is_empty() { format!("api/{version}") } else { format!("apis/{group}/{version}") }
}

fn write(registry: &Registry, group: &str, version: &str) -> Value {
    let served = |resource: &Arc<Resource>| {
        *resource.key.group == *group && resource.versions.iter().any(|served| **served == *version)
    };
    let resources: Vec<_> = registry.all().into_iter().filter(served).collect();
    let mut components = schemas::Components::default();
    let mut paths = Map::new();
    for resource in &resources {
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
