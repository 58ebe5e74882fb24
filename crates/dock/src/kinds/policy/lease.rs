//! Leases.

use serde_json::Value;

use crate::field::{FieldError, Path};
use crate::kinds::metadata::{self, Scope};
use crate::kinds::read::{Read, at_mut, unset};
use crate::kinds::report::Errors;
use crate::kinds::{Context, Rules, names};

/// The rules of `Lease`.
pub(crate) struct Lease;

/// Takes out the fields of a feature that is off.
fn drop_disabled(object: &mut Value, old: &Value) {
    let Some(spec) = at_mut(object, "spec") else { return };
    for field in ["strategy", "preferredHolder"] {
        if !old.at("spec").has(field) {
            unset(spec, field);
        }
    }
}

fn lease(object: &Value, errors: &mut Errors) {
    let (spec, path) = (object.at("spec"), Path::new("spec"));
    if let Some(seconds) = spec.number("leaseDurationSeconds").filter(|seconds| *seconds <= 0) {
        errors.invalid(&path.child("leaseDurationSeconds"), seconds, "must be greater than 0");
    }
    if let Some(count) = spec.number("leaseTransitions").filter(|count| *count < 0) {
        errors.invalid(&path.child("leaseTransitions"), count, "must be greater than or equal to 0");
    }
    if !spec.text("preferredHolder").is_empty() && spec.text("strategy").is_empty() {
        errors.forbidden(&path.child("preferredHolder"), "may only be specified if `strategy` is defined");
    }
}

impl Rules for Lease {
    fn prepare_create(&self, object: &mut Value, _context: &Context) {
        drop_disabled(object, &Value::Null);
    }

    fn prepare_update(&self, object: &mut Value, old: &Value, _context: &Context) {
        drop_disabled(object, old);
    }

    fn validate(&self, object: &Value) -> Vec<FieldError> {
        let mut errors = Errors::new();
        let (meta, path) = (object.at("metadata"), Path::new("metadata"));
        metadata::generic(meta, Scope::Namespaced, names::dns_subdomain, &path, &mut errors);
        lease(object, &mut errors);
        errors.found()
    }

    fn validate_update(&self, object: &Value, old: &Value) -> Vec<FieldError> {
        let mut errors = Errors::new();
        metadata::generic_update(object, old, &mut errors);
        lease(object, &mut errors);
        errors.found()
    }
}
