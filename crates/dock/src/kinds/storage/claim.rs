//! Claims to persistent volumes.

use serde_json::{Value, json};

use super::sources::access_modes;
use crate::field::{FieldError, Path, quoted};
use crate::kinds::metadata::{self, Scope};
use crate::kinds::quantity::Quantity;
use crate::kinds::read::{Read, at_mut, child_mut, fill, fill_absent, same, set, text_of, unset};
use crate::kinds::report::Errors;
use crate::kinds::selector::{self, Values};
use crate::kinds::{Context, Rules, copy_field, internal, names, resources};

const BETA_CLASS: &str = "volume.beta.kubernetes.io/storage-class";

/// The rules of `PersistentVolumeClaim`.
pub(crate) struct PersistentVolumeClaim;

/// Fills up the spec of a claim.
pub(crate) fn fill_spec(spec: &mut Value) {
    fill_absent(spec, "volumeMode", "Filesystem");
    if let Some(resources) = at_mut(spec, "resources") {
        resources::round(resources, "limits");
        resources::round(resources, "requests");
    }
}

/// What is let pass in a claim because the one before has it.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Options {
    any_selector_values: bool,
    any_group: bool,
}

impl Options {
    fn after(old: &Value) -> Self {
        let spec = old.at("spec");
        Self {
            any_selector_values: !selector::is_understood(spec.at("selector")),
            any_group: spec.at("dataSource").has("apiGroup") || spec.at("dataSourceRef").has("apiGroup"),
        }
    }
}

/// What is wrong with the spec of a claim.
pub(crate) fn validate_spec(spec: &Value, options: Options, path: &Path, errors: &mut Errors) {
    if spec.list("accessModes").is_empty() {
        errors.required(&path.child("accessModes"), "at least 1 access mode is required");
    }
    let values = if options.any_selector_values { Values::Any } else { Values::Checked };
    selector::validate(spec.at("selector"), values, &path.child("selector"), errors);
    access_modes(spec, path, errors);
    let storage = spec.at("resources").at("requests").at("storage");
    let own = path.child("resources").key("storage");
    match Quantity::of(storage) {
        None => errors.required(&own, ""),
        Some(quantity) if !quantity.is_positive() => {
            errors.invalid(&own, storage.clone(), "must be greater than zero");
        }
        Some(_) => {}
    }
    let class = spec.text("storageClassName");
    if !class.is_empty() {
        errors.invalid_each(&path.child("storageClassName"), class, names::dns_subdomain(class));
    }
    if spec.has("volumeMode") {
        errors.one_of(spec.text("volumeMode"), &["Block", "Filesystem"], &path.child("volumeMode"));
    }
    for field in ["dataSource", "dataSourceRef"] {
        data_source(spec.at(field), options, &path.child(field), errors);
    }
    let (source, reference) = (spec.at("dataSource"), spec.at("dataSourceRef"));
    let words = if reference.text("namespace").is_empty() {
        let alike = ["apiGroup", "kind", "name"].iter().all(|field| source.at(field) == reference.at(field));
        (!reference.is_null() && !alike).then_some("must match dataSourceRef")
    } else {
        Some("may not be specified when dataSourceRef.namespace is specified")
    };
    if let Some(words) = words.filter(|_| !source.is_null()) {
        let mut error = FieldError::invalid(path, Value::Null, words);
        error.shown = Some("{}".into());
        errors.push(error);
    }
    let attributes = spec.text("volumeAttributesClassName");
    if !attributes.is_empty() {
        let path = path.child("volumeAttributesClassName");
        errors.invalid_each(&path, attributes, names::dns_subdomain(attributes));
    }
}

fn data_source(source: &Value, options: Options, path: &Path, errors: &mut Errors) {
    if source.is_null() {
        return;
    }
    errors.needs(source, "name", path);
    errors.needs(source, "kind", path);
    let group = source.text("apiGroup");
    if group.is_empty() && source.text("kind") != "PersistentVolumeClaim" {
        errors.invalid(
            path,
            source.text("kind"),
            "must be 'PersistentVolumeClaim' when referencing the default apiGroup",
        );
    }
    if !group.is_empty() && !options.any_group {
        errors.invalid_each(&path.child("apiGroup"), group, names::dns_subdomain(group));
    }
    let namespace = source.text("namespace");
    if !namespace.is_empty() {
        errors.invalid_each(&path.child("namespace"), namespace, names::dns_label(namespace));
    }
}

/// What is wrong with a template of claims in a pod.
pub(crate) fn validate_template(template: &Value, path: &Path, errors: &mut Errors) {
    let meta = template.at("metadata");
    let own = path.child("metadata");
    metadata::annotations(meta, &own.child("annotations"), errors);
    metadata::labels(meta, "labels", &own, errors);
    for (field, named) in [
        ("name", "name"),
        ("generateName", "generateName"),
        ("namespace", "namespace"),
        ("selfLink", "selfLink"),
        ("uid", "uID"),
        ("resourceVersion", "resourceVersion"),
        ("generation", "generation"),
        ("creationTimestamp", "creationTimestamp"),
        ("deletionTimestamp", "deletionTimestamp"),
        ("deletionGracePeriodSeconds", "deletionGracePeriodSeconds"),
        ("ownerReferences", "ownerReferences"),
        ("finalizers", "finalizers"),
        ("managedFields", "managedFields"),
    ] {
        if meta.has(field) {
            errors.forbidden(&own.child(named), "cannot be set");
        }
    }
    validate_spec(template.at("spec"), Options::default(), &path.child("spec"), errors);
}

