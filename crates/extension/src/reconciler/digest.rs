//! What of an object's metadata counts: if it is as it was, nothing needs to be done again.

use std::hash::{DefaultHasher, Hash, Hasher};

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use crate::annotations::{self, Asked};

/// A number that changes when the spec, the labels, the annotations, the owners or the deletion do, and not with what
/// the reconciler itself writes: the status, its finalizer, and the annotations that ask to run once more.
pub(crate) fn digest(metadata: &ObjectMeta) -> u64 {
    let mut hasher = DefaultHasher::new();
    metadata.uid.hash(&mut hasher);
    metadata.generation.hash(&mut hasher);
    metadata.deletion_timestamp.is_some().hash(&mut hasher);
    metadata.labels.hash(&mut hasher);
    for owner in metadata.owner_references.iter().flatten() {
        owner.uid.hash(&mut hasher);
    }
    let once = asks_once(metadata);
    for (key, value) in metadata.annotations.iter().flatten() {
        if !(once && annotations::OPERATION.contains(&key.as_str())) {
            (key, value).hash(&mut hasher);
        }
    }
    hasher.finish()
}

/// Whether it is asked to run once more, which is taken off before it does.
pub(crate) fn asks_once(metadata: &ObjectMeta) -> bool {
    matches!(annotations::operation(metadata), Ok(Some(Asked::Reconcile | Asked::Retry)))
}

/// The number of a resourceVersion.
pub(crate) fn revision(version: Option<&str>) -> u64 {
    version.and_then(|version| version.parse().ok()).unwrap_or(u64::MAX)
}
