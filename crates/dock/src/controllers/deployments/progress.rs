//! What a Deployment tells of itself: its counts, whether it is available, and whether it gets on.

use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use super::sets::Sets;
use super::{NO_LIMIT, max_unavailable, replicas, sum};
use crate::controllers::action::Outcome;
use crate::controllers::condition::{condition, conditions, find, remove, replace};
use crate::controllers::object::{Object, put_counts, stamp};
use crate::controllers::world::DEPLOYMENTS;

/// A condition of a Deployment, which also tells when it was last written.
fn deployment_condition(kind: &str, status: &str, reason: &str, message: &str, now: Timestamp) -> Value {
    let mut new = condition(kind, status, reason, message, now);
    new["lastUpdateTime"] = stamp(now).into();
    new
}

/// The condition that tells whether the Deployment gets on.
pub(super) fn progress_condition(status: &str, reason: &str, message: &str, now: Timestamp) -> Value {
    deployment_condition("Progressing", status, reason, message, now)
}

/// Whether the Deployment wants to be told when it does not get on.
pub(super) fn tracks_progress(deployment: &Value) -> bool {
    deployment.int("spec.progressDeadlineSeconds").is_some_and(|seconds| seconds != NO_LIMIT)
}

/// Whether all wanted Pods are new and available, and no others run.
pub(super) fn is_complete(deployment: &Value, status: &Value) -> bool {
    let wanted = replicas(deployment);
    status.count("updatedReplicas") == wanted
        && status.count("replicas") == wanted
        && status.count("availableReplicas") == wanted
        && status.count("observedGeneration") >= deployment.generation()
}

/// The status with its counts.
pub(super) fn status(deployment: &Value, sets: &Sets, now: Timestamp) -> Value {
    let available = sum(sets.all(), "status.availableReplicas");
    let mut status = json!({});
    put_counts(
        &mut status,
        &[
            ("observedGeneration", deployment.generation()),
            ("replicas", sum(sets.all(), "status.replicas")),
            ("updatedReplicas", sum(&sets.new, "status.replicas")),
            ("readyReplicas", sum(sets.all(), "status.readyReplicas")),
            ("availableReplicas", available),
            ("unavailableReplicas", (sum(sets.all(), "spec.replicas") - available).max(0)),
        ],
    );
    if let Some(leaving) = terminating(sets) {
        status["terminatingReplicas"] = leaving.into();
    }
    if let Some(collisions) = deployment.int("status.collisionCount") {
        status["collisionCount"] = collisions.into();
    }
    let mut list = conditions(deployment.at("status"));
    let new = if available >= replicas(deployment) - max_unavailable(deployment) {
        let message = "Deployment has minimum availability.";
        deployment_condition("Available", "True", "MinimumReplicasAvailable", message, now)
    } else {
        let message = "Deployment does not have minimum availability.";
        deployment_condition("Available", "False", "MinimumReplicasUnavailable", message, now)
    };
    replace(&mut list, new);
    status["conditions"] = list.into();
    status
}

/// How many Pods are leaving, if all sets tell.
fn terminating(sets: &Sets) -> Option<i64> {
    let mut total = 0;
    for set in sets.all() {
        match set.int("status.terminatingReplicas") {
            Some(count) => total += count,
            None if set.count("status.observedGeneration") == 0 => {}
            None => return None,
        }
    }
    Some(total)
}

/// The status when a Deployment has just been paused or resumed.
pub(super) fn paused_status(deployment: &Value, now: Timestamp) -> Option<Value> {
    if !tracks_progress(deployment) {
        return None;
    }
    let mut list = conditions(deployment.at("status"));
    let reason = find(&list, "Progressing").map_or("", |condition| condition.text("reason"));
    let new = match (deployment.flag("spec.paused"), reason) {
        (_, "ProgressDeadlineExceeded") | (true, "DeploymentPaused") => return None,
        (true, _) => progress_condition("Unknown", "DeploymentPaused", "Deployment is paused", now),
        (false, "DeploymentPaused") => {
            progress_condition("Unknown", "DeploymentResumed", "Deployment is resumed", now)
        }
        (false, _) => return None,
    };
    replace(&mut list, new);
    let mut status = deployment.at("status").clone();
    if !status.is_object() {
        status = json!({});
    }
    status["conditions"] = list.into();
    Some(status)
}

