//! Templates of pods, which the workloads hold.

use serde_json::Value;

use super::options::Options;
use super::{annotations, defaults, spec, warnings};
use crate::field::{FieldError, Path};
use crate::kinds::metadata::{self, Scope};
use crate::kinds::read::{Read, at_mut, child_mut};
use crate::kinds::report::Errors;
use crate::kinds::{Context, Rules, names};

/// Fills up the template in a field.
pub(crate) fn fill(object: &mut Value, field: &str) {
    if let Some(template) = child_mut(object, field) {
        defaults::template(template);
    }
}

/// Takes out of the template in `spec.template` what belongs to features that are off.
pub(crate) fn drop_disabled(template: Option<&mut Value>, old: &Value) {
    if let Some(spec) = template.and_then(|template| at_mut(template, "spec")) {
        defaults::drop_disabled(spec, old.at("spec"));
    }
}

/// What is let pass in a template, given the one before it.
pub(crate) fn options(old: Option<&Value>) -> Options {
    old.map_or_else(|| Options::new(false), |old| Options::after(false, old.at("spec"), old.at("metadata")))
}

/// What is wrong with a template.
pub(crate) fn validate(template: &Value, options: &Options, path: &Path, errors: &mut Errors) {
    let (meta, own) = (template.at("metadata"), template.at("spec"));
    validate_metadata(template, options, path, errors);
    spec::validate(own, None, options, &path.child("spec"), errors);
    annotations::agree(meta, own, &path.child("spec"), errors);
    if !own.list("ephemeralContainers").is_empty() {
        errors.forbidden(
            &path.child("spec").child("ephemeralContainers"),
            "ephemeral containers not allowed in pod template",
        );
    }
}

/// What is wrong with the labels and annotations of a template.
pub(crate) fn validate_metadata(template: &Value, options: &Options, path: &Path, errors: &mut Errors) {
    let (meta, own) = (template.at("metadata"), template.at("spec"));
    metadata::labels(meta, "labels", path, errors);
    metadata::annotations(meta, &path.child("annotations"), errors);
    annotations::validate(meta, own, options, &path.child("annotations"), errors);
}

/// What the server warns of in a template.
pub(crate) fn warnings(template: &Value, path: &Path) -> Vec<String> {
    warnings::of(template.at("spec"), template.at("metadata"), path, true)
}

/// The rules of `PodTemplate`.
pub(crate) struct PodTemplate;

impl Rules for PodTemplate {
    fn default(&self, object: &mut Value) {
        fill(object, "template");
    }

    fn prepare_create(&self, object: &mut Value, _context: &Context) {
        drop_disabled(at_mut(object, "template"), &Value::Null);
    }

    fn prepare_update(&self, object: &mut Value, old: &Value, _context: &Context) {
        drop_disabled(at_mut(object, "template"), old.at("template"));
    }

    fn has_generation(&self) -> bool {
        true
    }

    fn validate(&self, object: &Value) -> Vec<FieldError> {
        let mut errors = Errors::new();
        metadata::validate(object, Scope::Namespaced, names::dns_subdomain, &mut errors);
        self::validate(object.at("template"), &options(None), &Path::new("template"), &mut errors);
        errors.found()
    }

    fn validate_update(&self, object: &Value, old: &Value) -> Vec<FieldError> {
        let mut errors = Errors::new();
        let allowed = options(Some(old.at("template")));
        metadata::validate_update(object, old, &mut errors);
        self::validate(object.at("template"), &allowed, &Path::new("template"), &mut errors);
        errors.found()
    }

    fn warnings(&self, object: &Value, old: Option<&Value>) -> Vec<String> {
        if old.is_some_and(|old| {
            old.at("metadata").int("generation") == object.at("metadata").int("generation")
        }) {
            return Vec::new();
        }
        warnings(object.at("template"), &Path::new("template"))
    }
}
