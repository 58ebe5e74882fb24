//! The volumes of a pod.

use serde_json::Value;

use super::env;
use super::mounts::Volumes;
use super::options::Options;
use super::paths;
use crate::field::{FieldError, Path};
use crate::kinds::names;
use crate::kinds::quantity::Quantity;
use crate::kinds::read::{Read, text_of};
use crate::kinds::report::Errors;
use crate::kinds::storage::claim;
use crate::kinds::storage::sources::{self, Holder, key_to_path, mode};

const DOWNWARD_FIELDS: [&str; 5] =
    ["metadata.annotations", "metadata.labels", "metadata.name", "metadata.namespace", "metadata.uid"];

/// The sources in the order in which the server looks at them: field, name when it is one too many, name in paths.
const SOURCES: [(&str, &str, &str); 29] = [
    ("hostPath", "hostPath", "hostPath"),
    ("gitRepo", "gitRepo", "gitRepo"),
    ("gcePersistentDisk", "gcePersistentDisk", "persistentDisk"),
    ("awsElasticBlockStore", "awsElasticBlockStore", "awsElasticBlockStore"),
    ("secret", "secret", "secret"),
    ("nfs", "nfs", "nfs"),
    ("iscsi", "iscsi", "iscsi"),
    ("glusterfs", "glusterfs", "glusterfs"),
    ("flocker", "flocker", "flocker"),
    ("persistentVolumeClaim", "persistentVolumeClaim", "persistentVolumeClaim"),
    ("rbd", "rbd", "rbd"),
    ("cinder", "cinder", "cinder"),
    ("cephfs", "cephFS", "cephfs"),
    ("quobyte", "quobyte", "quobyte"),
    ("downwardAPI", "downwarAPI", "downwardAPI"),
    ("fc", "fc", "fc"),
    ("flexVolume", "flexVolume", "flexVolume"),
    ("configMap", "configMap", "configMap"),
    ("azureFile", "azureFile", "azureFile"),
    ("vsphereVolume", "vsphereVolume", "vsphereVolume"),
    ("photonPersistentDisk", "photonPersistentDisk", "photonPersistentDisk"),
    ("portworxVolume", "portworxVolume", "portworxVolume"),
    ("azureDisk", "azureDisk", "azureDisk"),
    ("storageos", "storageos", "storageos"),
    ("projected", "projected", "projected"),
    ("scaleIO", "scaleIO", "scaleIO"),
    ("csi", "csi", "csi"),
    ("ephemeral", "ephemeral", "ephemeral"),
    ("image", "image", "image"),
];

/// What is wrong with the volumes of a pod; those that are right are given back.
pub(super) fn validate<'a>(
    spec: &'a Value,
    meta: Option<&Value>,
    options: &Options,
    path: &Path,
    errors: &mut Errors,
) -> Volumes<'a> {
    let pod_name = meta.map(|meta| meta.text("name")).unwrap_or_default();
    let made: Vec<String> = spec
        .list("volumes")
        .iter()
        .filter(|volume| !pod_name.is_empty() && volume.has("ephemeral"))
        .map(|volume| format!("{pod_name}-{}", volume.text("name")))
        .collect();
    let mut right = Volumes::new();
    for (index, volume) in spec.list("volumes").iter().enumerate() {
        let path = path.index(index);
        let mut own = Errors::new();
        source(volume, pod_name, options, &path, &mut own);
        let name = volume.text("name");
        if name.is_empty() {
            own.required(&path.child("name"), "");
        } else {
            own.invalid_each(&path.child("name"), name, names::dns_label(name));
        }
        if right.contains_key(name) {
            own.duplicate(&path.child("name"), name);
        }
        if own.is_empty() {
            right.insert(name, volume);
        }
        errors.append(own);
        let claim = volume.at("persistentVolumeClaim").text("claimName");
        if volume.has("persistentVolumeClaim") && made.iter().any(|made| made == claim) {
            errors.invalid(
                &path.child("persistentVolumeClaim").child("claimName"),
                claim,
                "must not reference a PVC that gets created for an ephemeral volume",
            );
        }
    }
    right
}

fn source(volume: &Value, pod_name: &str, options: &Options, path: &Path, errors: &mut Errors) {
    let name = volume.text("name");
    let mut found = volume.has("emptyDir");
    if Quantity::of(volume.at("emptyDir").at("sizeLimit")).is_some_and(Quantity::is_negative) {
        errors.forbidden(
            &path.child("emptyDir").child("sizeLimit"),
            "SizeLimit field must be a valid resource quantity",
        );
    }
    for (field, too_many, named) in SOURCES {
        let source = volume.at(field);
        if source.is_null() {
            continue;
        }
        if found {
            errors.forbidden(&path.child(too_many), "may not specify more than 1 volume type");
        } else {
            found = true;
            one(field, source, options, &path.child(named), errors);
            if field == "ephemeral" && !pod_name.is_empty() && !name.is_empty() {
                let claim = format!("{pod_name}-{name}");
                for words in names::dns_subdomain(&claim) {
                    errors.invalid(&path.child("name"), name, format!("PVC name {claim:?}: {words}"));
                }
            }
        }
        if field == "iscsi"
            && source.has("initiatorName")
            && name.len() + 1 + source.text("targetPortal").len() > 64
        {
            errors.invalid(
                &path.child("name"),
                name,
                "Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if \
                 iscsi.initiatorName is specified.",
            );
        }
    }
    if !found {
        errors.required(path, "must specify a volume type");
    }
}

