//! Pods, and what the templates of the workloads share with them.

mod annotations;
mod containers;
mod defaults;
mod env;
pub(crate) mod level;
mod mounts;
pub(crate) mod options;
pub(crate) mod paths;
pub(crate) mod probes;
pub(crate) mod quality;
pub(crate) mod scheduling;
mod security;
mod spec;
mod status;
pub(crate) mod template;
mod volumes;
pub(crate) mod warnings;
mod windows;

use serde_json::{Value, json};

use self::options::Options;
use super::metadata::{self, Scope};
use super::read::{Read, at_mut, child_mut, list_mut, same, set, text_of, unset};
use super::report::Errors;
use super::{Context, Rules, copy_field, internal, names};
use crate::field::{FieldError, Path};

const UPDATABLE: &str = "`spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,\
     `spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to \
     be set to 1 if it was previously negative)";

/// The rules of `Pod`.
pub(crate) struct Pod;

impl Rules for Pod {
    fn default(&self, object: &mut Value) {
        defaults::pod(object);
        if let Some(meta) = at_mut(object, "metadata") {
            defaults::drop_init_annotations(meta);
        }
    }

    fn prepare_create(&self, object: &mut Value, context: &Context) {
        let told = object.at("status").text("qosClass").to_owned();
        let class = if told.is_empty() { quality::class(object.at("spec")).to_owned() } else { told };
        set(object, "status", json!({"phase": "Pending", "qosClass": class}));
        if let Some(spec) = at_mut(object, "spec") {
            defaults::drop_disabled(spec, &Value::Null);
        }
        if !object.at("spec").list("schedulingGates").is_empty()
            && let Some(status) = at_mut(object, "status")
        {
            let condition = json!({
                "type": "PodScheduled",
                "status": "False",
                "lastProbeTime": null,
                "lastTransitionTime": super::seconds(context.now),
                "reason": "SchedulingGated",
                "message": "Scheduling is blocked due to non-empty scheduling gates",
            });
            set(status, "conditions", json!([condition]));
        }
        merge_label_keys(object);
        adopt_app_armor(object);
    }

    fn prepare_update(&self, object: &mut Value, old: &Value, _context: &Context) {
        copy_field(object, old, "status");
        if let Some(spec) = at_mut(object, "spec") {
            defaults::drop_disabled(spec, old.at("spec"));
        }
    }

    fn prepare_status_update(&self, object: &mut Value, old: &Value, _context: &Context) {
        status::prepare(object, old);
    }

    fn prepare_part_update(&self, part: &str, object: &mut Value, old: &Value, context: &Context) {
        match part {
            "status" => self.prepare_status_update(object, old, context),
            "ephemeralcontainers" => {
                let added = object.at("spec").at("ephemeralContainers").clone();
                copy_field(object, old, "spec");
                copy_field(object, old, "status");
                super::reset_metadata(object, old);
                if let Some(spec) = child_mut(object, "spec") {
                    if added.is_null() {
                        unset(spec, "ephemeralContainers");
                    } else {
                        set(spec, "ephemeralContainers", added);
                    }
                }
            }
            _ => self.prepare_update(object, old, context),
        }
    }

