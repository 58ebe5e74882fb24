//! Custom resources: what a definition makes of objects.

use serde_json::Value;

use schema::{Decoded, Schema, Tree, Types, View};

use super::{Behaviour, Resource, Subresource, Traits};
use crate::kinds::Rules;
use crate::status::Status;
use crate::store::ResourceKey;

const VERBS: &[&str] = &["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"];
const CHANGE: &[&str] = &["get", "patch", "update"];

/// The rules of a custom kind.
#[derive(Debug)]
pub struct Custom {
    definition: Value,
}

impl Rules for Custom {
    fn is_custom(&self) -> bool {
        true
    }

    fn has_generation(&self) -> bool {
        true
    }

    fn has_status(&self) -> bool {
        self.definition["spec"]["versions"]
            .as_array()
            .into_iter()
            .flatten()
            .any(|version| version["subresources"]["status"].is_object())
    }
}

impl Custom {
    pub(super) fn decode(&self, tree: Tree, _version: &str, _strict: bool) -> Result<Decoded, String> {
        let complaints = schema::check_fields(&tree).map_err(|error| error.to_string())?;
        Ok(Decoded { value: tree.into_value(), complaints })
    }

    /// What the definition says objects look like in a version.
    pub fn json_schema(&self, version: &str) -> Option<&Value> {
        let versions = self.definition["spec"]["versions"].as_array()?;
        versions.iter().find(|known| known["name"] == version)?.pointer("/schema/openAPIV3Schema")
    }

    pub(super) fn with_structure<T>(&self, _version: &str, read: impl FnOnce(View<'_>) -> T) -> T {
        read(Types::default().view(&Schema::untyped()))
    }
}

/// Where the objects of a definition are kept.
pub(super) fn key(definition: &Value) -> Option<ResourceKey> {
    let group = definition["spec"]["group"].as_str()?;
    let plural = definition["spec"]["names"]["plural"].as_str()?;
    Some(ResourceKey { group: group.into(), resource: plural.into() })
}

/// The resource that a definition makes; nothing while it is not established.
pub(super) fn resource(definition: &Value) -> Result<Option<Resource>, Status> {
    let Some(key) = key(definition) else { return Ok(None) };
    let names = &definition["spec"]["names"];
    let text = |field: &str| names[field].as_str().unwrap_or_default();
    let list = |field: &str| {
        names[field].as_array().into_iter().flatten().filter_map(Value::as_str).map(Into::into).collect()
    };
    let versions = definition["spec"]["versions"].as_array().map(Vec::as_slice).unwrap_or_default();
    let name = |version: &Value| version["name"].as_str().unwrap_or_default().into();
    let storage = versions.iter().find(|version| version["storage"] == true).map(name).unwrap_or_default();
    let part = |part: &'static str, kind| Subresource { name: part.into(), kind, verbs: CHANGE };
    let has = |part: &str| versions.iter().any(|version| version["subresources"][part].is_object());
    let mut subresources = Vec::new();
    if has("status") {
        subresources.push(part("status", None));
    }
    if has("scale") {
        subresources.push(part("scale", Some(("autoscaling", "v1", "Scale"))));
    }
    Ok(Some(Resource {
        key,
        kind: text("kind").into(),
        list_kind: text("listKind").into(),
        singular: text("singular").into(),
        short_names: list("shortNames"),
        categories: list("categories"),
        namespaced: definition["spec"]["scope"] == "Namespaced",
        versions: versions.iter().filter(|version| version["served"] == true).map(name).collect(),
        storage_version: storage,
        verbs: VERBS,
        subresources,
        traits: Traits { conditional_update: true, ..Traits::default() },
        behaviour: Behaviour::Custom(std::sync::Arc::new(Custom { definition: definition.clone() })),
    }))
}