/// What the server warns of in the spec of a claim.
pub(crate) fn spec_warnings(spec: &Value, path: &Path) -> Vec<String> {
    let mut out = Vec::new();
    for field in ["requests", "limits"] {
        let value = spec.at("resources").at(field).at("storage");
        if Quantity::of(value).is_some_and(|quantity| !quantity.is_whole()) {
            out.push(format!(
                "{}: fractional byte value {} is invalid, must be an integer",
                path.child("resources").child(field).key("storage"),
                quoted(text_of(value))
            ));
        }
    }
    out
}

/// Keeps the two ways to name a source of data in step, and takes out what is not supported.
fn normalise_sources(spec: &mut Value, old: &Value) {
    if !spec.at("dataSourceRef").text("namespace").is_empty() && !old.has("dataSourceRef") {
        unset(spec, "dataSourceRef");
    }
    let used = old.has("dataSource") || old.has("dataSourceRef");
    let source = spec.at("dataSource");
    let known = matches!(
        (source.text("kind"), source.text("apiGroup")),
        ("PersistentVolumeClaim", "") | ("VolumeSnapshot", "snapshot.storage.k8s.io")
    );
    if !used && !spec.has("dataSourceRef") && !known {
        unset(spec, "dataSource");
    }
    let pick = |from: &Value| {
        let mut to = json!({"kind": from.text("kind"), "name": from.text("name")});
        if from.has("apiGroup") {
            set(&mut to, "apiGroup", from.at("apiGroup").clone());
        } else {
            set(&mut to, "apiGroup", Value::Null);
        }
        to
    };
    let (source, reference) = (spec.at("dataSource"), spec.at("dataSourceRef"));
    if !source.is_null() && reference.is_null() {
        let reference = pick(source);
        set(spec, "dataSourceRef", reference);
    } else if source.is_null() && !reference.is_null() && reference.text("namespace").is_empty() {
        let source = pick(reference);
        set(spec, "dataSource", source);
    }
}

fn normalised(claim: &Value) -> Value {
    let mut spec = claim.at("spec").clone();
    let old = spec.clone();
    normalise_sources(&mut spec, &old);
    spec
}

fn claim(object: &Value, options: Options, errors: &mut Errors) {
    metadata::validate(object, Scope::Namespaced, names::dns_subdomain, errors);
    validate_spec(object.at("spec"), options, &Path::new("spec"), errors);
}

/// What may change in a claim, once it is there.
fn changed(object: &Value, old: &Value, errors: &mut Errors) {
    let annotation = |object: &Value| {
        object.at("metadata").at("annotations").get(BETA_CLASS).map(text_of).map(str::to_owned)
    };
    let (new_told, old_told) = (annotation(object), annotation(old));
    let mut new_spec = object.at("spec").clone();
    let mut old_spec = normalised(old);
    let path = Path::new("spec");
    if old_spec.text("volumeName").is_empty() {
        copy_field(&mut old_spec, &new_spec, "volumeName");
    }
    let (now, before) = (new_spec.at("storageClassName").as_str(), old_spec.at("storageClassName").as_str());
    let from_annotation = before.is_none()
        && old_told.as_deref().is_some_and(|told| now == Some(told))
        && (new_told.is_none() || new_told == old_told);
    if from_annotation {
        unset(&mut new_spec, "storageClassName");
    } else {
        if new_told.as_deref().unwrap_or_default() != old_told.as_deref().unwrap_or_default() {
            errors.invalid(
                &Path::new("metadata").child("annotations").child(BETA_CLASS),
                new_told.clone().unwrap_or_default(),
                "field is immutable",
            );
        }
        if before.is_none() && now.is_some() && (old_told.is_none() || now == old_told.as_deref()) {
            copy_field(&mut new_spec, &old_spec, "storageClassName");
        }
    }
    let bound = object.at("status").text("phase") == "Bound";
    if bound {
        let storage = old_spec.at("resources").at("requests").at("storage").clone();
        if let Some(requests) = at_mut(&mut new_spec, "resources").and_then(|own| at_mut(own, "requests")) {
            set(requests, "storage", storage);
        }
        copy_field(&mut new_spec, &old_spec, "volumeAttributesClassName");
    }
    if !same(&new_spec, &old_spec) {
        let told = internal::difference("core.PersistentVolumeClaimSpec", &old_spec, &new_spec);
        errors.forbidden(
            &path,
            format!(
                "spec is immutable after creation except resources.requests and volumeAttributesClassName for \
                 bound claims\n{told}"
            ),
        );
    }
    let size = |spec: &Value| {
        Quantity::of(spec.at("resources").at("requests").at("storage")).unwrap_or(Quantity::ZERO)
    };
    let (new_size, old_size) = (size(object.at("spec")), size(old.at("spec")));
    let capacity = Quantity::of(old.at("status").at("capacity").at("storage")).unwrap_or(Quantity::ZERO);
    if new_size < old_size && new_size <= capacity {
        errors.forbidden(
            &path.child("resources").child("requests").child("storage"),
            "field can not be less than status.capacity",
        );
    }
    errors.immutable(
        object.at("spec").at("volumeMode"),
        old.at("spec").at("volumeMode"),
        &Path::new("volumeMode"),
    );
    let (now, before) =
        (object.at("spec").at("volumeAttributesClassName"), old.at("spec").at("volumeAttributesClassName"));
    if now != before && old.at("status").has("currentVolumeAttributesClassName") {
        let words = match now.as_str() {
            None => {
                Some("update to nil is forbidden when status.currentVolumeAttributesClassName is not nil")
            }
            Some("") => Some(
                "update to empty string is forbidden when status.currentVolumeAttributesClassName is not nil",
            ),
            Some(_) => None,
        };
        if let Some(words) = words {
            errors.forbidden(&path.child("volumeAttributesClassName"), words);
        }
    }
}

