//! Which resources the server has: the built-in ones, and the custom ones as their definitions come and go.

mod builtin;
mod custom;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, PoisonError, RwLock};

use schema::{Decoded, Tree, View};
use serde_json::{Value, json};

use crate::field::FieldError;
use crate::kinds::Rules;
use crate::meta;
use crate::selectors::{LabelSelector, Selectable};
use crate::status::ResourceName;
use crate::store::{Key, Range, ResourceKey, Revision};

/// A resource: a kind, and where it is served.
#[derive(Debug, Clone)]
pub struct Resource {
    /// Group and plural.
    pub key: ResourceKey,
    /// The kind: `Deployment`.
    pub kind: Arc<str>,
    /// The kind of its lists.
    pub list_kind: Arc<str>,
    /// The name of one: `deployment`.
    pub singular: Arc<str>,
    /// Abbreviations that clients know: `deploy`.
    pub short_names: Vec<Arc<str>>,
    /// Groups of resources it belongs to: `all`.
    pub categories: Vec<Arc<str>>,
    /// Whether its objects are in namespaces.
    pub namespaced: bool,
    /// The versions it is served in, the preferred one first.
    pub versions: Vec<Arc<str>>,
    /// The version its objects are stored in.
    pub storage_version: Arc<str>,
    /// What can be done with it.
    pub verbs: &'static [&'static str],
    /// What can be done with parts of its objects.
    pub subresources: Vec<Subresource>,
    /// What is special about it.
    pub traits: Traits,
    /// How its objects are read, checked and merged.
    pub behaviour: Behaviour,
}

/// A part of objects that has an address of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subresource {
    /// The last part of the path: `status`.
    pub name: Arc<str>,
    /// The group, version and kind of what is sent there, if not the object itself.
    pub kind: Option<(&'static str, &'static str, &'static str)>,
    /// What can be done with it.
    pub verbs: &'static [&'static str],
}

/// In what the handling of a resource differs from that of others.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a separate fact about a kind")]
pub struct Traits {
    /// A PUT of an object that does not exist creates it.
    pub create_on_update: bool,
    /// A PUT must say which revision it replaces.
    pub conditional_update: bool,
    /// DELETE answers with the object instead of a status.
    pub returns_deleted: bool,
    /// Deletion leaves time for a graceful end.
    pub graceful: bool,
    /// Nothing is stored: the object is an answer to a question.
    pub review: bool,
    /// What becomes of dependents where a deletion does not say.
    pub collection: Collection,
}

/// What becomes of the dependents of a deleted object where the deletion does not say.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Collection {
    /// They are deleted.
    #[default]
    Dependents,
    /// They are left alone.
    Orphans,
    /// There are none, whatever the deletion says.
    Unsupported,
}

/// How objects of a resource are read, checked and merged.
#[derive(Clone)]
pub enum Behaviour {
    /// By the rules written for the kind.
    Builtin(&'static dyn Rules),
    /// By the schema of its definition.
    Custom(Arc<custom::Custom>),
}

/// The resources of the server.
#[derive(Debug)]
pub struct Registry {
    resources: RwLock<Index>,
}

#[derive(Debug, Default, Clone)]
struct Index {
    by_key: BTreeMap<ResourceKey, Arc<Resource>>,
    generation: u64,
}

impl fmt::Debug for Behaviour {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Builtin(_) => f.write_str("Builtin"),
            Self::Custom(_) => f.write_str("Custom"),
        }
    }
}

