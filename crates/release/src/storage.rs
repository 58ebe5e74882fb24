//! The records of a namespace, in Secrets of the names, labels and type that Helm gives them.
//!
//! A record that is larger than a Secret may be is kept whole in Secrets of our own, and Helm's has what fits: without
//! the chart's files, and if need be without the manifest.

use std::collections::BTreeMap;

use jiff::Timestamp;
use k8s_openapi::ByteString;
use k8s_openapi::api::core::v1::Secret;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;
use kube::api::{DeleteParams, ListParams, ObjectMeta, PostParams, Preconditions};
use kube::{Api, Client, ResourceExt};

use crate::codec::{self, CodecError};
use crate::record::Record;
use crate::session::MANAGER;
use crate::shards::{Key, Shards, What};

/// The type of Secrets that hold a record.
const SECRET_TYPE: &str = "helm.sh/release.v1";
/// The key of the record in a Secret.
const KEY: &str = "release";
/// The labels that are Helm's own.
const OWN_LABELS: [&str; 7] = ["name", "owner", "status", "version", "createdAt", "modifiedAt", WHOLE];
/// The label of a record that is kept whole elsewhere.
const WHOLE: &str = "slipway.dev/whole-record";
/// A Secret takes 1 MiB.
const MOST: usize = 1 << 20;
/// What stands for a manifest that is too large.
const NO_MANIFEST: &str = "# This manifest is too large for one Secret; 'slipway get manifest' shows it.\n";
/// So many come with one answer of a list.
const PAGE: u32 = 100;

/// The records of a namespace.
#[derive(Clone)]
pub struct Storage {
    secrets: Api<Secret>,
    whole: Shards,
}

/// A record, and where it is kept.
#[derive(Debug, Clone, PartialEq)]
pub struct Stored {
    /// The record.
    pub record: Record,
    /// The revision of its Secret, by which a later write is known to follow this one.
    pub resource_version: String,
    /// The UID of its Secret.
    pub uid: String,
    /// Whether Helm's Secret has only a part of it, since it is too large.
    pub is_split: bool,
}

/// Why records cannot be had or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StorageError {
    /// The cluster refuses.
    #[error("{what}: {}", engine::words(source))]
    Cluster {
        /// What was asked of it.
        what: String,
        /// Its words.
        source: Box<kube::Error>,
    },
    /// A Secret does not hold what it should.
    #[error("Secret {name}: {source}")]
    Broken {
        /// Which Secret.
        name: String,
        /// What is wrong.
        source: CodecError,
    },
    /// Somebody else wrote the record meanwhile.
    #[error("release {name} was changed by somebody else while this ran")]
    Changed {
        /// Which release.
        name: String,
    },
}

impl StorageError {
    /// Something stored for a release cannot be read.
    pub(crate) fn unreadable(release: &str, error: serde_json::Error) -> Self {
        Self::Broken { name: format!("of release {release}"), source: error.into() }
    }
}

impl Stored {
    /// What belongs to this record, and goes with it, says so by this: Helm takes out records and knows of nothing else.
    pub(crate) fn as_owner(&self) -> OwnerReference {
        OwnerReference {
            api_version: "v1".to_owned(),
            kind: "Secret".to_owned(),
            name: secret_name(&self.record),
            uid: self.uid.clone(),
            ..OwnerReference::default()
        }
    }
}

impl Storage {
    /// The records of a namespace.
    pub fn new(client: Client, namespace: &str) -> Self {
        Self::over(Api::namespaced(client, namespace))
    }

    /// The records of every namespace; they can only be read.
    pub fn everywhere(client: Client) -> Self {
        Self::over(Api::all(client))
    }

    fn over(secrets: Api<Secret>) -> Self {
        Self { whole: Shards::new(secrets.clone(), MANAGER), secrets }
    }

    /// All revisions of a release, the first one first.
    pub async fn history(&self, name: &str) -> Result<Vec<Stored>, StorageError> {
        let mut found = self.select(&format!("owner=helm,name={name}")).await?;
        found.sort_by_key(|stored| stored.record.version);
        Ok(found)
    }

