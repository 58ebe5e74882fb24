//! What is left of a release that was uninstalled: its last record, from which it can be brought back for a while, and
//! the inventory of what still counts down.

use jiff::Timestamp;
use kube::{Api, Client};
use serde::{Deserialize, Serialize};

use crate::inventory::Kept;
use crate::record::Record;
use crate::shards::{Key, Shards, What};
use crate::storage::StorageError;

/// The tombstones of a namespace, or of all.
#[derive(Clone)]
pub struct Tombstones {
    shards: Shards,
}

/// One release that was uninstalled.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Tombstone {
    /// Its last record; nothing once the time in which it can be brought back is over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub record: Option<Record>,
    /// What is still there of it.
    pub kept: Kept,
    /// Since when it is gone.
    pub since: Timestamp,
    /// Until when it can be brought back.
    pub until: Timestamp,
}

impl Tombstone {
    /// What is left of it at a moment; nothing if it has no use any more.
    pub(crate) fn at(mut self, now: Timestamp) -> Option<Self> {
        if self.until <= now {
            self.record = None;
        }
        (self.record.is_some() || !self.kept.inventory.entries.is_empty()).then_some(self)
    }
}

impl Tombstones {
    /// The tombstones of a namespace, written under this name.
    pub fn new(client: Client, namespace: &str, manager: &str) -> Self {
        Self { shards: Shards::of(client, namespace, manager) }
    }

    /// The tombstones of every namespace; they can only be read.
    pub fn everywhere(client: Client) -> Self {
        Self { shards: Shards::new(Api::all(client), "") }
    }

    /// Writes a tombstone.
    pub async fn write(&self, tombstone: &Tombstone) -> Result<(), StorageError> {
        let key = key(&tombstone.kept.name, tombstone.kept.version);
        let text = serde_json::to_vec(tombstone)
            .map_err(|error| StorageError::unreadable(&tombstone.kept.name, error))?;
        self.shards.write(&key, &text, None).await
    }

    /// Reads the tombstone of a release.
    pub async fn read(&self, name: &str) -> Result<Option<Tombstone>, StorageError> {
        let Some(text) = self.shards.read(&key(name, 0)).await? else { return Ok(None) };
        let read: Tombstone =
            serde_json::from_slice(&text).map_err(|error| StorageError::unreadable(name, error))?;
        Ok(read.at(Timestamp::now()))
    }

    /// All of them, each with its namespace, those too that have no use any more.
    pub async fn all(&self) -> Result<Vec<(String, Tombstone)>, StorageError> {
        let found = self.shards.all(What::Tombstone).await?;
        let read = |(namespace, key, text): (String, Key, Vec<u8>)| {
            let tombstone = serde_json::from_slice(&text)
                .map_err(|error| StorageError::unreadable(&key.release, error))?;
            Ok((namespace, tombstone))
        };
        found.into_iter().map(read).collect()
    }

    /// Removes those of a namespace that have no use any more. Returns how many there were.
    pub async fn sweep(&self) -> Result<usize, StorageError> {
        let now = Timestamp::now();
        let is_old = |text: &[u8]| {
            serde_json::from_slice::<Tombstone>(text).is_ok_and(|tombstone| tombstone.at(now).is_none())
        };
        self.shards.remove_old(What::Tombstone, is_old).await
    }

    /// Removes the tombstone of a release.
    pub async fn remove(&self, name: &str) -> Result<(), StorageError> {
        self.shards.remove(&key(name, 0)).await
    }
}

fn key(name: &str, version: u32) -> Key {
    Key { what: What::Tombstone, release: name.to_owned(), version }
}

impl std::fmt::Debug for Tombstones {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Tombstones").finish_non_exhaustive()
    }
}