impl Resource {
    /// The name in refusals.
    pub fn name(&self) -> ResourceName<'_> {
        ResourceName { group: &self.key.group, resource: &self.key.resource }
    }

    /// `v1`, `apps/v1`.
    pub fn api_version(&self, version: &str) -> String {
        if self.key.group.is_empty() { version.to_owned() } else { format!("{}/{version}", self.key.group) }
    }

    /// The group in which the server knows its kind: events are those of the core in both of their groups.
    pub fn kind_group(&self) -> &str {
        match &*self.key.group {
            "events.k8s.io" => "",
            group => group,
        }
    }

    /// Under which resource its objects are kept: events are the same ones in both of their groups.
    fn storage_key(&self) -> ResourceKey {
        match &*self.key.group {
            "events.k8s.io" => ResourceKey { group: "".into(), ..self.key.clone() },
            _ => self.key.clone(),
        }
    }

    /// The API version in which its objects are kept.
    pub fn storage_api_version(&self) -> String {
        match &*self.key.group {
            "events.k8s.io" => (*self.storage_version).to_owned(),
            _ => self.api_version(&self.storage_version),
        }
    }

    /// Where an object of it is kept.
    pub fn object_key(&self, namespace: &str, name: &str) -> Key {
        Key { resource: self.storage_key(), namespace: namespace.into(), name: name.into() }
    }

    /// All of its objects, in a namespace if one is given.
    pub fn range(&self, namespace: &str) -> Range {
        Range { resource: self.storage_key(), namespace: namespace.into() }
    }

    /// The rules of its kind in a version.
    pub fn rules(&self, version: &str) -> &dyn Rules {
        match &self.behaviour {
            Behaviour::Builtin(rules) => *rules,
            Behaviour::Custom(custom) => custom.rules(version),
        }
    }

    /// The subresource of that name, if it has one in that version.
    pub fn subresource(&self, version: &str, name: &str) -> Option<&Subresource> {
        if let Behaviour::Custom(custom) = &self.behaviour
            && !custom.has_subresource(version, name)
        {
            return None;
        }
        self.subresources.iter().find(|subresource| &*subresource.name == name)
    }

    /// What is said to everybody who uses that version.
    pub fn deprecation(&self, version: &str) -> Option<&str> {
        match &self.behaviour {
            Behaviour::Custom(custom) => custom.version(version).deprecation.as_deref(),
            Behaviour::Builtin(_) => match (&*self.key.group, &*self.kind) {
                ("", "Endpoints") => {
                    Some("v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice")
                }
                ("", "ComponentStatus") => Some("v1 ComponentStatus is deprecated in v1.19+"),
                _ => None,
            },
        }
    }

    /// An object of a version as it is stored.
    pub fn to_storage(&self, mut object: Value, version: &str) -> Value {
        if let Behaviour::Custom(custom) = &self.behaviour
            && *version != *self.storage_version
        {
            custom.version(&self.storage_version).to_storage(&mut object);
            return object;
        }
        object["apiVersion"] = self.storage_api_version().into();
        object
    }

    /// The structure of its objects in a version, where it is known.
    pub fn structure(&self, version: &str) -> Option<View<'_>> {
        match &self.behaviour {
            Behaviour::Builtin(_) => schema::builtin(&self.key.group, version, &self.kind),
            Behaviour::Custom(custom) => Some(custom.structure(version)),
        }
    }

    /// Calls with the structure of its objects in a version.
    pub fn with_structure<T>(&self, version: &str, read: impl FnOnce(View<'_>) -> T) -> T {
        match &self.behaviour {
            Behaviour::Builtin(_) => builtin::with_structure(&self.key.group, version, &self.kind, read),
            Behaviour::Custom(custom) => read(custom.structure(version)),
        }
    }

    /// Whether it is the resource of Namespaces, which have a life of their own.
    pub fn is_namespace(&self) -> bool {
        self.key.group.is_empty() && &*self.key.resource == "namespaces"
    }

    /// Whether it is the resource of definitions of others.
    pub fn is_definition(&self) -> bool {
        &*self.kind == "CustomResourceDefinition" && &*self.key.group == "apiextensions.k8s.io"
    }

    /// Whether it is defined by an object of the cluster.
    pub fn is_custom(&self) -> bool {
        matches!(self.behaviour, Behaviour::Custom(_))
    }

    /// Reads an object that a client sent: unknown fields are dropped, and complained of if asked; the rest is as the
    /// server writes it. What cannot be read at all is an error in words.
    pub fn decode(&self, tree: Tree, version: &str, strict: bool) -> Result<Decoded, String> {
        match &self.behaviour {
            Behaviour::Builtin(_) => self
                .with_structure(version, |view| schema::decode(view, tree, strict))
                .map_err(|error| error.to_string()),
            Behaviour::Custom(custom) => custom.decode(tree, version, strict),
        }
    }

    /// An object of this kind before it is created: built-in ones have what they always show.
    pub fn empty(&self, version: &str) -> Value {
        let mut empty = match self.behaviour {
            Behaviour::Builtin(_) => {
                self.decode(Tree::object(), version, false).map_or(Value::Null, |decoded| decoded.value)
            }
            Behaviour::Custom(_) => json!({}),
        };
        empty["apiVersion"] = self.api_version(version).into();
        empty["kind"] = (*self.kind).into();
        empty
    }

    /// What is wrong with the metadata of a new object.
    pub fn validate_metadata(&self, object: &Value) -> Vec<FieldError> {
        if self.rules(&self.storage_version).checks_metadata() {
            return Vec::new();
        }
        meta::validate(object, self.namespaced, meta::rules_of(&self.key.group, &self.kind))
    }

    /// What is wrong with the metadata of an object that replaces another.
    pub fn validate_metadata_update(&self, object: &Value, old: &Value) -> Vec<FieldError> {
        // Definitions, and what they make, check all of it.
        if self.is_custom() || self.is_definition() {
            return Vec::new();
        }
        let mut rules = meta::rules_of(&self.key.group, &self.kind);
        if self.rules(&self.storage_version).checks_metadata() {
            rules.on_update = meta::OnUpdate::Nothing;
        }
        meta::validate_update(object, old, self.namespaced, rules)
    }

    /// Calls with the fields that a selector may name.
    pub fn with_selectable<T>(&self, read: impl FnOnce(&Selectable<'_>) -> T) -> T {
        if let Behaviour::Custom(custom) = &self.behaviour {
            return read(&custom.version(&self.storage_version).selectable());
        }
        read(&Selectable::of(&self.key.group, &self.kind))
    }

    /// The replicas of an object.
    pub fn scale_of(&self, version: &str, object: &Value) -> Result<Value, String> {
        if let Behaviour::Custom(custom) = &self.behaviour {
            return custom.scale_of(version, object);
        }
        let metadata = &object["metadata"];
        let mut scale = json!({
            "kind": "Scale",
            "apiVersion": "autoscaling/v1",
            "metadata": {
                "name": metadata["name"],
                "namespace": metadata["namespace"],
                "uid": metadata["uid"],
                "resourceVersion": metadata["resourceVersion"],
                "creationTimestamp": metadata["creationTimestamp"],
            },
            "spec": {},
            "status": {"replicas": object["status"]["replicas"].as_i64().unwrap_or_default()},
        });
        if let Some(replicas) = object["spec"]["replicas"].as_i64().filter(|replicas| *replicas != 0) {
            scale["spec"]["replicas"] = replicas.into();
        }
        let selector = &object["spec"]["selector"];
        if let Ok(selector) = LabelSelector::of(Some(selector)) {
            scale["status"]["selector"] = selector.to_string().into();
        }
        Ok(scale)
    }

    /// Where the replicas are that an object ought to name and does not: custom ones may have none.
    pub fn missing_replicas(&self, version: &str, object: &Value) -> Option<String> {
        match &self.behaviour {
            Behaviour::Custom(custom) => custom.missing_replicas(version, object),
            Behaviour::Builtin(_) => None,
        }
    }

    /// Where objects have their replicas, version by version: nowhere in a version without a `Scale`.
    pub fn replicas_paths(&self) -> Vec<(String, Option<String>)> {
        match &self.behaviour {
            Behaviour::Custom(custom) => custom.replicas_paths(),
            Behaviour::Builtin(_) => {
                let path = |version: &Arc<str>| (self.api_version(version), Some("spec.replicas".to_owned()));
                self.versions.iter().map(path).collect()
            }
        }
    }

    /// Changes the replicas of an object.
    pub fn set_replicas(&self, version: &str, object: &mut Value, replicas: i64) -> Result<(), String> {
        if let Behaviour::Custom(custom) = &self.behaviour {
            return custom.set_replicas(version, object, replicas);
        }
        object["spec"]["replicas"] = replicas.into();
        Ok(())
    }

    /// The object as it is in a version.
    pub fn convert(&self, object: &Value, version: &str) -> Value {
        let mut object = object.clone();
        match &self.behaviour {
            Behaviour::Custom(custom) => {
                // It is read in the version it is stored in first, with the defaults of that.
                if *version != *self.storage_version {
                    custom.version(&self.storage_version).when_read(&mut object);
                }
                custom.version(version).when_read(&mut object);
            }
            Behaviour::Builtin(rules) => {
                rules.complete(&mut object);
                rules.when_read(&mut object, version);
                object["apiVersion"] = self.api_version(version).into();
            }
        }
        object
    }

    /// An object as it is kept, with what reading it fills in.
    pub fn completed<'v>(&self, object: &'v Value) -> Cow<'v, Value> {
        if self.is_custom() {
            return Cow::Owned(self.convert(object, &self.storage_version));
        }
        let rules = self.rules(&self.storage_version);
        if rules.is_shown_as_kept(object) {
            return Cow::Borrowed(object);
        }
        let mut object = object.clone();
        rules.complete(&mut object);
        Cow::Owned(object)
    }

    /// The object as clients see it in a version.
    pub fn show(&self, object: &Value, version: &str) -> Value {
        let mut object = self.convert(object, version);
        self.rules(version).hide(&mut object);
        object
    }

    /// The oldest revision from which its objects can be watched: what custom ones were before their definition last
    /// changed is forgotten.
    pub fn watched_from(&self) -> Revision {
        match &self.behaviour {
            Behaviour::Custom(custom) => custom.since,
            Behaviour::Builtin(_) => 0,
        }
    }

    /// Takes over what is known of the same resource, if its definition says the same as before.
    fn continue_from(&mut self, before: &Self) {
        if let (Behaviour::Custom(custom), Behaviour::Custom(before)) =
            (&mut self.behaviour, &before.behaviour)
            && custom.says_the_same(before)
            && let Some(custom) = Arc::get_mut(custom)
        {
            custom.since = before.since;
        }
    }

    /// Brings an object of a version to the form in which it is kept.
    pub fn keep(&self, object: &mut Value, version: &str) {
        if let Behaviour::Builtin(rules) = &self.behaviour {
            rules.to_storage(object, version);
        }
    }
}

