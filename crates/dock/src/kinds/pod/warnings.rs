//! What the server warns of in pods and templates.

use std::collections::HashMap;

use serde_json::Value;

use super::spec::containers;
use crate::field::{Path, quoted};
use crate::kinds::network;
use crate::kinds::quantity::Quantity;
use crate::kinds::read::{Read, same, text_of};
use crate::kinds::storage::claim;

const APP_ARMOR: &str = "container.apparmor.security.beta.kubernetes.io/";
const SECCOMP_POD: &str = "seccomp.security.alpha.kubernetes.io/pod";
const SECCOMP_CONTAINER: &str = "container.seccomp.security.alpha.kubernetes.io/";

const ANNOTATIONS: [(&str, &str); 3] = [
    (
        "scheduler.alpha.kubernetes.io/critical-pod",
        r#"non-functional in v1.16+; use the "priorityClassName" field instead"#,
    ),
    ("security.alpha.kubernetes.io/sysctls", r#"non-functional in v1.11+; use the "sysctls" field instead"#),
    (
        "security.alpha.kubernetes.io/unsafe-sysctls",
        r#"non-functional in v1.11+; use the "sysctls" field instead"#,
    ),
];

const VOLUMES: [(&str, &str, &str); 9] = [
    ("photonPersistentDisk", "photonPersistentDisk", "deprecated in v1.11, non-functional in v1.16+"),
    ("gitRepo", "gitRepo", "deprecated in v1.11"),
    ("scaleIO", "scaleIO", "deprecated in v1.16, non-functional in v1.22+"),
    ("flocker", "flocker", "deprecated in v1.22, non-functional in v1.25+"),
    ("storageos", "storageOS", "deprecated in v1.22, non-functional in v1.25+"),
    ("quobyte", "quobyte", "deprecated in v1.22, non-functional in v1.25+"),
    ("glusterfs", "glusterfs", "deprecated in v1.25, non-functional in v1.26+"),
    ("cephfs", "cephfs", "deprecated in v1.28, non-functional in v1.31+"),
    ("rbd", "rbd", "deprecated in v1.28, non-functional in v1.31+"),
];

/// Why a label of nodes is not to be used any more.
pub(crate) fn node_label(key: &str) -> Option<&'static str> {
    let instead = match key {
        "beta.kubernetes.io/arch" => "deprecated since v1.14; use \"kubernetes.io/arch\" instead",
        "beta.kubernetes.io/os" => "deprecated since v1.14; use \"kubernetes.io/os\" instead",
        "failure-domain.beta.kubernetes.io/region" => {
            "deprecated since v1.17; use \"topology.kubernetes.io/region\" instead"
        }
        "failure-domain.beta.kubernetes.io/zone" => {
            "deprecated since v1.17; use \"topology.kubernetes.io/zone\" instead"
        }
        "beta.kubernetes.io/instance-type" => {
            "deprecated since v1.17; use \"node.kubernetes.io/instance-type\" instead"
        }
        "app.kubernetes.io/created-by" => "deprecated since v1.9",
        "scheduler.alpha.kubernetes.io/preferAvoidPods" => {
            "deprecated since v1.22; use Taints and Tolerations instead"
        }
        "node-role.kubernetes.io/master" => "use \"node-role.kubernetes.io/control-plane\" instead",
        _ => return None,
    };
    Some(instead)
}

/// What the server warns of in a term of a node selector.
pub(crate) fn node_term(term: &Value, weighted: bool, path: &Path) -> Vec<String> {
    let mut warnings = Vec::new();
    for (index, expression) in term.list("matchExpressions").iter().enumerate() {
        let path = path.child("matchExpressions").index(index);
        let key = expression.text("key");
        if let Some(words) = node_label(key) {
            warnings.push(format!("{}: {key} is {words}", path.child("key")));
        }
        if weighted {
            for (index, value) in expression.list("values").iter().enumerate() {
                for words in crate::kinds::names::label_value(text_of(value)) {
                    warnings.push(format!(
                        "{}: {} is invalid, {words}",
                        path.child("values").index(index),
                        text_of(value)
                    ));
                }
            }
        }
    }
    warnings
}

