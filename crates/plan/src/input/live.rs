//! What is known of the cluster: facts that somebody read before planning.

use std::collections::{BTreeMap, HashMap};

use jiff::Timestamp;
use objects::ObjectId;
use serde::{Deserialize, Serialize};

/// Facts about objects of a cluster.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Live {
    /// Whether anybody looked. If not, wanted objects are taken to be absent and stored ones to be there as they were
    /// stored.
    pub known: bool,
    /// The wanted and the stored objects that exist.
    pub objects: HashMap<ObjectId, LiveObject>,
    /// What is not the release's own: custom resources of one of its definitions, objects in one of its namespaces.
    pub foreign: BTreeMap<ObjectId, Vec<ObjectId>>,
}

/// One object as the cluster has it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LiveObject {
    /// Its UID.
    pub uid: String,
    /// The revision of it that was read: a delete that carries it is refused once anything has changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resource_version: Option<String>,
    /// Its generation, zero if it has none.
    #[serde(default)]
    pub generation: i64,
    /// Whose it is, by its marks.
    pub owner: Owner,
    /// Whether it is being deleted, and since when.
    #[serde(default)]
    pub deleting: Option<Timestamp>,
    /// Its finalizers.
    #[serde(default)]
    pub finalizers: Vec<String>,
    /// The delay on the live object, as written.
    #[serde(default)]
    pub delay: Option<String>,
    /// The stamp on the live object, as written.
    #[serde(default)]
    pub stamp: Option<String>,
    /// Whether Helm's `keep` is on the live object.
    #[serde(default)]
    pub keep: bool,
    /// Whether applying the wanted manifest would change nothing.
    #[serde(default)]
    pub in_sync: bool,
}

/// Whose an object is, by label and annotations.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Owner {
    /// That of the release or Bundle that is being planned.
    Ours,
    /// Nobody's.
    #[default]
    Nobody,
    /// Somebody else's.
    Other(String),
}

impl Live {
    /// Nothing is known: plans from files.
    pub fn unknown() -> Self {
        Self::default()
    }

    /// A cluster that was looked at, with nothing in it yet.
    pub fn empty() -> Self {
        Self { known: true, ..Self::default() }
    }

    /// What is known of one object.
    pub fn get(&self, id: &ObjectId) -> Option<&LiveObject> {
        self.objects.get(id)
    }
}
