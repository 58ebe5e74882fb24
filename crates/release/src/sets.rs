//! The inventories of sets that are no releases: Bundles, and DeployItems that are only manifests.
//!
//! There is one for each set, and one for what a deleted set has left behind to count down. Neither has an owner:
//! garbage collection in the foreground would take the inventory before the objects that are in it.

use std::collections::BTreeMap;

use engine::Belongs;
use jiff::Timestamp;
use kube::Client;
use plan::input::Inventory;
use serde::{Deserialize, Serialize};

use crate::session::MANAGER;
use crate::shards::{Key, Shards, What};
use crate::storage::StorageError;

/// The annotation of a Secret with trash: when the next of its objects is due.
pub const DUE: &str = "slipway.dev/due";

/// The inventories of the sets of one kind in a namespace.
#[derive(Clone)]
pub struct Sets {
    shards: Shards,
    belongs: Belongs,
}

/// The inventory of one set.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SetInventory {
    /// The set.
    pub name: String,
    /// The ServiceAccount as which its objects were applied, and are taken out.
    pub account: String,
    /// The objects.
    pub inventory: Inventory,
}

impl Sets {
    /// The inventories of a namespace.
    pub fn new(client: Client, namespace: &str, belongs: Belongs) -> Self {
        Self { shards: Shards::of(client, namespace, MANAGER), belongs }
    }

    /// The name of the Secret that holds the inventory of a set.
    pub fn secret_name(&self, name: &str) -> String {
        self.key(name).first()
    }

    /// Writes the inventory of a set. All of it is there when this returns.
    pub async fn write(&self, set: &SetInventory) -> Result<(), StorageError> {
        let text = serde_json::to_vec(set).map_err(|error| StorageError::unreadable(&set.name, error))?;
        self.shards.write(&self.key(&set.name), &text, None).await
    }

    /// Reads the inventory of a set.
    pub async fn read(&self, name: &str) -> Result<Option<SetInventory>, StorageError> {
        self.read_key(&self.key(name)).await
    }

    /// Removes the inventory of a set.
    pub async fn remove(&self, name: &str) -> Result<(), StorageError> {
        self.shards.remove(&self.key(name)).await
    }

    /// Writes what a deleted set has left to count down; nothing left removes it.
    pub async fn write_trash(&self, set: &SetInventory, due: Option<Timestamp>) -> Result<(), StorageError> {
        let key = self.trash_key(&set.name);
        if set.inventory.entries.is_empty() {
            return self.shards.remove(&key).await;
        }
        let text = serde_json::to_vec(set).map_err(|error| StorageError::unreadable(&set.name, error))?;
        let due = due.map(|due| (DUE.to_owned(), due.to_string()));
        let annotations: BTreeMap<String, String> = due.into_iter().collect();
        self.shards.write_annotated(&key, &text, None, &annotations).await
    }

    /// Reads what a deleted set has left to count down.
    pub async fn read_trash(&self, name: &str) -> Result<Option<SetInventory>, StorageError> {
        self.read_key(&self.trash_key(name)).await
    }

    async fn read_key(&self, key: &Key) -> Result<Option<SetInventory>, StorageError> {
        let Some(text) = self.shards.read(key).await? else { return Ok(None) };
        serde_json::from_slice(&text).map(Some).map_err(|error| StorageError::unreadable(&key.release, error))
    }

    fn key(&self, name: &str) -> Key {
        Key { what: What::Set(self.belongs), release: name.to_owned(), version: 0 }
    }

    fn trash_key(&self, name: &str) -> Key {
        Key { what: What::Trash(self.belongs), release: name.to_owned(), version: 0 }
    }
}

impl std::fmt::Debug for Sets {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Sets").field("belongs", &self.belongs).finish_non_exhaustive()
    }
}
