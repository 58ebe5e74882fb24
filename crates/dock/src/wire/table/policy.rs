//! Cells of what rules and tells: quotas, bindings, policies, requests, events.

use std::fmt::Write as _;

use jiff::Timestamp;
use serde_json::Value;

use super::{condition, items, or, since, text};
use crate::crd::columns::human_duration;

/// What is used of what may be used, for limits or for everything else.
pub(super) fn quota(quota: &Value, limits: bool) -> String {
    let hard = quota["status"]["hard"].as_object();
    let mut names: Vec<&String> = hard.into_iter().flat_map(|hard| hard.keys()).collect();
    names.sort();
    let parts: Vec<String> = names
        .into_iter()
        .filter(|name| name.starts_with("limits.") == limits)
        .map(|name| {
            let used = or(text(&quota["status"]["used"][name.as_str()]), "0");
            format!("{name}: {used}/{}", text(&quota["status"]["hard"][name.as_str()]))
        })
        .collect();
    parts.join(", ")
}

pub(super) fn binding_role(binding: &Value) -> String {
    let role = &binding["roleRef"];
    format!("{}/{}", text(&role["kind"]), text(&role["name"]))
}

pub(super) fn subjects(binding: &Value, kind: &str) -> String {
    let found: Vec<String> = items(&binding["subjects"])
        .iter()
        .filter(|subject| subject["kind"] == kind)
        .map(|subject| match kind {
            "ServiceAccount" => format!("{}/{}", text(&subject["namespace"]), text(&subject["name"])),
            _ => text(&subject["name"]).to_owned(),
        })
        .collect();
    found.join(", ")
}

pub(super) fn parameter(policy: &Value) -> String {
    let kind = &policy["spec"]["paramKind"];
    match kind {
        Value::Null => "<unset>".to_owned(),
        _ => format!("{}/{}", text(&kind["apiVersion"]), text(&kind["kind"])),
    }
}

pub(super) fn reference(binding: &Value) -> String {
    let reference = &binding["spec"]["paramRef"];
    let name = text(&reference["name"]);
    if !name.is_empty() {
        return format!("{}/{name}", or(text(&reference["namespace"]), "*"));
    }
    match &reference["selector"] {
        Value::Null => "<unset>".to_owned(),
        selector => go_selector(selector),
    }
}

/// A selector as Go prints the structure.
fn go_selector(selector: &Value) -> String {
    let mut labels: Vec<_> = selector["matchLabels"].as_object().into_iter().flatten().collect();
    labels.sort_by_key(|(key, _)| *key);
    let mut written = "&LabelSelector{MatchLabels:map[string]string{".to_owned();
    for (key, value) in labels {
        let _ = write!(written, "{key}: {},", text(value));
    }
    written.push_str("},MatchExpressions:[]LabelSelectorRequirement{");
    for expression in items(&selector["matchExpressions"]) {
        let values: Vec<&str> = items(&expression["values"]).iter().map(text).collect();
        let _ = write!(
            written,
            "LabelSelectorRequirement{{Key:{},Operator:{},Values:[{}],}},",
            text(&expression["key"]),
            text(&expression["operator"]),
            values.join(" ")
        );
    }
    written.push_str("},}");
    written
}

pub(super) fn api_service(api: &Value) -> String {
    let service = &api["spec"]["service"];
    match service {
        Value::Null => "Local".to_owned(),
        _ => format!("{}/{}", text(&service["namespace"]), text(&service["name"])),
    }
}

pub(super) fn api_available(api: &Value) -> String {
    match condition(api, "Available") {
        None => "Unknown".to_owned(),
        Some(condition) if condition["status"] == "True" => "True".to_owned(),
        Some(condition) => format!("{} ({})", text(&condition["status"]), text(&condition["reason"])),
    }
}

pub(super) fn request_duration(request: &Value) -> String {
    request["spec"]["expirationSeconds"].as_i64().map_or_else(|| "<none>".to_owned(), human_duration)
}

pub(super) fn request_status(request: &Value) -> String {
    let has = |kind: &str| condition(request, kind).is_some();
    let mut status = if has("Denied") {
        "Denied"
    } else if has("Approved") {
        "Approved"
    } else {
        "Pending"
    }
    .to_owned();
    if has("Failed") {
        status.push_str(",Failed");
    }
    if !text(&request["status"]["certificate"]).is_empty() {
        status.push_str(",Issued");
    }
    status
}

pub(super) fn dangling(flow: &Value) -> String {
    condition(flow, "Dangling").map_or("?", |condition| text(&condition["status"])).to_owned()
}

/// The first of the names under which the two groups of events know a field.
fn either<'a>(event: &'a Value, name: &str, other: &str) -> &'a Value {
    if event[name].is_null() { &event[other] } else { &event[name] }
}

pub(super) fn event_first(event: &Value, now: Timestamp) -> String {
    match either(event, "firstTimestamp", "deprecatedFirstTimestamp") {
        Value::Null => since(&event["eventTime"], now),
        first => since(first, now),
    }
}

pub(super) fn event_last(event: &Value, now: Timestamp) -> String {
    if let Value::Object(series) = &event["series"] {
        return since(series.get("lastObservedTime").unwrap_or(&Value::Null), now);
    }
    match either(event, "lastTimestamp", "deprecatedLastTimestamp") {
        Value::Null => event_first(event, now),
        last => since(last, now),
    }
}

pub(super) fn event_object(event: &Value) -> String {
    let object = either(event, "involvedObject", "regarding");
    let kind = text(&object["kind"]).to_lowercase();
    match text(&object["name"]) {
        "" => kind,
        name => format!("{kind}/{name}"),
    }
}

pub(super) fn event_part(event: &Value) -> String {
    text(&either(event, "involvedObject", "regarding")["fieldPath"]).to_owned()
}

pub(super) fn event_source(event: &Value) -> String {
    let source = either(event, "source", "deprecatedSource");
    let controller = text(either(event, "reportingComponent", "reportingController"));
    let component = or(text(&source["component"]), controller);
    match or(text(&source["host"]), text(&event["reportingInstance"])) {
        "" => component.to_owned(),
        instance => format!("{component}, {instance}"),
    }
}

pub(super) fn event_message(event: &Value) -> String {
    text(either(event, "message", "note")).trim().to_owned()
}

pub(super) fn event_count(event: &Value) -> i64 {
    let series = event["series"].as_object().map(|series| series.get("count").and_then(Value::as_i64));
    match series {
        Some(count) => count.unwrap_or_default(),
        None => match either(event, "count", "deprecatedCount").as_i64() {
            None | Some(0) => 1,
            Some(count) => count,
        },
    }
}
