//! Annotations of pods that the server reads.

use serde_json::Value;

use super::options::Options;
use super::{paths, scheduling, security};
use crate::field::Path;
use crate::kinds::read::{Read, text_of};
use crate::kinds::report::Errors;

const MIRROR: &str = "kubernetes.io/config.mirror";
const DELETION_COST: &str = "controller.kubernetes.io/pod-deletion-cost";
const TOLERATIONS: &str = "scheduler.alpha.kubernetes.io/tolerations";
const SECCOMP_POD: &str = "seccomp.security.alpha.kubernetes.io/pod";
const SECCOMP_CONTAINER: &str = "container.seccomp.security.alpha.kubernetes.io/";
const APP_ARMOR: &str = "container.apparmor.security.beta.kubernetes.io/";

/// Whether the cost of deleting a pod, if it is told, is a number.
pub(super) fn has_deletion_cost(meta: &Value) -> bool {
    match meta.at("annotations").get(DELETION_COST).map(text_of) {
        None => true,
        Some(cost) => {
            (cost == "0" || cost.starts_with(['-', '1', '2', '3', '4', '5', '6', '7', '8', '9']))
                && cost.parse::<i32>().is_ok()
        }
    }
}

/// What is wrong with the annotations of a pod.
pub(super) fn validate(meta: &Value, spec: &Value, options: &Options, path: &Path, errors: &mut Errors) {
    let annotations = meta.at("annotations");
    if let Some(value) = annotations.get(MIRROR)
        && spec.text("nodeName").is_empty()
    {
        errors.invalid(
            &path.key(MIRROR),
            text_of(value),
            "must set spec.nodeName if mirror pod annotation is set",
        );
    }
    if let Some(Ok(Value::Array(tolerations))) =
        annotations.get(TOLERATIONS).map(|text| serde_json::from_str::<Value>(text_of(text)))
    {
        scheduling::tolerations(&tolerations, options, &path.child(TOLERATIONS), errors);
    }
    if !options.any_deletion_cost && !has_deletion_cost(meta) {
        errors.invalid(&path.key(DELETION_COST), annotations.text(DELETION_COST), "must be a 32bit integer");
    }
    if let Some(profile) = annotations.get(SECCOMP_POD) {
        seccomp(text_of(profile), &path.child(SECCOMP_POD), errors);
    }
    for (key, profile) in meta.entries("annotations").filter(|(key, _)| key.starts_with(SECCOMP_CONTAINER)) {
        seccomp(text_of(profile), &path.child(key), errors);
    }
    for (key, profile) in meta.entries("annotations") {
        let Some(name) = key.strip_prefix(APP_ARMOR) else { continue };
        let profile = text_of(profile);
        if !super::spec::containers(spec, path).iter().any(|(container, _)| container.text("name") == name) {
            errors.invalid(&path.key(key), name, "container not found");
        }
        let known = ["", "runtime/default", "unconfined"];
        if !known.contains(&profile) && !profile.starts_with("localhost/") {
            let words = format!("invalid AppArmor profile name: {}", crate::field::quoted(profile));
            errors.invalid(&path.key(key), profile, words);
        }
    }
}

fn seccomp(profile: &str, path: &Path, errors: &mut Errors) {
    match profile {
        "runtime/default" | "docker/default" | "unconfined" => {}
        _ => match profile.strip_prefix("localhost/") {
            Some(file) => paths::descending(file, path, errors),
            None => errors.invalid(path, profile, "must be a valid seccomp profile"),
        },
    }
}

/// What may not happen to the annotations of a pod.
pub(super) fn validate_update(meta: &Value, old: &Value, path: &Path, errors: &mut Errors) {
    for (key, value) in old.entries("annotations") {
        if meta.at("annotations").get(key) == Some(value) {
            continue;
        }
        if key.starts_with(APP_ARMOR) {
            errors.forbidden(&path.key(key), "may not remove or update AppArmor annotations");
        }
        if key == MIRROR {
            errors.forbidden(&path.key(key), "may not remove or update mirror pod annotation");
        }
    }
    for (key, _) in meta.entries("annotations") {
        if old.at("annotations").get(key).is_some() {
            continue;
        }
        if key.starts_with(APP_ARMOR) {
            errors.forbidden(&path.key(key), "may not add AppArmor annotations");
        }
        if key == MIRROR {
            errors.forbidden(&path.key(key), "may not add mirror pod annotation");
        }
    }
}

/// Profiles told in annotations and in fields must be the same.
pub(super) fn agree(meta: &Value, spec: &Value, path: &Path, errors: &mut Errors) {
    let annotations = meta.at("annotations");
    let own = spec.at("securityContext").at("seccompProfile");
    if let Some(told) = annotations.get(SECCOMP_POD) {
        security::seccomp_agrees(
            text_of(told),
            own,
            &path.child("securityContext").child("seccompProfile"),
            errors,
        );
    }
    let containers = super::spec::containers(spec, path);
    for (container, path) in &containers {
        let key = format!("{SECCOMP_CONTAINER}{}", container.text("name"));
        if let Some(told) = annotations.get(&key) {
            let profile = container.at("securityContext").at("seccompProfile");
            security::seccomp_agrees(
                text_of(told),
                profile,
                &path.child("securityContext").child("seccompProfile"),
                errors,
            );
        }
    }
    if spec.at("os").text("name") == "windows" {
        return;
    }
    for (container, path) in &containers {
        let own = container.at("securityContext").at("appArmorProfile");
        let profile = if own.is_null() { spec.at("securityContext").at("appArmorProfile") } else { own };
        let told = annotations.get(format!("{APP_ARMOR}{}", container.text("name"))).map(text_of);
        let (Some(told), false) = (told, profile.is_null()) else { continue };
        let path = path.child("securityContext").child("appArmorProfile");
        let agrees = match profile.text("type") {
            "Unconfined" => told == "unconfined",
            "RuntimeDefault" => told == "runtime/default",
            "Localhost" => match told.strip_prefix("localhost/") {
                Some(name) => {
                    if profile.at("localhostProfile").as_str() != Some(name) {
                        errors.forbidden(
                            &path.child("localhostProfile"),
                            "apparmor profile in annotation and field must match",
                        );
                    }
                    true
                }
                None => false,
            },
            _ => true,
        };
        if !agrees {
            errors.forbidden(&path.child("type"), "apparmor type in annotation and field must match");
        }
    }
}
