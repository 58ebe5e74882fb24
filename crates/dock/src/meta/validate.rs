//! What is wrong with metadata, in the order and words of the real server.

use serde_json::{Map, Value};

use super::format::{dns_label, label_key, label_value, path_segment, path_segment_prefix};
use super::kind_rules::{MetaRules, OnUpdate};
use crate::field::{FieldError, Path};

const ANNOTATIONS_LIMIT: usize = 256 * 1024;
const MANAGER_LIMIT: usize = 128;
const SUBRESOURCE_LIMIT: usize = 256;

/// What a kind finds wrong with the metadata of a new object.
pub fn validate(object: &Value, namespaced: bool, rules: MetaRules) -> Vec<FieldError> {
    if !rules.on_create {
        return Vec::new();
    }
    full(object, namespaced, rules)
}

/// What is wrong with the metadata of a new object of any kind. Asked only when the kind found nothing.
pub fn validate_any(object: &Value, namespaced: bool) -> Vec<FieldError> {
    validate_meta(&metadata(object), namespaced, &any_name, &Path::new("metadata"))
}

/// What is wrong with the metadata of an object that replaces another: for all kinds, then for this kind.
pub fn validate_update(object: &Value, old: &Value, namespaced: bool, rules: MetaRules) -> Vec<FieldError> {
    let path = Path::new("metadata");
    let mut errors = validate_any(object, namespaced);
    errors.extend(validate_meta_update(&metadata(object), &metadata(old), &path));
    let changes = || {
        let mut errors = validate_meta_update(&metadata(object), &metadata(old), &path);
        if rules.known_finalizers {
            errors.extend(known_finalizers(&metadata(object), &path));
        }
        errors
    };
    match rules.on_update {
        OnUpdate::Changes => errors.extend(changes()),
        OnUpdate::ChangesThenAll => {
            errors.extend(changes());
            errors.extend(full(object, namespaced, rules));
        }
        OnUpdate::AllThenChanges => {
            errors.extend(full(object, namespaced, rules));
            errors.extend(changes());
        }
        OnUpdate::All => errors.extend(full(object, namespaced, rules)),
        OnUpdate::Nothing => {}
    }
    errors
}

fn full(object: &Value, namespaced: bool, rules: MetaRules) -> Vec<FieldError> {
    let path = Path::new("metadata");
    let metadata = metadata(object);
    let mut errors =
        validate_meta(&metadata, namespaced, &|name, prefix| rules.name.check(name, prefix), &path);
    if rules.known_finalizers {
        errors.extend(known_finalizers(&metadata, &path));
    }
    errors
}

pub(crate) fn any_name(name: &str, prefix: bool) -> Vec<String> {
    if prefix { path_segment_prefix(name) } else { path_segment(name) }
}

fn metadata(object: &Value) -> Map<String, Value> {
    object.get("metadata").and_then(Value::as_object).cloned().unwrap_or_default()
}

fn text<'a>(fields: &'a Map<String, Value>, field: &str) -> &'a str {
    fields.get(field).and_then(Value::as_str).unwrap_or_default()
}

fn items<'a>(fields: &'a Map<String, Value>, field: &str) -> &'a [Value] {
    fields.get(field).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

