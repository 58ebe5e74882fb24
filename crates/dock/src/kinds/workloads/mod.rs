//! The kinds that make pods: what they share.

pub(crate) mod autoscaler;
mod autoscaler_v1;
pub(crate) mod cron;
pub(crate) mod cron_job;
pub(crate) mod daemon_set;
pub(crate) mod deployment;
pub(crate) mod job;
mod job_policies;
mod job_status;
pub(crate) mod replica_set;
pub(crate) mod replication_controller;
pub(crate) mod revision;
pub(crate) mod stateful_set;

use serde_json::{Map, Value};

pub(crate) use self::autoscaler_v1::is_kept_aside;
use super::metadata::{self, Scope};
use super::names;
use super::pod::options::Options;
use super::pod::template;
use super::read::{Read, at_mut, child_mut, set};
use super::report::Errors;
use super::selector;
use crate::field::{FieldError, Path};

/// The template of a workload, to change.
fn template_mut(object: &mut Value) -> Option<&mut Value> {
    at_mut(object, "spec").and_then(|spec| at_mut(spec, "template"))
}

/// Takes out of the template what belongs to features that are off.
fn drop_disabled(object: &mut Value, old: &Value) {
    template::drop_disabled(template_mut(object), old.at("spec").at("template"));
}

fn is_bare(map: &Value) -> bool {
    map.as_object().is_none_or(Map::is_empty)
}

/// Whether an object of one of the oldest kinds has no labels while its template does.
fn lacks_labels(object: &Value) -> bool {
    is_bare(object.at("metadata").at("labels"))
        && !is_bare(object.at("spec").at("template").at("metadata").at("labels"))
}

/// Gives such an object the labels of its template, as reading it does.
fn label_as_template(object: &mut Value) {
    if lacks_labels(object) {
        let labels = object.at("spec").at("template").at("metadata").at("labels").clone();
        if let Some(meta) = child_mut(object, "metadata") {
            set(meta, "labels", labels);
        }
    }
}

/// What is wrong with the spec of a kind.
type SpecRule = fn(&Value, &Options, &mut Errors);

/// What is wrong with a new object that is little more than a template with a count.
fn new_of_template(object: &Value, spec: SpecRule) -> Vec<FieldError> {
    let mut errors = Errors::new();
    metadata::validate(object, Scope::Namespaced, names::dns_subdomain, &mut errors);
    spec(object.at("spec"), &template::options(None), &mut errors);
    errors.found()
}

/// What is wrong with such an object that replaces another; `changed` says what may not differ.
fn update_of_template(
    object: &Value,
    old: &Value,
    spec: SpecRule,
    changed: fn(&Value, &Value, &mut Errors),
) -> Vec<FieldError> {
    let mut errors = Errors::new();
    metadata::validate_update(object, old, &mut errors);
    spec(object.at("spec"), &template::options(Some(old.at("spec").at("template"))), &mut errors);
    changed(object, old, &mut errors);
    errors.found()
}

/// A number or a percentage that is not negative.
pub(crate) fn int_or_percent(value: &Value, path: &Path, errors: &mut Errors) {
    match value {
        Value::String(text) => {
            for words in names::percent(text) {
                errors.invalid(path, text.as_str(), words);
            }
        }
        number => errors.not_negative(number.as_i64().unwrap_or_default(), path),
    }
}

/// The percentage, if it is one.
fn percentage(value: &Value) -> Option<i64> {
    let text = value.as_str()?;
    names::percent(text).is_empty().then(|| text.trim_end_matches('%').parse().unwrap_or(0))
}

/// The number before the percent sign, or the number.
pub(crate) fn amount(value: &Value) -> i64 {
    percentage(value)
        .or_else(|| value.as_i64())
        .unwrap_or_else(|| value.as_str().and_then(|text| text.parse().ok()).unwrap_or_default())
}