/// Writes the status of a rollout, and looks again when its time is up.
pub(super) fn report(deployment: &Value, sets: &Sets, now: Timestamp, outcome: &mut Outcome) {
    let mut new = status(deployment, sets, now);
    let mut list = conditions(&new);
    let tracked = tracks_progress(deployment);
    if !tracked {
        remove(&mut list, "Progressing");
    }
    let current = find(deployment.items("status.conditions"), "Progressing");
    let settled = new.count("replicas") == new.count("updatedReplicas")
        && current.is_some_and(|condition| condition["reason"] == "NewReplicaSetAvailable");
    if tracked && !settled {
        progress(deployment, sets, &new, &mut list, now);
    }
    match failure(sets, now) {
        Some(failure) => replace(&mut list, failure),
        None => remove(&mut list, "ReplicaFailure"),
    }
    new["conditions"] = list.into();
    if tracked
        && let Some(condition) = find(new.items("conditions"), "Progressing")
        && !is_complete(deployment, &new)
        && condition["reason"] != "ProgressDeadlineExceeded"
        && let Some(deadline) = deadline(deployment, condition)
    {
        // A second later, so that it is certainly past.
        outcome.look_again(deadline.saturating_add(SignedDuration::from_secs(1)).unwrap_or(deadline));
    }
    outcome.update_status(&DEPLOYMENTS, deployment, new);
}

fn progress(deployment: &Value, sets: &Sets, new: &Value, list: &mut Vec<Value>, now: Timestamp) {
    let whom = sets.new.as_ref().map_or_else(
        || format!("Deployment {:?}", deployment.name()),
        |set| format!("ReplicaSet {:?}", set.name()),
    );
    if is_complete(deployment, new) {
        let message = format!("{whom} has successfully progressed.");
        replace(list, progress_condition("True", "NewReplicaSetAvailable", &message, now));
    } else if gets_on(deployment.at("status"), new) {
        let mut condition =
            progress_condition("True", "ReplicaSetUpdated", &format!("{whom} is progressing."), now);
        if let Some(old) = find(list, "Progressing")
            && old["status"] == "True"
        {
            condition["lastTransitionTime"] = old["lastTransitionTime"].clone();
        }
        remove(list, "Progressing");
        list.push(condition);
    } else if is_late(deployment, list, now) {
        let message = format!("{whom} has timed out progressing.");
        replace(list, progress_condition("False", "ProgressDeadlineExceeded", &message, now));
    }
}

/// Whether there are more new Pods, fewer old ones, or more that serve.
fn gets_on(old: &Value, new: &Value) -> bool {
    let outdated = |status: &Value| status.count("replicas") - status.count("updatedReplicas");
    let more = |field: &str| new.count(field) > old.count(field);
    more("updatedReplicas")
        || outdated(new) < outdated(old)
        || more("readyReplicas")
        || more("availableReplicas")
}

fn deadline(deployment: &Value, condition: &Value) -> Option<Timestamp> {
    let patience = SignedDuration::from_secs(deployment.int("spec.progressDeadlineSeconds")?);
    condition.moment("lastUpdateTime")?.checked_add(patience).ok()
}

fn is_late(deployment: &Value, list: &[Value], now: Timestamp) -> bool {
    let Some(condition) = find(list, "Progressing") else { return false };
    match condition.text("reason") {
        "NewReplicaSetAvailable" => false,
        "ProgressDeadlineExceeded" => true,
        _ => deadline(deployment, condition).is_some_and(|deadline| deadline < now),
    }
}

/// The failure of a set, that of the new one first.
fn failure(sets: &Sets, now: Timestamp) -> Option<Value> {
    let found = sets.new.iter().chain(&sets.old).find_map(|set| set.condition("ReplicaFailure"))?;
    let since = found["lastTransitionTime"].clone();
    let mut failure = deployment_condition(
        "ReplicaFailure",
        found.text("status"),
        found.text("reason"),
        found.text("message"),
        now,
    );
    failure["lastTransitionTime"] = since.clone();
    failure["lastUpdateTime"] = since;
    Some(failure)
}