/// What is wrong with metadata by itself. `name` says what is wrong with a name, or with the beginning of one.
pub fn validate_meta(
    metadata: &Map<String, Value>,
    namespaced: bool,
    name: &dyn Fn(&str, bool) -> Vec<String>,
    path: &Path,
) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let base = text(metadata, "generateName");
    if !base.is_empty() {
        let wrong = name(base, true);
        errors.extend(
            wrong.into_iter().map(|words| FieldError::invalid(&path.child("generateName"), base, words)),
        );
    }
    let own = text(metadata, "name");
    if own.is_empty() {
        errors.push(FieldError::required(&path.child("name"), "name or generateName is required"));
    } else {
        let wrong = name(own, false);
        errors.extend(wrong.into_iter().map(|words| FieldError::invalid(&path.child("name"), own, words)));
    }
    let namespace = text(metadata, "namespace");
    let place = path.child("namespace");
    match (namespaced, namespace.is_empty()) {
        (true, true) => errors.push(FieldError::required(&place, "")),
        (true, false) => errors.extend(
            dns_label(namespace).into_iter().map(|words| FieldError::invalid(&place, namespace, words)),
        ),
        (false, true) => {}
        (false, false) => errors.push(FieldError::forbidden(&place, "not allowed on this type")),
    }
    let generation = metadata.get("generation").and_then(Value::as_i64).unwrap_or_default();
    if generation < 0 {
        errors.push(FieldError::invalid(
            &path.child("generation"),
            generation,
            "must be greater than or equal to 0",
        ));
    }
    errors.extend(labels(metadata.get("labels"), &path.child("labels")));
    errors.extend(annotations(metadata.get("annotations"), &path.child("annotations")));
    errors.extend(owner_references(items(metadata, "ownerReferences"), &path.child("ownerReferences")));
    errors.extend(finalizers(items(metadata, "finalizers"), &path.child("finalizers")));
    errors.extend(managed_fields(items(metadata, "managedFields"), &path.child("managedFields")));
    errors
}

/// What is wrong with metadata as the successor of other metadata.
pub fn validate_meta_update(
    metadata: &Map<String, Value>,
    old: &Map<String, Value>,
    path: &Path,
) -> Vec<FieldError> {
    let mut errors = Vec::new();
    if old.get("deletionTimestamp").is_some_and(|value| !value.is_null()) {
        let (new, old) = (items(metadata, "finalizers"), items(old, "finalizers"));
        errors.extend(no_new_finalizers(new, old, &path.child("finalizers")));
    }
    if text(metadata, "resourceVersion").is_empty() {
        errors.push(FieldError::invalid(
            &path.child("resourceVersion"),
            "",
            "must be specified for an update",
        ));
    }
    let generation =
        |fields: &Map<String, Value>| fields.get("generation").and_then(Value::as_i64).unwrap_or(0);
    if generation(metadata) < generation(old) {
        errors.push(FieldError::invalid(
            &path.child("generation"),
            generation(metadata),
            "must not be decremented",
        ));
    }
    for field in ["name", "namespace", "uid"] {
        if text(metadata, field) != text(old, field) {
            errors.push(FieldError::invalid(&path.child(field), text(metadata, field), "field is immutable"));
        }
    }
    for field in ["creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds"] {
        let value = metadata.get(field).cloned().unwrap_or_default();
        if value != old.get(field).cloned().unwrap_or_default() {
            errors.push(FieldError::invalid(&path.child(field), value, "field is immutable"));
        }
    }
    errors.extend(labels(metadata.get("labels"), &path.child("labels")));
    errors.extend(annotations(metadata.get("annotations"), &path.child("annotations")));
    errors.extend(owner_references(items(metadata, "ownerReferences"), &path.child("ownerReferences")));
    errors.extend(managed_fields(items(metadata, "managedFields"), &path.child("managedFields")));
    errors
}

/// What is wrong with labels.
pub fn labels(labels: Option<&Value>, path: &Path) -> Vec<FieldError> {
    let mut errors = Vec::new();
    for (key, value) in labels.and_then(Value::as_object).into_iter().flatten() {
        let value = value.as_str().unwrap_or_default();
        errors.extend(label_key(key).into_iter().map(|words| FieldError::invalid(path, key.as_str(), words)));
        errors.extend(label_value(value).into_iter().map(|words| FieldError::invalid(path, value, words)));
    }
    errors
}

/// What is wrong with annotations.
pub fn annotations(annotations: Option<&Value>, path: &Path) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let mut size = 0;
    for (key, value) in annotations.and_then(Value::as_object).into_iter().flatten() {
        let wrong = label_key(&key.to_lowercase());
        errors.extend(wrong.into_iter().map(|words| FieldError::invalid(path, key.as_str(), words)));
        size += key.len() + value.as_str().unwrap_or_default().len();
    }
    if size > ANNOTATIONS_LIMIT {
        errors.push(FieldError::too_long(path, ANNOTATIONS_LIMIT));
    }
    errors
}

