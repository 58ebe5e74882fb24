//! Custom resources: what a definition makes of objects.

use std::sync::Arc;

use schema::{Decoded, Tree, View};
use serde_json::Value;

use super::{Behaviour, Resource, Subresource, Traits};
use crate::crd::columns::Columns;
use crate::crd::conditions::is_established;
use crate::crd::definition::{self, Definition};
use crate::crd::{CustomVersion, rank, scale};
use crate::field::FieldError;
use crate::kinds::{Context, Rules};
use crate::store::{ResourceKey, Revision};

const VERBS: &[&str] = &["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"];
const CHANGE: &[&str] = &["get", "patch", "update"];

/// The versions of a custom kind.
#[derive(Debug)]
pub struct Custom {
    definition: Value,
    versions: Vec<Compiled>,
    columns: Vec<Columns>,
    /// The revision of the definition from which on it has said this.
    pub(super) since: Revision,
}

/// The rules of one version.
#[derive(Debug)]
struct Compiled(CustomVersion);

impl Rules for Compiled {
    fn is_custom(&self) -> bool {
        true
    }

    fn checks_metadata(&self) -> bool {
        true
    }

    fn has_generation(&self) -> bool {
        false
    }

    fn resets(&self, part: &str) -> &'static [&'static str] {
        match part {
            "" if self.has_status() => &["status"],
            "status" => &["metadata", "spec"],
            _ => &[],
        }
    }

    fn has_status(&self) -> bool {
        self.0.has_status()
    }

    fn default(&self, object: &mut Value) {
        self.0.default(object);
    }

    fn prepare_create(&self, object: &mut Value, _context: &Context) {
        self.0.prepare_create(object);
    }

    fn prepare_update(&self, object: &mut Value, old: &Value, _context: &Context) {
        self.0.prepare_update(object, old);
    }

    fn prepare_status_update(&self, object: &mut Value, old: &Value, _context: &Context) {
        self.0.prepare_status_update(object, old);
    }

    fn validate(&self, object: &Value) -> Vec<FieldError> {
        self.0.validate(object)
    }

    fn validate_update(&self, object: &Value, old: &Value) -> Vec<FieldError> {
        self.0.validate_update(object, old)
    }

    fn validate_status_update(&self, object: &Value, old: &Value) -> Vec<FieldError> {
        self.0.validate_status_update(object, old)
    }

    fn warnings(&self, object: &Value, old: Option<&Value>) -> Vec<String> {
        self.0.warnings(object, old)
    }
}

/// The rules of definitions themselves.
#[derive(Debug)]
pub(super) struct Definitions;

impl Rules for Definitions {
    fn has_status(&self) -> bool {
        true
    }

    fn default(&self, object: &mut Value) {
        definition::default(object);
    }

    fn prepare_create(&self, object: &mut Value, _context: &Context) {
        definition::prepare_create(object);
    }

    fn prepare_update(&self, object: &mut Value, old: &Value, _context: &Context) {
        definition::prepare_update(object, old);
    }

    fn prepare_status_update(&self, object: &mut Value, old: &Value, _context: &Context) {
        definition::prepare_status_update(object, old);
    }

    fn validate(&self, object: &Value) -> Vec<FieldError> {
        definition::validate(object)
    }

    fn validate_update(&self, object: &Value, old: &Value) -> Vec<FieldError> {
        definition::validate_update(object, old)
    }

    fn validate_status_update(&self, object: &Value, old: &Value) -> Vec<FieldError> {
        definition::validate_status_update(object, old)
    }

    fn warnings(&self, object: &Value, old: Option<&Value>) -> Vec<String> {
        definition::warnings(object, old)
    }
}

impl Custom {
    /// Whether two definitions differ in nothing that their objects depend on.
    pub(super) fn says_the_same(&self, other: &Self) -> bool {
        let (own, other) = (&self.definition, &other.definition);
        own["metadata"]["uid"] == other["metadata"]["uid"]
            && own["spec"] == other["spec"]
            && own["status"]["acceptedNames"] == other["status"]["acceptedNames"]
    }

    /// A version; the first one for a name that is not there, which no request has.
    pub(super) fn version(&self, name: &str) -> &CustomVersion {
        &self.compiled(name).0
    }

    /// What the definition says objects look like in a version.
    pub fn json_schema(&self, version: &str) -> Option<&Value> {
        let versions = self.definition["spec"]["versions"].as_array()?;
        versions.iter().find(|known| known["name"] == version)?.pointer("/schema/openAPIV3Schema")
    }

    /// The columns in which objects of a version are shown.
    pub fn columns(&self, version: &str) -> &Columns {
        let found = self.versions.iter().position(|known| &*known.0.version == version);
        &self.columns[found.unwrap_or_default()]
    }

    /// The rules of a version.
    pub(super) fn rules(&self, name: &str) -> &dyn Rules {
        self.compiled(name)
    }

