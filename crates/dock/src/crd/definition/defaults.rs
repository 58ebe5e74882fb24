//! What a definition gets when it is written.

use serde_json::{Map, Value, json};

use super::Definition;

/// Fills in what was left out.
pub fn default(object: &mut Value) {
    let Some(fields) = object.as_object_mut() else { return };
    let spec = fields.entry("spec").or_insert_with(|| Value::Object(Map::new()));
    if let Some(names) = spec.get_mut("names").and_then(Value::as_object_mut) {
        let kind = names.get("kind").and_then(Value::as_str).unwrap_or_default().to_owned();
        if is_empty(names.get("singular")) && !kind.is_empty() {
            names.insert("singular".into(), kind.to_lowercase().into());
        }
        if is_empty(names.get("listKind")) && !kind.is_empty() {
            names.insert("listKind".into(), format!("{kind}List").into());
        }
    }
    if let Some(spec) = spec.as_object_mut() {
        if spec.get("conversion").is_none_or(Value::is_null) {
            spec.insert("conversion".into(), json!({"strategy": "None"}));
        }
        let service = spec
            .get_mut("conversion")
            .and_then(|conversion| conversion.pointer_mut("/webhook/clientConfig/service"))
            .and_then(Value::as_object_mut);
        if let Some(service) = service
            && service.get("port").is_none_or(Value::is_null)
        {
            service.insert("port".into(), 443.into());
        }
    }
    let stored = object.pointer("/status/storedVersions").and_then(Value::as_array);
    if stored.is_none_or(Vec::is_empty)
        && let Some(version) = storage_version(object)
    {
        set_stored_versions(object, vec![version]);
    }
}

fn is_empty(value: Option<&Value>) -> bool {
    value.and_then(Value::as_str).is_none_or(str::is_empty)
}

fn storage_version(object: &Value) -> Option<String> {
    Definition::read(object).storage_version().map(|version| version.name.clone())
}

fn set_stored_versions(object: &mut Value, versions: Vec<String>) {
    let Some(fields) = object.as_object_mut() else { return };
    let status = fields.entry("status").or_insert_with(|| Value::Object(Map::new()));
    if !status.is_object() {
        *status = Value::Object(Map::new());
    }
    status["storedVersions"] = versions.into();
}

/// Resets the status of a new definition, and counts its first generation.
pub fn prepare_create(object: &mut Value) {
    let Some(fields) = object.as_object_mut() else { return };
    let status = json!({"acceptedNames": {"kind": "", "plural": ""}, "conditions": null});
    fields.insert("status".into(), status);
    object["metadata"]["generation"] = 1.into();
    if let Some(version) = storage_version(object) {
        set_stored_versions(object, vec![version]);
    }
}

/// Keeps the status, counts generations, and adds a new storage version to the stored ones.
pub fn prepare_update(object: &mut Value, old: &Value) {
    crate::kinds::copy_field(object, old, "status");
    if object.get("spec") != old.get("spec") {
        let generation = old.pointer("/metadata/generation").and_then(Value::as_i64).unwrap_or_default();
        object["metadata"]["generation"] = (generation + 1).into();
    }
    if let Some(version) = storage_version(object) {
        let stored = object.pointer("/status/storedVersions").and_then(Value::as_array);
        let mut stored: Vec<String> =
            stored.into_iter().flatten().filter_map(|name| name.as_str().map(str::to_owned)).collect();
        if !stored.contains(&version) {
            stored.push(version);
            set_stored_versions(object, stored);
        }
    }
}

/// Keeps everything but the status; finalizers, too, are written through the status by the server's own controllers.
pub fn prepare_status_update(object: &mut Value, old: &Value) {
    crate::kinds::copy_field(object, old, "spec");
}