/// What is wrong with owners.
pub fn owner_references(references: &[Value], path: &Path) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let mut controller: Option<String> = None;
    for reference in references {
        let field = |name: &str| reference.get(name).and_then(Value::as_str).unwrap_or_default();
        let (api_version, kind) = (field("apiVersion"), field("kind"));
        if version_of(api_version).is_empty() {
            errors.push(FieldError::invalid(
                &path.child("apiVersion"),
                api_version,
                "version must not be empty",
            ));
        }
        for name in ["kind", "name", "uid"] {
            if field(name).is_empty() {
                errors.push(FieldError::invalid(&path.child(name), "", "must not be empty"));
            }
        }
        if api_version == "v1" && kind == "Event" {
            errors.push(
                FieldError::invalid(
                    path,
                    reference.clone(),
                    "/v1, Kind=Event is disallowed from being an owner",
                )
                .showing(owner_text(reference)),
            );
        }
        if reference.get("controller").and_then(Value::as_bool) == Some(true) {
            let current = format!("{kind}/{}", field("name"));
            match &controller {
                Some(first) => {
                    let shown: Vec<String> = references.iter().map(owner_text).collect();
                    let words = format!(
                        "Only one reference can have Controller set to true. Found \"true\" in references for \
                         {first} and {current}"
                    );
                    errors.push(
                        FieldError::invalid(path, references.to_vec(), words)
                            .showing(format!("[{}]", shown.join(","))),
                    );
                }
                None => controller = Some(current),
            }
        }
    }
    errors
}

/// The version in an `apiVersion`; one with several slashes has none.
fn version_of(api_version: &str) -> &str {
    match api_version.split_once('/') {
        None => api_version,
        Some((_, version)) if !version.contains('/') => version,
        Some(_) => "",
    }
}

/// An owner with its fields in the order of the Go type.
fn owner_text(reference: &Value) -> String {
    let mut parts = Vec::new();
    for field in ["apiVersion", "kind", "name", "uid"] {
        let value = reference.get(field).and_then(Value::as_str).unwrap_or_default();
        parts.push(format!("\"{field}\":{}", goyaml::json::to_string(value).unwrap_or_default()));
    }
    for field in ["controller", "blockOwnerDeletion"] {
        if let Some(value) = reference.get(field).and_then(Value::as_bool) {
            parts.push(format!("\"{field}\":{value}"));
        }
    }
    format!("{{{}}}", parts.join(","))
}

/// What is wrong with finalizers.
pub fn finalizers(finalizers: &[Value], path: &Path) -> Vec<FieldError> {
    let mut errors = Vec::new();
    for name in finalizers.iter().filter_map(Value::as_str) {
        errors.extend(label_key(name).into_iter().map(|words| FieldError::invalid(path, name, words)));
    }
    if finalizers.iter().any(|name| name == "orphan")
        && finalizers.iter().any(|name| name == "foregroundDeletion")
    {
        errors.push(FieldError::invalid(
            path,
            finalizers.to_vec(),
            "finalizer orphan and foregroundDeletion cannot be both set",
        ));
    }
    errors
}

fn known_finalizers(metadata: &Map<String, Value>, path: &Path) -> Vec<FieldError> {
    let mut errors = Vec::new();
    for (index, name) in items(metadata, "finalizers").iter().enumerate() {
        let name = name.as_str().unwrap_or_default();
        if !name.contains('/') && !["kubernetes", "orphan", "foregroundDeletion"].contains(&name) {
            errors.push(FieldError::invalid(
                &path.child("finalizers").index(index),
                name,
                "name is neither a standard finalizer name nor is it fully qualified",
            ));
        }
    }
    errors
}

