//! `autoscaling/v1`, which knows only one metric: the others, and whatever else it lacks, are in annotations.

use std::fmt::Write as _;

use serde_json::{Map, Value, json};

use crate::kinds::read::{Read, at_mut, child_mut, set, unset};

const METRICS: &str = "autoscaling.alpha.kubernetes.io/metrics";
const CURRENT_METRICS: &str = "autoscaling.alpha.kubernetes.io/current-metrics";
const CONDITIONS: &str = "autoscaling.alpha.kubernetes.io/conditions";
const BEHAVIOR: &str = "autoscaling.alpha.kubernetes.io/behavior";
const KEPT_ASIDE: [&str; 6] = [
    METRICS,
    CURRENT_METRICS,
    CONDITIONS,
    BEHAVIOR,
    "autoscaling.alpha.kubernetes.io/scale-down-tolerance",
    "autoscaling.alpha.kubernetes.io/scale-up-tolerance",
];

/// Whether a metric says what is wanted or what is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tense {
    Target,
    Current,
}

/// A field of a metric in `v1`, where it is in `v2`, and when it is there even if it says nothing.
type Field = (&'static str, &'static [&'static str], Needed);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Needed {
    Always,
    InStatus,
    No,
}

use Needed::{Always, InStatus, No};

/// The sources of metrics, in the order of the struct. `+` stands for `target` or `current`.
const SOURCES: [(&str, &[Field]); 5] = [
    (
        "object",
        &[
            ("target", &["describedObject"], Always),
            ("metricName", &["metric", "name"], Always),
            ("+Value", &["+", "value"], Always),
            ("selector", &["metric", "selector"], No),
            ("averageValue", &["+", "averageValue"], No),
        ],
    ),
    (
        "pods",
        &[
            ("metricName", &["metric", "name"], Always),
            ("+AverageValue", &["+", "averageValue"], Always),
            ("selector", &["metric", "selector"], No),
        ],
    ),
    (
        "resource",
        &[
            ("name", &["name"], Always),
            ("+AverageUtilization", &["+", "averageUtilization"], No),
            ("+AverageValue", &["+", "averageValue"], InStatus),
        ],
    ),
    (
        "containerResource",
        &[
            ("name", &["name"], Always),
            ("+AverageUtilization", &["+", "averageUtilization"], No),
            ("+AverageValue", &["+", "averageValue"], InStatus),
            ("container", &["container"], Always),
        ],
    ),
    (
        "external",
        &[
            ("metricName", &["metric", "name"], Always),
            ("metricSelector", &["metric", "selector"], No),
            ("+Value", &["+", "value"], InStatus),
            ("+AverageValue", &["+", "averageValue"], No),
        ],
    ),
];

impl Tense {
    fn word(self) -> &'static str {
        if self == Self::Target { "target" } else { "current" }
    }

    /// The name of a field in this tense.
    fn name(self, name: &str) -> String {
        match name.strip_prefix('+') {
            Some(rest) => format!("{}{rest}", self.word()),
            None => name.to_owned(),
        }
    }

    fn needs(self, needed: Needed) -> bool {
        needed == Always || needed == InStatus && self == Self::Current
    }

    /// The text of a metric, as Go writes the struct of `v1`.
    fn write(self, metric: &Value) -> String {
        let mut text = format!("{{\"type\":{}", metric.at("type"));
        for (source, fields) in SOURCES {
            let own = metric.at(source);
            if own.is_null() {
                continue;
            }
            let mut parts = Vec::new();
            for (name, way, needed) in fields {
                let value = way
                    .iter()
                    .fold(own, |value, step| value.at(if *step == "+" { self.word() } else { step }));
                if value.is_null() && !self.needs(*needed) {
                    continue;
                }
                let shown = match *name {
                    "target" => reference(value),
                    "selector" | "metricSelector" => crate::kinds::selector::shown(value),
                    _ if value.is_null() && name.starts_with('+') => "\"0\"".to_owned(),
                    _ => value.to_string(),
                };
                parts.push(format!("\"{}\":{shown}", self.name(name)));
            }
            // Writing to a string does not fail.
            let _ = write!(text, ",\"{source}\":{{{}}}", parts.join(","));
        }
        text.push('}');
        text
    }

    /// A metric in `v2` from its struct in `v1`.
    fn read(self, metric: &Value) -> Value {
        let mut read = json!({"type": metric.at("type")});
        for (source, fields) in SOURCES {
            let own = metric.at(source);
            if own.is_null() {
                continue;
            }
            let mut made = json!({});
            if self == Self::Target {
                made["target"] = json!({"type": target_kind(source, own)});
            } else {
                made["current"] = json!({});
            }
            for (name, way, needed) in fields {
                let value = match own.at(&self.name(name)) {
                    Value::Null if self.needs(*needed) && name.starts_with('+') => json!("0"),
                    Value::Null => continue,
                    value => value.clone(),
                };
                // A value that is always written means nothing beside an average.
                let filler =
                    source == "object" && *name == "+Value" && own.has("averageValue") && value == "0";
                if filler && self == Self::Target {
                    continue;
                }
                let place = way.iter().fold(&mut made, |place, step| {
                    &mut place[if *step == "+" { self.word() } else { *step }]
                });
                *place = value;
            }
            read[source] = made;
        }
        read
    }
}

