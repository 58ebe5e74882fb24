//! The rules for what runs Pods: they compare the numbers of the spec with those of the status.

use goyaml::Value;

use super::conditions::conditions;
use super::fields::{self, Malformed};
use crate::readiness::Verdict;

/// The controller takes this for "no deadline".
const NO_DEADLINE: i64 = i32::MAX as i64;

/// How many replicas are wanted; the controllers' own default is one.
fn wanted(object: &Value) -> i64 {
    fields::integer_or(object, &["spec", "replicas"], 1)
}

fn count(object: &Value, name: &str) -> i64 {
    fields::integer_or(object, &["status", name], 0)
}

fn fewer(reason: &str, what: &str, have: i64, wanted: i64) -> Verdict {
    Verdict::in_progress(reason, format!("{what}: {have}/{wanted}"))
}

fn surplus(have: i64, wanted: i64) -> Verdict {
    Verdict::in_progress("ExtraPods", format!("Pending termination: {}", have.wrapping_sub(wanted)))
}

pub(super) fn deployment(object: &Value) -> Result<Verdict, Malformed> {
    let deadline = fields::integer_or(object, &["spec", "progressDeadlineSeconds"], NO_DEADLINE);
    let mut progressing = deadline == NO_DEADLINE;
    let mut available = false;
    for condition in conditions(object)? {
        match condition.kind {
            "Progressing" if condition.reason == "ProgressDeadlineExceeded" => {
                return Ok(Verdict::failed(condition.reason, "Progress deadline exceeded"));
            }
            "Progressing" => {
                progressing |= condition.status == "True" && condition.reason == "NewReplicaSetAvailable";
            }
            "Available" => available |= condition.status == "True",
            _ => {}
        }
    }
    let wanted = wanted(object);
    let [replicas, updated, ready, have_available] =
        ["replicas", "updatedReplicas", "readyReplicas", "availableReplicas"].map(|name| count(object, name));
    Ok(if wanted > replicas {
        fewer("LessReplicas", "Replicas", replicas, wanted)
    } else if wanted > updated {
        fewer("LessUpdated", "Updated", updated, wanted)
    } else if replicas > wanted {
        surplus(replicas, wanted)
    } else if updated > have_available {
        fewer("LessAvailable", "Available", have_available, updated)
    } else if wanted > ready {
        fewer("LessReady", "Ready", ready, wanted)
    } else if !progressing {
        Verdict::in_progress("ReplicaSetNotAvailable", "ReplicaSet not Available")
    } else if !available {
        Verdict::in_progress("DeploymentNotAvailable", "Deployment not Available")
    } else {
        Verdict::current(format!("Deployment is available. Replicas: {replicas}"))
    })
}

/// A failure to make replicas is no failure of the `ReplicaSet`: it goes on trying.
pub(super) fn replica_set(object: &Value) -> Result<Verdict, Malformed> {
    if conditions(object)?.iter().any(|condition| condition.is("ReplicaFailure", "True")) {
        return Ok(Verdict::in_progress("ReplicaFailure", "Replica Failure condition. Check Pods"));
    }
    let wanted = wanted(object);
    let [replicas, labelled, available, ready] =
        ["replicas", "fullyLabeledReplicas", "availableReplicas", "readyReplicas"]
            .map(|name| count(object, name));
    Ok(if wanted > labelled {
        fewer("LessLabelled", "Labelled", labelled, wanted)
    } else if wanted > available {
        fewer("LessAvailable", "Available", available, wanted)
    } else if wanted > ready {
        fewer("LessReady", "Ready", ready, wanted)
    } else if replicas > wanted {
        surplus(replicas, wanted)
    } else {
        Verdict::current(format!("ReplicaSet is available. Replicas: {replicas}"))
    })
}