/// An object that is being deleted gets no new finalizers.
pub fn no_new_finalizers(new: &[Value], old: &[Value], path: &Path) -> Option<FieldError> {
    let mut extra: Vec<&str> =
        new.iter().filter(|name| !old.contains(name)).filter_map(Value::as_str).collect();
    if extra.is_empty() {
        return None;
    }
    extra.sort_unstable();
    extra.dedup();
    let extra: Vec<String> = extra.into_iter().map(goyaml::strconv::quote).collect();
    Some(FieldError::forbidden(
        path,
        format!(
            "no new finalizers can be added if the object is being deleted, found new finalizers []string{{{}}}",
            extra.join(", ")
        ),
    ))
}

/// What is wrong with the record of who owns which field.
pub fn managed_fields(entries: &[Value], path: &Path) -> Vec<FieldError> {
    let mut errors = Vec::new();
    for (index, entry) in entries.iter().enumerate() {
        let path = path.index(index);
        let field = |name: &str| entry.get(name).and_then(Value::as_str).unwrap_or_default();
        let operation = field("operation");
        if operation != "Apply" && operation != "Update" {
            errors.push(FieldError::invalid(
                &path.child("operation"),
                operation,
                "must be `Apply` or `Update`",
            ));
        }
        let form = field("fieldsType");
        if !form.is_empty() && form != "FieldsV1" {
            errors.push(FieldError::invalid(&path.child("fieldsType"), form, "must be `FieldsV1`"));
        }
        errors.extend(field_manager(field("manager"), &path.child("manager")));
        if field("subresource").len() > SUBRESOURCE_LIMIT {
            errors.push(FieldError::too_long(&path.child("subresource"), SUBRESOURCE_LIMIT));
        }
    }
    errors
}

