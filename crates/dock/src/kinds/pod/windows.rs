//! What pods for Windows and Linux may not hold, and the options of Windows.

use serde_json::Value;

use super::spec::containers;
use crate::field::Path;
use crate::kinds::names;
use crate::kinds::read::Read;
use crate::kinds::report::Errors;

/// What is wrong with the options of Windows.
pub(super) fn options(options: &Value, path: &Path, errors: &mut Errors) {
    if options.is_null() {
        return;
    }
    if let Some(name) = options.at("gmsaCredentialSpecName").as_str() {
        errors.invalid_each(&path.child("gmsaCredentialSpecName"), name, names::dns_subdomain(name));
    }
    if let Some(spec) = options.at("gmsaCredentialSpec").as_str() {
        let path = path.child("gmsaCredentialSpec");
        if spec.is_empty() {
            errors.invalid(&path, spec, "gmsaCredentialSpec cannot be an empty string");
        } else if spec.len() > 64 * 1024 {
            errors.invalid(&path, spec, "gmsaCredentialSpec size must be under 64 KiB");
        }
    }
    if let Some(name) = options.at("runAsUserName").as_str() {
        for words in user_name(name) {
            errors.invalid(&path.child("runAsUserName"), name, words);
        }
    }
}

fn user_name(name: &str) -> Vec<&'static str> {
    if name.is_empty() {
        return vec!["runAsUserName cannot be an empty string"];
    }
    if name.chars().any(|char| char.is_ascii_control()) {
        return vec!["runAsUserName cannot contain control characters"];
    }
    let (domain, user) = match name.split_once('\\') {
        Some((_, user)) if user.contains('\\') => {
            return vec!["runAsUserName cannot contain more than one backslash"];
        }
        Some((domain, user)) => (Some(domain), user),
        None => (None, name),
    };
    let mut wrong = Vec::new();
    if let Some(domain) = domain {
        if domain.len() >= 256 {
            wrong.push("runAsUserName's Domain length must be under 256 characters");
        }
        if !is_net_bios(domain) && !is_dns(domain) {
            wrong.push("runAsUserName's Domain doesn't match the NetBios nor the DNS format");
        }
    }
    if user.is_empty() {
        wrong.push("runAsUserName's User cannot be empty");
    } else if user.len() > 104 {
        wrong.push("runAsUserName's User length must not be longer than 104 characters");
    }
    if !user.is_empty() && user.chars().all(|char| char == '.' || char == ' ') {
        wrong.push("runAsUserName's User cannot contain only periods or spaces");
    }
    if user.contains(['"', '/', '\\', ':', ';', '|', '=', ',', '+', '*', '?', '<', '>', '@', '[', ']']) {
        wrong.push(r#"runAsUserName's User cannot contain the following characters: "/\:;|=,+*?<>@[]"#);
    }
    wrong
}

fn is_net_bios(domain: &str) -> bool {
    let count = domain.chars().count();
    (1..=15).contains(&count)
        && !domain.starts_with('.')
        && !domain.contains(['\\', '/', ':', '*', '?', '"', '<', '>', '|'])
}

fn is_dns(domain: &str) -> bool {
    domain.split('.').all(|label| {
        let bytes = label.as_bytes();
        bytes.len() <= 63
            && bytes.first().is_some_and(u8::is_ascii_alphanumeric)
            && bytes.last().is_some_and(u8::is_ascii_alphanumeric)
            && bytes.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'-')
    })
}

/// Containers that run as processes of the host go together or not at all.
pub(super) fn host_processes(spec: &Value, path: &Path, errors: &mut Errors) {
    let of_pod = spec.at("securityContext").at("windowsOptions").at("hostProcess").as_bool();
    let all = containers(spec, path);
    let mut count = 0;
    for (container, path) in &all {
        let own = container.at("securityContext").at("windowsOptions").at("hostProcess").as_bool();
        if let (Some(of_pod), Some(own)) = (of_pod, own)
            && of_pod != own
        {
            errors.invalid(
                &path.child("securityContext").child("windowsOptions").child("hostProcess"),
                own,
                format!("pod hostProcess value must be identical if both are specified, was {of_pod}"),
            );
        }
        if own.or(of_pod).unwrap_or_default() {
            count += 1;
        }
    }
    if count == 0 {
        return;
    }
    if count != all.len() {
        errors.invalid(
            path,
            "",
            "If pod contains any hostProcess containers then all containers must be HostProcess containers",
        );
    }
    if !spec.flag("hostNetwork") {
        errors.invalid(
            &path.child("hostNetwork"),
            false,
            "hostNetwork must be true if pod contains any hostProcess containers",
        );
    }
}

/// What is wrong with the operating system of a pod, and with what does not go with it.
pub(super) fn system(spec: &Value, path: &Path, errors: &mut Errors) {
    let system = spec.at("os");
    if system.is_null() {
        return;
    }
    match system.text("name") {
        "" => errors.required(&path.child("os").child("name"), ""),
        "linux" => linux(spec, path, errors),
        "windows" => windows(spec, path, errors),
        other => errors.unsupported(&path.child("os"), other, &["linux", "windows"]),
    }
}

fn linux(spec: &Value, path: &Path, errors: &mut Errors) {
    let words = "windows options cannot be set for a linux pod";
    if spec.at("securityContext").has("windowsOptions") {
        errors.forbidden(&path.child("securityContext").child("windowsOptions"), words);
    }
    for (container, path) in containers(spec, path) {
        if container.at("securityContext").has("windowsOptions") {
            errors.forbidden(&path.child("securityContext").child("windowsOptions"), words);
        }
    }
}

fn windows(spec: &Value, path: &Path, errors: &mut Errors) {
    let words = "cannot be set for a windows pod";
    let context = spec.at("securityContext");
    let own = path.child("securityContext");
    for field in ["appArmorProfile", "seLinuxOptions"] {
        if context.has(field) {
            errors.forbidden(&own.child(field), words);
        }
    }
    if spec.has("hostUsers") {
        errors.forbidden(&path.child("hostUsers"), words);
    }
    for field in ["hostPID", "hostIPC"] {
        if spec.flag(field) {
            errors.forbidden(&path.child(field), words);
        }
    }
    for field in ["seccompProfile", "fsGroup", "fsGroupChangePolicy", "sysctls"] {
        if context.has(field) {
            errors.forbidden(&own.child(field), words);
        }
    }
    if spec.has("shareProcessNamespace") {
        errors.forbidden(&path.child("shareProcessNamespace"), words);
    }
    for field in
        ["runAsUser", "runAsGroup", "supplementalGroups", "supplementalGroupsPolicy", "seLinuxChangePolicy"]
    {
        if context.has(field) {
            errors.forbidden(&own.child(field), words);
        }
    }
    for (container, path) in containers(spec, path) {
        let context = container.at("securityContext");
        for field in [
            "appArmorProfile",
            "seLinuxOptions",
            "seccompProfile",
            "capabilities",
            "readOnlyRootFilesystem",
            "privileged",
            "allowPrivilegeEscalation",
            "procMount",
            "runAsUser",
            "runAsGroup",
        ] {
            if context.has(field) {
                errors.forbidden(&path.child("securityContext").child(field), words);
            }
        }
    }
}
