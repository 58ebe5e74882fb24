//! Revisions that stateful and daemon sets keep of their templates.

use serde_json::Value;

use crate::field::{FieldError, Path};
use crate::kinds::metadata::{self, Scope};
use crate::kinds::read::{Read, same};
use crate::kinds::report::Errors;
use crate::kinds::{Rules, names};

/// The rules of `ControllerRevision`.
pub(crate) struct ControllerRevision;

fn revision(object: &Value, errors: &mut Errors) {
    metadata::validate(object, Scope::Namespaced, names::dns_subdomain, errors);
    errors.not_negative(object.int("revision"), &Path::new("revision"));
}

impl Rules for ControllerRevision {
    fn validate(&self, object: &Value) -> Vec<FieldError> {
        let mut errors = Errors::new();
        revision(object, &mut errors);
        match object.at("data") {
            Value::Null => errors.required(&Path::new("data"), "data is mandatory"),
            Value::Object(_) => {}
            _ => errors.required(&Path::new("data"), "data must be a valid JSON object"),
        }
        errors.found()
    }

    fn validate_update(&self, object: &Value, old: &Value) -> Vec<FieldError> {
        let mut errors = Errors::new();
        metadata::validate_update(object, old, &mut errors);
        revision(object, &mut errors);
        if !same(object.at("data"), old.at("data")) {
            errors.invalid(&Path::new("data"), object.at("data").clone(), "field is immutable");
        }
        errors.found()
    }
}
