//! What is due.

use std::time::Duration;

use crate::kinds::{Backing, CurrentOperation, DeprovisionStatus, Properties, ProvisionStatus};
use jiff::Timestamp;

/// What sort of thing it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Thing {
    /// An instance.
    Instance,
    /// A binding.
    Binding,
}

impl Thing {
    /// What makes it.
    pub fn making(self) -> CurrentOperation {
        match self {
            Self::Instance => CurrentOperation::Provision,
            Self::Binding => CurrentOperation::Bind,
        }
    }

    /// What takes it down.
    pub fn removing(self) -> CurrentOperation {
        match self {
            Self::Instance => CurrentOperation::Deprovision,
            Self::Binding => CurrentOperation::Unbind,
        }
    }
}

/// What the object wants of its backing thing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wish {
    /// It should be there.
    There,
    /// It should go, and the object stays until it has.
    Declared,
    /// The object itself is being deleted.
    Deleted,
    /// It should go, but the feature is off.
    Disabled,
}

impl Wish {
    /// What an object says.
    pub fn of(deleting: bool, exists_externally: bool, declarative_delete: bool) -> Self {
        match (deleting, exists_externally, declarative_delete) {
            (true, _, _) => Self::Deleted,
            (false, true, _) => Self::There,
            (false, false, true) => Self::Declared,
            (false, false, false) => Self::Disabled,
        }
    }
}

/// Why it is not known what the object wants.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Unresolved {
    /// The reason, as a condition has it.
    pub reason: &'static str,
    /// What is missing.
    pub message: String,
}

/// What is known.
#[derive(Debug, Clone)]
pub struct Facts<'a> {
    /// What sort of thing it is.
    pub thing: Thing,
    /// What the object wants.
    pub wish: Wish,
    /// The generation of its spec.
    pub generation: i64,
    /// Whether the condition `Deleted` is true.
    pub deleted: bool,
    /// How far the thing is at its broker.
    pub backing: &'a Backing,
    /// What it should be.
    pub wanted: Result<&'a Properties, &'a Unresolved>,
    /// The bindings that hold an instance.
    pub blocked_by: &'a [String],
    /// Whether the broker can be asked what it has.
    pub retrievable: bool,
    /// Whether what a binding gave is where it should be.
    pub injected: bool,
    /// How long an operation is polled at most.
    pub longest_poll: Duration,
    /// What time it is.
    pub now: Timestamp,
}

/// What is due.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// Ask the broker, after having written it down.
    Ask(CurrentOperation),
    /// Ask the broker to take back what may be left behind.
    Mitigate,
    /// Ask how far it is.
    Poll,
    /// It has been polled for long enough: it has failed.
    Expire,
    /// Ask the broker what it has, because nobody knows.
    Fetch,
    /// What was asked last came to nothing, and is not wanted any more.
    Forget,
    /// What was there is gone, and is wanted again: under another identifier.
    Renew,
    /// What a binding gave was removed, and is put back.
    Restore,
    /// Nothing before this time.
    Wait(Timestamp),
    /// Bindings hold the instance.
    Blocked,
    /// It is not known what the object wants.
    Unresolved,
    /// The broker has refused, and is not asked again before the spec changes.
    Refused,
    /// All is as it should be.
    Steady,
    /// The broker does not have it, and is not to have it.
    Gone,
    /// It should go, but the feature is off.
    Disabled,
}

/// Decides what is due.
pub fn decide(facts: &Facts<'_>) -> Step {
    let backing = facts.backing;
    // Nothing that comes after this can be taken back.
    if facts.deleted {
        return Step::Gone;
    }
    if backing.async_op_in_progress {
        let begun = backing.operation_start_time.as_ref().map_or(facts.now, |begun| begun.0);
        let polled: Duration = facts.now.duration_since(begun).try_into().unwrap_or_default();
        return if polled > facts.longest_poll { Step::Expire } else { when_due(facts, Step::Poll) };
    }
    if backing.orphan_mitigation_in_progress {
        return when_due(facts, Step::Mitigate);
    }
    if facts.wish == Wish::Disabled {
        return Step::Disabled;
    }
    match backing.current_operation {
        None => rested(facts),
        Some(CurrentOperation::Provision | CurrentOperation::Bind) => making(facts),
        Some(CurrentOperation::Update) => match facts.wish {
            Wish::There => changing(facts),
            _ => removing(facts),
        },
        Some(CurrentOperation::Deprovision | CurrentOperation::Unbind) => match facts.wish {
            Wish::There => taken_back(facts),
            _ => removing(facts),
        },
    }
}