    fn resets(&self, part: &str) -> &'static [&'static str] {
        match part {
            "" => &["status"],
            "status" => &["spec", "metadata.deletionTimestamp", "metadata.ownerReferences"],
            _ => &[],
        }
    }

    fn has_status(&self) -> bool {
        true
    }

    fn has_generation(&self) -> bool {
        true
    }

    fn validate(&self, object: &Value) -> Vec<FieldError> {
        let mut errors = Errors::new();
        whole(object, &Options::new(true), &mut errors);
        let (spec, path) = (object.at("spec"), Path::new("spec"));
        if !spec.list("ephemeralContainers").is_empty() {
            errors.forbidden(&path.child("ephemeralContainers"), "cannot be set on create");
        }
        if !spec.text("nodeName").is_empty() && !spec.list("schedulingGates").is_empty() {
            errors.forbidden(
                &path.child("nodeName"),
                "cannot be set until all schedulingGates have been cleared",
            );
        }
        annotations::agree(object.at("metadata"), spec, &path, &mut errors);
        errors.found()
    }

    fn validate_update(&self, object: &Value, old: &Value) -> Vec<FieldError> {
        let mut errors = Errors::new();
        let options = Options::after(true, old.at("spec"), old.at("metadata"));
        metadata::validate_update(object, old, &mut errors);
        whole(object, &options, &mut errors);
        changed_annotations(object, old, &options, &mut errors);
        changed_spec(object.at("spec"), old.at("spec"), &options, &mut errors);
        errors.found()
    }

    fn validate_status_update(&self, object: &Value, old: &Value) -> Vec<FieldError> {
        status::validate(object, old)
    }

    fn validate_subresource_update(&self, subresource: &str, object: &Value, old: &Value) -> Vec<FieldError> {
        match subresource {
            "status" => self.validate_status_update(object, old),
            "ephemeralcontainers" => {
                if old.at("metadata").at("annotations").has("kubernetes.io/config.mirror") {
                    let words = "static pods do not support ephemeral containers";
                    return vec![FieldError::forbidden(&Path::new("[]"), words)];
                }
                let mut errors = Errors::new();
                let options = Options::after(true, old.at("spec"), old.at("metadata"));
                metadata::validate_update(object, old, &mut errors);
                whole(object, &options, &mut errors);
                changed_annotations(object, old, &options, &mut errors);
                let path = Path::new("spec").child("ephemeralContainers");
                for before in old.at("spec").list("ephemeralContainers") {
                    let name = before.text("name");
                    let after = object.at("spec").list("ephemeralContainers");
                    match after.iter().rfind(|after| after.text("name") == name) {
                        None => errors.forbidden(
                            &path,
                            format!("existing ephemeral containers {name:?} may not be removed\n"),
                        ),
                        Some(after) if !same(after, before) => errors.forbidden(
                            &path,
                            format!("existing ephemeral containers {name:?} may not be changed\n"),
                        ),
                        Some(_) => {}
                    }
                }
                errors.found()
            }
            _ => self.validate_update(object, old),
        }
    }

    fn warnings(&self, object: &Value, old: Option<&Value>) -> Vec<String> {
        if old.is_some() {
            return Vec::new();
        }
        let mut out = Vec::new();
        let wrong = names::dns_label(object.at("metadata").text("name"));
        if !wrong.is_empty() {
            out.push(format!(
                "metadata.name: this is used in the Pod's hostname, which can result in surprising behavior; a DNS \
                 label is recommended: [{}]",
                wrong.join(" ")
            ));
        }
        out.extend(warnings::of(object.at("spec"), object.at("metadata"), &Path::default(), false));
        out
    }

    fn selectable(&self) -> &'static [&'static str] {
        &[
            "spec.nodeName",
            "spec.restartPolicy",
            "spec.schedulerName",
            "spec.serviceAccountName",
            "spec.hostNetwork",
            "status.phase",
            "status.podIP",
            "status.nominatedNodeName",
        ]
    }
}

/// What is wrong with a pod, new or not.
fn whole(object: &Value, options: &Options, errors: &mut Errors) {
    let (meta, own, path) = (object.at("metadata"), object.at("spec"), Path::new("spec"));
    metadata::validate(object, Scope::Namespaced, names::dns_subdomain, errors);
    annotations::validate(meta, own, options, &Path::new("metadata").child("annotations"), errors);
    spec::validate(own, Some(meta), options, &path, errors);
    if own.text("serviceAccountName").is_empty() {
        for (index, volume) in own.list("volumes").iter().enumerate() {
            for (number, source) in volume.at("projected").list("sources").iter().enumerate() {
                if source.has("serviceAccountToken") {
                    let path = path.child("volumes").index(index).child("projected").child("sources");
                    errors.forbidden(
                        &path.index(number).child("serviceAccountToken"),
                        "must not be specified when serviceAccountName is not set",
                    );
                }
            }
        }
    }
    for field in ["containers", "initContainers"] {
        for (index, container) in own.list(field).iter().enumerate() {
            containers::only_for_pods(container, &path.child(field).index(index), errors);
        }
    }
}

fn changed_annotations(object: &Value, old: &Value, options: &Options, errors: &mut Errors) {
    let path = Path::new("metadata").child("annotations");
    let meta = object.at("metadata");
    annotations::validate_update(meta, old.at("metadata"), &path, errors);
    annotations::validate(meta, object.at("spec"), options, &path, errors);
}

