//! What is written down before a broker is asked, and what its answer changes.

use crate::kinds::{Backing, CurrentOperation, DeprovisionStatus, Properties, ProvisionStatus};
use jiff::Timestamp;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use osb::{Failure, FailureKind, Fetched, Poll, RetryAfter, Verdict};

use super::Thing;
use crate::Settings;

/// What learning goes by.
#[derive(Debug, Clone, Copy)]
pub struct Limits<'a> {
    /// What whoever runs the operator has chosen.
    pub settings: &'a Settings,
    /// What time it is.
    pub now: Timestamp,
    /// The generation of the spec.
    pub generation: i64,
}

/// Writes down what the broker is about to be asked.
pub fn intend(
    backing: &mut Backing,
    operation: CurrentOperation,
    wanted: Option<&Properties>,
    external_id: &str,
    limits: Limits<'_>,
) {
    // A question that was asked and not answered before this one stays open, whatever this one's answer is.
    backing.unsettled |= backing.in_flight;
    if backing.current_operation != Some(operation) {
        backing.current_operation = Some(operation);
        backing.operation_start_time = Some(Time(limits.now));
        backing.attempts = 0;
    }
    backing.external_id = Some(external_id.to_owned());
    backing.in_flight = true;
    backing.attempted_generation = Some(limits.generation);
    backing.refused_generation = None;
    backing.next_attempt_time = None;
    backing.deprovision_status = Some(DeprovisionStatus::Required);
    if let Some(wanted) = wanted {
        backing.in_progress_properties = Some(wanted.clone());
    }
}

/// What an answer to a request changes. `body` of a success is for the caller to keep.
pub fn answered(backing: &mut Backing, thing: Thing, verdict: &Verdict, limits: Limits<'_>) {
    backing.in_flight = false;
    match verdict {
        Verdict::Done(_) => succeed(backing, thing),
        Verdict::Accepted(body) => {
            backing.async_op_in_progress = true;
            backing.broker_operation = body.operation().map(str::to_owned);
            backing.attempts = 0;
            // How long it is polled counts from here.
            backing.operation_start_time = Some(Time(limits.now));
            backing.next_attempt_time = Some(after(limits, None, 0));
        }
        Verdict::Failed(failure) => fail(backing, thing, failure, false, limits),
        _ => backing.unsettled = true,
    }
}

/// What an answer to a poll changes.
pub fn polled(backing: &mut Backing, thing: Thing, poll: &Poll, limits: Limits<'_>) {
    match poll {
        Poll::InProgress { description, retry_after } => {
            again(backing, *retry_after, limits);
            backing.failure_reason = None;
            backing.failure_message.clone_from(description);
        }
        Poll::Unclear { cause, retry_after } => {
            again(backing, *retry_after, limits);
            backing.failure_reason = Some("ErrorPollingLastOperation".to_owned());
            backing.failure_message = Some(cause.clone());
        }
        Poll::Succeeded { .. } => succeed(backing, thing),
        Poll::Failed(failure) => {
            backing.async_op_in_progress = false;
            backing.broker_operation = None;
            fail(backing, thing, failure, true, limits);
        }
        _ => again(backing, None, limits),
    }
}

/// It has been polled for as long as is allowed: that is a failure.
pub fn expire(backing: &mut Backing, thing: Thing, limits: Limits<'_>) {
    backing.async_op_in_progress = false;
    backing.broker_operation = None;
    let orphan = backing.current_operation != Some(CurrentOperation::Update);
    let failure = Failure {
        kind: FailureKind::Unsettled,
        status: None,
        error: None,
        description: "the operation was polled for as long as is allowed, and has not ended".to_owned(),
        orphan,
        // The broker has said nothing about it.
        instance_usable: false,
        update_repeatable: true,
        retry_after: None,
    };
    fail(backing, thing, &failure, false, limits);
}

/// What the broker has, asked because nobody knew.
pub fn fetched(backing: &mut Backing, thing: Thing, fetched: &Fetched, limits: Limits<'_>) {
    match fetched {
        Fetched::There(_) => {
            backing.unsettled = false;
            forget(backing, thing);
        }
        Fetched::Absent => succeed(backing, thing),
        Fetched::Busy(failure) | Fetched::Failed(failure) => {
            backing.attempted_generation = Some(limits.generation);
            again(backing, failure.retry_after, limits);
            backing.failure_message = Some(failure.to_string());
        }
        _ => again(backing, None, limits),
    }
}

/// What was asked last came to nothing, and is forgotten.
pub fn forget(backing: &mut Backing, thing: Thing) {
    let there = backing.provision_status == Some(ProvisionStatus::Provisioned);
    let made = backing.current_operation == Some(thing.making());
    settle(backing);
    backing.refused_generation = None;
    backing.deprovision_status =
        Some(if there && !made { DeprovisionStatus::Required } else { DeprovisionStatus::NotRequired });
}

/// The identifier is used up: the next one follows from it.
pub fn renew(backing: &mut Backing) {
    settle(backing);
    backing.incarnation += 1;
    backing.external_id = None;
    backing.external_properties = None;
    backing.deprovision_status = Some(DeprovisionStatus::NotRequired);
}

/// Nothing is asked any more.
fn settle(backing: &mut Backing) {
    backing.current_operation = None;
    backing.operation_start_time = None;
    backing.async_op_in_progress = false;
    backing.broker_operation = None;
    backing.in_progress_properties = None;
    backing.in_flight = false;
    backing.unsettled = false;
    backing.attempts = 0;
    backing.next_attempt_time = None;
    backing.failure_reason = None;
    backing.failure_message = None;
}

