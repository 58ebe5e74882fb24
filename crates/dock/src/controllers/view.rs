//! The world as it is seen through the index and whoever keeps the objects.

use std::sync::Arc;

use jiff::Timestamp;
use serde_json::Value;

use super::index::Index;
use super::object::Object;
use super::world::{Key, Placed, Resource, Served, World};

/// Whoever keeps the objects.
pub trait Reader {
    /// An object.
    fn get(&self, key: &Key) -> Option<Arc<Value>>;
    /// All objects of a resource in a namespace (everywhere if it is empty), by name.
    fn list(&self, resource: &Resource, namespace: &str) -> Vec<Arc<Value>>;
    /// How a kind is served, if it is.
    fn serves(&self, api_version: &str, kind: &str) -> Option<Served>;
}

/// The world at one moment, for one piece of work.
pub struct View<'a> {
    pub(super) index: &'a Index,
    pub(super) reader: &'a dyn Reader,
    pub(super) now: Timestamp,
    pub(super) refusal: Option<&'a str>,
    pub(super) certificate: &'a str,
}

impl View<'_> {
    fn fetch<'k>(&self, keys: impl Iterator<Item = &'k Key>) -> Vec<Placed> {
        keys.filter_map(|key| self.reader.get(key).map(|object| (key.clone(), object))).collect()
    }
}

impl World for View<'_> {
    fn now(&self) -> Timestamp {
        self.now
    }

    fn get(&self, key: &Key) -> Option<Arc<Value>> {
        self.reader.get(key)
    }

    fn list(&self, resource: &Resource, namespace: &str) -> Vec<Arc<Value>> {
        self.reader.list(resource, namespace)
    }

    fn dependents(&self, uid: &str) -> Vec<Placed> {
        self.fetch(self.index.dependents(uid))
    }

    fn contents(&self, namespace: &str) -> Vec<Placed> {
        self.fetch(self.index.contents(namespace))
    }

    fn orphans(&self, resource: &Resource, namespace: &str) -> Vec<Arc<Value>> {
        self.fetch(self.index.orphans(resource, namespace)).into_iter().map(|(_, object)| object).collect()
    }

    fn locate(&self, uid: &str) -> Option<Key> {
        self.index.entry(uid).map(|entry| entry.key.clone())
    }

    fn serves(&self, api_version: &str, kind: &str) -> Option<Served> {
        self.reader.serves(api_version, kind)
    }

    fn born(&self, object: &Value) -> Timestamp {
        self.index
            .entry(object.uid())
            .map(|entry| entry.born)
            .or_else(|| object.moment("metadata.creationTimestamp"))
            .unwrap_or(self.now)
    }

    fn doomed(&self, object: &Value) -> Option<Timestamp> {
        let seen = self.index.entry(object.uid()).and_then(|entry| entry.doomed);
        seen.or_else(|| object.is_deleting().then_some(self.now))
    }

    fn refusal(&self) -> Option<&str> {
        self.refusal
    }

    fn root_certificate(&self) -> &str {
        self.certificate
    }
}