/// What the server warns of in a spec with its metadata; `path` is what holds them both.
pub(super) fn of(spec: &Value, meta: &Value, path: &Path, is_template: bool) -> Vec<String> {
    let mut out = Vec::new();
    let own = path.child("spec");
    let annotations = path.child("metadata").child("annotations");
    labels_of_nodes(spec, &own, &mut out);
    for (key, words) in ANNOTATIONS {
        if meta.at("annotations").has(key) {
            out.push(format!("{}: {words}", annotations.key(key)));
        }
    }
    volumes(spec, &own, &mut out);
    repeated(spec, "hostAliases", "ip", &own, &mut out);
    repeated(spec, "imagePullSecrets", "name", &own, &mut out);
    for (index, secret) in spec.list("imagePullSecrets").iter().enumerate() {
        if secret.text("name").is_empty() {
            let path = own.child("imagePullSecrets").index(index).child("name");
            out.push(format!("{path}: invalid empty name \"\""));
        }
    }
    for name in ["memory", "ephemeral-storage"] {
        fractional(spec.at("overhead"), name, &own.child("overhead"), &mut out);
    }
    if !spec.at("securityContext").has("seccompProfile") && meta.at("annotations").has(SECCOMP_POD) {
        out.push(format!(
            "{}: non-functional in v1.27+; use the \"seccompProfile\" field instead",
            annotations.key(SECCOMP_POD)
        ));
    }
    for (container, path) in containers(spec, &own) {
        let context = container.at("securityContext");
        let key = format!("{SECCOMP_CONTAINER}{}", container.text("name"));
        if !context.has("seccompProfile") && meta.at("annotations").has(&key) {
            out.push(format!(
                "{}: non-functional in v1.27+; use the \"seccompProfile\" field instead",
                annotations.key(&key)
            ));
        }
        let key = format!("{APP_ARMOR}{}", container.text("name"));
        if is_template
            && !context.has("appArmorProfile")
            && let Some(told) = meta.at("annotations").get(&key)
        {
            let of_pod = spec.at("securityContext").at("appArmorProfile");
            if of_pod.is_null() || !same(of_pod, &app_armor(text_of(told))) {
                out.push(format!(
                    "{}: deprecated since v1.30; use the \"appArmorProfile\" field instead",
                    annotations.key(&key)
                ));
            }
        }
        for name in ["memory", "ephemeral-storage"] {
            for field in ["limits", "requests"] {
                let resources = path.child("resources").child(field);
                fractional(container.at("resources").at(field), name, &resources, &mut out);
            }
        }
        variables(container, &path, &mut out);
    }
    ports(spec, &own, &mut out);
    if spec.number("terminationGracePeriodSeconds").is_some_and(|seconds| seconds < 0) {
        out.push(format!(
            "{}: must be >= 0; negative values are invalid and will be treated as 1",
            own.child("terminationGracePeriodSeconds")
        ));
    }
    unselective(spec, &own, &mut out);
    for (index, server) in spec.at("dnsConfig").list("nameservers").iter().enumerate() {
        let path = own.child("dnsConfig").child("nameservers").index(index);
        out.extend(network::address_warnings(text_of(server), &path));
    }
    for (index, alias) in spec.list("hostAliases").iter().enumerate() {
        let path = own.child("hostAliases").index(index).child("ip");
        out.extend(network::address_warnings(alias.text("ip"), &path));
    }
    out
}

/// The profile that an annotation means.
pub(super) fn app_armor(told: &str) -> Value {
    match told {
        "unconfined" => serde_json::json!({"type": "Unconfined"}),
        "runtime/default" => serde_json::json!({"type": "RuntimeDefault"}),
        _ => match told.strip_prefix("localhost/").filter(|name| !name.is_empty()) {
            Some(name) => serde_json::json!({"type": "Localhost", "localhostProfile": name}),
            None => Value::Null,
        },
    }
}

