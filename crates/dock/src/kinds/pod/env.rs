//! Environment variables of containers, and the fields that they and files may be taken from.

use serde_json::Value;

use super::paths;
use crate::field::Path;
use crate::kinds::names;
use crate::kinds::quantity::Quantity;
use crate::kinds::read::Read;
use crate::kinds::report::Errors;

const ENV_FIELDS: [&str; 9] = [
    "metadata.name",
    "metadata.namespace",
    "metadata.uid",
    "spec.nodeName",
    "spec.serviceAccountName",
    "status.hostIP",
    "status.hostIPs",
    "status.podIP",
    "status.podIPs",
];

const CONVERTED: [&str; 14] = [
    "metadata.annotations",
    "metadata.labels",
    "metadata.name",
    "metadata.namespace",
    "metadata.uid",
    "spec.nodeName",
    "spec.restartPolicy",
    "spec.serviceAccountName",
    "spec.schedulerName",
    "status.phase",
    "status.hostIP",
    "status.hostIPs",
    "status.podIP",
    "status.podIPs",
];

const RESOURCES: [&str; 6] = [
    "limits.cpu",
    "limits.ephemeral-storage",
    "limits.memory",
    "requests.cpu",
    "requests.ephemeral-storage",
    "requests.memory",
];

/// What is wrong with the variables of a container.
pub(super) fn variables(container: &Value, path: &Path, errors: &mut Errors) {
    for (index, variable) in container.list("env").iter().enumerate() {
        let path = path.index(index);
        let name = variable.text("name");
        if name.is_empty() {
            errors.required(&path.child("name"), "");
        } else {
            errors.invalid_each(&path.child("name"), name, names::env_var(name));
        }
        source(variable, &path.child("valueFrom"), errors);
    }
}

fn source(variable: &Value, path: &Path, errors: &mut Errors) {
    let from = variable.at("valueFrom");
    if from.is_null() {
        return;
    }
    let mut sources = 0;
    if from.has("fieldRef") {
        sources += 1;
        field_selector(from.at("fieldRef"), &ENV_FIELDS, &path.child("fieldRef"), errors);
    }
    if from.has("resourceFieldRef") {
        sources += 1;
        resource_selector(from.at("resourceFieldRef"), false, &path.child("resourceFieldRef"), errors);
    }
    for field in ["configMapKeyRef", "secretKeyRef"] {
        if from.has(field) {
            sources += 1;
            key_selector(from.at(field), &path.child(field), errors);
        }
    }
    if from.has("fileKeyRef") {
        sources += 1;
        file_key(from.at("fileKeyRef"), &path.child("fileKeyRef"), errors);
    }
    let words = if sources == 0 {
        "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`"
    } else if !variable.text("value").is_empty() {
        "may not be specified when `value` is not empty"
    } else if sources > 1 {
        "may not have more than one field specified at a time"
    } else {
        return;
    };
    errors.invalid(path, "", words);
}

fn key_selector(selector: &Value, path: &Path, errors: &mut Errors) {
    let name = selector.text("name");
    errors.invalid_each(&path.child("name"), name, names::dns_subdomain(name));
    let key = selector.text("key");
    if key.is_empty() {
        errors.required(&path.child("key"), "");
    } else {
        errors.invalid_each(&path.child("key"), key, names::config_key(key));
    }
}

fn file_key(selector: &Value, path: &Path, errors: &mut Errors) {
    let key = selector.text("key");
    if key.is_empty() {
        errors.required(&path.child("key"), "");
    } else {
        errors.invalid_each(&path.child("key"), key, names::env_var(key));
    }
    let volume = selector.text("volumeName");
    if volume.is_empty() {
        errors.required(&path.child("volumeName"), "");
    } else {
        errors.invalid_each(&path.child("volumeName"), volume, names::dns_label(volume));
    }
    let file = selector.text("path");
    if file.is_empty() {
        errors.required(&path.child("path"), "");
    } else {
        paths::no_backsteps(file, &path.child("path"), errors);
    }
}

