//! The spec of a pod as a whole.

use serde_json::Value;

use super::containers::Surroundings;
use super::defaults::{CONTAINERS, claim_names};
use super::options::Options;
use super::{level, scheduling, security, volumes, windows};
use crate::field::{FieldError, Path, quoted};
use crate::kinds::metadata;
use crate::kinds::names::{self, NameRule};
use crate::kinds::network;
use crate::kinds::read::{Read, text_of};
use crate::kinds::report::Errors;
use crate::kinds::resources::{self, Asker};

/// All containers of a spec with their paths, in the order in which the server visits them.
pub(super) fn containers<'a>(spec: &'a Value, path: &Path) -> Vec<(&'a Value, Path)> {
    CONTAINERS
        .iter()
        .flat_map(|field| {
            let path = path.child(field);
            spec.list(field)
                .iter()
                .enumerate()
                .map(move |(index, container)| (container, path.index(index)))
                .collect::<Vec<_>>()
        })
        .collect()
}

/// What is wrong with the spec of a pod or template. A pod's metadata is given too.
pub(crate) fn validate(
    spec: &Value,
    meta: Option<&Value>,
    options: &Options,
    path: &Path,
    errors: &mut Errors,
) {
    if !spec.has("terminationGracePeriodSeconds") {
        errors.required(&path.child("terminationGracePeriodSeconds"), "");
    }
    let volumes = volumes::validate(spec, meta, options, &path.child("volumes"), errors);
    let surroundings = Surroundings { spec, volumes, claims: claim_names(spec), options };
    resource_claims(spec, meta, &path.child("resourceClaims"), errors);
    surroundings.regular(&path.child("containers"), errors);
    surroundings.initial(&path.child("initContainers"), errors);
    surroundings.ephemeral(&path.child("ephemeralContainers"), errors);
    level::validate(spec, &surroundings.claims, options.any_huge_pages, path, errors);
    host_network_ports(spec, options, path, errors);
    word(spec, "restartPolicy", &["Always", "OnFailure", "Never"], path, errors);
    let policies = ["ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"];
    word(spec, "dnsPolicy", &policies, path, errors);
    metadata::labels(spec, "nodeSelector", path, errors);
    security::pod(spec, options, &path.child("securityContext"), errors);
    scheduling::affinity(spec, options, &path.child("affinity"), errors);
    dns_config(spec, &path.child("dnsConfig"), errors);
    for (index, gate) in spec.list("readinessGates").iter().enumerate() {
        let condition = gate.text("conditionType");
        let path = path.child("readinessGates").index(index).child("conditionType");
        errors.invalid_each(&path, condition, names::label_key(condition));
    }
    scheduling_gates(spec, &path.child("schedulingGates"), errors);
    scheduling::spread(spec, options, &path.child("topologySpreadConstraints"), errors);
    windows::host_processes(spec, path, errors);
    host_users(spec, options, path, errors);
    hostname_override(spec, &path.child("hostnameOverride"), errors);
    named(spec, "serviceAccountName", names::dns_subdomain, path, errors);
    named(spec, "nodeName", names::dns_subdomain, path, errors);
    if let Some(seconds) = spec.number("activeDeadlineSeconds") {
        for words in names::in_range(seconds, 1, i64::from(i32::MAX)) {
            errors.invalid(&path.child("activeDeadlineSeconds"), seconds, words);
        }
    }
    named(spec, "hostname", names::dns_label, path, errors);
    named(spec, "subdomain", names::dns_label, path, errors);
    scheduling::tolerations(spec.list("tolerations"), options, &path.child("tolerations"), errors);
    for (index, alias) in spec.list("hostAliases").iter().enumerate() {
        let path = path.child("hostAliases").index(index);
        network::address(alias.text("ip"), &[], &path.child("ip"), errors);
        for (index, name) in alias.list("hostnames").iter().enumerate() {
            let path = path.child("hostnames").index(index);
            errors.invalid_each(&path, text_of(name), names::dns_subdomain(text_of(name)));
        }
    }
    named(spec, "priorityClassName", names::dns_subdomain, path, errors);
    if let Some(class) = spec.at("runtimeClassName").as_str() {
        errors.invalid_each(&path.child("runtimeClassName"), class, names::dns_subdomain(class));
    }
    if spec.has("preemptionPolicy") {
        word(spec, "preemptionPolicy", &["PreemptLowerPriority", "Never"], path, errors);
    }
    if spec.has("overhead") {
        let overhead = serde_json::json!({"limits": spec.at("overhead")});
        let path = path.child("overhead");
        resources::requirements(&overhead, Asker::Container, &[], options.any_huge_pages, &path, errors);
    }
    windows::system(spec, path, errors);
    volumes::file_keys(spec, path, errors);
}

fn word(spec: &Value, field: &str, known: &[&str], path: &Path, errors: &mut Errors) {
    if spec.text(field).is_empty() {
        errors.required(&path.child(field), "");
    } else {
        errors.one_of(spec.text(field), known, &path.child(field));
    }
}

fn named(spec: &Value, field: &str, rule: NameRule, path: &Path, errors: &mut Errors) {
    let name = spec.text(field);
    if !name.is_empty() {
        errors.invalid_each(&path.child(field), name, rule(name));
    }
}

