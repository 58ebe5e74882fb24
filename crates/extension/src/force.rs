//! Whether an object may be let go by force: a pure function, asked again by the reconciler whatever admission said.
//!
//! All of this must hold: the object has a deletionTimestamp; an error with a [blocking](crate::ErrorCode::BLOCKING)
//! code is on record; the confirmation is on the object or on its owner. For those that an owner has which is itself
//! being let go by force, its error counts as theirs.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use crate::annotations::confirms_force;
use crate::status::ExtensionStatus;

/// Whether force is due.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Force {
    /// Nobody has asked for it.
    NotAsked,
    /// Somebody has, and it may not be.
    Refused(Refusal),
    /// It is confirmed, and may be.
    Granted(By),
}

/// Who confirmed it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum By {
    /// The object itself.
    Object,
    /// Its owner.
    Owner,
}

/// Why force may not be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// It is not being deleted.
    #[error("the object is not being deleted")]
    NotDeleting,
    /// Nothing is known to stand in the way.
    #[error(
        "no error with a blocking code is on record \
         (ERR_CLEANUP_RESOURCES, ERR_CONFIGURATION_PROBLEM, ERR_DEPENDENCIES, ERR_UNAUTHENTICATED, ERR_UNAUTHORIZED)"
    )]
    NoBlockingError,
}

/// Decides about force. The owner is what the object's owner says of itself, where it has one.
pub fn force(
    metadata: &ObjectMeta,
    status: Option<&ExtensionStatus>,
    owner: Option<(&ObjectMeta, Option<&ExtensionStatus>)>,
) -> Force {
    let own = confirms_force(metadata);
    let owners = owner.is_some_and(|(owner, _)| confirms_force(owner));
    if !own && !owners {
        return Force::NotAsked;
    }
    let by = if own { By::Object } else { By::Owner };
    if metadata.deletion_timestamp.is_none() {
        return Force::Refused(Refusal::NotDeleting);
    }
    let owner_goes = owner.is_some_and(|(owner, status)| {
        confirms_force(owner) && owner.deletion_timestamp.is_some() && is_blocked(status)
    });
    if is_blocked(status) || owner_goes {
        Force::Granted(by)
    } else {
        Force::Refused(Refusal::NoBlockingError)
    }
}

/// Whether an error with a blocking code is on record.
pub fn is_blocked(status: Option<&ExtensionStatus>) -> bool {
    status.is_some_and(|status| {
        status.last_errors.iter().flat_map(|error| &error.codes).any(crate::ErrorCode::is_blocking)
    })
}
