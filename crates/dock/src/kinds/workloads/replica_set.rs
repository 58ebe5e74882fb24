//! Replica sets.

use serde_json::{Value, json};

use super::deployment::selector_and_template;
use crate::field::{FieldError, Path};
use crate::kinds::metadata::{self};
use crate::kinds::pod::options::Options;
use crate::kinds::pod::template;
use crate::kinds::read::{Read, child_mut, fill_absent};
use crate::kinds::report::Errors;
use crate::kinds::{Rules, selector};

/// The rules of `ReplicaSet`.
pub(crate) struct ReplicaSet;

/// What is wrong with the template of a deployment or replica set.
pub(super) fn template(spec: &Value, options: &Options, path: &Path, errors: &mut Errors) {
    let (own, selector) = (spec.at("template"), spec.at("selector"));
    if selector.is_null() || !selector::is_empty(selector) {
        super::selects_template(selector, own, path, errors);
    }
    template::validate(own, options, path, errors);
    super::runs_forever(own, "ReplicaSet", path, errors);
}

fn validate_spec(spec: &Value, options: &Options, errors: &mut Errors) {
    let path = Path::new("spec");
    errors.not_negative(spec.int("replicas"), &path.child("replicas"));
    errors.not_negative(spec.int("minReadySeconds"), &path.child("minReadySeconds"));
    selector_and_template(spec, options, &path, errors);
}

/// What is wrong with the status of a replica set or replication controller.
pub(super) fn status(object: &Value, errors: &mut Errors) {
    let (status, path) = (object.at("status"), Path::new("status"));
    super::counts(
        status,
        &[
            "replicas",
            "fullyLabeledReplicas",
            "readyReplicas",
            "availableReplicas",
            "observedGeneration",
            "terminatingReplicas",
        ],
        &["fullyLabeledReplicas", "readyReplicas", "availableReplicas"],
        &path,
        errors,
    );
    super::available(status, "readyReplicas", &path, errors);
}

impl Rules for ReplicaSet {
    fn default(&self, object: &mut Value) {
        let Some(spec) = child_mut(object, "spec") else { return };
        fill_absent(spec, "replicas", 1);
        template::fill(spec, "template");
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
        super::new_of_template(object, validate_spec)
    }

    fn validate_update(&self, object: &Value, old: &Value) -> Vec<FieldError> {
        super::update_of_template(object, old, validate_spec, super::fixed_selector)
    }

    fn validate_status_update(&self, object: &Value, old: &Value) -> Vec<FieldError> {
        let mut errors = Errors::new();
        metadata::validate_update(object, old, &mut errors);
        status(object, &mut errors);
        errors.found()
    }

    fn warnings(&self, object: &Value, old: Option<&Value>) -> Vec<String> {
        super::warnings(object, old, true)
    }

    fn selectable(&self) -> &'static [&'static str] {
        &["status.replicas"]
    }
}