fn resource_claims(spec: &Value, meta: Option<&Value>, path: &Path, errors: &mut Errors) {
    let mut seen: Vec<&str> = Vec::new();
    for (index, claim) in spec.list("resourceClaims").iter().enumerate() {
        if meta.is_some_and(|meta| meta.at("annotations").has("kubernetes.io/config.mirror")) {
            errors.forbidden(&Path::new("[]"), "static pods do not support resource claims");
            continue;
        }
        let path = path.index(index);
        let name = claim.text("name");
        if name.is_empty() {
            errors.required(&path.child("name"), "");
        } else if seen.contains(&name) {
            errors.duplicate(&path.child("name"), name);
        } else {
            errors.invalid_each(&path.child("name"), name, names::dns_label(name));
            seen.push(name);
        }
        let (direct, template) = (claim.at("resourceClaimName"), claim.at("resourceClaimTemplateName"));
        let words = match (direct.is_null(), template.is_null()) {
            (false, false) => {
                Some("at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified")
            }
            (true, true) => Some("must specify one of: `resourceClaimName`, `resourceClaimTemplateName`"),
            _ => None,
        };
        if let Some(words) = words {
            let mut error = FieldError::invalid(&path, claim.clone(), words);
            error.shown = Some(format!(
                "{{\"Name\":{},\"ResourceClaimName\":{direct},\"ResourceClaimTemplateName\":{template}}}",
                quoted(name)
            ));
            errors.push(error);
        }
        for field in ["resourceClaimName", "resourceClaimTemplateName"] {
            if let Some(name) = claim.at(field).as_str() {
                errors.invalid_each(&path.child(field), name, names::dns_subdomain(name));
            }
        }
    }
}

fn host_network_ports(spec: &Value, options: &Options, path: &Path, errors: &mut Errors) {
    if !spec.flag("hostNetwork") {
        return;
    }
    for (index, container) in spec.list("containers").iter().enumerate() {
        for (number, port) in container.list("ports").iter().enumerate() {
            let (host, own) = (port.int("hostPort"), port.int("containerPort"));
            if (options.is_pod || host != 0) && host != own {
                errors.invalid(
                    &path.child("containers").index(index).child("ports").index(number).child("hostPort"),
                    host,
                    "must match `containerPort` when `hostNetwork` is true",
                );
            }
        }
    }
}

fn dns_config(spec: &Value, path: &Path, errors: &mut Errors) {
    let config = spec.at("dnsConfig");
    if spec.text("dnsPolicy") == "None" {
        if config.is_null() {
            errors.required(path, "must provide `dnsConfig` when `dnsPolicy` is None");
            return;
        }
        if config.list("nameservers").is_empty() {
            errors.required(
                &path.child("nameservers"),
                "must provide at least one DNS nameserver when `dnsPolicy` is None",
            );
            return;
        }
    }
    let servers = config.list("nameservers");
    if servers.len() > 3 {
        errors.invalid(
            &path.child("nameservers"),
            config.at("nameservers").clone(),
            "must not have more than 3 nameservers",
        );
    }
    for (index, server) in servers.iter().enumerate() {
        network::address(text_of(server), &[], &path.child("nameservers").index(index), errors);
    }
    let searches = config.list("searches");
    if searches.len() > 32 {
        errors.invalid(
            &path.child("searches"),
            config.at("searches").clone(),
            "must not have more than 32 search paths",
        );
    }
    let length: usize = searches.iter().map(|search| text_of(search).len() + 1).sum();
    if length > 2049 {
        errors.invalid(
            &path.child("searches"),
            config.at("searches").clone(),
            "must not have more than 2048 characters (including spaces) in the search list",
        );
    }
    for (index, search) in searches.iter().enumerate() {
        let search = text_of(search);
        if search != "." {
            let search = search.strip_suffix('.').unwrap_or(search);
            let path = path.child("searches").index(index);
            errors.invalid_each(&path, search, names::dns_subdomain_with_underscore(search));
        }
    }
    for (index, option) in config.list("options").iter().enumerate() {
        if option.text("name").is_empty() {
            errors.required(&path.child("options").index(index), "must not be empty");
        }
    }
}

fn scheduling_gates(spec: &Value, path: &Path, errors: &mut Errors) {
    let mut seen: Vec<&str> = Vec::new();
    for (index, gate) in spec.list("schedulingGates").iter().enumerate() {
        let name = gate.text("name");
        errors.invalid_each(&path.index(index), name, names::label_key(name));
        if seen.contains(&name) {
            errors.duplicate(&path.index(index), name);
        }
        seen.push(name);
    }
}

fn host_users(spec: &Value, options: &Options, path: &Path, errors: &mut Errors) {
    if spec.at("hostUsers").as_bool().unwrap_or(true) {
        return;
    }
    let words = "when `hostUsers` is false";
    if !options.any_user_network && spec.flag("hostNetwork") {
        errors.forbidden(&path.child("hostNetwork"), words);
    }
    if spec.flag("hostPID") {
        errors.forbidden(&path.child("HostPID"), words);
    }
    if spec.flag("hostIPC") {
        errors.forbidden(&path.child("HostIPC"), words);
    }
    if !options.any_user_devices {
        for (container, path) in containers(spec, path) {
            if !container.list("volumeDevices").is_empty() {
                errors.forbidden(&path.child("volumeDevices"), words);
            }
        }
    }
}

fn hostname_override(spec: &Value, path: &Path, errors: &mut Errors) {
    let Some(name) = spec.at("hostnameOverride").as_str() else { return };
    if spec.flag("setHostnameAsFQDN") {
        errors.forbidden(path, "may not be specified when setHostnameAsFQDN is true");
    }
    if spec.flag("hostNetwork") {
        errors.forbidden(path, "may not be specified when hostNetwork is true");
    }
    if name.len() > 64 {
        errors.too_long(path, 64);
    }
    errors.invalid_each(path, name, names::dns_subdomain(name));
}
