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

#[cfg(test)]
mod tests {
    use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;

    use super::*;
    use crate::status::LastOperation;
    use OperationState::{Error, Failed, Processing, Succeeded};
    use OperationType::{Create, Delete, ForceDelete, Migrate, Reconcile, Restore};

    const FINALIZER: &str = "slipway.dev/things";

    #[derive(Default, Clone, Copy)]
    #[expect(clippy::struct_excessive_bools, reason = "each is a circumstance that a case may have")]
    struct Case {
        asked: Option<Asked>,
        deleting: bool,
        released: bool,
        forced: bool,
        last: Option<(OperationType, OperationState)>,
        changed: bool,
    }

    fn decided(case: Case) -> Due {
        let metadata = ObjectMeta {
            generation: Some(2),
            deletion_timestamp: case.deleting.then_some(Time(jiff::Timestamp::UNIX_EPOCH)),
            finalizers: (!case.released).then(|| vec![FINALIZER.to_owned()]),
            ..ObjectMeta::default()
        };
        let status = case.last.map(|(operation, state)| ExtensionStatus {
            observed_generation: Some(if case.changed { 1 } else { 2 }),
            last_operation: Some(LastOperation {
                operation,
                state,
                progress: 0,
                description: String::new(),
                last_update_time: None,
            }),
            ..ExtensionStatus::default()
        });
        due(&metadata, status.as_ref(), case.asked, FINALIZER, case.forced)
    }

    #[test]
    fn migrate_then_deletion_then_restore_then_create_then_reconcile() {
        let none = Case::default();
        let (migrate, restore) = (Some(Asked::Migrate), Some(Asked::Restore));
        for (name, case, expected) in [
            ("new", none, Due::Run(Create)),
            ("made", Case { last: Some((Create, Succeeded)), ..none }, Due::Run(Reconcile)),
            ("not made yet", Case { last: Some((Create, Error)), ..none }, Due::Run(Create)),
            ("cut off", Case { last: Some((Create, Processing)), ..none }, Due::Run(Create)),
            ("restore asked", Case { asked: restore, ..none }, Due::Run(Restore)),
            ("restore cut off", Case { last: Some((Restore, Error)), ..none }, Due::Run(Restore)),
            ("deleting", Case { deleting: true, ..none }, Due::Run(Delete)),
            ("deleting, restore asked", Case { deleting: true, asked: restore, ..none }, Due::Run(Delete)),
            ("deleting, migrate asked", Case { deleting: true, asked: migrate, ..none }, Due::Run(Migrate)),
            ("forced", Case { deleting: true, forced: true, ..none }, Due::Run(ForceDelete)),
            ("not ours any more", Case { deleting: true, released: true, ..none }, Due::Rest(Why::Released)),
            ("migrate cut off", Case { last: Some((Migrate, Error)), ..none }, Due::Run(Migrate)),
            (
                "migrated",
                Case { last: Some((Migrate, Succeeded)), released: true, ..none },
                Due::Rest(Why::Migrated),
            ),
            (
                "migrated, still asked",
                Case { asked: migrate, last: Some((Migrate, Succeeded)), released: true, ..none },
                Due::Rest(Why::Migrated),
            ),
            (
                "migrated, not released yet",
                Case { asked: migrate, last: Some((Migrate, Succeeded)), ..none },
                Due::Run(Migrate),
            ),
            (
                "migrated, taken over",
                Case { asked: restore, last: Some((Migrate, Succeeded)), released: true, ..none },
                Due::Run(Restore),
            ),
        ] {
            assert_eq!(decided(case), expected, "{name}");
        }
    }

    #[test]
    fn what_failed_for_good_waits_for_somebody() {
        let failed = Case { last: Some((Reconcile, Failed)), ..Case::default() };
        let stuck = Case { last: Some((Delete, Failed)), deleting: true, ..Case::default() };
        for (name, case, expected) in [
            ("nothing happened", failed, Due::Rest(Why::Failed)),
            ("somebody asked", Case { asked: Some(Asked::Retry), ..failed }, Due::Run(Reconcile)),
            ("it was changed", Case { changed: true, ..failed }, Due::Run(Reconcile)),
            ("it is deleted", Case { deleting: true, ..failed }, Due::Run(Delete)),
            ("the deletion failed", stuck, Due::Rest(Why::Failed)),
            ("and is forced", Case { forced: true, ..stuck }, Due::Run(ForceDelete)),
        ] {
            assert_eq!(decided(case), expected, "{name}");
        }
    }
}