    /// All revisions of all releases, or of those whose records have the labels that a selector asks for.
    pub async fn all(&self, selector: Option<&str>) -> Result<Vec<Stored>, StorageError> {
        let selector = selector.filter(|selector| !selector.is_empty());
        let labels = selector.map_or_else(|| "owner=helm".to_owned(), |more| format!("owner=helm,{more}"));
        self.select(&labels).await
    }

    /// The newest revision of a release.
    pub async fn newest(&self, name: &str) -> Result<Option<Stored>, StorageError> {
        Ok(self.history(name).await?.pop())
    }

    async fn select(&self, labels: &str) -> Result<Vec<Stored>, StorageError> {
        let mut parameters = ListParams::default().labels(labels).limit(PAGE);
        let mut found = Vec::new();
        loop {
            let page =
                self.secrets.list(&parameters).await.map_err(|source| refused("list releases", source))?;
            for secret in &page.items {
                // A Secret of another type that happens to have the labels is none of ours.
                if secret.type_.as_deref() == Some(SECRET_TYPE) {
                    found.push(self.complete(read(secret)?).await?);
                }
            }
            match page.metadata.continue_.filter(|token| !token.is_empty()) {
                Some(token) => parameters = parameters.continue_token(&token),
                None => return Ok(found),
            }
        }
    }

    /// Writes a new revision. That there is one of its number already means that somebody else was quicker.
    pub async fn create(&self, record: &Record, now: Timestamp) -> Result<Stored, StorageError> {
        let secret = self.write(record, &[("createdAt", now)], None).await?;
        match self.secrets.create(&PostParams::default(), &secret).await {
            Ok(made) => Ok(stored(record, &made)),
            Err(kube::Error::Api(status)) if status.reason == "AlreadyExists" => {
                self.written(record, &secret).await
            }
            Err(source) => Err(refused("store the release", source)),
        }
    }

    /// Writes a revision anew, unless somebody else did so since it was read.
    pub async fn update(
        &self,
        known: &Stored,
        record: &Record,
        now: Timestamp,
    ) -> Result<Stored, StorageError> {
        let secret = self.write(record, &[("modifiedAt", now)], Some(known)).await?;
        match self.secrets.replace(&secret_name(record), &PostParams::default(), &secret).await {
            Ok(made) => Ok(stored(record, &made)),
            Err(kube::Error::Api(status)) if status.code == 409 || status.code == 404 => {
                self.written(record, &secret).await
            }
            Err(source) => Err(refused("store the release", source)),
        }
    }

    /// What was refused because it is there already may have been written by an attempt that nobody was told of.
    async fn written(&self, record: &Record, secret: &Secret) -> Result<Stored, StorageError> {
        let found = self.secrets.get_opt(&secret_name(record)).await;
        let found = found.map_err(|source| refused("read the release", source))?;
        match found.filter(|found| found.data == secret.data && found.type_ == secret.type_) {
            Some(found) => Ok(stored(record, &found)),
            None => Err(StorageError::Changed { name: record.name.clone() }),
        }
    }

    /// Removes a revision, if it still is the one that was read.
    pub async fn remove(&self, known: &Stored) -> Result<(), StorageError> {
        let parameters = DeleteParams {
            preconditions: Some(Preconditions { uid: Some(known.uid.clone()), resource_version: None }),
            ..DeleteParams::default()
        };
        if known.is_split {
            self.whole.remove(&key(&known.record)).await?;
        }
        match self.secrets.delete(&secret_name(&known.record), &parameters).await {
            Ok(_) => Ok(()),
            Err(kube::Error::Api(status)) if status.code == 404 => Ok(()),
            Err(kube::Error::Api(status)) if status.code == 409 => {
                Err(StorageError::Changed { name: known.record.name.clone() })
            }
            Err(source) => Err(refused("remove the release", source)),
        }
    }

