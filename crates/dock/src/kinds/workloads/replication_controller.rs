//! Replication controllers, which came before replica sets.

use serde_json::{Value, json};

use super::{is_bare, replica_set};
use crate::field::{FieldError, Path};
use crate::kinds::metadata::{self, Scope};
use crate::kinds::pod::options::Options;
use crate::kinds::pod::template;
use crate::kinds::read::{Read, at_mut, child_mut, fill_absent, set};
use crate::kinds::report::Errors;
use crate::kinds::{Rules, names, selector};

/// The rules of `ReplicationController`.
pub(crate) struct ReplicationController;

fn validate_spec(spec: &Value, options: &Options, errors: &mut Errors) {
    let path = Path::new("spec");
    errors.not_negative(spec.int("minReadySeconds"), &path.child("minReadySeconds"));
    let labels = spec.at("selector");
    if is_bare(labels) {
        errors.required(&path.child("selector"), "");
    }
    match spec.number("replicas") {
        None => errors.required(&path.child("replicas"), ""),
        Some(replicas) => errors.not_negative(replicas, &path.child("replicas")),
    }
    let (own, path) = (spec.at("template"), path.child("template"));
    if own.is_null() {
        errors.required(&path, "");
        return;
    }
    if !is_bare(labels) {
        let selector = json!({"matchLabels": labels});
        if !selector::matches(&selector, own.at("metadata").at("labels")) {
            super::selects_template(&Value::Null, own, &path, errors);
        }
    }
    template::validate(own, options, &path, errors);
    super::runs_forever(own, "ReplicationController", &path, errors);
}

impl Rules for ReplicationController {
    fn default(&self, object: &mut Value) {
        let labels = object.at("spec").at("template").at("metadata").at("labels").clone();
        let Some(spec) = child_mut(object, "spec") else { return };
        fill_absent(spec, "replicas", 1);
        if let Some(own) = at_mut(spec, "template") {
            if own.is_object() {
                template::fill(spec, "template");
            }
            if !is_bare(&labels) && is_bare(spec.at("selector")) {
                set(spec, "selector", labels);
            }
        }
        super::label_as_template(object);
    }

    fn complete(&self, object: &mut Value) {
        super::label_as_template(object);
    }

    fn is_shown_as_kept(&self, object: &Value) -> bool {
        !super::lacks_labels(object)
    }

    fn first_status(&self) -> Option<Value> {
        Some(json!({"replicas": 0}))
    }

    fn drop_disabled(&self, object: &mut Value, old: &Value) {
        super::drop_disabled(object, old);
    }

    fn has_generation(&self) -> bool {
        true
    }

    fn validate(&self, object: &Value) -> Vec<FieldError> {
        let mut errors = Errors::new();
        metadata::validate_name_only(object, Scope::Namespaced, names::dns_subdomain, &mut errors);
        validate_spec(object.at("spec"), &template::options(None), &mut errors);
        errors.found()
    }

    fn validate_update(&self, object: &Value, old: &Value) -> Vec<FieldError> {
        super::update_of_template(object, old, validate_spec, |_, _, _| {})
    }

    fn validate_status_update(&self, object: &Value, old: &Value) -> Vec<FieldError> {
        let mut errors = Errors::new();
        metadata::validate_update(object, old, &mut errors);
        replica_set::status(object, &mut errors);
        errors.found()
    }

    fn warnings(&self, object: &Value, old: Option<&Value>) -> Vec<String> {
        match old {
            // The server looks at the template that is replaced.
            Some(old) if !super::same_generation(object, old) => super::warnings(old, Some(object), false),
            _ => super::warnings(object, old, true),
        }
    }

    fn selectable(&self) -> &'static [&'static str] {
        &["status.replicas"]
    }
}