impl Default for Registry {
    fn default() -> Self {
        let by_key =
            builtin::resources().map(|resource| (resource.key.clone(), Arc::new(resource))).collect();
        Self { resources: RwLock::new(Index { by_key, generation: 1 }) }
    }
}

impl Registry {
    fn read(&self) -> std::sync::RwLockReadGuard<'_, Index> {
        self.resources.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// The resource served under a group, version and plural.
    pub fn find(&self, group: &str, version: &str, plural: &str) -> Option<Arc<Resource>> {
        let resource = self.by_key(group, plural)?;
        resource.versions.iter().any(|served| &**served == version).then_some(resource)
    }

    /// Whether there are resources of the server itself in a group and version.
    pub fn is_own(&self, group: &str, version: &str) -> bool {
        self.read().by_key.values().any(|resource| {
            !resource.is_custom()
                && &*resource.key.group == group
                && resource.versions.iter().any(|served| &**served == version)
        })
    }

    /// The resource of a group and plural, whatever the version.
    pub fn by_key(&self, group: &str, plural: &str) -> Option<Arc<Resource>> {
        let key = ResourceKey { group: group.into(), resource: plural.into() };
        self.read().by_key.get(&key).cloned()
    }

    /// The resource of a kind.
    pub fn by_kind(&self, group: &str, kind: &str) -> Option<Arc<Resource>> {
        self.read()
            .by_key
            .values()
            .find(|resource| &*resource.key.group == group && &*resource.kind == kind)
            .cloned()
    }

    /// All resources, ordered by group and plural.
    pub fn all(&self) -> Vec<Arc<Resource>> {
        self.read().by_key.values().cloned().collect()
    }

    /// Grows whenever a resource comes, changes or goes.
    pub fn generation(&self) -> u64 {
        self.read().generation
    }

    /// Serves what a definition says, if it is established.
    pub fn define(&self, definition: &Value) {
        let resource = custom::resource(definition);
        let mut index = self.resources.write().unwrap_or_else(PoisonError::into_inner);
        index.generation += 1;
        if let Some(mut resource) = resource {
            if let Some(before) = index.by_key.get(&resource.key) {
                resource.continue_from(before);
            }
            index.by_key.insert(resource.key.clone(), Arc::new(resource));
        } else if let Some(key) = custom::key(definition) {
            index.by_key.remove(&key);
        }
    }

    /// Serves a custom resource no longer.
    pub fn undefine(&self, definition: &Value) {
        let Some(key) = custom::key(definition) else { return };
        let mut index = self.resources.write().unwrap_or_else(PoisonError::into_inner);
        index.generation += 1;
        index.by_key.remove(&key);
    }
}
