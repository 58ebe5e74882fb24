//! Whether an object may be let go by force: a pure function, asked again by the reconciler whatever admission said.
//!
//! All of this must hold: the object has a deletionTimestamp; an error with a [blocking](crate::ErrorCode::BLOCKING)
//! code is on record; the confirmation is on the object or on its owner. For those that an owner has which is itself
//! being let go by force, its error counts as theirs.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use crate::annotations::confirms_force;
use crate::status::{ExtensionStatus, OperationType};

/// The finalizer by which the API server keeps an object until what it owns is gone.
pub const FOREGROUND: &str = "foregroundDeletion";

/// Whether a finalizer is the API server's own: what it stands for is done by the server, and removing it by hand would
/// break more than it frees.
pub fn is_protected(finalizer: &str) -> bool {
    matches!(
        finalizer,
        FOREGROUND
            | "orphan"
            | "customresourcecleanup.apiextensions.k8s.io"
            | "kubernetes.io/pvc-protection"
            | "kubernetes.io/pv-protection"
            | "kubernetes"
    )
}

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
        confirms_force(owner)
            && owner.deletion_timestamp.is_some()
            && (is_blocked(status) || is_going(status))
    });
    if is_blocked(status) || owner_goes {
        Force::Granted(by)
    } else {
        Force::Refused(Refusal::NoBlockingError)
    }
}

/// Whether it is being let go by force already, or was: its errors are no longer on record then.
fn is_going(status: Option<&ExtensionStatus>) -> bool {
    let last = status.and_then(|status| status.last_operation.as_ref());
    last.is_some_and(|last| last.operation == OperationType::ForceDelete)
}

/// Whether an error with a blocking code is on record.
pub fn is_blocked(status: Option<&ExtensionStatus>) -> bool {
    status.is_some_and(|status| {
        status.last_errors.iter().flat_map(|error| &error.codes).any(crate::ErrorCode::is_blocking)
    })
}

#[cfg(test)]
mod tests {
    use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;

    use super::*;
    use crate::annotations::FORCE_DELETION;
    use crate::status::{ErrorCode, LastError};

    fn metadata(deleting: bool, confirmed: bool) -> ObjectMeta {
        ObjectMeta {
            deletion_timestamp: deleting.then_some(Time(jiff::Timestamp::UNIX_EPOCH)),
            annotations: confirmed.then(|| [(FORCE_DELETION[0].to_owned(), "true".to_owned())].into()),
            ..ObjectMeta::default()
        }
    }

    fn with_error(code: Option<ErrorCode>) -> ExtensionStatus {
        let error = LastError {
            description: "stuck".to_owned(),
            codes: code.into_iter().collect(),
            task_id: None,
            last_update_time: None,
        };
        ExtensionStatus { last_errors: vec![error], ..ExtensionStatus::default() }
    }

    #[test]
    fn all_preconditions_are_needed() {
        let blocked = with_error(Some(ErrorCode::Dependencies));
        let busy = with_error(Some(ErrorCode::RateLimitsExceeded));
        let clean = ExtensionStatus::default();
        for (name, deleting, confirmed, status, expected) in [
            ("all", true, true, &blocked, Force::Granted(By::Object)),
            ("not confirmed", true, false, &blocked, Force::NotAsked),
            ("not deleting", false, true, &blocked, Force::Refused(Refusal::NotDeleting)),
            ("no error", true, true, &clean, Force::Refused(Refusal::NoBlockingError)),
            ("an error that passes", true, true, &busy, Force::Refused(Refusal::NoBlockingError)),
            ("no code", true, true, &with_error(None), Force::Refused(Refusal::NoBlockingError)),
        ] {
            assert_eq!(force(&metadata(deleting, confirmed), Some(status), None), expected, "{name}");
        }
    }

    #[test]
    fn an_owner_confirms_for_its_own_and_one_that_goes_by_force_has_the_error_for_them() {
        let blocked = with_error(Some(ErrorCode::CleanupResources));
        let clean = ExtensionStatus::default();
        for (name, deleting, own, owner_deleting, owner_confirmed, owners, expected) in [
            ("owner confirms, own error", true, &blocked, false, true, &clean, Force::Granted(By::Owner)),
            ("owner goes by force", true, &clean, true, true, &blocked, Force::Granted(By::Owner)),
            (
                "owner is not deleted",
                true,
                &clean,
                false,
                true,
                &blocked,
                Force::Refused(Refusal::NoBlockingError),
            ),
            (
                "owner has no error",
                true,
                &clean,
                true,
                true,
                &clean,
                Force::Refused(Refusal::NoBlockingError),
            ),
            (
                "owner confirms, not deleting",
                false,
                &blocked,
                true,
                true,
                &blocked,
                Force::Refused(Refusal::NotDeleting),
            ),
            ("owner does not confirm", true, &blocked, true, false, &blocked, Force::NotAsked),
        ] {
            let owner = metadata(owner_deleting, owner_confirmed);
            let answer = force(&metadata(deleting, false), Some(own), Some((&owner, Some(owners))));
            assert_eq!(answer, expected, "{name}");
        }
    }
}