/// Nothing was asked that is not answered.
fn rested(facts: &Facts<'_>) -> Step {
    let backing = facts.backing;
    let there = backing.provision_status == Some(ProvisionStatus::Provisioned);
    if facts.wish != Wish::There {
        return match backing.deprovision_status {
            None | Some(DeprovisionStatus::NotRequired | DeprovisionStatus::Succeeded) if !there => {
                Step::Gone
            }
            _ => removing(facts),
        };
    }
    if there {
        if is_refused(facts) {
            return Step::Refused;
        }
        if !facts.injected {
            return Step::Restore;
        }
        // What was last asked for is what is there: a Secret that has changed since is asked for by another generation.
        if backing.attempted_generation == Some(facts.generation) || facts.thing == Thing::Binding {
            return Step::Steady;
        }
        return match facts.wanted {
            Err(_) => Step::Unresolved,
            Ok(wanted) if backing.external_properties.as_ref().is_some_and(|has| has.same(wanted)) => {
                Step::Steady
            }
            Ok(_) => changing(facts),
        };
    }
    if backing.deprovision_status == Some(DeprovisionStatus::Succeeded) {
        return Step::Renew;
    }
    if is_refused(facts) {
        return Step::Refused;
    }
    match facts.wanted {
        Err(_) => Step::Unresolved,
        Ok(_) => when_due(facts, Step::Ask(facts.thing.making())),
    }
}

/// The thing was asked for, and there is no answer, or one that settles nothing.
fn making(facts: &Facts<'_>) -> Step {
    let backing = facts.backing;
    let certain = !backing.in_flight && !backing.unsettled;
    if facts.wish != Wish::There {
        return if certain { Step::Forget } else { Step::Mitigate };
    }
    // The broker may have heard another wish than today's, and would call this one a conflict.
    let asked = backing.in_progress_properties.as_ref();
    let same = facts.wanted.is_ok_and(|wanted| asked.is_some_and(|asked| asked.same(wanted)));
    match (same, certain) {
        (true, _) => when_due(facts, Step::Ask(facts.thing.making())),
        (false, true) => Step::Forget,
        (false, false) => Step::Mitigate,
    }
}

fn changing(facts: &Facts<'_>) -> Step {
    if is_refused(facts) {
        return Step::Refused;
    }
    match facts.wanted {
        Err(_) => Step::Unresolved,
        Ok(_) => when_due(facts, Step::Ask(CurrentOperation::Update)),
    }
}

fn removing(facts: &Facts<'_>) -> Step {
    // A plain DELETE cannot be taken back, so it is tried for as long as it takes.
    if facts.wish == Wish::Declared && is_refused(facts) {
        return Step::Refused;
    }
    if !facts.blocked_by.is_empty() {
        return Step::Blocked;
    }
    when_due(facts, Step::Ask(facts.thing.removing()))
}

/// The thing was to go, and is to stay.
fn taken_back(facts: &Facts<'_>) -> Step {
    let backing = facts.backing;
    if !backing.in_flight && !backing.unsettled {
        return Step::Forget;
    }
    let settle = if facts.retrievable { Step::Fetch } else { Step::Ask(facts.thing.removing()) };
    when_due(facts, settle)
}

fn is_refused(facts: &Facts<'_>) -> bool {
    facts.backing.refused_generation == Some(facts.generation)
}

/// A step, or the wait before it. A changed spec is not made to wait for what was asked before it.
fn when_due(facts: &Facts<'_>, step: Step) -> Step {
    let polling = matches!(step, Step::Poll);
    let fresh = facts.backing.attempted_generation != Some(facts.generation);
    match &facts.backing.next_attempt_time {
        Some(next) if next.0 > facts.now && (polling || !fresh) => Step::Wait(next.0),
        _ => step,
    }
}
