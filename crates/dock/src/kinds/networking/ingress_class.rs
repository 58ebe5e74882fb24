//! Classes of ingresses.

use serde_json::Value;

use super::ingress::reference;
use crate::field::{FieldError, Path};
use crate::kinds::metadata::{self, Scope};
use crate::kinds::read::{Read, at_mut, fill_absent};
use crate::kinds::report::Errors;
use crate::kinds::{Rules, names};

/// The rules of `IngressClass`.
pub(crate) struct IngressClass;

fn class(object: &Value, errors: &mut Errors) {
    metadata::validate(object, Scope::Cluster, names::dns_subdomain, errors);
    let (spec, path) = (object.at("spec"), Path::new("spec"));
    let controller = spec.text("controller");
    if controller.len() > 250 {
        errors.too_long(&path.child("controller"), 250);
    }
    names::domain_prefixed_path(controller, &path.child("controller"), errors);
    let (parameters, path) = (spec.at("parameters"), path.child("parameters"));
    if parameters.is_null() {
        return;
    }
    reference(parameters, &path, errors);
    let namespace = path.child("namespace");
    match parameters.at("scope").as_str() {
        None => errors.required(&path.child("scope"), ""),
        Some("Cluster") => {
            if parameters.has("namespace") {
                errors.forbidden(&namespace, "`parameters.scope` is set to 'Cluster'");
            }
        }
        Some("Namespace") => match parameters.at("namespace").as_str() {
            None => errors.required(&namespace, "`parameters.scope` is set to 'Namespace'"),
            Some(name) => errors.invalid_each(&namespace, name, names::dns_label(name)),
        },
        Some(other) => errors.unsupported(&path.child("scope"), other, &["Cluster", "Namespace"]),
    }
}

impl Rules for IngressClass {
    fn default(&self, object: &mut Value) {
        if let Some(own) = at_mut(object, "spec").and_then(|spec| at_mut(spec, "parameters")) {
            fill_absent(own, "scope", "Cluster");
        }
    }

    fn has_generation(&self) -> bool {
        true
    }

    fn validate(&self, object: &Value) -> Vec<FieldError> {
        let mut errors = Errors::new();
        class(object, &mut errors);
        errors.found()
    }

    fn validate_update(&self, object: &Value, old: &Value) -> Vec<FieldError> {
        let mut errors = Errors::new();
        metadata::validate_update(object, old, &mut errors);
        let (now, before) = (object.at("spec").text("controller"), old.at("spec").text("controller"));
        if now != before {
            errors.invalid(&Path::new("spec").child("controller"), now, "field is immutable");
        }
        class(object, &mut errors);
        errors.found()
    }
}