fn labels_of_nodes(spec: &Value, path: &Path, out: &mut Vec<String>) {
    for (key, _) in spec.entries("nodeSelector") {
        if let Some(words) = node_label(key) {
            out.push(format!("{}: {words}", path.child("nodeSelector").key(key)));
        }
    }
    let node = spec.at("affinity").at("nodeAffinity");
    let own = path.child("affinity").child("nodeAffinity");
    let required = "requiredDuringSchedulingIgnoredDuringExecution";
    let preferred = "preferredDuringSchedulingIgnoredDuringExecution";
    for (index, term) in node.at(required).list("nodeSelectorTerms").iter().enumerate() {
        out.extend(node_term(term, false, &own.child(required).child("nodeSelectorTerms").index(index)));
    }
    for (index, term) in node.list(preferred).iter().enumerate() {
        let path = own.child(preferred).index(index).child("preference");
        out.extend(node_term(term.at("preference"), true, &path));
    }
    for (index, constraint) in spec.list("topologySpreadConstraints").iter().enumerate() {
        let path = path.child("topologySpreadConstraints").index(index);
        let key = constraint.text("topologyKey");
        if let Some(words) = node_label(key) {
            out.push(format!("{}: {key} is {words}", path.child("topologyKey")));
        }
        if !constraint.has("labelSelector") {
            out.push(format!(
                "{}: a null labelSelector results in matching no pod",
                path.child("labelSelector")
            ));
        }
    }
}

fn volumes(spec: &Value, path: &Path, out: &mut Vec<String>) {
    for (index, volume) in spec.list("volumes").iter().enumerate() {
        let path = path.child("volumes").index(index);
        for (field, named, words) in VOLUMES {
            if field == "cephfs" {
                let template = volume.at("ephemeral").at("volumeClaimTemplate");
                if !template.is_null() {
                    let path = path.child("ephemeral").child("volumeClaimTemplate").child("spec");
                    out.extend(claim::spec_warnings(template.at("spec"), &path));
                }
            }
            if volume.has(field) {
                out.push(format!("{}: {words}", path.child(named)));
            }
        }
    }
    for volume in spec.list("volumes") {
        overlapping(volume, out);
    }
}

struct Projection {
    path: String,
    source: String,
}

impl Projection {
    fn shown(&self) -> String {
        if self.source.is_empty() {
            quoted(&self.path)
        } else {
            format!("{} ({})", quoted(&self.path), self.source)
        }
    }
}

fn overlapping(volume: &Value, out: &mut Vec<String>) {
    let name = quoted(volume.text("name"));
    let mut tell = |paths: Vec<Projection>, what: &str| {
        let mut before: Vec<Projection> = Vec::new();
        for mut projection in paths {
            projection.path.truncate(projection.path.trim_end_matches('/').len());
            for other in before.iter().filter(|other| overlap(other, &projection)) {
                out.push(format!(
                    "volume {name} ({what}): overlapping paths: {} with {}",
                    projection.shown(),
                    other.shown()
                ));
            }
            before.push(projection);
        }
    };
    let of = |items: &Value, source: String| -> Vec<Projection> {
        let all = items.list("items").iter();
        all.map(|item| Projection { path: item.text("path").into(), source: source.clone() }).collect()
    };
    let config = volume.at("configMap");
    tell(of(config, String::new()), &format!("ConfigMap {}", quoted(config.text("name"))));
    let secret = volume.at("secret");
    tell(of(secret, String::new()), &format!("Secret {}", quoted(secret.text("secretName"))));
    tell(of(volume.at("downwardAPI"), String::new()), "DownwardAPI");
    let mut projected = Vec::new();
    let mut empty = 0;
    for source in volume.at("projected").list("sources") {
        let (config, secret) = (source.at("configMap"), source.at("secret"));
        let token = source.at("serviceAccountToken");
        if source.as_object().is_some_and(serde_json::Map::is_empty) {
            empty += 1;
        } else if !config.list("items").is_empty() {
            projected.extend(of(config, format!("ConfigMap {}", quoted(config.text("name")))));
        } else if !secret.list("items").is_empty() {
            projected.extend(of(secret, format!("Secret {}", quoted(secret.text("name")))));
        } else if !source.at("downwardAPI").list("items").is_empty() {
            projected.extend(of(source.at("downwardAPI"), "DownwardAPI".into()));
        } else if !token.is_null() {
            let source = "ServiceAccountToken".into();
            projected.push(Projection { path: token.text("path").into(), source });
        }
    }
    tell(projected, "Projected");
    for _ in 0..empty {
        out.push(format!("volume {name} (Projected) has no sources provided"));
    }
}

fn overlap(one: &Projection, other: &Projection) -> bool {
    let within = |inner: &str, outer: &str| format!("{inner}/").starts_with(&format!("{outer}/"));
    !one.path.is_empty()
        && !other.path.is_empty()
        && (within(&one.path, &other.path) || within(&other.path, &one.path))
}

