//! What metadata must be, for the kinds that check it with a rule of their own for names.

use serde_json::Value;

use super::names::{self, NameRule};
use super::read::{Read, text_of};
use super::report::Errors;
use crate::field::Path;

const ANNOTATIONS_MAX: usize = 256 * 1024;

/// Whether objects of a kind live in namespaces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scope {
    /// They do.
    Namespaced,
    /// They belong to the whole cluster.
    Cluster,
}

/// What is wrong with the metadata of an object of a built-in kind.
pub(crate) fn validate(object: &Value, scope: Scope, rule: NameRule, errors: &mut Errors) {
    let path = Path::new("metadata");
    let meta = object.at("metadata");
    generic(meta, scope, rule, &path, errors);
    kube_finalizers(meta, &path, errors);
}

/// The same for kinds that do not check the prefix of a generated name.
pub(crate) fn validate_name_only(object: &Value, scope: Scope, rule: NameRule, errors: &mut Errors) {
    let path = Path::new("metadata");
    let meta = object.at("metadata");
    let name = meta.text("name");
    if name.is_empty() {
        errors.required(&path.child("name"), "name or generateName is required");
    } else {
        errors.invalid_each(&path.child("name"), name, rule(name));
    }
    common(meta, scope, &path, errors);
    kube_finalizers(meta, &path, errors);
}

/// What is wrong with the metadata of an object that replaces another of a built-in kind.
pub(crate) fn validate_update(object: &Value, old: &Value, errors: &mut Errors) {
    generic_update(object, old, errors);
    kube_finalizers(object.at("metadata"), &Path::new("metadata"), errors);
}

/// The same where the version that is replaced must be told, as a status of storage and quotas has it.
pub(crate) fn validate_versioned_update(object: &Value, old: &Value, errors: &mut Errors) {
    validate_update(object, old, errors);
    if object.at("metadata").text("resourceVersion").is_empty() {
        errors.required(&Path::new("resourceVersion"), "");
    }
}

/// The same for kinds that take any finalizer.
pub(crate) fn generic_update(object: &Value, old: &Value, errors: &mut Errors) {
    let path = Path::new("metadata");
    let (meta, old) = (object.at("metadata"), old.at("metadata"));
    if old.has("deletionTimestamp") {
        no_new_finalizers(meta, old, &path.child("finalizers"), errors);
    }
    if meta.text("resourceVersion").is_empty() {
        errors.invalid(&path.child("resourceVersion"), "", "must be specified for an update");
    }
    if meta.int("generation") < old.int("generation") {
        errors.invalid(&path.child("generation"), meta.int("generation"), "must not be decremented");
    }
    for field in ["name", "namespace", "uid"] {
        if meta.text(field) != old.text(field) {
            errors.invalid(&path.child(field), meta.text(field), "field is immutable");
        }
    }
    for field in ["creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds"] {
        errors.immutable(meta.at(field), old.at(field), &path.child(field));
    }
    labels(meta, "labels", &path, errors);
    annotations(meta, &path.child("annotations"), errors);
    owner_references(meta, &path.child("ownerReferences"), errors);
    managed_fields(meta, &path.child("managedFields"), errors);
}

/// What is wrong with metadata, alike for all kinds but for the rule of names.
pub(crate) fn generic(meta: &Value, scope: Scope, rule: NameRule, path: &Path, errors: &mut Errors) {
    let prefix = meta.text("generateName");
    if !prefix.is_empty() {
        errors.invalid_each(&path.child("generateName"), prefix, rule(&names::masked(prefix)));
    }
    let name = meta.text("name");
    if name.is_empty() {
        errors.required(&path.child("name"), "name or generateName is required");
    } else {
        errors.invalid_each(&path.child("name"), name, rule(name));
    }
    common(meta, scope, path, errors);
}

/// What is wrong with metadata besides its name.
pub(crate) fn common(meta: &Value, scope: Scope, path: &Path, errors: &mut Errors) {
    let namespace = meta.text("namespace");
    match scope {
        Scope::Namespaced if namespace.is_empty() => errors.required(&path.child("namespace"), ""),
        Scope::Namespaced => {
            errors.invalid_each(&path.child("namespace"), namespace, names::dns_label(namespace));
        }
        Scope::Cluster if !namespace.is_empty() => {
            errors.forbidden(&path.child("namespace"), "not allowed on this type");
        }
        Scope::Cluster => {}
    }
    errors.not_negative(meta.int("generation"), &path.child("generation"));
    labels(meta, "labels", path, errors);
    annotations(meta, &path.child("annotations"), errors);
    owner_references(meta, &path.child("ownerReferences"), errors);
    finalizers(meta, &path.child("finalizers"), errors);
    managed_fields(meta, &path.child("managedFields"), errors);
}

/// The map of labels in `field` of `object`: its keys and values.
pub(crate) fn labels(object: &Value, field: &str, path: &Path, errors: &mut Errors) {
    let path = path.child(field);
    for (key, value) in object.entries(field) {
        errors.invalid_each(&path, key, names::label_key(key));
        errors.invalid_each(&path, text_of(value), names::label_value(text_of(value)));
    }
}

