//! Cells of Jobs, autoscalers and revisions.

use jiff::Timestamp;
use serde_json::Value;

use super::{holds, items, or, since, text};

pub(super) fn job_status(job: &Value) -> String {
    let first = |kinds: &[&'static str]| kinds.iter().copied().find(|kind| holds(job, kind));
    let deleted = || (!job["metadata"]["deletionTimestamp"].is_null()).then_some("Terminating");
    let status = first(&["Complete", "Failed"])
        .or_else(deleted)
        .or_else(|| first(&["Suspended", "FailureTarget", "SuccessCriteriaMet"]));
    status.unwrap_or("Running").to_owned()
}

pub(super) fn job_completions(job: &Value) -> String {
    let succeeded = job["status"]["succeeded"].as_i64().unwrap_or_default();
    match (job["spec"]["completions"].as_i64(), job["spec"]["parallelism"].as_i64()) {
        (Some(wanted), _) => format!("{succeeded}/{wanted}"),
        (None, Some(parallel)) if parallel > 1 => format!("{succeeded}/1 of {parallel}"),
        (None, _) => format!("{succeeded}/1"),
    }
}

pub(super) fn job_duration(job: &Value, now: Timestamp) -> String {
    let status = &job["status"];
    if status["startTime"].is_null() {
        return String::new();
    }
    let end = text(&status["completionTime"]).parse().unwrap_or(now);
    since(&status["startTime"], end)
}

pub(super) fn suspended(job: &Value) -> String {
    match job["spec"]["suspend"].as_bool() {
        Some(true) => "True",
        Some(false) => "False",
        None => "<unset>",
    }
    .to_owned()
}

pub(super) fn last_schedule(job: &Value, now: Timestamp) -> String {
    match &job["status"]["lastScheduleTime"] {
        Value::Null => "<none>".to_owned(),
        time => since(time, now),
    }
}

pub(super) fn autoscaler_reference(autoscaler: &Value) -> String {
    let target = &autoscaler["spec"]["scaleTargetRef"];
    format!("{}/{}", text(&target["kind"]), text(&target["name"]))
}

pub(super) fn autoscaler_targets(autoscaler: &Value) -> String {
    const SHOWN: usize = 2;
    let spec = &autoscaler["spec"];
    if let Some(target) = spec["targetCPUUtilizationPercentage"].as_i64() {
        let current = autoscaler["status"]["currentCPUUtilizationPercentage"].as_i64();
        return format!("cpu: {}/{target}%", percent(current));
    }
    let present = items(&autoscaler["status"]["currentMetrics"]);
    let metrics: Vec<String> = items(&spec["metrics"])
        .iter()
        .enumerate()
        .map(|(index, metric)| target(metric, present.get(index).unwrap_or(&Value::Null)))
        .collect();
    match metrics.len() {
        0 => "<none>".to_owned(),
        count if count > SHOWN => format!("{} + {} more...", metrics[..SHOWN].join(", "), count - SHOWN),
        _ => metrics.join(", "),
    }
}

fn percent(value: Option<i64>) -> String {
    value.map_or_else(|| "<unknown>".to_owned(), |value| format!("{value}%"))
}

/// What one metric is, of what it should be.
fn target(metric: &Value, present: &Value) -> String {
    let (field, resource) = match text(&metric["type"]) {
        "External" => ("external", false),
        "Pods" => ("pods", false),
        "Object" => ("object", false),
        "Resource" => ("resource", true),
        "ContainerResource" => ("containerResource", true),
        _ => return "<unknown type>".to_owned(),
    };
    let (wanted, current) = (&metric[field]["target"], &present[field]["current"]);
    let amount = |name: &str| or(text(&current[name]), "<unknown>");
    let average = text(&wanted["averageValue"]);
    if resource {
        let name = text(&metric[field]["name"]);
        if !average.is_empty() {
            return format!("{name}: {}/{average}", amount("averageValue"));
        }
        let wanted = wanted["averageUtilization"].as_i64();
        let wanted = wanted.map_or_else(|| "<auto>".to_owned(), |value| format!("{value}%"));
        return format!("{name}: {}/{wanted}", percent(current["averageUtilization"].as_i64()));
    }
    match (field, average) {
        ("pods", _) => format!("{}/{}", amount("averageValue"), or(average, "0")),
        (_, "") => format!("{}/{}", amount("value"), or(text(&wanted["value"]), "0")),
        _ => format!("{}/{average} (avg)", amount("averageValue")),
    }
}

pub(super) fn revision_owner(revision: &Value) -> String {
    let owners = items(&revision["metadata"]["ownerReferences"]);
    let Some(owner) = owners.iter().find(|owner| owner["controller"] == true) else {
        return "<none>".to_owned();
    };
    let kind = text(&owner["kind"]).to_lowercase();
    let name = text(&owner["name"]);
    match text(&owner["apiVersion"]).split_once('/') {
        Some((group, _)) => format!("{kind}.{group}/{name}"),
        None => format!("{kind}/{name}"),
    }
}