fn repeated(spec: &Value, list: &str, field: &str, path: &Path, out: &mut Vec<String>) {
    let mut seen: Vec<&str> = Vec::new();
    for (index, item) in spec.list(list).iter().enumerate() {
        let value = item.text(field);
        if seen.contains(&value) {
            let path = path.child(list).index(index).child(field);
            out.push(format!("{path}: duplicate {field} {}", quoted(value)));
        } else {
            seen.push(value);
        }
    }
}

fn fractional(list: &Value, name: &str, path: &Path, out: &mut Vec<String>) {
    if let Some(value) = list.get(name)
        && Quantity::of(value).is_some_and(|quantity| !quantity.is_whole())
    {
        out.push(format!(
            "{}: fractional byte value {} is invalid, must be an integer",
            path.key(name),
            quoted(text_of(value))
        ));
    }
}

fn variables(container: &Value, path: &Path, out: &mut Vec<String>) {
    let mut seen: Vec<&str> = Vec::new();
    for (index, variable) in container.list("env").iter().enumerate() {
        let name = variable.text("name");
        if !seen.contains(&name) {
            seen.push(name);
            continue;
        }
        let reference = format!("$({name})");
        let value = variable.text("value");
        if variable.has("valueFrom") || value == reference || !value.contains(&reference) {
            out.push(format!(
                "{}: hides previous definition of {}, which may be dropped when using apply",
                path.child("env").index(index),
                quoted(name)
            ));
        }
    }
}

fn ports(spec: &Value, path: &Path, out: &mut Vec<String>) {
    let all: Vec<(&Value, Path)> = containers(spec, path)
        .into_iter()
        .flat_map(|(container, path)| {
            let path = path.child("ports");
            let ports = container.list("ports").iter().enumerate();
            ports.map(move |(index, port)| (port, path.index(index))).collect::<Vec<_>>()
        })
        .collect();
    for (at, (port, path)) in all.iter().enumerate() {
        let (ip, host) = (port.text("hostIP"), port.int("hostPort"));
        if !ip.is_empty() && host == 0 {
            out.push(format!(
                "{path}: hostIP set without hostPort: {{Name:{} HostPort:0 ContainerPort:{} Protocol:{} HostIP:{ip}}}",
                port.text("name"),
                port.int("containerPort"),
                port.text("protocol")
            ));
        }
        for (other, before) in &all[..at] {
            let alike = port.int("containerPort") == other.int("containerPort")
                && port.text("protocol") == other.text("protocol");
            if !alike {
                continue;
            }
            let (other_ip, other_host) = (other.text("hostIP"), other.int("hostPort"));
            let words = if ip == other_ip && host == other_host {
                "duplicate"
            } else if host == 0 || other_host == 0 {
                "overlapping"
            } else if host == other_host && ip.is_empty() != other_ip.is_empty() {
                "dangerously ambiguous"
            } else {
                continue;
            };
            out.push(format!("{path}: {words} port definition with {before}"));
        }
    }
    let mut named: HashMap<&str, &Path> = HashMap::new();
    for (port, path) in &all {
        let name = port.text("name");
        if name.is_empty() {
            continue;
        }
        match named.get(name) {
            Some(other) => out.push(format!(
                "{path}: duplicate port name {} with {other}, services and probes that select ports by name will \
                 use {other}",
                quoted(name)
            )),
            None => {
                named.insert(name, path);
            }
        }
    }
}

fn unselective(spec: &Value, path: &Path, out: &mut Vec<String>) {
    for kind in ["podAffinity", "podAntiAffinity"] {
        let affinity = spec.at("affinity").at(kind);
        let path = path.child("affinity").child(kind);
        let required = "requiredDuringSchedulingIgnoredDuringExecution";
        let preferred = "preferredDuringSchedulingIgnoredDuringExecution";
        let words = "a null labelSelector results in matching no pod";
        for (index, term) in affinity.list(required).iter().enumerate() {
            if !term.has("labelSelector") {
                out.push(format!("{}: {words}", path.child(required).index(index).child("labelSelector")));
            }
        }
        for (index, term) in affinity.list(preferred).iter().enumerate() {
            if !term.at("podAffinityTerm").has("labelSelector") {
                let path = path.child(preferred).index(index).child("podAffinityTerm");
                out.push(format!("{}: {words}", path.child("labelSelector")));
            }
        }
    }
}