/// An object that went through the API server has a partition, so that revisions are normally not compared.
pub(super) fn stateful_set(object: &Value) -> Verdict {
    if fields::text_or(object, &["spec", "updateStrategy", "type"], "") == "OnDelete" {
        return Verdict::current("StatefulSet is using the ondelete update strategy");
    }
    let wanted = wanted(object);
    let [replicas, ready, current, updated] =
        ["replicas", "readyReplicas", "currentReplicas", "updatedReplicas"].map(|name| count(object, name));
    let partition = fields::integer_or(object, &["spec", "updateStrategy", "rollingUpdate", "partition"], -1);
    let revision = |name| fields::text_or(object, &["status", name], "");
    if wanted > replicas {
        fewer("LessReplicas", "Replicas", replicas, wanted)
    } else if wanted > ready {
        fewer("LessReady", "Ready", ready, wanted)
    } else if replicas > wanted {
        surplus(replicas, wanted)
    } else if partition != -1 {
        let share = wanted.wrapping_sub(partition);
        if updated < share {
            return fewer("PartitionRollout", "updated", updated, share);
        }
        Verdict::current(format!("Partition rollout complete. updated: {updated}"))
    } else if wanted > current {
        fewer("LessCurrent", "current", current, wanted)
    } else if revision("currentRevision") != revision("updateRevision") {
        Verdict::in_progress("RevisionMismatch", "Waiting for updated revision to match current")
    } else {
        Verdict::current(format!("All replicas scheduled as expected. Replicas: {replicas}"))
    }
}

/// The controller always sets both generations; without them it has not been here yet.
pub(super) fn daemon_set(object: &Value) -> Result<Verdict, Malformed> {
    let kind = fields::text_or(object, &["kind"], "");
    if fields::integer(object, &["metadata", "generation"])?.is_none() {
        return Ok(Verdict::in_progress("NoGeneration", format!("{kind} metadata.generation not found")));
    }
    if fields::integer(object, &["status", "observedGeneration"])?.is_none() {
        let message = format!("{kind} status.observedGeneration not found");
        return Ok(Verdict::in_progress("NoObservedGeneration", message));
    }
    let desired = fields::integer_or(object, &["status", "desiredNumberScheduled"], -1);
    let [current, updated, available, ready] =
        ["currentNumberScheduled", "updatedNumberScheduled", "numberAvailable", "numberReady"]
            .map(|name| count(object, name));
    Ok(if desired == -1 {
        Verdict::in_progress("NoDesiredNumber", "Missing .status.desiredNumberScheduled")
    } else if desired > current {
        fewer("LessCurrent", "Current", current, desired)
    } else if desired > updated {
        fewer("LessUpdated", "Updated", updated, desired)
    } else if desired > available {
        fewer("LessAvailable", "Available", available, desired)
    } else if desired > ready {
        fewer("LessReady", "Ready", ready, desired)
    } else {
        Verdict::current(format!("All replicas scheduled as expected. Replicas: {desired}"))
    })
}

/// A Job that runs is current; see [`Gate`](crate::readiness::Gate) for one that must have finished.
pub(super) fn job(object: &Value) -> Result<Verdict, Malformed> {
    let parallelism = fields::integer_or(object, &["spec", "parallelism"], 1);
    let completions = fields::integer_or(object, &["spec", "completions"], parallelism);
    let [succeeded, active, failed] = ["succeeded", "active", "failed"].map(|name| count(object, name));
    let suspended = fields::is_true(object, &["spec", "suspend"]);
    for condition in conditions(object)? {
        match (condition.kind, condition.status) {
            ("Complete", "True") => {
                return Ok(Verdict::current(format!("Job Completed. succeeded: {succeeded}/{completions}")));
            }
            ("Failed", "True") => {
                return Ok(Verdict::failed(
                    "JobFailed",
                    format!("Job Failed. failed: {failed}/{completions}"),
                ));
            }
            ("Suspended", "True") if suspended => return Ok(Verdict::current("Job is suspended")),
            _ => {}
        }
    }
    if fields::text_or(object, &["status", "startTime"], "").is_empty() {
        return Ok(Verdict::in_progress("JobNotStarted", "Job not started"));
    }
    Ok(Verdict::current(format!("Job in progress. success:{succeeded}, active: {active}, failed: {failed}")))
}
