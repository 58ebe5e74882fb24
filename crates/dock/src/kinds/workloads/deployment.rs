//! Deployments.

use serde_json::{Value, json};

use super::replica_set;
use crate::field::{FieldError, Path, quoted};
use crate::kinds::metadata::{self};
use crate::kinds::pod::options::Options;
use crate::kinds::pod::template;
use crate::kinds::read::{Read, at_mut, child_mut, fill, fill_absent, same, unset};
use crate::kinds::report::Errors;
use crate::kinds::selector::{self, Values};
use crate::kinds::{Context, Rules, copy_field};

/// The rules of `Deployment`.
pub(crate) struct Deployment;

/// What is wrong with the selector of a controller, and then with its template.
pub(super) fn selector_and_template(spec: &Value, options: &Options, path: &Path, errors: &mut Errors) {
    let own = path.child("selector");
    let selector = spec.at("selector");
    if selector.is_null() {
        errors.required(&own, "");
    } else {
        selector::validate(selector, Values::Checked, &own, errors);
        if selector::is_empty(selector) {
            errors.invalid_selector(&own, selector, "empty selector is invalid for deployment");
        }
    }
    if selector::is_understood(selector) {
        replica_set::template(spec, options, &path.child("template"), errors);
    } else {
        errors.invalid_selector(&own, selector, "invalid label selector");
    }
}

fn strategy(spec: &Value, path: &Path, errors: &mut Errors) {
    let strategy = spec.at("strategy");
    let rolling = strategy.at("rollingUpdate");
    let own = path.child("rollingUpdate");
    match strategy.text("type") {
        "Recreate" => {
            if !rolling.is_null() {
                errors.forbidden(&own, "may not be specified when strategy `type` is 'Recreate'");
            }
        }
        "RollingUpdate" => {
            let (unavailable, surge) = (rolling.at("maxUnavailable"), rolling.at("maxSurge"));
            super::int_or_percent(unavailable, &own.child("maxUnavailable"), errors);
            super::int_or_percent(surge, &own.child("maxSurge"), errors);
            if super::amount(unavailable) == 0 && super::amount(surge) == 0 {
                errors.invalid(
                    &own.child("maxUnavailable"),
                    unavailable.clone(),
                    "may not be 0 when `maxSurge` is 0",
                );
            }
            super::not_more_than_all(unavailable, &own.child("maxUnavailable"), errors);
        }
        other => {
            let rolling = if rolling.is_null() {
                "null".to_owned()
            } else {
                let value = |field: &str| match rolling.at(field) {
                    Value::Null => json!(0),
                    value => value.clone(),
                };
                format!(
                    "{{\"MaxUnavailable\":{},\"MaxSurge\":{}}}",
                    value("maxUnavailable"),
                    value("maxSurge")
                )
            };
            let mut error = FieldError::not_supported(path, strategy.clone(), &["Recreate", "RollingUpdate"]);
            error.shown = Some(format!("{{\"Type\":{},\"RollingUpdate\":{rolling}}}", quoted(other)));
            errors.push(error);
        }
    }
}

fn validate_spec(spec: &Value, options: &Options, errors: &mut Errors) {
    let path = Path::new("spec");
    errors.not_negative(spec.int("replicas"), &path.child("replicas"));
    selector_and_template(spec, options, &path, errors);
    strategy(spec, &path.child("strategy"), errors);
    errors.not_negative(spec.int("minReadySeconds"), &path.child("minReadySeconds"));
    if let Some(limit) = spec.number("revisionHistoryLimit") {
        errors.not_negative(limit, &path.child("revisionHistoryLimit"));
    }
    if let Some(deadline) = spec.number("progressDeadlineSeconds") {
        let own = path.child("progressDeadlineSeconds");
        errors.not_negative(deadline, &own);
        if deadline <= spec.int("minReadySeconds") {
            errors.invalid(&own, deadline, "must be greater than minReadySeconds");
        }
    }
}

impl Rules for Deployment {
    fn default(&self, object: &mut Value) {
        if let Some(meta) = at_mut(object, "metadata")
            && meta.at("annotations").text("deprecated.deployment.rollback.to").is_empty()
            && let Some(annotations) = at_mut(meta, "annotations")
        {
            unset(annotations, "deprecated.deployment.rollback.to");
            if annotations.as_object().is_some_and(serde_json::Map::is_empty) {
                unset(meta, "annotations");
            }
        }
        let Some(spec) = child_mut(object, "spec") else { return };
        fill_absent(spec, "replicas", 1);
        if let Some(strategy) = child_mut(spec, "strategy") {
            fill(strategy, "type", "RollingUpdate");
            if strategy.text("type") == "RollingUpdate"
                && let Some(rolling) = child_mut(strategy, "rollingUpdate")
            {
                fill_absent(rolling, "maxUnavailable", "25%");
                fill_absent(rolling, "maxSurge", "25%");
            }
            // A pointer in the version that is served, a value in the one that is checked.
            if let Some(rolling) = at_mut(strategy, "rollingUpdate") {
                fill_absent(rolling, "maxUnavailable", 0);
                fill_absent(rolling, "maxSurge", 0);
            }
        }
        fill_absent(spec, "revisionHistoryLimit", 10);
        fill_absent(spec, "progressDeadlineSeconds", 600);
        template::fill(spec, "template");
    }

    fn first_status(&self) -> Option<Value> {
        Some(json!({}))
    }

    fn drop_disabled(&self, object: &mut Value, old: &Value) {
        super::drop_disabled(object, old);
    }

    fn changes_generation(&self, object: &Value, old: &Value) -> bool {
        let annotations = |object: &Value| object.at("metadata").at("annotations").clone();
        !same(object.at("spec"), old.at("spec")) || !same(&annotations(object), &annotations(old))
    }

    fn prepare_status_update(&self, object: &mut Value, old: &Value, _context: &Context) {
        copy_field(object, old, "spec");
        if let Some(meta) = at_mut(object, "metadata") {
            copy_field(meta, old.at("metadata"), "labels");
        }
    }

    fn resets(&self, part: &str) -> &'static [&'static str] {
        match part {
            "" => &["status"],
            "status" => &["spec", "metadata.labels"],
            _ => &[],
        }
    }

    fn has_generation(&self) -> bool {
        true
    }

    fn validate(&self, object: &Value) -> Vec<FieldError> {
        super::new_of_template(object, validate_spec)
    }

    fn validate_update(&self, object: &Value, old: &Value) -> Vec<FieldError> {
        super::update_of_template(object, old, validate_spec, super::fixed_selector)
    }

    fn validate_status_update(&self, object: &Value, old: &Value) -> Vec<FieldError> {
        let mut errors = Errors::new();
        metadata::validate_update(object, old, &mut errors);
        let (status, path) = (object.at("status"), Path::new("status"));
        super::counts(
            status,
            &[
                "observedGeneration",
                "replicas",
                "updatedReplicas",
                "readyReplicas",
                "availableReplicas",
                "unavailableReplicas",
                "terminatingReplicas",
                "collisionCount",
            ],
            &["updatedReplicas", "readyReplicas", "availableReplicas"],
            &path,
            &mut errors,
        );
        super::available(status, "readyReplicas", &path, &mut errors);
        super::collisions(object, old, &path, &mut errors);
        errors.found()
    }

    fn warnings(&self, object: &Value, old: Option<&Value>) -> Vec<String> {
        super::warnings(object, old, true)
    }
}
