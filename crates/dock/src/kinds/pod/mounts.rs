//! Where containers mount the volumes of their pod.

use std::collections::HashMap;

use serde_json::Value;

use super::paths;
use crate::field::Path;
use crate::kinds::read::Read;
use crate::kinds::report::Errors;

/// The volumes of a pod that are right, by name.
pub(super) type Volumes<'a> = HashMap<&'a str, &'a Value>;

/// What is wrong with the mounts of a container.
pub(super) fn mounts(container: &Value, volumes: &Volumes<'_>, path: &Path, errors: &mut Errors) {
    let devices = container.list("volumeDevices");
    let mut seen: Vec<&str> = Vec::new();
    for (index, mount) in container.list("volumeMounts").iter().enumerate() {
        let item = path.index(index);
        let name = mount.text("name");
        let target = mount.text("mountPath");
        errors.needs(mount, "name", &item);
        if !volumes.contains_key(name) {
            errors.not_found(&item.child("name"), name);
        }
        errors.needs(mount, "mountPath", &item);
        if seen.contains(&target) {
            errors.invalid(&item.child("mountPath"), target, "must be unique");
        }
        seen.push(target);
        if devices.iter().any(|device| device.text("name") == name) {
            errors.invalid(&item.child("name"), name, "must not already exist in volumeDevices");
        }
        if last_by_name(devices, "devicePath").values().any(|device| *device == target) {
            errors.invalid(
                &item.child("mountPath"),
                target,
                "must not already exist as a path in volumeDevices",
            );
        }
        let part = mount.text("subPath");
        if !part.is_empty() {
            paths::descending(part, &path.child("subPath"), errors);
        }
        let expression = mount.text("subPathExpr");
        if !expression.is_empty() {
            if !part.is_empty() {
                errors.invalid(
                    &item.child("subPathExpr"),
                    expression,
                    "subPathExpr and subPath are mutually exclusive",
                );
            }
            paths::descending(expression, &path.child("subPathExpr"), errors);
        }
        propagation(mount, container, &path.child("mountPropagation"), errors);
        recursive_read_only(mount, &path.child("recursiveReadOnly"), errors);
    }
}

fn last_by_name<'a>(items: &'a [Value], field: &str) -> HashMap<&'a str, &'a str> {
    items.iter().map(|item| (item.text("name"), item.text(field))).collect()
}

fn propagation(mount: &Value, container: &Value, path: &Path, errors: &mut Errors) {
    if !mount.has("mountPropagation") {
        return;
    }
    let mode = mount.text("mountPropagation");
    errors.one_of(mode, &["Bidirectional", "HostToContainer", "None"], path);
    if mode == "Bidirectional" && !container.at("securityContext").flag("privileged") {
        errors.forbidden(path, "Bidirectional mount propagation is available only to privileged containers");
    }
}

fn recursive_read_only(mount: &Value, path: &Path, errors: &mut Errors) {
    if !mount.has("recursiveReadOnly") {
        return;
    }
    match mount.text("recursiveReadOnly") {
        "Disabled" => {}
        "Enabled" | "IfPossible" => {
            if !mount.flag("readOnly") {
                errors.forbidden(path, "may only be specified when readOnly is true");
            }
            if mount.has("mountPropagation") && mount.text("mountPropagation") != "None" {
                errors
                    .forbidden(path, "may only be specified when mountPropagation is None or not specified");
            }
        }
        other => errors.unsupported(path, other, &["Disabled", "Enabled", "IfPossible"]),
    }
}

/// What is wrong with the block devices of a container.
pub(super) fn devices(container: &Value, volumes: &Volumes<'_>, path: &Path, errors: &mut Errors) {
    let mounts = last_by_name(container.list("volumeMounts"), "mountPath");
    let mut names: Vec<&str> = Vec::new();
    let mut targets: Vec<&str> = Vec::new();
    for (index, device) in container.list("volumeDevices").iter().enumerate() {
        let item = path.index(index);
        let name = device.text("name");
        let target = device.text("devicePath");
        errors.needs(device, "name", &item);
        if names.contains(&name) {
            errors.invalid(&item.child("name"), name, "must be unique");
        }
        match volumes.get(name) {
            Some(volume) if !volume.has("persistentVolumeClaim") && !volume.has("ephemeral") => errors
                .invalid(
                    &item.child("name"),
                    name,
                    "can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode",
                ),
            Some(_) => {}
            None => errors.not_found(&item.child("name"), name),
        }
        errors.needs(device, "devicePath", &item);
        if targets.contains(&target) {
            errors.invalid(&item.child("devicePath"), target, "must be unique");
        }
        if target.split('/').any(|part| part == "..") {
            errors.invalid(&item.child("devicePath"), target, "can not contain backsteps ('..')");
        } else {
            targets.push(target);
        }
        if mounts.contains_key(name) {
            errors.invalid(&item.child("name"), name, "must not already exist in volumeMounts");
        }
        if mounts.values().any(|mount| *mount == target) {
            errors.invalid(
                &item.child("devicePath"),
                target,
                "must not already exist as a path in volumeMounts",
            );
        }
        if !name.is_empty() {
            names.push(name);
        }
    }
}
