//! What Slipway keeps beside Helm's record: the inventory of each revision, without which nothing is deleted.
//!
//! Helm rewrites its records and drops what it does not know, so this is in Secrets of its own, without Helm's labels.
//! It is bound to Helm's record by a hash of the manifest: where that differs, Helm wrote last, and its manifest is the
//! truth.

use kube::{Api, Client};
use plan::input::{ChartTree, Inventory};
use serde::{Deserialize, Serialize};

use crate::record::Record;
use crate::shards::{Key, Shards, What, hash};
use crate::storage::{StorageError, Stored};

/// The inventories of a namespace, or of all.
#[derive(Clone)]
pub struct Inventories {
    shards: Shards,
}

/// The inventory of one revision.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Kept {
    /// The release.
    pub name: String,
    /// The revision.
    pub version: u32,
    /// The hash of Helm's manifest of that revision.
    pub manifest: String,
    /// The hash of the manifest that an interrupted command had stored under the same revision before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub earlier: Option<String>,
    /// Whether layers ordered it.
    #[serde(default)]
    pub sequenced: bool,
    /// What order was declared by, for whoever comes back to this revision.
    #[serde(default)]
    pub origins: Origins,
    /// The objects.
    pub inventory: Inventory,
}

/// What a revision was rendered from, as far as its order needs it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Origins {
    /// The charts, with what each declares about the others.
    pub tree: ChartTree,
    /// The manifest as it was rendered, if what no server takes had to be taken out of the stored one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub manifest: Option<String>,
}

impl Kept {
    /// The inventory of a revision.
    pub fn new(record: &Record, sequenced: bool, origins: Origins, inventory: Inventory) -> Self {
        Self {
            name: record.name.clone(),
            version: record.version,
            manifest: hash(&record.manifest),
            earlier: None,
            sequenced,
            origins,
            inventory,
        }
    }

    /// Whether it is about this record, as it is now.
    pub fn fits(&self, record: &Record) -> bool {
        let manifest = hash(&record.manifest);
        self.name == record.name
            && self.version == record.version
            && (self.manifest == manifest || self.earlier.as_ref() == Some(&manifest))
    }
}

impl Inventories {
    /// The inventories of a namespace, written under this name.
    pub fn new(client: Client, namespace: &str, manager: &str) -> Self {
        Self { shards: Shards::of(client, namespace, manager) }
    }

    /// The inventories of every namespace; they can only be read.
    pub fn everywhere(client: Client) -> Self {
        Self { shards: Shards::new(Api::all(client), "") }
    }

    /// Writes an inventory. All of it is there when this returns. Once there is a record, it goes with that.
    pub async fn write(&self, kept: &Kept, record: Option<&Stored>) -> Result<(), StorageError> {
        let key = key(&kept.name, kept.version);
        let text = serde_json::to_vec(kept).map_err(|error| StorageError::unreadable(&kept.name, error))?;
        self.shards.write(&key, &text, record.map(Stored::as_owner).as_ref()).await
    }

    /// Reads the inventory of a revision; nothing if there is none, or not all of it.
    pub async fn read(&self, name: &str, version: u32) -> Result<Option<Kept>, StorageError> {
        let Some(text) = self.shards.read(&key(name, version)).await? else { return Ok(None) };
        serde_json::from_slice(&text).map(Some).map_err(|error| StorageError::unreadable(name, error))
    }

    /// The newest inventory of every release, with its namespace.
    pub async fn newest(&self) -> Result<Vec<(String, Kept)>, StorageError> {
        let mut newest: Vec<(String, Kept)> = Vec::new();
        // They come by namespace, release and revision.
        for (namespace, key, text) in self.shards.all(What::Inventory).await? {
            let kept: Kept = serde_json::from_slice(&text)
                .map_err(|error| StorageError::unreadable(&key.release, error))?;
            match newest.last_mut() {
                Some((of, last)) if *of == namespace && last.name == kept.name => *last = kept,
                _ => newest.push((namespace, kept)),
            }
        }
        Ok(newest)
    }

    /// Removes all inventories of a release.
    pub async fn remove_all(&self, name: &str) -> Result<(), StorageError> {
        self.shards.remove_all(What::Inventory, name).await
    }

    /// Removes the inventory of a revision.
    pub async fn remove(&self, name: &str, version: u32) -> Result<(), StorageError> {
        self.shards.remove(&key(name, version)).await
    }
}

fn key(name: &str, version: u32) -> Key {
    Key { what: What::Inventory, release: name.to_owned(), version }
}

impl std::fmt::Debug for Inventories {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Inventories").finish_non_exhaustive()
    }
}
