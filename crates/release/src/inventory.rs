//! What Slipway keeps beside Helm's record: the inventory of each revision, without which nothing is deleted.
//!
//! Helm rewrites its records and drops what it does not know, so this is in Secrets of its own, without Helm's labels.
//! It is bound to Helm's record by a hash of the manifest: where that differs, Helm wrote last, and its manifest is the
//! truth. A large inventory is spread over several Secrets, each below what a cluster takes.

use std::collections::BTreeMap;

use k8s_openapi::ByteString;
use k8s_openapi::api::core::v1::Secret;
use kube::api::{DeleteParams, ListParams, ObjectMeta, Patch, PatchParams};
use kube::{Api, Client, ResourceExt};
use plan::input::Inventory;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::codec::{pack, unpack};
use crate::record::Record;
use crate::storage::StorageError;

/// The type of Secrets that hold an inventory.
const SECRET_TYPE: &str = "slipway.dev/inventory.v1";
/// The key of the bytes in a Secret.
const KEY: &str = "inventory";
/// The labels of those Secrets.
const RELEASE: &str = "slipway.dev/release";
const REVISION: &str = "slipway.dev/revision";
const SHARDS: &str = "slipway.dev/shards";
const CONTENT: &str = "slipway.dev/content";
/// So many bytes go into one Secret: a cluster takes 1 MiB, with all that is around them.
const SHARD: usize = 900 << 10;

/// The inventories of a namespace.
#[derive(Clone)]
pub struct Inventories {
    secrets: Api<Secret>,
    manager: String,
}

/// The inventory of one revision.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Kept {
    /// The release.
    pub name: String,
    /// The revision.
    pub version: u32,
    /// What Helm's manifest of that revision was.
    pub manifest: String,
    /// What it was before, if this is written in the place of a revision that was interrupted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replaces: Option<String>,
    /// Whether layers ordered it.
    #[serde(default)]
    pub sequenced: bool,
    /// The objects.
    pub inventory: Inventory,
}

impl Kept {
    /// The inventory of a revision.
    pub fn new(record: &Record, sequenced: bool, inventory: Inventory) -> Self {
        Self {
            name: record.name.clone(),
            version: record.version,
            manifest: hash(&record.manifest),
            replaces: None,
            sequenced,
            inventory,
        }
    }

    /// Whether it is about this record, as it is now.
    pub fn fits(&self, record: &Record) -> bool {
        let manifest = hash(&record.manifest);
        let known = self.manifest == manifest || self.replaces.as_ref() == Some(&manifest);
        self.name == record.name && self.version == record.version && known
    }
}

/// What stands for a text.
pub(crate) fn hash(text: impl AsRef<[u8]>) -> String {
    Sha256::digest(text).iter().fold(String::new(), |hash, byte| format!("{hash}{byte:02x}"))
}

impl Inventories {
    /// The inventories of a namespace, written under this name.
    pub fn new(client: Client, namespace: &str, manager: &str) -> Self {
        Self { secrets: Api::namespaced(client, namespace), manager: manager.to_owned() }
    }

    /// Writes an inventory. All of it is there when this returns.
    pub async fn write(&self, kept: &Kept) -> Result<(), StorageError> {
        let name = secret_name(&kept.name, kept.version, "", 0);
        let broken = |source| StorageError::Broken { name: name.clone(), source };
        let text = serde_json::to_vec(kept).map_err(|error| broken(error.into()))?;
        let bytes = pack(&text).map_err(broken)?;
        let shards: Vec<&[u8]> = bytes.chunks(SHARD).collect();
        // All but the first are named after what they hold, and the first, which is written last, names them: until
        // then the old ones count.
        let content = hash(&text)[..16].to_owned();
        for (number, shard) in shards.iter().enumerate().rev() {
            let secret = secret(kept, &content, number, shards.len(), shard);
            let parameters = PatchParams::apply(&self.manager).force();
            self.secrets
                .patch(&secret.name_any(), &parameters, &Patch::Apply(&secret))
                .await
                .map_err(|source| refused("store the inventory", source))?;
        }
        self.remove_selected(&format!("{},{CONTENT}!={content}", of(&kept.name, kept.version))).await
    }

    /// Reads the inventory of a revision; nothing if there is none, or not all of it.
    pub async fn read(&self, name: &str, version: u32) -> Result<Option<Kept>, StorageError> {
        let list = self.secrets.list(&ListParams::default().labels(&of(name, version))).await;
        let list = list.map_err(|source| refused("read the inventory", source))?;
        let by_name: BTreeMap<String, &Secret> =
            list.items.iter().map(|secret| (secret.name_any(), secret)).collect();
        let first = secret_name(name, version, "", 0);
        let Some(secret) = by_name.get(&first) else { return Ok(None) };
        let count: usize = secret.labels().get(SHARDS).and_then(|text| text.parse().ok()).unwrap_or(1);
        let content = secret.labels().get(CONTENT).map_or("", String::as_str);
        let mut bytes = Vec::new();
        for number in 0..count {
            let shard = by_name
                .get(&secret_name(name, version, content, number))
                .and_then(|secret| Some(secret.data.as_ref()?.get(KEY)?.0.as_slice()));
            let Some(shard) = shard else { return Ok(None) };
            bytes.extend_from_slice(shard);
        }
        let broken = |source| StorageError::Broken { name: first.clone(), source };
        let text = unpack(&bytes).map_err(broken)?;
        serde_json::from_slice(&text).map(Some).map_err(|error| broken(error.into()))
    }

    /// Removes the inventory of a revision.
    pub async fn remove(&self, name: &str, version: u32) -> Result<(), StorageError> {
        self.remove_selected(&of(name, version)).await
    }

    async fn remove_selected(&self, labels: &str) -> Result<(), StorageError> {
        self.secrets
            .delete_collection(&DeleteParams::default(), &ListParams::default().labels(labels))
            .await
            .map(drop)
            .map_err(|source| refused("remove the inventory", source))
    }
}

fn refused(what: &str, source: kube::Error) -> StorageError {
    StorageError::Cluster { what: what.to_owned(), source: Box::new(source) }
}

/// What selects the Secrets of a revision.
fn of(name: &str, version: u32) -> String {
    format!("{RELEASE}={name},{REVISION}={version}")
}

fn secret(kept: &Kept, content: &str, number: usize, of: usize, bytes: &[u8]) -> Secret {
    let label = |key: &str, value: &str| (key.to_owned(), value.to_owned());
    Secret {
        metadata: ObjectMeta {
            name: Some(secret_name(&kept.name, kept.version, content, number)),
            labels: Some(BTreeMap::from([
                label(RELEASE, &kept.name),
                label(REVISION, &kept.version.to_string()),
                label(SHARDS, &of.to_string()),
                label(CONTENT, content),
            ])),
            ..ObjectMeta::default()
        },
        type_: Some(SECRET_TYPE.to_owned()),
        data: Some(BTreeMap::from([(KEY.to_owned(), ByteString(bytes.to_vec()))])),
        ..Secret::default()
    }
}

fn secret_name(name: &str, version: u32, content: &str, shard: usize) -> String {
    match shard {
        0 => format!("slipway.v1.{name}.v{version}"),
        shard => format!("slipway.v1.{name}.v{version}.{content}.{shard}"),
    }
}

impl std::fmt::Debug for Inventories {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Inventories").finish_non_exhaustive()
    }
}
