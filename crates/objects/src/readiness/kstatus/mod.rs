//! kstatus: whether any object of the API has reached what its spec asks for, from the object alone.
//!
//! The rules are those of `sigs.k8s.io/cli-utils/pkg/kstatus`, with its words. First come the general ones: an object
//! that is being deleted, one whose controller has not seen its latest generation, one with a `Reconciling` or
//! `Stalled` condition. Then the rule of its kind, if it has one. Then its `Ready` condition. What has none of these
//! is taken for ready.

mod conditions;
mod fields;
mod pod;
mod simple;
mod workloads;

use goyaml::Value;
use jiff::Timestamp;

use super::{Status, Verdict};
use crate::ObjectId;
pub(super) use conditions::conditions;
use fields::Malformed;

/// What kstatus says about an object. `now` decides how long a Pod may wait for a node.
///
/// An object in which a part has the wrong type is [`Status::Unknown`].
pub fn compute(object: &Value, now: Timestamp) -> Verdict {
    judge(object, now).unwrap_or_else(|Malformed(problem)| Verdict::unknown(problem))
}

/// What becomes of the verdict on a `ReplicaSet` or `StatefulSet` when its Pods are known too: while it is in
/// progress, Pods that failed for good make it fail.
///
/// Pods that wait for a node or are being deleted do not count: a cluster grows, and a rollout replaces.
pub fn with_pods<'a>(own: Verdict, pods: impl IntoIterator<Item = &'a Value>, now: Timestamp) -> Verdict {
    if own.status != Status::InProgress {
        return own;
    }
    let has_failed = |pod: &Value| compute(pod, now).status == Status::Failed && !pod::is_unschedulable(pod);
    let failed = pods.into_iter().filter(|pod| has_failed(pod)).count();
    if failed == 0 { own } else { Verdict::failed("PodsFailed", format!("{failed} pods have failed")) }
}

fn judge(object: &Value, now: Timestamp) -> Result<Verdict, Malformed> {
    if let Some(verdict) = general(object)? {
        return Ok(verdict);
    }
    let (group, kind) = group_and_kind(object);
    match (group, kind) {
        ("apps" | "extensions", "Deployment") => workloads::deployment(object),
        ("apps" | "extensions", "ReplicaSet") => workloads::replica_set(object),
        ("apps" | "extensions", "DaemonSet") => workloads::daemon_set(object),
        ("apps", "StatefulSet") => Ok(workloads::stateful_set(object)),
        ("batch", "Job") => workloads::job(object),
        ("", "Pod") => pod::pod(object, now),
        ("", "PersistentVolumeClaim") => Ok(simple::claim(object)),
        ("", "Service") => Ok(simple::service(object)),
        ("apiextensions.k8s.io", "CustomResourceDefinition") => simple::definition(object),
        ("policy", "PodDisruptionBudget") => Ok(Verdict::current("AllowedDisruptions has been computed.")),
        ("", "ConfigMap" | "Secret") | ("batch", "CronJob") => {
            Ok(Verdict::current("Resource is always ready"))
        }
        _ => Ok(ready_condition(object)?.unwrap_or_else(|| Verdict::current("Resource is current"))),
    }
}

/// Group and kind as Go reads them: an `apiVersion` with two slashes names nothing.
pub(super) fn group_and_kind(object: &Value) -> (&str, &str) {
    let api_version = fields::text_or(object, &["apiVersion"], "");
    match api_version.matches('/').count() {
        0 | 1 => (ObjectId::group_of(api_version), fields::text_or(object, &["kind"], "")),
        _ => ("", ""),
    }
}

/// The rules for every kind.
fn general(object: &Value) -> Result<Option<Verdict>, Malformed> {
    if fields::text(object, &["metadata", "deletionTimestamp"])?.is_some_and(|time| !time.is_empty()) {
        return Ok(Some(Verdict {
            status: Status::Terminating,
            reason: String::new(),
            message: "Resource scheduled for deletion".to_owned(),
        }));
    }
    if let Some(generation) = fields::integer(object, &["metadata", "generation"])?
        && let Some(observed) = fields::integer(object, &["status", "observedGeneration"])?
        && observed != generation
    {
        return Ok(Some(not_observed(object, generation, observed)));
    }
    let decisive =
        conditions(object)?.into_iter().find_map(|condition| match (condition.kind, condition.status) {
            ("Reconciling", "True") => Some(Verdict::in_progress(condition.reason, condition.message)),
            ("Stalled", "True") => Some(Verdict::failed(condition.reason, condition.message)),
            _ => None,
        });
    Ok(decisive)
}

/// The controller has not seen what is wanted now.
pub(super) fn not_observed(object: &Value, generation: i64, observed: i64) -> Verdict {
    let kind = fields::text_or(object, &["kind"], "");
    Verdict::in_progress(
        "LatestGenerationNotObserved",
        format!("{kind} generation is {generation}, but latest observed generation is {observed}"),
    )
}

fn ready_condition(object: &Value) -> Result<Option<Verdict>, Malformed> {
    let ready = conditions(object)?.into_iter().filter(|condition| condition.kind == "Ready");
    Ok(ready.into_iter().find_map(|condition| match condition.status {
        "True" => Some(Verdict::current("Resource is Ready")),
        "False" | "Unknown" => Some(Verdict::in_progress(condition.reason, condition.message)),
        _ => None,
    }))
}

#[cfg(test)]
mod tests;
