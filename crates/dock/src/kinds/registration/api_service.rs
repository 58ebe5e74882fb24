//! Where the server finds the groups of its API.

use serde_json::{Value, json};

use super::webhook_client::port;
use crate::field::{FieldError, Path};
use crate::kinds::metadata::{self, Scope};
use crate::kinds::read::{Read, at_mut, child_mut, fill_absent, set};
use crate::kinds::report::Errors;
use crate::kinds::{Context, Rules, copy_field, names, reset_metadata, seconds};
use crate::meta::dns1035_label;

/// The rules of `APIService`.
pub(crate) struct ApiService;

fn api_service(object: &Value, errors: &mut Errors) {
    let (spec, path) = (object.at("spec"), Path::new("spec"));
    let (group, version) = (spec.text("group"), spec.text("version"));
    let (meta, own) = (object.at("metadata"), Path::new("metadata"));
    let before = errors.len();
    metadata::generic(meta, Scope::Cluster, names::path_segment, &own, errors);
    let (name, wanted) = (meta.text("name"), format!("{version}.{group}"));
    if errors.len() == before && name != wanted {
        let words = format!("must be `spec.version+\".\"+spec.group`: \"{wanted}\"");
        errors.invalid(&own.child("name"), name, words);
    }
    if group.is_empty() && version != "v1" {
        let words = "only v1 may have an empty group and it better be legacy kube";
        errors.required(&path.child("group"), words);
    }
    if !group.is_empty() {
        errors.invalid_each(&path.child("group"), group, names::dns_subdomain(group));
    }
    errors.invalid_each(&path.child("version"), version, dns1035_label(version));
    for (field, most) in [("groupPriorityMinimum", 20_000), ("versionPriority", 1000)] {
        let value = spec.int(field);
        if !(1..=most).contains(&value) {
            errors.invalid(&path.child(field), value, format!("must be positive and less than {most}"));
        }
    }
    let insecure = path.child("insecureSkipTLSVerify");
    let bundle = spec.text("caBundle");
    let service = spec.at("service");
    if service.is_null() {
        if !bundle.is_empty() {
            let bytes = bundle.len() / 4 * 3 - bundle.bytes().filter(|byte| *byte == b'=').count();
            let words = "local APIServices may not have a caBundle";
            errors.invalid(&path.child("caBundle"), format!("{bytes} bytes"), words);
        }
        if spec.flag("insecureSkipTLSVerify") {
            errors.invalid(&insecure, true, "local APIServices may not have insecureSkipTLSVerify");
        }
        return;
    }
    let own = path.child("service");
    for field in ["namespace", "name"] {
        errors.needs(service, field, &own);
    }
    port(service, &own, errors);
    if spec.flag("insecureSkipTLSVerify") && !bundle.is_empty() {
        errors.invalid(&insecure, true, "may not be true if caBundle is present");
    }
}

impl Rules for ApiService {
    fn default(&self, object: &mut Value) {
        if let Some(service) = at_mut(object, "spec").and_then(|spec| at_mut(spec, "service")) {
            fill_absent(service, "port", 443);
        }
    }

    fn prepare_create(&self, object: &mut Value, context: &Context) {
        set(object, "status", json!({}));
        if object.at("spec").has("service") {
            return;
        }
        if let Some(status) = child_mut(object, "status") {
            let condition = json!({
                "type": "Available",
                "status": "True",
                "lastTransitionTime": seconds(context.now),
                "reason": "Local",
                "message": "Local APIServices are always available",
            });
            set(status, "conditions", json!([condition]));
        }
    }

    fn prepare_status_update(&self, object: &mut Value, old: &Value, _context: &Context) {
        copy_field(object, old, "spec");
        reset_metadata(object, old);
    }

    fn has_status(&self) -> bool {
        true
    }

    fn validate(&self, object: &Value) -> Vec<FieldError> {
        let mut errors = Errors::new();
        api_service(object, &mut errors);
        errors.found()
    }

    fn validate_update(&self, object: &Value, old: &Value) -> Vec<FieldError> {
        let mut errors = Errors::new();
        metadata::generic_update(object, old, &mut errors);
        api_service(object, &mut errors);
        errors.found()
    }

    fn validate_status_update(&self, object: &Value, old: &Value) -> Vec<FieldError> {
        let mut errors = Errors::new();
        metadata::generic_update(object, old, &mut errors);
        for (index, condition) in object.at("status").list("conditions").iter().enumerate() {
            let path = Path::new("status.conditions").index(index).child("status");
            errors.one_of(condition.text("status"), &["True", "False", "Unknown"], &path);
        }
        errors.found()
    }
}