/// What a target of a metric is called in `v2`.
fn target_kind(source: &str, own: &Value) -> &'static str {
    match source {
        "object" if !own.has("averageValue") => "Value",
        "external" if own.has("targetValue") => "Value",
        "resource" | "containerResource" if own.has("targetAverageUtilization") => "Utilization",
        _ => "AverageValue",
    }
}

fn reference(value: &Value) -> String {
    let version = match value.text("apiVersion") {
        "" => String::new(),
        _ => format!(",\"apiVersion\":{}", value.at("apiVersion")),
    };
    format!("{{\"kind\":{},\"name\":{}{version}}}", json!(value.text("kind")), json!(value.text("name")))
}

fn condition(value: &Value) -> String {
    let mut text =
        format!("{{\"type\":{},\"status\":{}", json!(value.text("type")), json!(value.text("status")));
    let _ = write!(text, ",\"lastTransitionTime\":{}", value.at("lastTransitionTime"));
    for field in ["reason", "message"] {
        if !value.text(field).is_empty() {
            let _ = write!(text, ",\"{field}\":{}", value.at(field));
        }
    }
    text + "}"
}

/// The server writes its own struct here, under its own names.
fn behavior(value: &Value) -> String {
    let rules = |rules: &Value| {
        if rules.is_null() {
            return "null".to_owned();
        }
        let policies: Vec<String> = rules
            .list("policies")
            .iter()
            .map(|policy| {
                format!(
                    "{{\"Type\":{},\"Value\":{},\"PeriodSeconds\":{}}}",
                    policy.at("type"),
                    policy.int("value"),
                    policy.int("periodSeconds")
                )
            })
            .collect();
        let policies =
            if rules.has("policies") { format!("[{}]", policies.join(",")) } else { "null".into() };
        format!(
            "{{\"StabilizationWindowSeconds\":{},\"SelectPolicy\":{},\"Policies\":{policies},\"Tolerance\":{}}}",
            rules.at("stabilizationWindowSeconds"),
            rules.at("selectPolicy"),
            rules.at("tolerance")
        )
    };
    format!("{{\"ScaleUp\":{},\"ScaleDown\":{}}}", rules(value.at("scaleUp")), rules(value.at("scaleDown")))
}

/// Brings the names of a struct of the server to those of JSON.
fn lower(value: Value) -> Value {
    match value {
        Value::Object(fields) => Value::Object(
            fields
                .into_iter()
                .filter(|(_, value)| !value.is_null())
                .map(|(name, value)| (name[..1].to_lowercase() + &name[1..], lower(value)))
                .collect(),
        ),
        Value::Array(items) => items.into_iter().map(lower).collect(),
        other => other,
    }
}

