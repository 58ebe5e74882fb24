//! Probes and hooks of containers, and what they do.

use serde_json::Value;

use crate::field::Path;
use crate::kinds::names;
use crate::kinds::read::Read;
use crate::kinds::report::Errors;

/// A number or the name of a port.
pub(crate) fn port(value: &Value, path: &Path, errors: &mut Errors) {
    match value {
        Value::String(name) => errors.invalid_each(path, name, names::port_name(name)),
        number => {
            let number = number.as_i64().unwrap_or_default();
            for words in names::port_number(number) {
                errors.invalid(path, number, words);
            }
        }
    }
}

fn http_get(get: &Value, path: &Path, errors: &mut Errors) {
    errors.needs(get, "path", path);
    port(get.at("port"), &path.child("port"), errors);
    errors.one_of(get.text("scheme"), &["HTTP", "HTTPS"], &path.child("scheme"));
    for header in get.list("httpHeaders") {
        let name = header.text("name");
        errors.invalid_each(&path.child("httpHeaders"), name, names::http_header(name));
    }
}

fn handler(handler: &Value, kinds: &[&str], grace: Option<i64>, path: &Path, errors: &mut Errors) {
    let mut found = false;
    for kind in kinds {
        let action = handler.at(kind);
        if action.is_null() {
            continue;
        }
        let path = path.child(kind);
        if found {
            errors.forbidden(&path, "may not specify more than 1 handler type");
            continue;
        }
        found = true;
        match *kind {
            "exec" if action.list("command").is_empty() => errors.required(&path.child("command"), ""),
            "httpGet" => http_get(action, &path, errors),
            "tcpSocket" | "grpc" => port(action.at("port"), &path.child("port"), errors),
            "sleep" => {
                let seconds = action.int("seconds");
                if let Some(grace) = grace.filter(|grace| seconds < 0 || seconds > *grace) {
                    errors.invalid(
                        &path,
                        seconds,
                        format!("must be non-negative and less than terminationGracePeriodSeconds ({grace})"),
                    );
                }
            }
            _ => {}
        }
    }
    if !found {
        errors.required(path, "must specify a handler type");
    }
}

fn probe(probe: &Value, grace: Option<i64>, path: &Path, errors: &mut Errors) {
    handler(probe, &["exec", "httpGet", "tcpSocket", "grpc"], grace, path, errors);
    for field in
        ["initialDelaySeconds", "timeoutSeconds", "periodSeconds", "successThreshold", "failureThreshold"]
    {
        errors.not_negative(probe.int(field), &path.child(field));
    }
    if let Some(seconds) = probe.number("terminationGracePeriodSeconds").filter(|seconds| *seconds <= 0) {
        errors.invalid(&path.child("terminationGracePeriodSeconds"), seconds, "must be greater than 0");
    }
}

/// What is wrong with the three probes of a container.
pub(super) fn probes(container: &Value, grace: Option<i64>, path: &Path, errors: &mut Errors) {
    for kind in ["livenessProbe", "readinessProbe", "startupProbe"] {
        let value = container.at(kind);
        if value.is_null() {
            continue;
        }
        let path = path.child(kind);
        probe(value, grace, &path, errors);
        if kind == "readinessProbe" {
            if value.has("terminationGracePeriodSeconds") {
                errors.invalid(
                    &path.child("terminationGracePeriodSeconds"),
                    value.at("terminationGracePeriodSeconds").clone(),
                    "must not be set for readinessProbes",
                );
            }
        } else if value.int("successThreshold") != 1 {
            errors.invalid(&path.child("successThreshold"), value.int("successThreshold"), "must be 1");
        }
    }
}

/// What is wrong with the hooks of a container.
pub(super) fn lifecycle(lifecycle: &Value, grace: Option<i64>, path: &Path, errors: &mut Errors) {
    for hook in ["postStart", "preStop"] {
        let value = lifecycle.at(hook);
        if !value.is_null() {
            handler(value, &["exec", "httpGet", "tcpSocket", "sleep"], grace, &path.child(hook), errors);
        }
    }
}