impl Rules for PersistentVolumeClaim {
    fn default(&self, object: &mut Value) {
        if let Some(status) = child_mut(object, "status") {
            fill(status, "phase", "Pending");
            resources::round(status, "capacity");
            resources::round(status, "allocatedResources");
        }
        if let Some(spec) = child_mut(object, "spec") {
            fill_spec(spec);
        }
    }

    fn prepare_create(&self, object: &mut Value, _context: &Context) {
        set(object, "status", json!({}));
        if let Some(spec) = child_mut(object, "spec") {
            normalise_sources(spec, &Value::Null);
        }
    }

    fn prepare_update(&self, object: &mut Value, old: &Value, _context: &Context) {
        copy_field(object, old, "status");
        if let Some(spec) = child_mut(object, "spec") {
            normalise_sources(spec, old.at("spec"));
        }
    }

    fn has_status(&self) -> bool {
        true
    }

    fn complete(&self, object: &mut Value) {
        if let Some(status) = child_mut(object, "status") {
            fill(status, "phase", "Pending");
        }
    }

    fn is_shown_as_kept(&self, object: &Value) -> bool {
        !object.at("status").text("phase").is_empty()
    }

    fn validate(&self, object: &Value) -> Vec<FieldError> {
        let mut errors = Errors::new();
        claim(object, Options::default(), &mut errors);
        errors.found()
    }

    fn validate_update(&self, object: &Value, old: &Value) -> Vec<FieldError> {
        let mut errors = Errors::new();
        metadata::validate_update(object, old, &mut errors);
        claim(object, Options::after(old), &mut errors);
        changed(object, old, &mut errors);
        errors.found()
    }

    fn validate_status_update(&self, object: &Value, old: &Value) -> Vec<FieldError> {
        let mut errors = Errors::new();
        metadata::validate_versioned_update(object, old, &mut errors);
        if object.at("spec").list("accessModes").is_empty() {
            errors.required(&Path::new("Spec").child("accessModes"), "");
        }
        let (status, path) = (object.at("status"), Path::new("status"));
        for (name, value) in status.entries("capacity") {
            resources::basic_amount(value, &path.child("capacity").key(name), &mut errors);
        }
        for (name, value) in status.entries("allocatedResourceStatuses") {
            let path = path.child("allocatedResourceStatuses");
            resource_key(name, &path, &mut errors);
            let known = [
                "ControllerResizeInProgress",
                "ControllerResizeInfeasible",
                "NodeResizeInProgress",
                "NodeResizeInfeasible",
                "NodeResizePending",
            ];
            if !known.contains(&text_of(value)) {
                errors.unsupported(&path, name.as_str(), &known);
            }
        }
        for (name, value) in status.entries("allocatedResources") {
            let path = path.child("allocatedResources");
            if resource_key(name, &path, &mut errors) {
                resources::basic_amount(value, &path.key(name), &mut errors);
            }
        }
        errors.found()
    }

    fn warnings(&self, object: &Value, _old: Option<&Value>) -> Vec<String> {
        let mut out = Vec::new();
        if object.at("metadata").at("annotations").has(BETA_CLASS) {
            out.push(format!(
                "metadata.annotations[{BETA_CLASS}]: deprecated since v1.8; use \"storageClassName\" attribute instead"
            ));
        }
        out.extend(spec_warnings(object.at("spec"), &Path::new("spec")));
        out
    }

    fn selectable(&self) -> &'static [&'static str] {
        &["name"]
    }
}

/// The name of a resource of a claim; tells whether it is right.
fn resource_key(name: &str, path: &Path, errors: &mut Errors) -> bool {
    let before = errors.len();
    errors.invalid_each(path, name, names::label_key(name));
    if errors.len() == before && resources::is_native(name) && name != "storage" {
        errors.unsupported(path, name, &["storage"]);
    }
    errors.len() == before
}