fn is_cpu(metric: &Value) -> bool {
    let own = metric.at("resource");
    metric.text("type") == "Resource"
        && own.text("name") == "cpu"
        && own.at("target").has("averageUtilization")
}

fn cpu(percent: &Value) -> Value {
    let target = json!({"type": "Utilization", "averageUtilization": percent});
    json!({"type": "Resource", "resource": {"name": "cpu", "target": target}})
}

/// Whether an annotation only carries what this version lacks.
pub(crate) fn is_kept_aside(annotation: &str) -> bool {
    KEPT_ASIDE.contains(&annotation)
}

/// Takes the annotations away that only carry what this version lacks.
pub(super) fn drop_kept_aside(object: &mut Value) {
    let Some(meta) = at_mut(object, "metadata") else { return };
    let Some(annotations) = meta.get_mut("annotations").and_then(Value::as_object_mut) else { return };
    let before = annotations.len();
    annotations.retain(|name, _| !is_kept_aside(name));
    if annotations.is_empty() && before > 0 {
        unset(meta, "annotations");
    }
}

fn listed(items: &[Value], write: impl Fn(&Value) -> String) -> String {
    format!("[{}]", items.iter().map(write).collect::<Vec<_>>().join(","))
}

/// An autoscaler of `v2` as `v1` shows it.
pub(super) fn from_v2(object: &mut Value) {
    drop_kept_aside(object);
    let mut aside = Map::new();
    if let Some(spec) = at_mut(object, "spec") {
        let metrics = spec.list("metrics").to_vec();
        if let Some(metric) = metrics.iter().find(|metric| is_cpu(metric)) {
            let percent = metric.at("resource").at("target").at("averageUtilization").clone();
            set(spec, "targetCPUUtilizationPercentage", percent);
        }
        let others: Vec<Value> = metrics.into_iter().filter(|metric| !is_cpu(metric)).collect();
        if !others.is_empty() {
            aside.insert(METRICS.into(), listed(&others, |metric| Tense::Target.write(metric)).into());
        }
        if spec.has("behavior") {
            aside.insert(BEHAVIOR.into(), behavior(spec.at("behavior")).into());
        }
        unset(spec, "metrics");
        unset(spec, "behavior");
    }
    if let Some(status) = at_mut(object, "status") {
        let metrics = status.list("currentMetrics");
        if !metrics.is_empty() {
            let text = listed(metrics, |metric| Tense::Current.write(metric));
            aside.insert(CURRENT_METRICS.into(), text.into());
        }
        let usage = metrics
            .iter()
            .find(|metric| metric.text("type") == "Resource" && metric.at("resource").text("name") == "cpu")
            .map(|metric| metric.at("resource").at("current").at("averageUtilization").clone());
        let conditions = status.list("conditions");
        if !conditions.is_empty() {
            aside.insert(CONDITIONS.into(), listed(conditions, condition).into());
        }
        unset(status, "currentMetrics");
        unset(status, "conditions");
        if let Some(usage) = usage.filter(|usage| !usage.is_null()) {
            set(status, "currentCPUUtilizationPercentage", usage);
        }
        for field in ["currentReplicas", "desiredReplicas"] {
            let count = status.int(field);
            set(status, field, count);
        }
    }
    if !aside.is_empty()
        && let Some(annotations) =
            child_mut(object, "metadata").and_then(|metadata| child_mut(metadata, "annotations"))
    {
        for (name, value) in aside {
            set(annotations, &name, value);
        }
    }
}

/// What follows an annotation that says nothing but what the status says too.
const DERIVED: char = ' ';

/// Says in an autoscaler of `v1` what that version means without saying it. Metrics that its status makes are noted as
/// such: the note would say more of them than the status does.
pub(super) fn fill_in(object: &mut Value) {
    let told = object.at("metadata").at("annotations").has(CURRENT_METRICS);
    to_v2(object);
    from_v2(object);
    let derived = at_mut(object, "metadata")
        .and_then(|metadata| at_mut(metadata, "annotations"))
        .and_then(|annotations| at_mut(annotations, CURRENT_METRICS))
        .filter(|_| !told);
    if let Some(Value::String(text)) = derived {
        text.push(DERIVED);
    }
}

