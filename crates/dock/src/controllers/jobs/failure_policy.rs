//! What a Job makes of certain failures of its Pods.

use std::sync::Arc;

use serde_json::Value;

use super::has_failed;
use crate::controllers::object::Object;

/// Why the Job fails at once, if a rule says so.
pub(super) fn fails_job(job: &Value, pods: &[Arc<Value>]) -> Option<String> {
    pods.iter().filter(|pod| has_failed(pod, job)).find_map(|pod| {
        let (place, rule, what) = matching_rule(job, pod)?;
        (rule["action"] == "FailJob").then(|| format!("{what} matching FailJob rule at index {place}"))
    })
}

/// Whether a failed Pod counts against the limit.
pub(super) fn counts(job: &Value, pod: &Value) -> bool {
    matching_rule(job, pod).is_none_or(|(_, rule, _)| rule["action"] != "Ignore")
}

/// The first rule that a Pod meets, with what it met.
fn matching_rule<'a>(job: &'a Value, pod: &Value) -> Option<(usize, &'a Value, String)> {
    job.items("spec.podFailurePolicy.rules").iter().enumerate().find_map(|(place, rule)| {
        if rule.at("onExitCodes").is_object() {
            return exit_code(rule.at("onExitCodes"), pod).map(|what| (place, rule, what));
        }
        rule.items("onPodConditions").iter().find_map(|pattern| {
            let met =
                pod.condition(pattern.text("type")).is_some_and(|found| found["status"] == pattern["status"]);
            met.then(|| {
                let what =
                    format!("Pod {}/{} has condition {}", pod.namespace(), pod.name(), pattern.text("type"));
                (place, rule, what)
            })
        })
    })
}

fn exit_code(pattern: &Value, pod: &Value) -> Option<String> {
    let name = pattern.text("containerName");
    pod.items("status.containerStatuses")
        .iter()
        .chain(pod.items("status.initContainerStatuses"))
        .filter(|container| name.is_empty() || container["name"] == name)
        .find_map(|container| {
            let code = container.int("state.terminated.exitCode").filter(|code| *code != 0)?;
            let listed = pattern.items("values").iter().any(|value| value.as_i64() == Some(code));
            let met = if pattern["operator"] == "NotIn" { !listed } else { listed };
            met.then(|| {
                format!(
                    "Container {} for pod {}/{} failed with exit code {code}",
                    container.text("name"),
                    pod.namespace(),
                    pod.name()
                )
            })
        })
}
