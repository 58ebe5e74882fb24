//! Persistent volumes.

use serde_json::{Value, json};

use super::sources::{self, Holder, access_modes};
use crate::field::{FieldError, Path};
use crate::kinds::metadata::{self, Scope};
use crate::kinds::pod::paths;
use crate::kinds::pod::scheduling;
use crate::kinds::pod::warnings::node_term;
use crate::kinds::quantity::Quantity;
use crate::kinds::read::{Read, child_mut, fill, fill_absent, same, set, unset};
use crate::kinds::report::Errors;
use crate::kinds::{Context, Rules, copy_field, internal, names, resources};

/// The rules of `PersistentVolume`.
pub(crate) struct PersistentVolume;

/// The sources in the order in which the server looks at them: field, name when it is one too many, name in paths.
const SOURCES: [(&str, &str, &str); 21] = [
    ("hostPath", "hostPath", "hostPath"),
    ("gcePersistentDisk", "gcePersistentDisk", "persistentDisk"),
    ("awsElasticBlockStore", "awsElasticBlockStore", "awsElasticBlockStore"),
    ("glusterfs", "glusterfs", "glusterfs"),
    ("flocker", "flocker", "flocker"),
    ("nfs", "nfs", "nfs"),
    ("rbd", "rbd", "rbd"),
    ("quobyte", "quobyte", "quobyte"),
    ("cephfs", "cephFS", "cephfs"),
    ("iscsi", "iscsi", "iscsi"),
    ("cinder", "cinder", "cinder"),
    ("fc", "fc", "fc"),
    ("flexVolume", "flexVolume", "flexVolume"),
    ("azureFile", "azureFile", "azureFile"),
    ("vsphereVolume", "vsphereVolume", "vsphereVolume"),
    ("photonPersistentDisk", "photonPersistentDisk", "photonPersistentDisk"),
    ("portworxVolume", "portworxVolume", "portworxVolume"),
    ("azureDisk", "azureDisk", "azureDisk"),
    ("scaleIO", "scaleIO", "scaleIO"),
    ("local", "local", "local"),
    ("storageos", "storageos", "storageos"),
];

fn volume(object: &Value, any_node_values: bool, errors: &mut Errors) {
    metadata::validate(object, Scope::Cluster, names::dns_subdomain, errors);
    let (spec, path) = (object.at("spec"), Path::new("spec"));
    if spec.list("accessModes").is_empty() {
        errors.required(&path.child("accessModes"), "");
    }
    access_modes(spec, &path, errors);
    let capacity = spec.at("capacity");
    let count = capacity.as_object().map_or(0, serde_json::Map::len);
    let own = path.child("capacity");
    if count == 0 {
        errors.required(&own, "");
    }
    if capacity.get("storage").is_none() || count > 1 {
        errors.unsupported(&own, capacity.clone(), &["storage"]);
    }
    for (name, value) in spec.entries("capacity") {
        resources::basic_amount(value, &own.key(name), errors);
        if Quantity::of(value).is_some_and(|quantity| !quantity.is_positive()) {
            errors.invalid(&own.key(name), value.clone(), "must be greater than zero");
        }
    }
    let policy = spec.text("persistentVolumeReclaimPolicy");
    if !policy.is_empty() {
        let own = path.child("persistentVolumeReclaimPolicy");
        errors.one_of(policy, &["Delete", "Recycle", "Retain"], &own);
    }
    if spec.has("nodeAffinity") {
        let own = path.child("nodeAffinity").child("required");
        let required = spec.at("nodeAffinity").at("required");
        if required.is_null() {
            errors.required(&own, "must specify required node constraints");
        } else {
            scheduling::node_selector(required, any_node_values, &own, errors);
        }
    }
    source(object, &path, errors);
    let host = spec.at("hostPath").text("path");
    if spec.has("hostPath") && is_root(host) && policy == "Recycle" {
        errors.forbidden(
            &path.child("persistentVolumeReclaimPolicy"),
            "may not be 'recycle' for a hostPath mount of '/'",
        );
    }
    let class = spec.text("storageClassName");
    if !class.is_empty() {
        errors.invalid_each(&path.child("storageClassName"), class, names::dns_subdomain(class));
    }
    if spec.has("volumeMode") {
        errors.one_of(spec.text("volumeMode"), &["Block", "Filesystem"], &path.child("volumeMode"));
    }
    if let Some(class) = spec.at("volumeAttributesClassName").as_str() {
        let own = path.child("volumeAttributesClassName");
        if class.is_empty() {
            errors.required(&own, "an empty string is disallowed");
        } else {
            errors.invalid_each(&own, class, names::dns_subdomain(class));
        }
        if !spec.has("csi") {
            errors.required(&path.child("csi"), "has to be specified when using volumeAttributesClassName");
        }
    }
}

/// Whether a path means the root, once it is cleaned.
fn is_root(path: &str) -> bool {
    let mut depth = 0;
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => depth = (depth - 1).max(0),
            _ => depth += 1,
        }
    }
    path.starts_with('/') && depth == 0
}

