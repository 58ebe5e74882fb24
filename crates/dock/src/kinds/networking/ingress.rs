//! Ingresses.

use serde_json::{Value, json};

use crate::field::{FieldError, Path};
use crate::kinds::core::balancer::{ingress_point_warnings, ingress_points};
use crate::kinds::metadata::{self, Scope};
use crate::kinds::read::{Read, text_of};
use crate::kinds::report::Errors;
use crate::kinds::{Rules, names, network};

const CLASS: &str = "kubernetes.io/ingress.class";

/// The rules of `Ingress`.
pub(crate) struct Ingress;

/// What is let pass because the ingress before has it.
#[derive(Debug, Clone, Copy, Default)]
struct Options {
    any_secret: bool,
    any_wildcard_rule: bool,
}

fn host(name: &str, path: &Path, errors: &mut Errors) {
    let wrong = if name.contains('*') { names::wildcard_subdomain(name) } else { names::dns_subdomain(name) };
    errors.invalid_each(path, name, wrong);
}

fn ingress(object: &Value, options: Options, errors: &mut Errors) {
    metadata::validate(object, Scope::Namespaced, names::dns_subdomain, errors);
    let (spec, path) = (object.at("spec"), Path::new("spec"));
    if spec.list("rules").is_empty() && !spec.has("defaultBackend") {
        errors.invalid(
            &path,
            spec.at("rules").clone(),
            "either `defaultBackend` or `rules` must be specified",
        );
    }
    if spec.has("defaultBackend") {
        backend(spec.at("defaultBackend"), &path.child("defaultBackend"), errors);
    }
    for (index, rule) in spec.list("rules").iter().enumerate() {
        let path = path.child("rules").index(index);
        let name = rule.text("host");
        if !name.is_empty() {
            if network::sloppy(name).is_some() {
                errors.invalid(&path.child("host"), name, "must be a DNS name, not an IP address");
            }
            host(name, &path.child("host"), errors);
        }
        if rule.has("http") && !(name.contains('*') && options.any_wildcard_rule) {
            paths(rule.at("http"), &path.child("http").child("paths"), errors);
        }
    }
    for (index, tls) in spec.list("tls").iter().enumerate() {
        let path = path.child("tls").index(index);
        for (index, name) in tls.list("hosts").iter().enumerate() {
            host(text_of(name), &path.child("hosts").index(index), errors);
        }
        let secret = tls.text("secretName");
        if !options.any_secret && !secret.is_empty() {
            errors.invalid_each(&path.child("secretName"), secret, names::dns_subdomain(secret));
        }
    }
    if let Some(class) = spec.at("ingressClassName").as_str() {
        errors.invalid_each(&path.child("ingressClassName"), class, names::dns_subdomain(class));
    }
}

fn paths(http: &Value, path: &Path, errors: &mut Errors) {
    if http.list("paths").is_empty() {
        errors.required(path, "");
    }
    for (index, one) in http.list("paths").iter().enumerate() {
        let path = path.index(index);
        let Some(kind) = one.at("pathType").as_str() else {
            errors.required(&path.child("pathType"), "pathType must be specified");
            continue;
        };
        let (text, own) = (one.text("path"), path.child("path"));
        match kind {
            "Exact" | "Prefix" => {
                if !text.starts_with('/') {
                    errors.invalid(&own, text, "must be an absolute path");
                }
                for part in ["//", "/./", "/../", "%2f", "%2F"] {
                    if text.contains(part) {
                        errors.invalid(&own, text, format!("must not contain '{part}'"));
                    }
                }
                for end in ["/..", "/."] {
                    if text.ends_with(end) {
                        errors.invalid(&own, text, format!("cannot end with '{end}'"));
                    }
                }
            }
            "ImplementationSpecific" => {
                if !text.is_empty() && !text.starts_with('/') {
                    errors.invalid(&own, text, "must be an absolute path");
                }
            }
            other => errors.unsupported(
                &path.child("pathType"),
                other,
                &["Exact", "ImplementationSpecific", "Prefix"],
            ),
        }
        backend(one.at("backend"), &path.child("backend"), errors);
    }
}

