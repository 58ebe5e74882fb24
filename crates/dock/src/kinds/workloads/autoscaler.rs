//! Autoscalers of pods, in the version that has metrics.

use serde_json::{Value, json};

use super::autoscaler_v1;
use crate::field::{FieldError, Path};
use crate::kinds::metadata::{self, Scope};
use crate::kinds::quantity::Quantity;
use crate::kinds::read::{Read, at_mut, fill_absent, set};
use crate::kinds::report::Errors;
use crate::kinds::{Rules, names, resources};

/// The rules of `HorizontalPodAutoscaler`.
pub(crate) struct HorizontalPodAutoscaler;

/// The sources of metrics in the order in which the server looks at them: type, field.
const SOURCES: [(&str, &str); 5] = [
    ("Object", "object"),
    ("External", "external"),
    ("Pods", "pods"),
    ("Resource", "resource"),
    ("ContainerResource", "containerResource"),
];

fn reference(own: &Value, any_version: bool, any_group: bool, path: &Path, errors: &mut Errors) {
    for field in ["kind", "name"] {
        let text = own.text(field);
        if text.is_empty() {
            errors.required(&path.child(field), "");
        } else {
            errors.invalid_each(&path.child(field), text, names::path_segment(text));
        }
    }
    if any_version {
        return;
    }
    let version = own.text("apiVersion");
    let words = match version.matches('/').count() {
        0 if any_group => return,
        1 if any_group || !version.starts_with('/') => return,
        0 | 1 => "apiVersion must specify API group".to_owned(),
        _ => format!("unexpected GroupVersion string: {version}"),
    };
    errors.invalid(&path.child("apiVersion"), version, words);
}

fn autoscaler(object: &Value, old: Option<&Value>, errors: &mut Errors) {
    let (spec, path) = (object.at("spec"), Path::new("spec"));
    let before = old.map(|old| old.at("spec"));
    let least = i64::from(before.and_then(|before| before.number("minReplicas")) != Some(0));
    let (low, high) = (spec.number("minReplicas"), spec.int("maxReplicas"));
    if let Some(low) = low.filter(|low| *low < least) {
        errors.invalid(&path.child("minReplicas"), low, format!("must be greater than or equal to {least}"));
    }
    let own = path.child("maxReplicas");
    if high == 0 {
        errors.required(&own, "must be set and greater than 0");
    } else if high < 0 {
        errors.invalid(&own, high, "must be greater than or equal to 1");
    }
    if low.is_some_and(|low| high < low) {
        errors.invalid(&own, high, "must be greater than or equal to `minReplicas`");
    }
    let target = spec.at("scaleTargetRef");
    let kept = before.is_some_and(|before| {
        let old = before.at("scaleTargetRef");
        ["apiVersion", "kind"].iter().all(|field| old.text(field) == target.text(field))
    });
    let any_group = target.text("kind") == "ReplicationController";
    reference(target, kept, any_group, &path.child("scaleTargetRef"), errors);
    let any_metric = before.is_some_and(|before| {
        before.list("metrics").iter().any(|metric| {
            let version = metric.at("object").at("describedObject").text("apiVersion");
            metric.text("type") == "Object" && version.matches('/').count() > 1
        })
    });
    for (index, metric) in spec.list("metrics").iter().enumerate() {
        self::metric(metric, any_metric, &path.child("metrics").index(index), errors);
    }
    let scalable =
        spec.list("metrics").iter().any(|metric| ["Object", "External"].contains(&metric.text("type")));
    if low == Some(0) && !scalable {
        errors.forbidden(
            &path.child("metrics"),
            "must specify at least one Object or External metric to support scaling to zero replicas",
        );
    }
    for field in ["scaleUp", "scaleDown"] {
        let rules = spec.at("behavior").at(field);
        if !rules.is_null() {
            scaling(rules, &path.child("behavior").child(field), errors);
        }
    }
}

