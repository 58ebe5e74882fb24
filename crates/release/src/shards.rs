//! Bytes of any size in Secrets: what is larger than one Secret may be is spread over several.
//!
//! All but the first shard are named after what they hold, and the first, which is written last, names them: whoever is
//! interrupted leaves the old bytes or the new ones, and never a mixture.

use std::collections::BTreeMap;

use engine::Belongs;
use k8s_openapi::ByteString;
use k8s_openapi::api::core::v1::Secret;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;
use kube::api::{DeleteParams, ListParams, ObjectMeta, Patch, PatchParams, Preconditions};
use kube::{Api, Client, ResourceExt};
use sha2::{Digest as _, Sha256};

use crate::codec::{pack, unpack};
use crate::storage::{StorageError, refused};

/// The key of the bytes in a Secret.
const KEY: &str = "content";
/// The labels of those Secrets.
const RELEASE: &str = "slipway.dev/release";
const REVISION: &str = "slipway.dev/revision";
const WHAT: &str = "slipway.dev/what";
const SHARDS: &str = "slipway.dev/shards";
const CONTENT: &str = "slipway.dev/content";
/// So many bytes go into one Secret: a cluster takes 1 MiB, with all that is around them.
const SHARD: usize = 900 << 10;

/// What Secrets hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum What {
    /// The inventory of a revision.
    Inventory,
    /// A record that is too large for Helm's own Secret.
    Record,
    /// What is left of a release that was uninstalled.
    Tombstone,
    /// The objects of a Bundle, or of a `DeployItem` that is no release.
    Set(Belongs),
    /// What is left of such a set, and counts down.
    Trash(Belongs),
}

impl What {
    fn name(self) -> &'static str {
        match self {
            Self::Inventory => "inventory",
            Self::Record => "record",
            Self::Tombstone => "tombstone",
            Self::Set(Belongs::Bundle) => "bundle",
            Self::Set(_) => "deployitem",
            Self::Trash(Belongs::Bundle) => "bundle-trash",
            Self::Trash(_) => "deployitem-trash",
        }
    }

    fn secret_type(self) -> String {
        format!("slipway.dev/{}.v1", self.name())
    }
}

/// Which bytes are meant.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Key {
    pub(crate) what: What,
    pub(crate) release: String,
    pub(crate) version: u32,
}

impl Key {
    pub(crate) fn first(&self) -> String {
        let Self { release, version, .. } = self;
        match self.what {
            What::Inventory => format!("slipway.v1.{release}.v{version}"),
            What::Record => format!("slipway.v1.{release}.v{version}.record"),
            What::Tombstone => format!("slipway.v1.{release}.tombstone"),
            What::Set(_) | What::Trash(_) => format!("slipway.{}.v1.{release}", self.what.name()),
        }
    }

    /// The release as a label can name it; sets may have longer names than releases.
    fn label(&self) -> String {
        let name = &self.release;
        if name.len() <= 63 {
            name.clone()
        } else {
            format!("{}-{}", name[..40].trim_end_matches(['-', '.']), &hash(name)[..16])
        }
    }

    fn shard(&self, content: &str, number: usize) -> String {
        if number == 0 { self.first() } else { format!("{}.{content}.{number}", self.first()) }
    }

    fn labels(&self) -> String {
        let Self { what, version, .. } = self;
        let (what, of) = (what.name(), format!("{RELEASE}={}", self.label()));
        match self.what {
            What::Tombstone | What::Set(_) | What::Trash(_) => format!("{of},{WHAT}={what}"),
            _ => format!("{of},{WHAT}={what},{REVISION}={version}"),
        }
    }
}

/// Secrets of one namespace, or of all.
#[derive(Clone)]
pub(crate) struct Shards {
    secrets: Api<Secret>,
    manager: String,
}

impl Shards {
    pub(crate) fn new(secrets: Api<Secret>, manager: &str) -> Self {
        Self { secrets, manager: manager.to_owned() }
    }

    pub(crate) fn of(client: Client, namespace: &str, manager: &str) -> Self {
        Self::new(Api::namespaced(client, namespace), manager)
    }