fn one(field: &str, source: &Value, options: &Options, path: &Path, errors: &mut Errors) {
    match field {
        "gitRepo" => {
            errors.needs(source, "repository", path);
            paths::descending(source.text("directory"), &path.child("directory"), errors);
        }
        "secret" | "configMap" => {
            errors.needs(source, if field == "secret" { "secretName" } else { "name" }, path);
            mode(source.at("defaultMode"), &path.child("defaultMode"), errors);
            for (index, item) in source.list("items").iter().enumerate() {
                key_to_path(item, &path.child("items").index(index), errors);
            }
        }
        "persistentVolumeClaim" => errors.needs(source, "claimName", path),
        "downwardAPI" => {
            mode(source.at("defaultMode"), &path.child("defaultMode"), errors);
            for file in source.list("items") {
                downward_file(file, path, errors);
            }
        }
        "projected" => {
            mode(source.at("defaultMode"), &path.child("defaultMode"), errors);
            projections(source, options, path, errors);
        }
        "csi" => {
            sources::csi_driver(source.text("driver"), &path.child("driver"), errors);
            let reference = source.at("nodePublishSecretRef");
            if !reference.is_null() {
                let name = reference.text("name");
                if name.is_empty() {
                    errors.required(&path.child("nodePublishSecretRef").child("name"), "");
                } else {
                    errors.invalid_each(&path.child("name"), name, names::dns_subdomain(name));
                }
            }
        }
        "ephemeral" => {
            let path = path.child("volumeClaimTemplate");
            if source.has("volumeClaimTemplate") {
                claim::validate_template(source.at("volumeClaimTemplate"), &path, errors);
            } else {
                errors.required(&path, "");
            }
        }
        "image" => {
            if options.is_pod {
                errors.needs(source, "reference", path);
            }
            pull_policy(source.text("pullPolicy"), &path.child("pullPolicy"), errors);
        }
        other => sources::validate(other, source, Holder::Pod, path, errors),
    }
}

/// When an image is pulled.
pub(super) fn pull_policy(policy: &str, path: &Path, errors: &mut Errors) {
    if policy.is_empty() {
        errors.required(path, "");
    } else {
        errors.one_of(policy, &["Always", "IfNotPresent", "Never"], path);
    }
}

fn downward_file(file: &Value, path: &Path, errors: &mut Errors) {
    errors.needs(file, "path", path);
    paths::not_reserved(file.text("path"), &path.child("path"), errors);
    if file.has("fieldRef") {
        env::field_selector(file.at("fieldRef"), &DOWNWARD_FIELDS, &path.child("fieldRef"), errors);
        if file.has("resourceFieldRef") {
            errors.invalid(
                path,
                "resource",
                "fieldRef and resourceFieldRef can not be specified simultaneously",
            );
        }
    } else if file.has("resourceFieldRef") {
        env::resource_selector(file.at("resourceFieldRef"), true, &path.child("resourceFieldRef"), errors);
    } else {
        errors.required(path, "one of fieldRef and resourceFieldRef is required");
    }
    mode(file.at("mode"), &path.child("mode"), errors);
}

fn projections(projected: &Value, options: &Options, path: &Path, errors: &mut Errors) {
    let mut seen: Vec<&str> = Vec::new();
    for (index, source) in projected.list("sources").iter().enumerate() {
        let item = path.child("sources").index(index);
        let mut found = 0;
        for field in ["secret", "configMap"] {
            let part = source.at(field);
            if part.is_null() {
                continue;
            }
            found += 1;
            let own = item.child(field);
            errors.needs(part, "name", &own);
            for (index, key) in part.list("items").iter().enumerate() {
                key_to_path(key, &own.child("items").index(index), errors);
                once(key.text("path"), part.text("name"), &mut seen, path, errors);
            }
        }
        if source.has("downwardAPI") {
            found += 1;
            for file in source.at("downwardAPI").list("items") {
                downward_file(file, &item.child("downwardAPI"), errors);
                once(file.text("path"), file.text("path"), &mut seen, path, errors);
            }
        }
        let token = source.at("serviceAccountToken");
        if !token.is_null() {
            found += 1;
            let own = item.child("serviceAccountToken").child("expirationSeconds");
            let seconds = token.int("expirationSeconds");
            if seconds < 600 {
                errors.invalid(&own, seconds, "may not specify a duration less than 10 minutes");
            }
            if seconds > 1 << 32 {
                errors.invalid(&own, seconds, "may not specify a duration larger than 2^32 seconds");
            }
            if token.text("path").is_empty() {
                errors.required(&path.child("path"), "");
            } else if !options.any_token_path {
                paths::not_reserved(token.text("path"), &path.child("path"), errors);
            }
        }
        if found > 1 {
            errors.forbidden(&item, "may not specify more than 1 volume type per source");
        }
    }
}

fn once<'a>(file: &'a str, shown: &str, seen: &mut Vec<&'a str>, path: &Path, errors: &mut Errors) {
    if file.is_empty() {
        return;
    }
    if seen.contains(&file) {
        errors.invalid(path, shown, "conflicting duplicate paths");
    } else {
        seen.push(file);
    }
}

/// Variables that come from files must name an empty volume of the pod.
pub(super) fn file_keys(spec: &Value, path: &Path, errors: &mut Errors) {
    for (container, path) in super::spec::containers(spec, path) {
        for (index, variable) in container.list("env").iter().enumerate() {
            let reference = variable.at("valueFrom").at("fileKeyRef");
            if reference.is_null() {
                continue;
            }
            let name = reference.at("volumeName");
            let path =
                path.child("env").index(index).child("valueFrom").child("fileKeyRef").child("volumeName");
            let volume = spec.list("volumes").iter().rfind(|volume| volume.text("name") == text_of(name));
            match volume {
                None => errors.push(FieldError::not_found(&path, text_of(name))),
                Some(volume) if !volume.has("emptyDir") => {
                    errors.invalid(&path, text_of(name), "referenced volume must be of type emptyDir");
                }
                Some(_) => {}
            }
        }
    }
}