fn scaling(rules: &Value, path: &Path, errors: &mut Errors) {
    if let Some(seconds) = rules.number("stabilizationWindowSeconds") {
        let path = path.child("stabilizationWindowSeconds");
        if seconds < 0 {
            errors.invalid(&path, seconds, "must be greater than or equal to zero");
        }
        if seconds > 3600 {
            errors.invalid(&path, seconds, "must be less than or equal to 3600");
        }
    }
    if let Some(policy) = rules.at("selectPolicy").as_str() {
        errors.one_of(policy, &["Disabled", "Max", "Min"], &path.child("selectPolicy"));
    }
    let policies = path.child("policies");
    if rules.list("policies").is_empty() {
        errors.required(&policies, "must specify at least one Policy");
    }
    for (index, policy) in rules.list("policies").iter().enumerate() {
        let path = policies.index(index);
        errors.one_of(policy.text("type"), &["Percent", "Pods"], &path.child("type"));
        errors.positive(policy.int("value"), &path.child("value"));
        let seconds = policy.int("periodSeconds");
        errors.positive(seconds, &path.child("periodSeconds"));
        if seconds > 1800 {
            errors.invalid(&path.child("periodSeconds"), seconds, "must be less than or equal to 1800");
        }
    }
    let tolerance = rules.at("tolerance");
    if Quantity::of(tolerance).is_some_and(Quantity::is_negative) {
        errors.invalid(&path.child("tolerance"), tolerance.clone(), "must be greater than or equal to 0");
    }
}

fn metric(metric: &Value, any_version: bool, path: &Path, errors: &mut Errors) {
    let kind = metric.text("type");
    let known = ["ContainerResource", "External", "Object", "Pods", "Resource"];
    if kind.is_empty() {
        errors.required(&path.child("type"), "must specify a metric source type");
    }
    errors.one_of(kind, &known, &path.child("type"));
    let present: Vec<&str> =
        SOURCES.iter().map(|(_, field)| *field).filter(|field| metric.has(field)).collect();
    if let Some(field) = present.first() {
        source(field, metric.at(field), any_version, &path.child(field), errors);
    }
    match SOURCES.iter().find(|(own, _)| *own == kind) {
        Some((_, field)) => {
            if !metric.has(field) {
                errors.required(&path.child(field), "must populate information for the given metric source");
            }
        }
        None => errors.unsupported(&path.child("type"), kind, &known),
    }
    if present.len() != 1 {
        let expected = SOURCES.iter().find(|(own, _)| *own == kind).map(|(_, field)| *field);
        for field in present.iter().filter(|field| Some(**field) != expected) {
            errors.forbidden(&path.child(field), "must populate the given metric source only");
        }
    }
}

fn source(field: &str, source: &Value, any_version: bool, path: &Path, errors: &mut Errors) {
    let target = source.at("target");
    let own = path.child("target");
    let has = |field: &str| target.has(field);
    match field {
        "object" => {
            let object = path.child("describedObject");
            reference(source.at("describedObject"), any_version, true, &object, errors);
        }
        "containerResource" | "resource" => {
            if source.text("name").is_empty() {
                errors.required(&path.child("name"), "must specify a resource name");
            } else if field == "containerResource" {
                resources::container_name(source.text("name"), &path.child("name"), errors);
            }
            if field == "containerResource" {
                let container = source.text("container");
                if container.is_empty() {
                    errors.required(&path.child("container"), "must specify a container");
                } else {
                    errors.invalid_each(&path.child("container"), container, names::dns_label(container));
                }
            }
        }
        _ => {}
    }
    if ["object", "external", "pods"].contains(&field) {
        let name = source.at("metric").text("name");
        let path = path.child("metric").child("name");
        if name.is_empty() {
            errors.required(&path, "must specify a metric name");
        } else {
            errors.invalid_each(&path, name, names::path_segment(name));
        }
    }
    metric_target(target, &own, errors);
    let (average, utilization) = (own.child("averageValue"), own.child("averageUtilization"));
    match field {
        "object" if !has("value") && !has("averageValue") => {
            errors.required(&average, "must set either a target value or averageValue");
        }
        "external" if !has("value") && !has("averageValue") => {
            errors.required(&average, "must set either a target value for metric or a per-pod target");
        }
        "external" if has("value") && has("averageValue") => errors.forbidden(
            &own.child("value"),
            "may not set both a target value for metric and a per-pod target",
        ),
        "pods" if !has("averageValue") => {
            errors.required(&average, "must specify a positive target averageValue");
        }
        "resource" | "containerResource" if !has("averageUtilization") && !has("averageValue") => {
            errors.required(&utilization, "must set either a target raw value or a target utilization");
        }
        "resource" | "containerResource" if has("averageUtilization") && has("averageValue") => {
            errors.forbidden(&average, "may not set both a target raw value and a target utilization");
        }
        _ => {}
    }
}