    /// Writes bytes. All of them are there when this returns; they go with their owner, if they have one.
    pub(crate) async fn write(
        &self,
        key: &Key,
        bytes: &[u8],
        owner: Option<&OwnerReference>,
    ) -> Result<(), StorageError> {
        self.write_annotated(key, bytes, owner, &BTreeMap::new()).await
    }

    /// The same, with annotations for those who do not read the bytes.
    pub(crate) async fn write_annotated(
        &self,
        key: &Key,
        bytes: &[u8],
        owner: Option<&OwnerReference>,
        annotations: &BTreeMap<String, String>,
    ) -> Result<(), StorageError> {
        let broken = |source| StorageError::Broken { name: key.first(), source };
        let content = hash(bytes)[..16].to_owned();
        let packed = pack(bytes).map_err(broken)?;
        let shards: Vec<&[u8]> = packed.chunks(SHARD).collect();
        for (number, shard) in shards.iter().enumerate().rev() {
            let mut secret = secret(key, &content, number, shards.len(), shard);
            secret.metadata.owner_references = owner.map(|owner| vec![owner.clone()]);
            if number == 0 && !annotations.is_empty() {
                secret.metadata.annotations = Some(annotations.clone());
            }
            let parameters = PatchParams::apply(&self.manager).force();
            self.secrets
                .patch(&secret.name_any(), &parameters, &Patch::Apply(&secret))
                .await
                .map_err(|source| refused("store what belongs to the release", source))?;
        }
        if shards.len() > 1 {
            self.remove_selected(key.what, &format!("{},{CONTENT}!={content}", key.labels())).await?;
        }
        Ok(())
    }

    /// Reads bytes; nothing if there are none, or not all of them.
    pub(crate) async fn read(&self, key: &Key) -> Result<Option<Vec<u8>>, StorageError> {
        let list = self.secrets.list(&ListParams::default().labels(&key.labels())).await;
        let list = list.map_err(|source| refused("read what belongs to the release", source))?;
        gather(key, &list.items)
    }

    /// Everything of one sort, by release and namespace.
    pub(crate) async fn all(&self, what: What) -> Result<Vec<(String, Key, Vec<u8>)>, StorageError> {
        let list = self.secrets.list(&ListParams::default().labels(&format!("{WHAT}={}", what.name()))).await;
        let list = list.map_err(|source| refused("read what belongs to releases", source))?;
        let mut secrets: BTreeMap<(String, Key), Vec<Secret>> = BTreeMap::new();
        for secret in list.items {
            let label = |label: &str| secret.labels().get(label).cloned().unwrap_or_default();
            let version = label(REVISION).parse().unwrap_or_default();
            let key = Key { what, release: label(RELEASE), version };
            secrets.entry((secret.namespace().unwrap_or_default(), key)).or_default().push(secret);
        }
        let mut found = Vec::new();
        for ((namespace, key), secrets) in secrets {
            if let Some(bytes) = gather(&key, &secrets)? {
                found.push((namespace, key, bytes));
            }
        }
        Ok(found)
    }

    /// Removes those of one sort that are out of date, each only if nobody has written it anew meanwhile. Returns how
    /// many there were.
    pub(crate) async fn remove_old(
        &self,
        what: What,
        is_old: impl Fn(&[u8]) -> bool,
    ) -> Result<usize, StorageError> {
        let mut removed = 0;
        for (_, key, bytes) in self.all(what).await?.into_iter().filter(|(_, _, bytes)| is_old(bytes)) {
            let failed = |source| refused("remove what belongs to a release", source);
            let first = self.secrets.get_opt(&key.first()).await.map_err(failed)?;
            let content = hash(&bytes)[..16].to_owned();
            let Some(first) = first.filter(|first| first.labels().get(CONTENT) == Some(&content)) else {
                continue;
            };
            let meant = Preconditions { uid: first.uid(), resource_version: first.resource_version() };
            let parameters = DeleteParams::default().preconditions(meant);
            match self.secrets.delete(&key.first(), &parameters).await {
                Ok(_) => {}
                // Somebody has written it anew, or was faster.
                Err(kube::Error::Api(status)) if matches!(status.code, 404 | 409) => continue,
                Err(source) => return Err(failed(source)),
            }
            self.remove_selected(what, &format!("{},{CONTENT}={content}", key.labels())).await?;
            removed += 1;
        }
        Ok(removed)
    }

