//! Requests for certificates: their structure. What is in the request itself is not read.

use serde_json::{Value, json};

use crate::field::{FieldError, Path};
use crate::kinds::metadata::{self, Scope};
use crate::kinds::read::{Read, child_mut, fill_absent, list_mut, set, text_of, unset};
use crate::kinds::report::Errors;
use crate::kinds::{Context, Rules, copy_field, seconds};

/// The rules of `CertificateSigningRequest`.
pub(crate) struct CertificateSigningRequest;

const USAGES: [&str; 23] = [
    "any",
    "cert sign",
    "client auth",
    "code signing",
    "content commitment",
    "crl sign",
    "data encipherment",
    "decipher only",
    "digital signature",
    "email protection",
    "encipher only",
    "ipsec end system",
    "ipsec tunnel",
    "ipsec user",
    "key agreement",
    "key encipherment",
    "microsoft sgc",
    "netscape sgc",
    "ocsp signing",
    "s/mime",
    "server auth",
    "signing",
    "timestamping",
];

fn request(object: &Value, errors: &mut Errors) {
    let (spec, path) = (object.at("spec"), Path::new("spec"));
    metadata::validate(object, Scope::Cluster, |_| Vec::new(), errors);
    let (usages, own) = (spec.list("usages"), path.child("usages"));
    if usages.is_empty() {
        errors.required(&own, "");
    }
    for (index, usage) in usages.iter().enumerate() {
        errors.one_of(text_of(usage), &USAGES, &own.index(index));
    }
    for (index, usage) in usages.iter().enumerate() {
        if usages[..index].contains(usage) {
            errors.duplicate(&own.index(index), usage.clone());
        }
    }
    errors.needs(spec, "signerName", &path);
    if let Some(seconds) = spec.number("expirationSeconds").filter(|seconds| *seconds < 600) {
        let words = "may not specify a duration less than 600 seconds (10 minutes)";
        errors.invalid(&path.child("expirationSeconds"), seconds, words);
    }
    conditions(object, errors);
}

fn conditions(object: &Value, errors: &mut Errors) {
    let (all, path) = (object.at("status").list("conditions"), Path::new("status.conditions"));
    for (index, condition) in all.iter().enumerate() {
        let (own, kind) = (path.index(index), condition.text("type"));
        errors.needs(condition, "type", &own);
        let only_true = ["Approved", "Denied", "Failed"].contains(&kind);
        let known: &[&str] = if only_true { &["True"] } else { &["False", "True", "Unknown"] };
        match condition.text("status") {
            "" => errors.required(&own.child("status"), ""),
            status => errors.one_of(status, known, &own.child("status")),
        }
        let other = match kind {
            "Approved" => "Denied",
            "Denied" => "Approved",
            _ => "",
        };
        if !other.is_empty() && all[..index].iter().any(|before| before.text("type") == other) {
            errors.invalid(&path, kind, "Approved and Denied conditions are mutually exclusive");
        }
        if all[..index].iter().any(|before| before.text("type") == kind) {
            errors.duplicate(&own.child("type"), kind);
        }
    }
}

fn of_type<'a>(object: &'a Value, kind: &str) -> Vec<&'a Value> {
    let all = object.at("status").list("conditions");
    all.iter().filter(|condition| condition.text("type") == kind).collect()
}

/// What may be written where: decisions by those who approve, certificates by those who sign.
fn update(object: &Value, old: &Value, subresource: &str) -> Vec<FieldError> {
    let mut errors = Errors::new();
    request(object, &mut errors);
    let path = Path::new("status.conditions");
    for kind in ["Approved", "Denied", "Failed"] {
        if of_type(object, kind).len() < of_type(old, kind).len() {
            errors.forbidden(&path, format!("updates may not remove a condition of type \"{kind}\""));
        }
    }
    if subresource != "approval" {
        for kind in ["Approved", "Denied"] {
            if of_type(object, kind).len() > of_type(old, kind).len() {
                errors.forbidden(&path, format!("updates may not add a condition of type \"{kind}\""));
            }
        }
    }
    let certificate = |object: &Value| object.at("status").text("certificate").to_owned();
    if certificate(object) != certificate(old) {
        let path = Path::new("status.certificate");
        if subresource != "status" {
            errors.forbidden(&path, "updates may not set certificate content");
        } else if !certificate(old).is_empty() {
            errors.forbidden(&path, "updates may not modify existing certificate content");
        }
    }
    metadata::validate_update(object, old, &mut errors);
    errors.found()
}

/// Conditions get the time when they were written.
fn fill_times(object: &mut Value, old: &Value, context: &Context) {
    let now = seconds(context.now);
    let before = old.at("status").list("conditions");
    let Some(status) = child_mut(object, "status") else { return };
    for condition in list_mut(status, "conditions") {
        fill_absent(condition, "lastUpdateTime", now.clone());
        let same = before.iter().find(|before| {
            ["type", "status"].iter().all(|field| before.text(field) == condition.text(field))
                && before.has("lastTransitionTime")
        });
        let since = same.map_or(now.as_str(), |before| before.text("lastTransitionTime"));
        fill_absent(condition, "lastTransitionTime", since);
    }
}

impl Rules for CertificateSigningRequest {
    fn prepare_create(&self, object: &mut Value, context: &Context) {
        if let Some(spec) = child_mut(object, "spec") {
            for field in ["username", "uid", "groups", "extra"] {
                unset(spec, field);
            }
            set(spec, "username", context.user.name.clone());
            set(spec, "groups", json!(context.user.groups));
            if !context.user.uid.is_empty() {
                set(spec, "uid", context.user.uid.clone());
            }
            if !context.user.extra.is_empty() {
                set(spec, "extra", json!(context.user.extra));
            }
        }
        set(object, "status", json!({}));
    }

    fn prepare_update(&self, object: &mut Value, old: &Value, _context: &Context) {
        copy_field(object, old, "spec");
        copy_field(object, old, "status");
    }

    fn prepare_part_update(&self, part: &str, object: &mut Value, old: &Value, context: &Context) {
        match part {
            "status" => {
                copy_field(object, old, "spec");
                fill_times(object, old, context);
            }
            "approval" => {
                fill_times(object, old, context);
                let written = object.at("status").at("conditions").clone();
                copy_field(object, old, "spec");
                copy_field(object, old, "status");
                if let Some(status) = child_mut(object, "status").filter(|_| !written.is_null()) {
                    set(status, "conditions", written);
                }
            }
            _ => self.prepare_update(object, old, context),
        }
    }

    fn resets(&self, part: &str) -> &'static [&'static str] {
        match part {
            "status" => &["spec", "status.conditions"],
            "approval" => &["spec", "status.certificate"],
            _ => &["spec", "status"],
        }
    }

    fn has_status(&self) -> bool {
        true
    }

    fn validate(&self, object: &Value) -> Vec<FieldError> {
        let mut errors = Errors::new();
        request(object, &mut errors);
        errors.found()
    }

    fn validate_subresource_update(&self, subresource: &str, object: &Value, old: &Value) -> Vec<FieldError> {
        update(object, old, subresource)
    }

    fn selectable(&self) -> &'static [&'static str] {
        &["spec.signerName"]
    }
}