    /// Puts a record that is split together again. What Helm wrote since counts.
    async fn complete(&self, mut stored: Stored) -> Result<Stored, StorageError> {
        if !stored.is_split {
            return Ok(stored);
        }
        let Some(text) = self.whole.read(&key(&stored.record)).await? else { return Ok(stored) };
        let mut whole: Record = serde_json::from_slice(&text)
            .map_err(|error| StorageError::unreadable(&stored.record.name, error))?;
        let part = &stored.record;
        if part.manifest == whole.manifest || part.manifest == NO_MANIFEST {
            whole.info = part.info.clone();
            whole.labels = part.labels.clone();
            stored.record = whole;
        }
        Ok(stored)
    }

    /// The Secret of a record. What does not fit is written before.
    async fn write(
        &self,
        record: &Record,
        times: &[(&str, Timestamp)],
        known: Option<&Stored>,
    ) -> Result<Secret, StorageError> {
        let encode = |record: &Record| {
            codec::encode(record).map_err(|source| StorageError::Broken { name: secret_name(record), source })
        };
        let text = encode(record)?;
        if text.len() <= MOST {
            return Ok(secret(record, text, times, known));
        }
        let whole =
            serde_json::to_vec(record).map_err(|error| StorageError::unreadable(&record.name, error))?;
        self.whole.write(&key(record), &whole, None).await?;
        let mut part = record.clone();
        part.labels.insert(WHOLE.to_owned(), "elsewhere".to_owned());
        for files in ["templates", "files"] {
            part.chart[files] = serde_json::json!([]);
        }
        let mut text = encode(&part)?;
        if text.len() > MOST {
            NO_MANIFEST.clone_into(&mut part.manifest);
            text = encode(&part)?;
        }
        Ok(secret(&part, text, times, known))
    }
}

fn key(record: &Record) -> Key {
    Key { what: What::Record, release: record.name.clone(), version: record.version }
}

pub(crate) fn refused(what: &str, source: kube::Error) -> StorageError {
    StorageError::Cluster { what: what.to_owned(), source: Box::new(source) }
}

/// The Secret of a revision.
pub fn secret_name(record: &Record) -> String {
    format!("sh.helm.release.v1.{}.v{}", record.name, record.version)
}

fn stored(record: &Record, secret: &Secret) -> Stored {
    Stored {
        record: record.clone(),
        resource_version: secret.resource_version().unwrap_or_default(),
        uid: secret.uid().unwrap_or_default(),
        is_split: secret.labels().contains_key(WHOLE),
    }
}

fn read(secret: &Secret) -> Result<Stored, StorageError> {
    let text = secret.data.as_ref().and_then(|data| data.get(KEY)).map(|bytes| bytes.0.as_slice());
    let mut record: Record = codec::decode(text.unwrap_or_default())
        .map_err(|source| StorageError::Broken { name: secret.name_any(), source })?;
    record.labels = secret.labels().clone();
    record.labels.retain(|key, _| !OWN_LABELS.contains(&key.as_str()));
    Ok(stored(&record, secret))
}

fn secret(record: &Record, text: Vec<u8>, times: &[(&str, Timestamp)], known: Option<&Stored>) -> Secret {
    let mut labels = record.labels.clone();
    labels.insert("name".to_owned(), record.name.clone());
    labels.insert("owner".to_owned(), "helm".to_owned());
    labels.insert("status".to_owned(), record.info.status.to_string());
    labels.insert("version".to_owned(), record.version.to_string());
    for (key, time) in times {
        labels.insert((*key).to_owned(), time.as_second().to_string());
    }
    Secret {
        metadata: ObjectMeta {
            name: Some(secret_name(record)),
            namespace: Some(record.namespace.clone()),
            labels: Some(labels),
            resource_version: known.map(|known| known.resource_version.clone()),
            uid: known.map(|known| known.uid.clone()),
            ..ObjectMeta::default()
        },
        type_: Some(SECRET_TYPE.to_owned()),
        data: Some(BTreeMap::from([(KEY.to_owned(), ByteString(text))])),
        ..Secret::default()
    }
}

impl std::fmt::Debug for Storage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Storage").finish_non_exhaustive()
    }
}