fn succeed(backing: &mut Backing, thing: Thing) {
    if backing.orphan_mitigation_in_progress {
        return mitigated(backing);
    }
    let operation = backing.current_operation;
    if operation == Some(thing.removing()) {
        settle(backing);
        backing.refused_generation = None;
        backing.unusable = false;
        backing.external_properties = None;
        backing.provision_status = Some(ProvisionStatus::NotProvisioned);
        backing.deprovision_status = Some(DeprovisionStatus::Succeeded);
    } else if operation.is_some() {
        let has = backing.in_progress_properties.take();
        settle(backing);
        backing.refused_generation = None;
        backing.unusable = false;
        backing.external_properties = has;
        backing.provision_status = Some(ProvisionStatus::Provisioned);
        backing.deprovision_status = Some(DeprovisionStatus::Required);
    }
}

/// What might have been left is taken back. The thing is tried again under another identifier, after a pause.
fn mitigated(backing: &mut Backing) {
    let (attempts, next) = (backing.attempts, backing.next_attempt_time.clone());
    let (reason, message) = (backing.failure_reason.take(), backing.failure_message.take());
    renew(backing);
    backing.orphan_mitigation_in_progress = false;
    backing.provision_status = Some(ProvisionStatus::NotProvisioned);
    backing.attempts = attempts;
    backing.next_attempt_time = next;
    (backing.failure_reason, backing.failure_message) = (reason, message);
}

/// It did not succeed; `ended` if the broker said so of an operation that it had accepted.
fn fail(backing: &mut Backing, thing: Thing, failure: &Failure, ended: bool, limits: Limits<'_>) {
    let Some(operation) = backing.current_operation else { return };
    backing.attempts = backing.attempts.saturating_add(1);
    backing.failure_reason = Some(reason(backing, operation, failure).to_owned());
    backing.failure_message = Some(failure.to_string());
    let next = after(limits, failure.retry_after, backing.attempts);
    backing.next_attempt_time = Some(next);
    if backing.orphan_mitigation_in_progress {
        // It is tried for as long as it takes, whatever the broker says.
        return;
    }
    if operation == thing.removing() {
        if failure.kind == FailureKind::Unsettled {
            // A broker that has ended its work, and says that the thing can be used, has settled it.
            backing.unsettled = !(ended && failure.instance_usable);
        }
        if failure.kind == FailureKind::Refused {
            backing.refused_generation = Some(limits.generation);
            backing.deprovision_status = Some(DeprovisionStatus::Failed);
        }
        backing.unusable |= !failure.instance_usable;
        return;
    }
    if operation == CurrentOperation::Update {
        backing.unusable |= !failure.instance_usable;
        let hopeless =
            failure.kind == FailureKind::Refused || !failure.update_repeatable || is_late(backing, limits);
        if hopeless {
            refuse(backing, limits);
            backing.deprovision_status = Some(DeprovisionStatus::Required);
        }
        return;
    }
    match failure.kind {
        FailureKind::Refused if !backing.unsettled => {
            refuse(backing, limits);
            backing.deprovision_status = Some(DeprovisionStatus::NotRequired);
        }
        // An earlier question may have made something.
        FailureKind::Refused => backing.orphan_mitigation_in_progress = true,
        FailureKind::Postponed if is_late(backing, limits) && !backing.unsettled => {
            refuse(backing, limits);
            backing.deprovision_status = Some(DeprovisionStatus::NotRequired);
        }
        FailureKind::Postponed => {}
        FailureKind::Unsettled => {
            backing.unsettled = true;
            if failure.orphan {
                backing.orphan_mitigation_in_progress = true;
            }
        }
    }
}

/// Not asked again before the spec changes.
fn refuse(backing: &mut Backing, limits: Limits<'_>) {
    let (reason, message) = (backing.failure_reason.take(), backing.failure_message.take());
    settle(backing);
    (backing.failure_reason, backing.failure_message) = (reason, message);
    backing.refused_generation = Some(limits.generation);
}

fn is_late(backing: &Backing, limits: Limits<'_>) -> bool {
    let Some(begun) = &backing.operation_start_time else { return false };
    let tried: std::time::Duration = limits.now.duration_since(begun.0).try_into().unwrap_or_default();
    tried > limits.settings.retry_duration
}

/// To be polled again, later each time.
fn again(backing: &mut Backing, retry_after: Option<RetryAfter>, limits: Limits<'_>) {
    backing.attempts = backing.attempts.saturating_add(1);
    backing.next_attempt_time = Some(after(limits, retry_after, backing.attempts));
}

fn after(limits: Limits<'_>, retry_after: Option<RetryAfter>, attempts: u32) -> Time {
    let pause = match retry_after {
        Some(asked) => asked.from(limits.now).min(limits.settings.longest_pause),
        None => limits.settings.pause(attempts),
    };
    let pause = jiff::SignedDuration::try_from(pause).unwrap_or(jiff::SignedDuration::ZERO);
    Time(limits.now.checked_add(pause).unwrap_or(limits.now))
}

/// The reasons of Service Catalog.
fn reason(backing: &Backing, operation: CurrentOperation, failure: &Failure) -> &'static str {
    if backing.orphan_mitigation_in_progress {
        return "OrphanMitigationFailed";
    }
    let settled = failure.kind == FailureKind::Refused;
    match operation {
        CurrentOperation::Provision if settled => "ProvisionCallFailed",
        CurrentOperation::Provision => "ErrorCallingProvision",
        CurrentOperation::Update if settled => "UpdateInstanceCallFailed",
        CurrentOperation::Update => "ErrorCallingUpdateInstance",
        CurrentOperation::Deprovision => "DeprovisionCallFailed",
        CurrentOperation::Bind if settled => "BindCallFailed",
        CurrentOperation::Bind => "ErrorBindCall",
        CurrentOperation::Unbind => "UnbindCallFailed",
    }
}