fn source(object: &Value, path: &Path, errors: &mut Errors) {
    let spec = object.at("spec");
    let holder = Holder::Volume(object.at("metadata").text("name"));
    let mut found = false;
    for (field, too_many, named) in SOURCES {
        let source = spec.at(field);
        if source.is_null() {
            continue;
        }
        if found && field != "flexVolume" {
            errors.forbidden(&path.child(too_many), "may not specify more than 1 volume type");
            continue;
        }
        found = true;
        let own = path.child(named);
        if field == "local" {
            if source.text("path").is_empty() {
                errors.required(&own.child("path"), "");
            } else {
                paths::no_backsteps(source.text("path"), &own.child("path"), errors);
            }
            if !spec.has("nodeAffinity") {
                errors.required(&path.child("nodeAffinity"), "Local volume requires node affinity");
            }
        } else {
            sources::validate(field, source, holder, &own, errors);
        }
    }
    let csi = spec.at("csi");
    if !csi.is_null() {
        let own = path.child("csi");
        if found {
            errors.forbidden(&own, "may not specify more than 1 volume type");
        } else {
            found = true;
            sources::csi_driver(csi.text("driver"), &own.child("driver"), errors);
            errors.needs(csi, "volumeHandle", &own);
            for field in [
                "controllerPublishSecretRef",
                "controllerExpandSecretRef",
                "nodePublishSecretRef",
                "nodeExpandSecretRef",
            ] {
                secret_reference(csi.at(field), &own.child(field), errors);
            }
        }
    }
    if !found {
        errors.required(path, "must specify a volume type");
    }
}

fn secret_reference(reference: &Value, path: &Path, errors: &mut Errors) {
    if reference.is_null() {
        return;
    }
    for (field, rule) in [("name", names::dns_subdomain as names::NameRule), ("namespace", names::dns_label)]
    {
        let value = reference.text(field);
        if value.is_empty() {
            errors.required(&path.child(field), "");
        } else {
            errors.invalid_each(&path.child(field), value, rule(value));
        }
    }
}

fn mount_options(object: &Value, errors: &mut Errors) {
    let spec = object.at("spec");
    let mountable = [
        "gcePersistentDisk",
        "awsElasticBlockStore",
        "glusterfs",
        "nfs",
        "rbd",
        "quobyte",
        "iscsi",
        "cinder",
        "cephfs",
        "azureFile",
        "vsphereVolume",
        "azureDisk",
        "photonPersistentDisk",
    ];
    let key = "volume.beta.kubernetes.io/mount-options";
    if !mountable.iter().any(|field| spec.has(field)) && object.at("metadata").at("annotations").has(key) {
        errors.forbidden(
            &Path::new("metadata").child("annotations").child(key),
            "may not specify mount options for this volume type",
        );
    }
}

/// The source of a volume alone.
fn source_of(spec: &Value) -> Value {
    let mut out = json!({});
    for field in SOURCES.iter().map(|(field, _, _)| *field).chain(["csi"]) {
        copy_field(&mut out, spec, field);
    }
    out
}

fn changed(object: &Value, old: &Value, errors: &mut Errors) {
    let (spec, before) = (object.at("spec"), old.at("spec"));
    let mut new_source = source_of(spec);
    let expandable = before.has("csi") && !before.at("csi").has("controllerExpandSecretRef");
    if expandable && let Some(csi) = new_source.get_mut("csi") {
        unset(csi, "controllerExpandSecretRef");
    }
    if !same(&new_source, &source_of(before)) {
        let told = internal::difference("core.PersistentVolumeSource", &source_of(before), &new_source);
        errors.forbidden(
            &Path::new("spec").child("persistentvolumesource"),
            format!("spec.persistentvolumesource is immutable after creation\n{told}"),
        );
    }
    errors.immutable(spec.at("volumeMode"), before.at("volumeMode"), &Path::new("volumeMode"));
    if before.has("nodeAffinity") {
        let (now, then) =
            (spec.at("nodeAffinity"), renamed(before.at("nodeAffinity"), spec.at("nodeAffinity")));
        if !same(now, &then) {
            let required = now.at("required");
            let shown = if now.is_null() {
                "null".to_owned()
            } else if required.is_null() {
                "{\"Required\":null}".to_owned()
            } else {
                let terms = scheduling::shown_terms(required.list("nodeSelectorTerms"));
                format!("{{\"Required\":{{\"NodeSelectorTerms\":{terms}}}}}")
            };
            errors.invalid_shown(
                &Path::new("nodeAffinity"),
                shown,
                "field is immutable, except for updating from beta label to GA",
            );
        }
    }
    if before.has("volumeAttributesClassName") && !spec.has("volumeAttributesClassName") {
        errors.forbidden(
            &Path::new("spec").child("volumeAttributesClassName"),
            "update from non-nil value to nil is forbidden",
        );
    }
}