fn backend(backend: &Value, path: &Path, errors: &mut Errors) {
    let (resource, service) = (backend.at("resource"), backend.at("service"));
    match (resource.is_null(), service.is_null()) {
        (false, false) => errors.invalid(path, "", "cannot set both resource and service backends"),
        (true, true) => errors.invalid(path, "", "resource or service backend is required"),
        (false, true) => reference(resource, &path.child("resource"), errors),
        (true, false) => {
            let own = path.child("service");
            let name = service.text("name");
            if name.is_empty() {
                errors.required(&own.child("name"), "");
            } else {
                errors.invalid_each(&own.child("name"), name, names::dns_label(name));
            }
            let port = service.at("port");
            let (name, number) = (port.text("name"), port.int("number"));
            let own = own.child("port");
            if !name.is_empty() && number != 0 {
                errors.invalid(path, "", "cannot set both port name & port number");
            } else if !name.is_empty() {
                errors.invalid_each(&own.child("name"), name, names::port_name(name));
            } else if number != 0 {
                for words in names::port_number(number) {
                    errors.invalid(&own.child("number"), number, words);
                }
            } else {
                errors.required(path, "port name or number is required");
            }
        }
    }
}

/// A reference to an object by group, kind and name.
pub(super) fn reference(reference: &Value, path: &Path, errors: &mut Errors) {
    if let Some(group) = reference.at("apiGroup").as_str() {
        errors.invalid_each(&path.child("apiGroup"), group, names::dns_subdomain(group));
    }
    for field in ["kind", "name"] {
        let text = reference.text(field);
        if text.is_empty() {
            errors.required(&path.child(field), "");
        } else {
            errors.invalid_each(&path.child(field), text, names::path_segment(text));
        }
    }
}

impl Rules for Ingress {
    fn first_status(&self) -> Option<Value> {
        Some(json!({"loadBalancer": {}}))
    }

    fn has_generation(&self) -> bool {
        true
    }

    fn validate(&self, object: &Value) -> Vec<FieldError> {
        let mut errors = Errors::new();
        ingress(object, Options::default(), &mut errors);
        let told = object.at("metadata").at("annotations").get(CLASS).map(text_of);
        let class = object.at("spec").at("ingressClassName").as_str();
        if let (Some(told), Some(class)) = (told, class)
            && told != class
        {
            errors.invalid(
                &Path::new("annotations").child(CLASS),
                told,
                "must match `ingressClassName` when both are specified",
            );
        }
        errors.found()
    }

    fn validate_update(&self, object: &Value, old: &Value) -> Vec<FieldError> {
        let mut errors = Errors::new();
        let before = old.at("spec");
        let bad_secret = |tls: &Value| {
            let name = tls.text("secretName");
            !name.is_empty() && !names::dns_subdomain(name).is_empty()
        };
        let bad_rule = |rule: &Value| {
            let mut errors = Errors::new();
            paths(rule.at("http"), &Path::default(), &mut errors);
            rule.text("host").contains('*') && rule.has("http") && !errors.is_empty()
        };
        let options = Options {
            any_secret: before.list("tls").iter().any(bad_secret),
            any_wildcard_rule: before.list("rules").iter().any(bad_rule),
        };
        metadata::validate_update(object, old, &mut errors);
        ingress(object, options, &mut errors);
        errors.found()
    }

    fn validate_status_update(&self, object: &Value, old: &Value) -> Vec<FieldError> {
        let mut errors = Errors::new();
        metadata::validate_update(object, old, &mut errors);
        let points = |object: &Value| object.at("status").at("loadBalancer").list("ingress").to_vec();
        let path = Path::new("status").child("loadBalancer").child("ingress");
        ingress_points(&points(object), &points(old), &path, &mut errors);
        errors.found()
    }

    fn warnings(&self, object: &Value, old: Option<&Value>) -> Vec<String> {
        let told = object.at("metadata").at("annotations").has(CLASS);
        if old.is_none() && told && !object.at("spec").has("ingressClassName") {
            return vec![format!(
                "annotation \"{CLASS}\" is deprecated, please use 'spec.ingressClassName' instead"
            )];
        }
        Vec::new()
    }

    fn status_warnings(&self, object: &Value, _old: &Value) -> Vec<String> {
        ingress_point_warnings(object)
    }
}