/// An autoscaler of `v1` as it is kept.
pub(super) fn to_v2(object: &mut Value) {
    let annotations = object.at("metadata").at("annotations").clone();
    let aside = |name: &str| serde_json::from_str::<Value>(annotations.text(name)).ok();
    let Some(spec) = child_mut(object, "spec") else { return };
    let mut metrics: Vec<Value> = Vec::new();
    if let Some(Value::Array(others)) = aside(METRICS) {
        metrics.extend(others.iter().map(|metric| Tense::Target.read(metric)));
    }
    let percent = spec.at("targetCPUUtilizationPercentage").clone();
    if !percent.is_null() {
        metrics.push(cpu(&percent));
    }
    unset(spec, "targetCPUUtilizationPercentage");
    if metrics.is_empty() {
        metrics.push(cpu(&json!(80)));
    }
    set(spec, "metrics", metrics);
    if let Some(behavior) = aside(BEHAVIOR).map(lower).filter(|own| own != &json!({})) {
        set(spec, "behavior", behavior);
    }
    if let Some(status) = at_mut(object, "status") {
        let usage = status.at("currentCPUUtilizationPercentage").clone();
        unset(status, "currentCPUUtilizationPercentage");
        let mut current = Value::Null;
        if !usage.is_null() {
            let value = json!({"averageUtilization": usage});
            current = json!([{"type": "Resource", "resource": {"name": "cpu", "current": value}}]);
        }
        let told = !annotations.text(CURRENT_METRICS).ends_with(DERIVED);
        if let Some(Value::Array(metrics)) = aside(CURRENT_METRICS).filter(|_| told) {
            current = metrics.iter().map(|metric| Tense::Current.read(metric)).collect();
        }
        set(status, "currentMetrics", current);
        if let Some(conditions) = aside(CONDITIONS) {
            set(status, "conditions", conditions);
        }
        if status.int("currentReplicas") == 0 {
            unset(status, "currentReplicas");
        }
    }
    drop_kept_aside(object);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_v1_lacks_is_kept_aside() {
        let whole = json!({
            "metadata": {"name": "a"},
            "spec": {
                "maxReplicas": 3,
                "behavior": {"scaleUp": {"selectPolicy": "Max", "policies": [
                    {"type": "Pods", "value": 4, "periodSeconds": 15},
                ]}},
                "metrics": [
                    {"type": "Pods", "pods": {
                        "metric": {"name": "requests"},
                        "target": {"type": "AverageValue", "averageValue": "100"},
                    }},
                    {"type": "Resource", "resource": {
                        "name": "cpu",
                        "target": {"type": "Utilization", "averageUtilization": 50},
                    }},
                ],
            },
        });
        let mut shown = whole.clone();
        from_v2(&mut shown);
        assert_eq!(shown["spec"], json!({"maxReplicas": 3, "targetCPUUtilizationPercentage": 50}));
        let annotations = &shown["metadata"]["annotations"];
        assert_eq!(
            annotations[METRICS],
            r#"[{"type":"Pods","pods":{"metricName":"requests","targetAverageValue":"100"}}]"#
        );
        assert_eq!(
            annotations[BEHAVIOR],
            r#"{"ScaleUp":{"StabilizationWindowSeconds":null,"SelectPolicy":"Max","Policies":[{"Type":"Pods","Value":4,"PeriodSeconds":15}],"Tolerance":null},"ScaleDown":null}"#
        );
        to_v2(&mut shown);
        assert_eq!(shown, whole);
    }

    #[test]
    fn v1_without_a_metric_means_eighty_percent() {
        let mut object = json!({"metadata": {}, "spec": {"maxReplicas": 1}});
        to_v2(&mut object);
        assert_eq!(object["spec"]["metrics"], json!([cpu(&json!(80))]));
    }
}