/// The old affinity, with labels of nodes named as they are now where the new one does so.
fn renamed(old: &Value, new: &Value) -> Value {
    let mut out = old.clone();
    let names = [
        ("failure-domain.beta.kubernetes.io/zone", "topology.kubernetes.io/zone"),
        ("failure-domain.beta.kubernetes.io/region", "topology.kubernetes.io/region"),
        ("beta.kubernetes.io/os", "kubernetes.io/os"),
        ("beta.kubernetes.io/arch", "kubernetes.io/arch"),
        ("beta.kubernetes.io/instance-type", "node.kubernetes.io/instance-type"),
    ];
    let Some(terms) = out.pointer_mut("/required/nodeSelectorTerms").and_then(Value::as_array_mut) else {
        return out;
    };
    for (index, term) in terms.iter_mut().enumerate() {
        for field in ["matchExpressions", "matchFields"] {
            let Some(all) = term.get_mut(field).and_then(Value::as_array_mut) else { continue };
            for (number, one) in all.iter_mut().enumerate() {
                let now = new
                    .pointer(&format!("/required/nodeSelectorTerms/{index}/{field}/{number}/key"))
                    .and_then(Value::as_str)
                    .unwrap_or_default();
                if names.contains(&(one.text("key"), now)) {
                    set(one, "key", now);
                }
            }
        }
    }
    out
}

impl Rules for PersistentVolume {
    fn default(&self, object: &mut Value) {
        if let Some(status) = child_mut(object, "status") {
            fill(status, "phase", "Pending");
        }
        if let Some(spec) = child_mut(object, "spec") {
            fill(spec, "persistentVolumeReclaimPolicy", "Retain");
            fill_absent(spec, "volumeMode", "Filesystem");
            resources::round(spec, "capacity");
            sources::fill_source(spec);
        }
    }

    fn prepare_create(&self, object: &mut Value, context: &Context) {
        let now = crate::kinds::seconds(context.now);
        set(object, "status", json!({"phase": "Pending", "lastPhaseTransitionTime": now}));
    }

    fn prepare_status_update(&self, object: &mut Value, old: &Value, context: &Context) {
        copy_field(object, old, "spec");
        let before = old.at("status");
        let Some(status) = child_mut(object, "status") else { return };
        let field = "lastPhaseTransitionTime";
        if status.text("phase") == before.text("phase") {
            if !status.has(field) {
                copy_field(status, before, field);
            }
        } else if !status.has(field) || status.at(field) == before.at(field) {
            set(status, field, crate::kinds::seconds(context.now));
        }
    }

    fn has_status(&self) -> bool {
        true
    }

    fn validate(&self, object: &Value) -> Vec<FieldError> {
        let mut errors = Errors::new();
        volume(object, false, &mut errors);
        mount_options(object, &mut errors);
        errors.found()
    }

    fn validate_update(&self, object: &Value, old: &Value) -> Vec<FieldError> {
        let mut errors = Errors::new();
        let any = scheduling::has_bad_values(old.at("spec").at("nodeAffinity").at("required"));
        volume(object, any, &mut errors);
        mount_options(object, &mut errors);
        volume(object, any, &mut errors);
        changed(object, old, &mut errors);
        errors.found()
    }

    fn validate_status_update(&self, object: &Value, old: &Value) -> Vec<FieldError> {
        let mut errors = Errors::new();
        metadata::validate_versioned_update(object, old, &mut errors);
        errors.found()
    }

    fn warnings(&self, object: &Value, _old: Option<&Value>) -> Vec<String> {
        let mut out = Vec::new();
        let (spec, path) = (object.at("spec"), Path::new("spec"));
        for (key, words) in [
            (
                "volume.beta.kubernetes.io/storage-class",
                "deprecated since v1.8; use \"storageClassName\" attribute instead",
            ),
            (
                "volume.beta.kubernetes.io/mount-options",
                "deprecated since v1.31; use \"mountOptions\" attribute instead",
            ),
        ] {
            if object.at("metadata").at("annotations").has(key) {
                out.push(format!("metadata.annotations[{key}]: {words}"));
            }
        }
        if spec.text("persistentVolumeReclaimPolicy") == "Recycle" {
            out.push(
                "spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, the \
                 recommended approach is to use dynamic provisioning."
                    .into(),
            );
        }
        let terms = spec.at("nodeAffinity").at("required").list("nodeSelectorTerms");
        for (index, term) in terms.iter().enumerate() {
            let path = path.child("nodeAffinity").child("required").child("nodeSelectorTerms").index(index);
            out.extend(node_term(term, false, &path));
        }
        for (field, named, words) in [
            ("cephfs", "cephfs", "deprecated in v1.28, non-functional in v1.31+"),
            ("photonPersistentDisk", "photonPersistentDisk", "deprecated in v1.11, non-functional in v1.16+"),
            ("scaleIO", "scaleIO", "deprecated in v1.16, non-functional in v1.22+"),
            ("storageos", "storageOS", "deprecated in v1.22, non-functional in v1.25+"),
            ("glusterfs", "glusterfs", "deprecated in v1.25, non-functional in v1.26+"),
            ("rbd", "rbd", "deprecated in v1.28, non-functional in v1.31+"),
        ] {
            if spec.has(field) {
                out.push(format!("{}: {words}", path.child(named)));
            }
        }
        out
    }

    fn selectable(&self) -> &'static [&'static str] {
        &["name"]
    }
}