/// What may change in the spec of a pod, once it is there.
fn changed_spec(new: &Value, old: &Value, options: &Options, errors: &mut Errors) {
    let path = Path::new("spec");
    for field in ["containers", "initContainers"] {
        let (now, before) = (new.list(field), old.list(field));
        if now.len() != before.len() {
            errors.forbidden(&path.child(field), "pod updates may not add or remove containers");
            return;
        }
        for (index, container) in now.iter().enumerate() {
            let path = path.child(field).index(index);
            errors.needs(container, "image", &path);
            containers::only_for_pods(container, &path, errors);
        }
    }
    let deadline = path.child("activeDeadlineSeconds");
    match (new.number("activeDeadlineSeconds"), old.number("activeDeadlineSeconds")) {
        (Some(now), _) if !(0..=i64::from(i32::MAX)).contains(&now) => {
            errors.invalid(&deadline, now, names::range(0, i64::from(i32::MAX)));
            return;
        }
        (Some(now), Some(before)) if before < now => {
            errors.invalid(&deadline, now, "must be less than or equal to previous value");
            return;
        }
        (None, Some(_)) => {
            errors.invalid(&deadline, Value::Null, "must not update from a positive integer to nil value");
        }
        _ => {}
    }
    let (now, before) = (new.list("tolerations"), old.list("tolerations"));
    scheduling::only_added_tolerations(now, before, options, &path.child("tolerations"), errors);
    let (now, before) = (new.list("schedulingGates"), old.list("schedulingGates"));
    scheduling::only_deleted_gates(now, before, &path.child("schedulingGates"), errors);
    if same(new, old) {
        return;
    }
    let mut munged = new.clone();
    for field in ["containers", "initContainers"] {
        for (container, before) in list_mut(&mut munged, field).zip(old.list(field)) {
            copy_field(container, before, "image");
        }
    }
    for field in ["activeDeadlineSeconds", "schedulingGates", "tolerations"] {
        copy_field(&mut munged, old, field);
    }
    if old.int("terminationGracePeriodSeconds") < 0 && munged.int("terminationGracePeriodSeconds") == 1 {
        copy_field(&mut munged, old, "terminationGracePeriodSeconds");
    }
    if !old.list("schedulingGates").is_empty() {
        scheduling::only_narrowed(new, old, &path, errors);
        copy_field(&mut munged, old, "nodeSelector");
        let (now, before) = (munged.at("affinity"), old.at("affinity"));
        if !same(now.at("nodeAffinity"), before.at("nodeAffinity")) {
            let others = now.has("podAffinity") || now.has("podAntiAffinity");
            if now.is_null() {
                let affinity = before.at("nodeAffinity").clone();
                set(&mut munged, "affinity", json!({"nodeAffinity": affinity}));
            } else if before.is_null() && !others {
                unset(&mut munged, "affinity");
            } else if let Some(affinity) = at_mut(&mut munged, "affinity") {
                copy_field(affinity, before, "nodeAffinity");
            }
        }
    }
    if !same(&munged, old) {
        let told = internal::difference("core.PodSpec", old, &munged);
        errors.forbidden(&path, format!("pod updates may not change fields other than {UPDATABLE}\n{told}"));
    }
}

/// Puts the labels that affinities and spreading take from the pod into their selectors.
fn merge_label_keys(pod: &mut Value) {
    let labels = pod.at("metadata").at("labels").clone();
    let merge = |term: &mut Value| {
        if !term.has("labelSelector") {
            return;
        }
        let mut added = Vec::new();
        for (field, operator) in [("matchLabelKeys", "In"), ("mismatchLabelKeys", "NotIn")] {
            for key in term.list(field) {
                if let Some(value) = labels.get(text_of(key)) {
                    added.push(json!({"key": key, "operator": operator, "values": [value]}));
                }
            }
        }
        if let Some(selector) = at_mut(term, "labelSelector").filter(|_| !added.is_empty()) {
            let mut all = selector.list("matchExpressions").to_vec();
            all.extend(added);
            set(selector, "matchExpressions", all);
        }
    };
    let Some(spec) = at_mut(pod, "spec") else { return };
    if let Some(affinity) = at_mut(spec, "affinity") {
        for kind in ["podAffinity", "podAntiAffinity"] {
            let Some(own) = at_mut(affinity, kind) else { continue };
            list_mut(own, "preferredDuringSchedulingIgnoredDuringExecution")
                .filter_map(|term| at_mut(term, "podAffinityTerm"))
                .for_each(&merge);
            list_mut(own, "requiredDuringSchedulingIgnoredDuringExecution").for_each(&merge);
        }
    }
    list_mut(spec, "topologySpreadConstraints").for_each(&merge);
}

/// Writes the profiles that annotations tell of into the fields for them.
fn adopt_app_armor(pod: &mut Value) {
    let told = pod.at("metadata").at("annotations").clone();
    let Some(spec) = at_mut(pod, "spec") else { return };
    if spec.at("os").text("name") == "windows" {
        return;
    }
    let of_pod = spec.at("securityContext").at("appArmorProfile").clone();
    for field in defaults::CONTAINERS {
        for container in list_mut(spec, field) {
            let key = format!("container.apparmor.security.beta.kubernetes.io/{}", container.text("name"));
            let Some(told) = told.get(&key) else { continue };
            if container.at("securityContext").has("appArmorProfile") {
                continue;
            }
            let profile = warnings::app_armor(text_of(told));
            let mut errors = Errors::new();
            security::app_armor(&profile, &Path::default(), &mut errors);
            if profile.is_null() || !errors.is_empty() || same(&profile, &of_pod) {
                continue;
            }
            if let Some(context) = child_mut(container, "securityContext") {
                set(context, "appArmorProfile", profile);
            }
        }
    }
}