/// What is wrong with the name of a field manager.
pub fn field_manager(manager: &str, path: &Path) -> Vec<FieldError> {
    let mut errors = Vec::new();
    if manager.len() > MANAGER_LIMIT {
        errors.push(FieldError::too_long(path, MANAGER_LIMIT));
    }
    for (position, sign) in manager.char_indices() {
        if !goyaml::strconv::is_print(sign) {
            let words = format!("invalid character U+{:04X} (at position {position})", u32::from(sign));
            errors.push(FieldError::invalid(path, manager, words));
        }
    }
    errors
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::rules_of;
    use super::*;

    fn said(errors: &[FieldError]) -> Vec<String> {
        errors.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn metadata_of_a_new_object_is_checked() {
        let cases: [(Value, bool, &[&str]); 9] = [
            (json!({"name": "a", "namespace": "b"}), true, &[]),
            (json!({"name": "a"}), true, &["metadata.namespace: Required value"]),
            (
                json!({"namespace": "b"}),
                false,
                &[
                    "metadata.name: Required value: name or generateName is required",
                    "metadata.namespace: Forbidden: not allowed on this type",
                ],
            ),
            (
                json!({"name": "a", "labels": {"a b": "c", "d": "e f"}}),
                false,
                &[
                    "metadata.labels: Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
                    "metadata.labels: Invalid value: \"e f\": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')",
                ],
            ),
            (
                json!({"name": "a", "annotations": {"UPPER.com/X": "x".repeat(256 * 1024)}}),
                false,
                &["metadata.annotations: Too long: may not be more than 262144 bytes"],
            ),
            (
                json!({"name": "a", "finalizers": ["x", "orphan", "foregroundDeletion"]}),
                false,
                &[
                    "metadata.finalizers: Invalid value: [\"x\",\"orphan\",\"foregroundDeletion\"]: finalizer orphan and foregroundDeletion cannot be both set",
                    "metadata.finalizers[0]: Invalid value: \"x\": name is neither a standard finalizer name nor is it fully qualified",
                ],
            ),
            (
                json!({"name": "a", "ownerReferences": [{"apiVersion": "a/", "kind": "", "name": "", "uid": ""}]}),
                false,
                &[
                    "metadata.ownerReferences.apiVersion: Invalid value: \"a/\": version must not be empty",
                    "metadata.ownerReferences.kind: Invalid value: \"\": must not be empty",
                    "metadata.ownerReferences.name: Invalid value: \"\": must not be empty",
                    "metadata.ownerReferences.uid: Invalid value: \"\": must not be empty",
                ],
            ),
            (
                json!({"name": "a", "ownerReferences": [
                    {"apiVersion": "v1", "kind": "A", "name": "b", "uid": "c", "controller": true},
                    {"apiVersion": "v1", "kind": "D", "name": "e", "uid": "f", "controller": true, "blockOwnerDeletion": false},
                ]}),
                false,
                &[
                    "metadata.ownerReferences: Invalid value: [{\"apiVersion\":\"v1\",\"kind\":\"A\",\"name\":\"b\",\"uid\":\"c\",\"controller\":true},{\"apiVersion\":\"v1\",\"kind\":\"D\",\"name\":\"e\",\"uid\":\"f\",\"controller\":true,\"blockOwnerDeletion\":false}]: Only one reference can have Controller set to true. Found \"true\" in references for A/b and D/e",
                ],
            ),
            (
                json!({"name": "a", "managedFields": [{"manager": "a\n", "operation": "X", "fieldsType": "Y"}]}),
                false,
                &[
                    "metadata.managedFields[0].operation: Invalid value: \"X\": must be `Apply` or `Update`",
                    "metadata.managedFields[0].fieldsType: Invalid value: \"Y\": must be `FieldsV1`",
                    "metadata.managedFields[0].manager: Invalid value: \"a\\n\": invalid character U+000A (at position 1)",
                ],
            ),
        ];
        for (metadata, namespaced, expected) in cases {
            let object = json!({"metadata": metadata});
            assert_eq!(
                said(&validate(&object, namespaced, rules_of("", "ConfigMap"))),
                expected,
                "{metadata}"
            );
        }
    }

    #[test]
    fn a_budget_leaves_its_name_to_the_checks_of_all() {
        let object = json!({"metadata": {"name": "A_b", "namespace": "c"}});
        assert!(validate(&object, true, rules_of("policy", "PodDisruptionBudget")).is_empty());
        assert!(validate_any(&object, true).is_empty());
        assert_eq!(validate(&object, true, rules_of("", "Pod")).len(), 1);
    }

    #[test]
    fn what_is_fixed_does_not_change() {
        let old = json!({"metadata": {"name": "a", "uid": "u", "resourceVersion": "1", "generation": 3,
            "creationTimestamp": "2020-01-01T00:00:00Z", "deletionTimestamp": "2020-01-02T00:00:00Z",
            "finalizers": ["x/a"], "deletionGracePeriodSeconds": 0}});
        let mut new = old.clone();
        assert_eq!(
            said(&validate_update(&new, &old, false, rules_of("apps", "Deployment"))),
            Vec::<String>::new()
        );
        new["metadata"]["uid"] = "v".into();
        new["metadata"]["finalizers"] = json!(["x/c", "x/b"]);
        new["metadata"]["deletionGracePeriodSeconds"] = 5.into();
        new["metadata"]["generation"] = 2.into();
        new["metadata"]["resourceVersion"] = "".into();
        let expected = [
            "metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{\"x/b\", \"x/c\"}",
            "metadata.resourceVersion: Invalid value: \"\": must be specified for an update",
            "metadata.generation: Invalid value: 2: must not be decremented",
            "metadata.uid: Invalid value: \"v\": field is immutable",
            "metadata.deletionGracePeriodSeconds: Invalid value: 5: field is immutable",
        ];
        let errors = said(&validate_update(&new, &old, false, rules_of("policy", "PodDisruptionBudget")));
        assert_eq!(errors, expected);
        let twice = said(&validate_update(&new, &old, false, rules_of("apps", "Deployment")));
        assert_eq!(twice, [expected, expected].concat());
    }
}
