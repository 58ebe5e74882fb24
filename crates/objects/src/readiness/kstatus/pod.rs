//! The rule for Pods.

use goyaml::Value;
use jiff::{SignedDuration, Timestamp};

use super::conditions::conditions;
use super::fields::{self, Malformed};
use crate::moment::parse_time;
use crate::readiness::Verdict;

/// How long a Pod may be without a node before that counts as a failure.
const SCHEDULE_WINDOW: SignedDuration = SignedDuration::from_secs(15);

/// A Pod that has ended is current, however it ended.
pub(super) fn pod(object: &Value, now: Timestamp) -> Result<Verdict, Malformed> {
    let conditions = conditions(object)?;
    match fields::text_or(object, &["status", "phase"], "") {
        "Succeeded" => Ok(Verdict::current("Pod has completed successfully")),
        "Failed" => Ok(Verdict::current("Pod has completed, but not successfully")),
        "Running" => {
            if conditions.iter().any(|condition| condition.is("Ready", "True")) {
                return Ok(Verdict::current("Pod is Ready"));
            }
            let looping = crash_looping(object)?;
            if looping.is_empty() {
                return Ok(Verdict::in_progress("PodRunningNotReady", "Pod is running but is not Ready"));
            }
            let message = format!("Containers in CrashLoop state: {}", looping.join(","));
            Ok(Verdict::failed("ContainerCrashLooping", message))
        }
        "Pending" => {
            let unscheduled = conditions.iter().find(|condition| condition.is("PodScheduled", "False"));
            if unscheduled.is_none_or(|condition| condition.reason != "Unschedulable") {
                return Ok(Verdict::in_progress("PodPending", "Pod is in the Pending phase"));
            }
            if is_younger_than_window(object, now) {
                return Ok(Verdict::in_progress("PodNotScheduled", "Pod has not been scheduled"));
            }
            Ok(Verdict::failed("PodUnschedulable", "Pod could not be scheduled"))
        }
        "" => Ok(Verdict::in_progress("PodNotObserved", "Pod phase not available")),
        other => Err(Malformed(format!("unknown phase {other}"))),
    }
}

/// A Pod without a readable time of creation is as old as can be.
fn is_younger_than_window(object: &Value, now: Timestamp) -> bool {
    let created = parse_time(fields::text_or(object, &["metadata", "creationTimestamp"], ""));
    created.is_some_and(|created| now.duration_since(created) < SCHEDULE_WINDOW)
}

fn crash_looping(object: &Value) -> Result<Vec<&str>, Malformed> {
    let containers = fields::list(object, &["status", "containerStatuses"])?.unwrap_or_default();
    let is_looping = |container: &&Value| {
        fields::text_or(container, &["state", "waiting", "reason"], "") == "CrashLoopBackOff"
    };
    Ok(containers
        .iter()
        .filter(is_looping)
        .filter_map(|container| container.get("name").and_then(Value::as_str))
        .collect())
}

/// Whether the scheduler says that there is no node for a Pod.
pub(super) fn is_unschedulable(object: &Value) -> bool {
    let conditions = conditions(object).unwrap_or_default();
    conditions
        .iter()
        .any(|condition| condition.is("PodScheduled", "False") && condition.reason == "Unschedulable")
}