    /// Removes bytes.
    pub(crate) async fn remove(&self, key: &Key) -> Result<(), StorageError> {
        self.remove_selected(key.what, &key.labels()).await
    }

    /// Removes all of one sort that a release has.
    pub(crate) async fn remove_all(&self, what: What, release: &str) -> Result<(), StorageError> {
        self.remove_selected(what, &format!("{RELEASE}={release},{WHAT}={}", what.name())).await
    }

    /// Labels are easily copied: only what has our type, too, is ours.
    async fn remove_selected(&self, what: What, labels: &str) -> Result<(), StorageError> {
        let ours = ListParams::default().labels(labels).fields(&format!("type={}", what.secret_type()));
        self.secrets
            .delete_collection(&DeleteParams::default(), &ours)
            .await
            .map(drop)
            .map_err(|source| refused("remove what belongs to the release", source))
    }
}

/// Puts the shards together again.
fn gather(key: &Key, secrets: &[Secret]) -> Result<Option<Vec<u8>>, StorageError> {
    let by_name: BTreeMap<String, &Secret> =
        secrets.iter().map(|secret| (secret.name_any(), secret)).collect();
    let Some(first) = by_name.get(&key.first()) else { return Ok(None) };
    let count: usize = first.labels().get(SHARDS).and_then(|text| text.parse().ok()).unwrap_or(1);
    let content = first.labels().get(CONTENT).map_or("", String::as_str);
    let mut bytes = Vec::new();
    for number in 0..count {
        let shard = by_name
            .get(&key.shard(content, number))
            .and_then(|secret| Some(secret.data.as_ref()?.get(KEY)?.0.as_slice()));
        let Some(shard) = shard else { return Ok(None) };
        bytes.extend_from_slice(shard);
    }
    unpack(&bytes).map(Some).map_err(|source| StorageError::Broken { name: key.first(), source })
}

fn secret(key: &Key, content: &str, number: usize, of: usize, bytes: &[u8]) -> Secret {
    let label = |key: &str, value: &str| (key.to_owned(), value.to_owned());
    Secret {
        metadata: ObjectMeta {
            name: Some(key.shard(content, number)),
            labels: Some(BTreeMap::from([
                label(RELEASE, &key.label()),
                label(REVISION, &key.version.to_string()),
                label(WHAT, key.what.name()),
                label(SHARDS, &of.to_string()),
                label(CONTENT, content),
            ])),
            ..ObjectMeta::default()
        },
        type_: Some(key.what.secret_type()),
        data: Some(BTreeMap::from([(KEY.to_owned(), ByteString(bytes.to_vec()))])),
        ..Secret::default()
    }
}

/// The hash of bytes, in hexadecimal.
pub(crate) fn hash(bytes: impl AsRef<[u8]>) -> String {
    Sha256::digest(bytes).iter().fold(String::new(), |hash, byte| format!("{hash}{byte:02x}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::CodecError;

    #[test]
    fn shards_are_put_together_and_nothing_less() -> Result<(), CodecError> {
        let key = Key { what: What::Inventory, release: "shop".to_owned(), version: 3 };
        let packed = pack(b"an inventory")?;
        let (one, two) = packed.split_at(7);
        let secrets = [secret(&key, "c", 0, 2, one), secret(&key, "c", 1, 2, two)];
        let read = |secrets: &[Secret]| gather(&key, secrets).ok().flatten();
        assert_eq!(read(&secrets).as_deref(), Some(&b"an inventory"[..]));
        assert_eq!(read(&secrets[..1]), None);
        assert_eq!(read(&[secret(&key, "c", 0, 2, one), secret(&key, "d", 1, 2, two)]), None);
        assert_eq!(read(&[]), None);
        Ok(())
    }
}