fn metric_target(target: &Value, path: &Path, errors: &mut Errors) {
    let kind = target.text("type");
    if kind.is_empty() {
        errors.required(&path.child("type"), "must specify a metric target type");
    }
    if !["Utilization", "Value", "AverageValue"].contains(&kind) {
        errors.invalid(&path.child("type"), kind, "must be either Utilization, Value, or AverageValue");
    }
    for field in ["value", "averageValue"] {
        let value = target.at(field);
        if Quantity::of(value).is_some_and(|quantity| !quantity.is_positive()) {
            errors.invalid(&path.child(field), value.clone(), "must be positive");
        }
    }
    if let Some(percent) = target.number("averageUtilization").filter(|percent| *percent < 1) {
        errors.invalid(&path.child("averageUtilization"), percent, "must be greater than 0");
    }
}

/// Whether an object is in the version that has metrics.
fn has_metrics(object: &Value) -> bool {
    object.text("apiVersion") != "autoscaling/v1"
}

impl Rules for HorizontalPodAutoscaler {
    fn default(&self, object: &mut Value) {
        let metrics = has_metrics(object);
        if metrics {
            autoscaler_v1::drop_kept_aside(object);
        }
        let Some(spec) = at_mut(object, "spec") else { return };
        fill_absent(spec, "minReplicas", 1);
        if !metrics {
            // What the older version means without saying it is said once it was read.
            autoscaler_v1::fill_in(object);
            return;
        }
        if spec.list("metrics").is_empty() {
            let target = json!({"type": "Utilization", "averageUtilization": 80});
            let metric = json!({"type": "Resource", "resource": {"name": "cpu", "target": target}});
            set(spec, "metrics", json!([metric]));
        }
        let Some(behavior) = at_mut(spec, "behavior") else { return };
        let pods = json!({"type": "Pods", "value": 4, "periodSeconds": 15});
        let percent = json!({"type": "Percent", "value": 100, "periodSeconds": 15});
        let up = json!({
            "stabilizationWindowSeconds": 0,
            "selectPolicy": "Max",
            "policies": [pods, percent],
        });
        let down = json!({"selectPolicy": "Max", "policies": [percent]});
        for (field, defaults) in [("scaleUp", up), ("scaleDown", down)] {
            fill_absent(behavior, field, json!({}));
            let Some(rules) = at_mut(behavior, field) else { continue };
            for (name, value) in defaults.as_object().into_iter().flatten() {
                fill_absent(rules, name, value.clone());
            }
        }
    }

    fn first_status(&self) -> Option<Value> {
        Some(json!({"desiredReplicas": 0, "currentMetrics": null}))
    }

    fn to_storage(&self, object: &mut Value, version: &str) {
        if version == "v1" {
            autoscaler_v1::to_v2(object);
        }
    }

    fn when_read(&self, object: &mut Value, version: &str) {
        if version == "v1" {
            autoscaler_v1::from_v2(object);
        }
    }

    fn validate(&self, object: &Value) -> Vec<FieldError> {
        let mut errors = Errors::new();
        metadata::validate(object, Scope::Namespaced, names::dns_subdomain, &mut errors);
        autoscaler(object, None, &mut errors);
        errors.found()
    }

    fn validate_update(&self, object: &Value, old: &Value) -> Vec<FieldError> {
        let mut errors = Errors::new();
        metadata::validate_update(object, old, &mut errors);
        autoscaler(object, Some(old), &mut errors);
        errors.found()
    }

    fn validate_status_update(&self, object: &Value, old: &Value) -> Vec<FieldError> {
        let mut errors = Errors::new();
        metadata::validate_update(object, old, &mut errors);
        for field in ["currentReplicas", "desiredReplicas"] {
            errors.not_negative(object.at("status").int(field), &Path::new("status").child(field));
        }
        errors.found()
    }
}