    fn compiled(&self, name: &str) -> &Compiled {
        let found = self.versions.iter().find(|version| &*version.0.version == name);
        found.unwrap_or_else(|| &self.versions[0])
    }

    pub(super) fn decode(&self, tree: Tree, version: &str, strict: bool) -> Result<Decoded, String> {
        let mut complaints =
            if strict { schema::check_fields(&tree).map_err(|error| error.to_string())? } else { Vec::new() };
        let mut value = tree.into_value();
        let unknown = self.version(version).decode(&mut value)?;
        complaints.extend(unknown.into_iter().map(|path| format!("unknown field \"{path}\"")));
        Ok(Decoded { value, complaints })
    }

    pub(super) fn structure(&self, version: &str) -> View<'_> {
        schema::types().view(self.version(version).structure())
    }

    pub(super) fn scale_of(&self, version: &str, object: &Value) -> Result<Value, String> {
        let Some(paths) = self.version(version).scale_paths() else { return Ok(Value::Null) };
        scale::scale_of(paths, object).map(|(scale, _)| scale)
    }

    pub(super) fn has_subresource(&self, version: &str, name: &str) -> bool {
        let version = self.version(version);
        match name {
            "status" => version.has_status(),
            "scale" => version.scale_paths().is_some(),
            _ => false,
        }
    }

    pub(super) fn missing_replicas(&self, version: &str, object: &Value) -> Option<String> {
        let paths = self.version(version).scale_paths()?;
        let (_, said) = scale::scale_of(paths, object).ok()?;
        (!said).then(|| paths.spec_replicas_path.clone())
    }

    pub(super) fn replicas_paths(&self) -> Vec<(String, Option<String>)> {
        let path = |paths: &definition::Scale| paths.spec_replicas_path.trim_start_matches('.').to_owned();
        self.versions
            .iter()
            .map(|Compiled(version)| (version.api_version(), version.scale_paths().map(path)))
            .collect()
    }

    pub(super) fn set_replicas(
        &self,
        version: &str,
        object: &mut Value,
        replicas: i64,
    ) -> Result<(), String> {
        let Some(paths) = self.version(version).scale_paths() else { return Ok(()) };
        scale::set_replicas(paths, object, replicas)
    }
}

/// Where the objects of a definition are kept.
pub(super) fn key(definition: &Value) -> Option<ResourceKey> {
    let group = definition["spec"]["group"].as_str()?;
    let plural = definition["spec"]["names"]["plural"].as_str()?;
    Some(ResourceKey { group: group.into(), resource: plural.into() })
}

/// The resource that a definition makes; nothing while it is not established.
pub(super) fn resource(object: &Value) -> Option<Resource> {
    let key = key(object)?;
    let definition = Definition::read(object);
    if !is_established(object) || definition.versions.is_empty() {
        return None;
    }
    let names = &object["status"]["acceptedNames"];
    let text = |field: &str| names[field].as_str().unwrap_or_default();
    let list = |field: &str| {
        names[field].as_array().into_iter().flatten().filter_map(Value::as_str).map(Into::into).collect()
    };
    let storage =
        definition.storage_version().map(|version| version.name.as_str().into()).unwrap_or_default();
    let mut served: Vec<Arc<str>> = definition
        .versions
        .iter()
        .filter(|version| version.served)
        .map(|version| version.name.as_str().into())
        .collect();
    served.sort_by_key(|version| std::cmp::Reverse(rank(version)));
    let part = |part: &'static str, kind| Subresource { name: part.into(), kind, verbs: CHANGE };
    let mut subresources = Vec::new();
    // Which version has which is told by `Resource::subresource`.
    if definition.versions.iter().any(definition::Version::has_status) {
        subresources.push(part("status", None));
    }
    if definition.versions.iter().any(|version| version.scale().is_some()) {
        subresources.push(part("scale", Some(("autoscaling", "v1", "Scale"))));
    }
    let compiled = definition
        .versions
        .iter()
        .map(|version| Compiled(CustomVersion::compile(&definition, version)))
        .collect();
    Some(Resource {
        key,
        kind: text("kind").into(),
        list_kind: text("listKind").into(),
        singular: text("singular").into(),
        short_names: list("shortNames"),
        categories: list("categories"),
        namespaced: definition.is_namespaced(),
        versions: served,
        storage_version: storage,
        verbs: VERBS,
        subresources,
        traits: Traits { conditional_update: true, ..Traits::default() },
        behaviour: Behaviour::Custom(Arc::new(Custom {
            definition: object.clone(),
            versions: compiled,
            columns: definition.versions.iter().map(Columns::of).collect(),
            since: object["metadata"]["resourceVersion"]
                .as_str()
                .and_then(|text| text.parse().ok())
                .unwrap_or_default(),
        })),
    })
}