/// What is wrong with a reference to a field of the pod.
pub(super) fn field_selector(selector: &Value, known: &[&str], path: &Path, errors: &mut Errors) {
    for field in ["apiVersion", "fieldPath"] {
        if selector.text(field).is_empty() {
            errors.required(&path.child(field), "");
            return;
        }
    }
    let version = selector.text("apiVersion");
    let field = selector.text("fieldPath");
    let subscripted = field
        .strip_suffix("']")
        .and_then(|field| field.split_once("['"))
        .filter(|(field, _)| !field.is_empty());
    let refusal = if version != "v1" {
        Some(format!("unsupported pod version: {version}"))
    } else if let Some((whole, _)) = subscripted {
        (!["metadata.annotations", "metadata.labels"].contains(&whole))
            .then(|| format!("field label does not support subscript: {field}"))
    } else {
        (field != "spec.host" && !CONVERTED.contains(&field))
            .then(|| format!("field label not supported: {field}"))
    };
    if let Some(refusal) = refusal {
        errors.invalid(&path.child("fieldPath"), field, format!("error converting fieldPath: {refusal}"));
        return;
    }
    match subscripted {
        Some(("metadata.annotations", key)) => {
            let key = key.to_lowercase();
            errors.invalid_each(path, &key, names::label_key(&key));
        }
        Some((_, key)) => errors.invalid_each(path, key, names::label_key(key)),
        None => {
            let field = if field == "spec.host" { "spec.nodeName" } else { field };
            if !known.contains(&field) {
                errors.unsupported(&path.child("fieldPath"), field, known);
            }
        }
    }
}

/// What is wrong with a reference to a resource of a container.
pub(super) fn resource_selector(selector: &Value, in_volume: bool, path: &Path, errors: &mut Errors) {
    let resource = selector.text("resource");
    let huge = resource.starts_with("requests.hugepages-") || resource.starts_with("limits.hugepages-");
    if in_volume && selector.text("containerName").is_empty() {
        errors.required(&path.child("containerName"), "");
    } else if resource.is_empty() {
        errors.required(&path.child("resource"), "");
    } else if !RESOURCES.contains(&resource) && !huge {
        errors.unsupported(&path.child("resource"), resource, &RESOURCES);
    }
    divisor(resource, huge, selector.text("divisor"), path, errors);
}

fn divisor(resource: &str, huge: bool, divisor: &str, path: &Path, errors: &mut Errors) {
    if Quantity::parse(divisor).is_none_or(|divisor| divisor == Quantity::ZERO) {
        return;
    }
    let bytes = ["1", "1k", "1M", "1G", "1T", "1P", "1E", "1Ki", "1Mi", "1Gi", "1Ti", "1Pi", "1Ei"];
    let (known, named): (&[&str], &str) = match resource {
        "limits.cpu" | "requests.cpu" => (&["1m", "1"], "cpu"),
        "limits.memory" | "requests.memory" => (&bytes, "memory"),
        "limits.ephemeral-storage" | "requests.ephemeral-storage" => (&bytes, "local ephemeral storage"),
        _ if huge => (&bytes, "hugepages"),
        _ => return,
    };
    if !known.contains(&divisor) {
        let list = if named == "cpu" { "1m and 1".to_owned() } else { known.join(", ") };
        errors.invalid(
            &path.child("divisor"),
            resource,
            format!("only divisor's values {list} are supported with the {named} resource"),
        );
    }
}

/// What is wrong with the sources that whole sets of variables come from.
pub(super) fn sources(container: &Value, path: &Path, errors: &mut Errors) {
    for (index, source) in container.list("envFrom").iter().enumerate() {
        let item = path.index(index);
        let prefix = source.text("prefix");
        if !prefix.is_empty() {
            errors.invalid_each(&item.child("prefix"), prefix, names::env_var(prefix));
        }
        let mut found = 0;
        for field in ["configMapRef", "secretRef"] {
            if !source.has(field) {
                continue;
            }
            found += 1;
            let path = item.child(field);
            let name = source.at(field).text("name");
            if name.is_empty() {
                errors.required(&path.child("name"), "");
            } else {
                errors.invalid_each(&path.child("name"), name, names::dns_subdomain(&names::masked(name)));
            }
        }
        if found == 0 {
            errors.invalid(path, "", "must specify one of: `configMapRef` or `secretRef`");
        } else if found > 1 {
            errors.invalid(path, "", "may not have more than one field specified at a time");
        }
    }
}
