//! What other controllers ask of a Pod.

use jiff::{SignedDuration, Timestamp};
use serde_json::Value;

use crate::controllers::object::Object;

/// Whether the Pod has ended.
pub fn is_terminal(pod: &Value) -> bool {
    matches!(pod.text("status.phase"), "Succeeded" | "Failed")
}

/// Whether it counts as one that runs or will run.
pub fn is_active(pod: &Value) -> bool {
    !is_terminal(pod) && !pod.is_deleting()
}

/// Whether it is ready.
pub fn is_ready(pod: &Value) -> bool {
    pod.is("Ready")
}

fn available_at(pod: &Value, min_ready_seconds: i64) -> Option<Timestamp> {
    let since: Timestamp = pod.condition("Ready")?.text("lastTransitionTime").parse().ok()?;
    since.checked_add(SignedDuration::from_secs(min_ready_seconds)).ok()
}

/// Whether it has been ready for so long.
pub fn is_available(pod: &Value, min_ready_seconds: i64, now: Timestamp) -> bool {
    is_ready(pod)
        && (min_ready_seconds == 0 || available_at(pod, min_ready_seconds).is_some_and(|at| at <= now))
}

/// When the next of these Pods will have been ready for so long.
pub fn next_availability<'a>(
    pods: impl IntoIterator<Item = &'a Value>,
    min_ready_seconds: i64,
    now: Timestamp,
) -> Option<Timestamp> {
    pods.into_iter()
        .filter(|pod| is_ready(pod))
        .filter_map(|pod| available_at(pod, min_ready_seconds))
        .filter(|at| *at > now)
        .min()
}
