//! Replica sets.

use serde_json::{Value, json};

use super::deployment::selector_and_template;
use crate::field::{FieldError, Path};
use crate::kinds::metadata::{self, Scope};
use crate::kinds::pod::options::Options;
use crate::kinds::pod::template;
use crate::kinds::read::{Read, child_mut, fill_absent, set};
use crate::kinds::report::Errors;
use crate::kinds::{Context, Rules, copy_field, names, selector};

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

    fn prepare_create(&self, object: &mut Value, _context: &Context) {
        set(object, "status", json!({"replicas": 0}));
        super::drop_disabled(object, &Value::Null);
    }

    fn prepare_update(&self, object: &mut Value, old: &Value, _context: &Context) {
        copy_field(object, old, "status");
        super::drop_disabled(object, old);
    }

    fn has_status(&self) -> bool {
        true
    }

    fn has_generation(&self) -> bool {
        true
    }

    fn validate(&self, object: &Value) -> Vec<FieldError> {
        let mut errors = Errors::new();
        metadata::validate(object, Scope::Namespaced, names::dns_subdomain, &mut errors);
        validate_spec(object.at("spec"), &template::options(None), &mut errors);
        errors.found()
    }

    fn validate_update(&self, object: &Value, old: &Value) -> Vec<FieldError> {
        let mut errors = Errors::new();
        let options = template::options(Some(old.at("spec").at("template")));
        metadata::validate_update(object, old, &mut errors);
        validate_spec(object.at("spec"), &options, &mut errors);
        super::fixed_selector(object, old, &mut errors);
        errors.found()
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