/// A percentage may not be more than all.
pub(crate) fn not_more_than_all(value: &Value, path: &Path, errors: &mut Errors) {
    if percentage(value).is_some_and(|percentage| percentage > 100) {
        errors.invalid(path, value.clone(), "must not be greater than 100%");
    }
}

/// The labels of a template must be selected. A selector that is absent selects nothing.
fn selects_template(selector: &Value, template: &Value, path: &Path, errors: &mut Errors) {
    let labels = template.at("metadata").at("labels");
    if selector.is_null() || !selector::matches(selector, labels) {
        errors.invalid(
            &path.child("metadata").child("labels"),
            labels.clone(),
            "`selector` does not match template `labels`",
        );
    }
}

/// Pods of controllers are always restarted, and have no deadline.
fn runs_forever(template: &Value, kind: &str, path: &Path, errors: &mut Errors) {
    let spec = template.at("spec");
    if spec.text("restartPolicy") != "Always" {
        errors.unsupported(
            &path.child("spec").child("restartPolicy"),
            spec.text("restartPolicy"),
            &["Always"],
        );
    }
    if spec.has("activeDeadlineSeconds") {
        errors.forbidden(
            &path.child("spec").child("activeDeadlineSeconds"),
            format!("activeDeadlineSeconds in {kind} is not Supported"),
        );
    }
}

/// What is wrong with counts of replicas in a status: negative ones, and more than there are.
fn counts(status: &Value, fields: &[&str], bounded: &[&str], path: &Path, errors: &mut Errors) {
    for field in fields {
        errors.not_negative(status.int(field), &path.child(field));
    }
    for field in bounded {
        if status.int(field) > status.int("replicas") {
            errors.invalid(&path.child(field), status.int(field), "cannot be greater than status.replicas");
        }
    }
}

/// There are not more replicas available than ready. The field of those is told in the words of the kind.
fn available(status: &Value, ready: &str, path: &Path, errors: &mut Errors) {
    let count = status.int("availableReplicas");
    if count > status.int("readyReplicas") {
        errors.invalid(&path.child("availableReplicas"), count, format!("cannot be greater than {ready}"));
    }
}

/// What a workload selects is fixed when it is made.
fn fixed_selector(object: &Value, old: &Value, errors: &mut Errors) {
    let (now, before) = (object.at("spec").at("selector"), old.at("spec").at("selector"));
    errors.immutable_selector(now, before, &Path::new("spec").child("selector"));
}

/// The count of collisions may not shrink.
fn collisions(object: &Value, old: &Value, path: &Path, errors: &mut Errors) {
    let count = |object: &Value| object.at("status").number("collisionCount");
    let (now, before) = (count(object), count(old));
    if before.is_some_and(|before| now.is_none_or(|now| now < before)) {
        errors.invalid(&path.child("collisionCount"), now.unwrap_or_default(), "cannot be decremented");
    }
}

/// A name that is used in the names of pods should be a label.
fn name_warning(object: &Value) -> Option<String> {
    let wrong = names::dns_label(object.at("metadata").text("name"));
    (!wrong.is_empty()).then(|| {
        format!(
            "metadata.name: this is used in Pod names and hostnames, which can result in surprising behavior; a DNS \
             label is recommended: [{}]",
            wrong.join(" ")
        )
    })
}

/// Whether the generation of an object is that of the one before it.
fn same_generation(object: &Value, old: &Value) -> bool {
    object.at("metadata").int("generation") == old.at("metadata").int("generation")
}

/// What the server warns of in the template of a workload that it makes or changes.
fn warnings(object: &Value, old: Option<&Value>, named: bool) -> Vec<String> {
    let mut out = Vec::new();
    match old {
        None if named => out.extend(name_warning(object)),
        Some(old) if same_generation(object, old) => return out,
        _ => {}
    }
    let path = Path::new("spec").child("template");
    out.extend(template::warnings(object.at("spec").at("template"), &path));
    out
}