/// The annotations of metadata: their keys, and how much they hold.
pub(crate) fn annotations(meta: &Value, path: &Path, errors: &mut Errors) {
    let mut size = 0;
    for (key, value) in meta.entries("annotations") {
        errors.invalid_each(path, key, names::label_key(&key.to_lowercase()));
        size += key.len() + text_of(value).len();
    }
    if size > ANNOTATIONS_MAX {
        errors.too_long(path, ANNOTATIONS_MAX);
    }
}

fn owner_references(meta: &Value, path: &Path, errors: &mut Errors) {
    let mut controller: Option<String> = None;
    for owner in meta.list("ownerReferences") {
        let api_version = owner.text("apiVersion");
        let version = match api_version.matches('/').count() {
            0 | 1 => api_version.rsplit('/').next().unwrap_or_default(),
            _ => "",
        };
        if version.is_empty() {
            errors.invalid(&path.child("apiVersion"), api_version, "version must not be empty");
        }
        for field in ["kind", "name", "uid"] {
            if owner.text(field).is_empty() {
                errors.invalid(&path.child(field), "", "must not be empty");
            }
        }
        if api_version == "v1" && owner.text("kind") == "Event" {
            errors.invalid_shown(path, shown(owner), "/v1, Kind=Event is disallowed from being an owner");
        }
        if owner.flag("controller") {
            let this = format!("{}/{}", owner.text("kind"), owner.text("name"));
            match &controller {
                Some(first) => errors.invalid_shown(
                    path,
                    shown_all(meta.list("ownerReferences")),
                    format!(
                        "Only one reference can have Controller set to true. Found \"true\" in references for \
                         {first} and {this}"
                    ),
                ),
                None => controller = Some(this),
            }
        }
    }
}

fn shown_all(owners: &[Value]) -> String {
    let all: Vec<String> = owners.iter().map(shown).collect();
    format!("[{}]", all.join(","))
}

/// A reference to an owner as Go shows it.
fn shown(owner: &Value) -> String {
    let texts = ["apiVersion", "kind", "name", "uid"]
        .map(|field| format!("\"{field}\":{}", crate::field::quoted(owner.text(field))));
    let flags = ["controller", "blockOwnerDeletion"]
        .into_iter()
        .filter(|field| owner.has(field))
        .map(|field| format!("\"{field}\":{}", owner.at(field)));
    let all: Vec<String> = texts.into_iter().chain(flags).collect();
    format!("{{{}}}", all.join(","))
}

fn finalizers(meta: &Value, path: &Path, errors: &mut Errors) {
    let all = meta.list("finalizers");
    for finalizer in all {
        errors.invalid_each(path, text_of(finalizer), names::label_key(text_of(finalizer)));
    }
    let has = |name: &str| all.iter().any(|finalizer| finalizer == name);
    if has("orphan") && has("foregroundDeletion") {
        errors.invalid(
            path,
            meta.at("finalizers").clone(),
            "finalizer orphan and foregroundDeletion cannot be both set",
        );
    }
}

/// Finalizers of built-in kinds are qualified, or one of the three that Kubernetes knows.
fn kube_finalizers(meta: &Value, path: &Path, errors: &mut Errors) {
    for (index, finalizer) in meta.list("finalizers").iter().enumerate() {
        kube_finalizer(text_of(finalizer), &path.child("finalizers").index(index), errors);
    }
}

/// A finalizer without a domain must be one that Kubernetes knows.
pub(crate) fn kube_finalizer(name: &str, path: &Path, errors: &mut Errors) {
    let known = ["kubernetes", "orphan", "foregroundDeletion"];
    if !name.contains('/') && !known.contains(&name) {
        errors.invalid(path, name, "name is neither a standard finalizer name nor is it fully qualified");
    }
}

fn no_new_finalizers(meta: &Value, old: &Value, path: &Path, errors: &mut Errors) {
    let mut extra: Vec<&str> = meta
        .list("finalizers")
        .iter()
        .filter(|item| !old.list("finalizers").contains(item))
        .map(text_of)
        .collect();
    extra.sort_unstable();
    extra.dedup();
    if !extra.is_empty() {
        let shown: Vec<String> = extra.iter().map(|name| crate::field::quoted(name)).collect();
        errors.forbidden(
            path,
            format!(
                "no new finalizers can be added if the object is being deleted, found new finalizers []string{{{}}}",
                shown.join(", ")
            ),
        );
    }
}

fn managed_fields(meta: &Value, path: &Path, errors: &mut Errors) {
    for (index, entry) in meta.list("managedFields").iter().enumerate() {
        let path = path.index(index);
        let operation = entry.text("operation");
        if operation != "Apply" && operation != "Update" {
            errors.invalid(&path.child("operation"), operation, "must be `Apply` or `Update`");
        }
        let kind = entry.text("fieldsType");
        if !kind.is_empty() && kind != "FieldsV1" {
            errors.invalid(&path.child("fieldsType"), kind, "must be `FieldsV1`");
        }
        let manager = entry.text("manager");
        if manager.len() > 128 {
            errors.too_long(&path.child("manager"), 128);
        }
        for (position, char) in manager.char_indices().filter(|(_, char)| char.is_control()) {
            errors.invalid(
                &path.child("manager"),
                manager,
                format!("invalid character U+{:04X} (at position {position})", u32::from(char)),
            );
        }
        if entry.text("subresource").len() > 256 {
            errors.too_long(&path.child("subresource"), 256);
        }
    }
}
