//! Namespaces.

use serde_json::{Value, json};

use crate::field::{FieldError, Path};
use crate::kinds::metadata::{self, Scope};
use crate::kinds::read::{Read, at_mut, child_mut, fill, set, text_of, unset};
use crate::kinds::report::Errors;
use crate::kinds::{Context, Rules, copy_field, names};

/// The rules of `Namespace`.
pub(crate) struct Namespace;

/// Every namespace bears its own name as a label.
fn label(object: &mut Value) {
    let Some(meta) = child_mut(object, "metadata") else { return };
    let name = meta.text("name").to_owned();
    if name.is_empty() {
        return;
    }
    if let Some(labels) = child_mut(meta, "labels") {
        set(labels, "kubernetes.io/metadata.name", name);
    }
}

fn finalizers(object: &Value, indexed: bool, errors: &mut Errors) {
    let path = Path::new("spec").child("finalizers");
    for (index, finalizer) in object.at("spec").list("finalizers").iter().enumerate() {
        let path = if indexed { path.index(index) } else { path.clone() };
        let name = text_of(finalizer);
        errors.invalid_each(&path, name, names::label_key(name));
        metadata::kube_finalizer(name, &path, errors);
    }
}

impl Rules for Namespace {
    fn default(&self, object: &mut Value) {
        label(object);
        if let Some(status) = child_mut(object, "status") {
            fill(status, "phase", "Active");
        }
    }

    fn prepare_create(&self, object: &mut Value, _context: &Context) {
        set(object, "status", json!({"phase": "Active"}));
        if let Some(spec) = child_mut(object, "spec") {
            let mut finalizers = spec.list("finalizers").to_vec();
            if !finalizers.iter().any(|finalizer| finalizer == "kubernetes") {
                finalizers.push(json!("kubernetes"));
            }
            set(spec, "finalizers", finalizers);
        }
        label(object);
    }

    fn prepare_update(&self, object: &mut Value, old: &Value, _context: &Context) {
        if let Some(spec) = child_mut(object, "spec") {
            copy_field(spec, old.at("spec"), "finalizers");
        }
        copy_field(object, old, "status");
        label(object);
    }

    fn prepare_part_update(&self, part: &str, object: &mut Value, old: &Value, context: &Context) {
        match part {
            "status" => self.prepare_status_update(object, old, context),
            "finalize" => {
                if let Some(spec) = at_mut(object, "spec")
                    && spec.list("finalizers").is_empty()
                {
                    unset(spec, "finalizers");
                }
                copy_field(object, old, "status");
            }
            _ => self.prepare_update(object, old, context),
        }
    }

    fn resets(&self, part: &str) -> &'static [&'static str] {
        if part == "status" { &["spec"] } else { &["status"] }
    }

    fn has_status(&self) -> bool {
        true
    }

    fn validate(&self, object: &Value) -> Vec<FieldError> {
        let mut errors = Errors::new();
        metadata::validate(object, Scope::Cluster, names::dns_label, &mut errors);
        finalizers(object, false, &mut errors);
        errors.found()
    }

    fn validate_update(&self, object: &Value, old: &Value) -> Vec<FieldError> {
        let mut errors = Errors::new();
        metadata::validate(object, Scope::Cluster, names::dns_label, &mut errors);
        finalizers(object, false, &mut errors);
        metadata::validate_update(object, old, &mut errors);
        errors.found()
    }

    fn validate_status_update(&self, object: &Value, old: &Value) -> Vec<FieldError> {
        let mut errors = Errors::new();
        metadata::validate_update(object, old, &mut errors);
        let phase = object.at("status").text("phase");
        let path = Path::new("status").child("Phase");
        let deleted = object.at("metadata").has("deletionTimestamp");
        if deleted && phase != "Terminating" {
            errors.invalid(&path, phase, "may only be 'Terminating' if `deletionTimestamp` is not empty");
        } else if !deleted && phase != "Active" {
            errors.invalid(&path, phase, "may only be 'Active' if `deletionTimestamp` is empty");
        }
        errors.found()
    }

    fn validate_subresource_update(&self, subresource: &str, object: &Value, old: &Value) -> Vec<FieldError> {
        match subresource {
            "status" => self.validate_status_update(object, old),
            "finalize" => {
                let mut errors = Errors::new();
                metadata::validate_update(object, old, &mut errors);
                finalizers(object, true, &mut errors);
                errors.found()
            }
            _ => self.validate_update(object, old),
        }
    }

    fn selectable(&self) -> &'static [&'static str] {
        &["status.phase", "name"]
    }
}
