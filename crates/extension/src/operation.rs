//! Which operation is due: a pure function of the object.
//!
//! Migrate comes first, then deletion, then restore, then create, then reconcile. Create is what it is called until it
//! has succeeded once. A hand-over that was begun is finished even if its annotation was taken off meanwhile.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use crate::annotations::Asked;
use crate::status::{ExtensionStatus, OperationState, OperationType};

/// What is due for an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Due {
    /// An operation.
    Run(OperationType),
    /// Nothing.
    Rest(Why),
}

/// Why nothing is due.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Why {
    /// It is being deleted, and this controller has nothing to do with that any more.
    Released,
    /// It was handed over.
    Migrated,
    /// It has failed for good, and nobody has asked or changed anything since.
    Failed,
}

/// Decides what is due. Whether a deletion is by force was decided before ([`crate::force`]).
pub fn due(
    metadata: &ObjectMeta,
    status: Option<&ExtensionStatus>,
    asked: Option<Asked>,
    finalizer: &str,
    forced: bool,
) -> Due {
    use OperationType::{Create, Delete, ForceDelete, Migrate, Reconcile, Restore};
    let last = status.and_then(|status| status.last_operation.as_ref());
    let was = |operation, state: OperationState| {
        last.is_some_and(|last| last.operation == operation && last.state == state)
    };
    let unfinished = |operation| {
        last.is_some_and(|last| last.operation == operation && last.state != OperationState::Succeeded)
    };
    let held = metadata.finalizers.iter().flatten().any(|held| held == finalizer);
    let deleting = metadata.deletion_timestamp.is_some();
    if asked == Some(Asked::Migrate) {
        // A hand-over that has succeeded leaves nothing to do but to take the annotation off.
        return if was(Migrate, OperationState::Succeeded) && !held {
            Due::Rest(Why::Migrated)
        } else {
            Due::Run(Migrate)
        };
    }
    if deleting {
        if !held {
            return Due::Rest(Why::Released);
        }
        return awake(status, metadata, asked, if forced { ForceDelete } else { Delete });
    }
    if asked == Some(Asked::Restore) {
        return Due::Run(Restore);
    }
    let operation = match last {
        _ if was(Migrate, OperationState::Succeeded) => return Due::Rest(Why::Migrated),
        None => Create,
        Some(_) if unfinished(Create) => Create,
        Some(_) if unfinished(Migrate) => Migrate,
        Some(_) if unfinished(Restore) => Restore,
        Some(_) => Reconcile,
    };
    awake(status, metadata, asked, operation)
}

/// What has failed for good waits until somebody asks, or until it is another thing that is due.
fn awake(
    status: Option<&ExtensionStatus>,
    metadata: &ObjectMeta,
    asked: Option<Asked>,
    operation: OperationType,
) -> Due {
    let failed = status.is_some_and(|status| {
        status.is(operation, OperationState::Failed) && status.observed_generation == metadata.generation
    });
    if failed && asked.is_none() { Due::Rest(Why::Failed) } else { Due::Run(operation) }
}
