//! Which groups, versions and resources there are.

use std::collections::BTreeMap;
use std::sync::Arc;

use bytes::Bytes;
use http::{HeaderMap, StatusCode, header};
use serde_json::{Value, json};

use crate::http::answer::{Answer, Content};
use crate::registry::{Registry, Resource};
use crate::status::Status;

const AGGREGATED: &str = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

/// The order in which the groups of the real server come; custom ones follow by name.
const ORDER: [&str; 18] = [
    "",
    "apiregistration.k8s.io",
    "apps",
    "events.k8s.io",
    "authentication.k8s.io",
    "authorization.k8s.io",
    "autoscaling",
    "batch",
    "certificates.k8s.io",
    "networking.k8s.io",
    "policy",
    "rbac.authorization.k8s.io",
    "storage.k8s.io",
    "admissionregistration.k8s.io",
    "apiextensions.k8s.io",
    "scheduling.k8s.io",
    "coordination.k8s.io",
    "node.k8s.io",
];

/// `/version`
pub fn version() -> Value {
    json!({
        "major": "1",
        "minor": "36",
        "emulationMajor": "1",
        "emulationMinor": "36",
        "minCompatibilityMajor": "1",
        "minCompatibilityMinor": "35",
        "gitVersion": "v1.36.4",
        "gitCommit": "",
        "gitTreeState": "",
        "buildDate": "",
        "goVersion": "",
        "compiler": "rustc",
        "platform": format!("{}/{}", std::env::consts::OS, std::env::consts::ARCH),
    })
}

/// The resources of each version of a group, the preferred version first.
type Group = BTreeMap<(usize, Arc<str>), Vec<Arc<Resource>>>;

fn by_group(registry: &Registry) -> Vec<(Arc<str>, Group)> {
    let mut groups: BTreeMap<Arc<str>, Group> = BTreeMap::new();
    for resource in registry.all() {
        for (place, version) in resource.versions.iter().enumerate() {
            let group = groups.entry(resource.key.group.clone()).or_default();
            group.entry((place, version.clone())).or_default().push(resource.clone());
        }
    }
    let mut groups: Vec<_> = groups.into_iter().collect();
    groups.sort_by_key(|(name, _)| {
        (ORDER.iter().position(|known| *known == &**name).unwrap_or(ORDER.len()), name.clone())
    });
    groups
}

/// `/api`
pub fn core(registry: &Registry, headers: &HeaderMap) -> Answer {
    if wants_aggregated(headers) {
        return aggregated(registry, str::is_empty);
    }
    Answer::object(json!({
        "kind": "APIVersions",
        "versions": ["v1"],
        "serverAddressByClientCIDRs": [{"clientCIDR": "0.0.0.0/0", "serverAddress": "127.0.0.1"}],
    }))
}

/// `/apis`
pub fn groups(registry: &Registry, headers: &HeaderMap) -> Answer {
    if wants_aggregated(headers) {
        return aggregated(registry, |group| !group.is_empty());
    }
    let groups: Vec<Value> = by_group(registry)
        .iter()
        .filter(|(name, _)| !name.is_empty())
        .map(|(name, group)| api_group(name, group))
        .collect();
    Answer::object(json!({"kind": "APIGroupList", "apiVersion": "v1", "groups": groups}))
}

/// `/apis/GROUP`
pub fn group(registry: &Registry, name: &str) -> Result<Answer, Status> {
    let found = by_group(registry).into_iter().find(|(group, _)| &**group == name);
    Ok(found.map_or_else(Answer::page_not_found, |(name, group)| {
        let mut object = api_group(&name, &group);
        object["kind"] = "APIGroup".into();
        object["apiVersion"] = "v1".into();
        Answer::object(object)
    }))
}

fn api_group(name: &str, group: &Group) -> Value {
    let versions: Vec<Value> = group
        .keys()
        .map(|(_, version)| json!({"groupVersion": format!("{name}/{version}"), "version": **version}))
        .collect();
    json!({"name": name, "versions": versions, "preferredVersion": versions.first()})
}

/// `/api/v1`, `/apis/GROUP/VERSION`
pub fn resources(registry: &Registry, group: &str, version: &str) -> Result<Answer, Status> {
    let mut resources = Vec::new();
    for resource in registry.all() {
        if &*resource.key.group == group && resource.versions.iter().any(|served| &**served == version) {
            resources.extend(legacy(&resource));
        }
    }
    if resources.is_empty() {
        return Ok(Answer::page_not_found());
    }
    let group_version = if group.is_empty() { version.to_owned() } else { format!("{group}/{version}") };
    Ok(Answer::object(json!({
        "kind": "APIResourceList",
        "apiVersion": "v1",
        "groupVersion": group_version,
        "resources": resources,
    })))
}

fn legacy(resource: &Resource) -> Vec<Value> {
    let mut entry = json!({
        "name": *resource.key.resource,
        "singularName": *resource.singular,
        "namespaced": resource.namespaced,
        "kind": *resource.kind,
        "verbs": resource.verbs,
    });
    add_names(&mut entry, resource);
    let mut entries = vec![entry];
    for part in &resource.subresources {
        let mut entry = json!({
            "name": format!("{}/{}", resource.key.resource, part.name),
            "singularName": "",
            "namespaced": resource.namespaced,
            "kind": part.kind.map_or(&*resource.kind, |(_, _, kind)| kind),
            "verbs": part.verbs,
        });
        if let Some((group, version, _)) = part.kind
            && !group.is_empty()
        {
            entry["group"] = group.into();
            entry["version"] = version.into();
        }
        entries.push(entry);
    }
    entries
}

fn add_names(entry: &mut Value, resource: &Resource) {
    let texts = |names: &[Arc<str>]| names.iter().map(|name| Value::from(&**name)).collect::<Vec<_>>();
    if !resource.short_names.is_empty() {
        entry["shortNames"] = texts(&resource.short_names).into();
    }
    if !resource.categories.is_empty() {
        entry["categories"] = texts(&resource.categories).into();
    }
}

fn wants_aggregated(headers: &HeaderMap) -> bool {
    let accept = headers.get(header::ACCEPT).and_then(|value| value.to_str().ok()).unwrap_or_default();
    accept.split(',').any(|clause| {
        clause.contains("as=APIGroupDiscoveryList")
            && clause.contains("v=v2")
            && !clause.contains("v=v2beta1")
    })
}

fn aggregated(registry: &Registry, wanted: impl Fn(&str) -> bool) -> Answer {
    let items: Vec<Value> = by_group(registry)
        .iter()
        .filter(|(name, _)| wanted(name))
        .map(|(name, group)| {
            let versions: Vec<Value> = group
                .iter()
                .map(|((_, version), resources)| {
                    let resources: Vec<Value> =
                        resources.iter().map(|resource| modern(resource, version)).collect();
                    json!({"version": **version, "resources": resources, "freshness": "Current"})
                })
                .collect();
            let metadata = if name.is_empty() {
                json!({"creationTimestamp": null})
            } else {
                json!({"name": **name, "creationTimestamp": null})
            };
            json!({"metadata": metadata, "versions": versions})
        })
        .collect();
    let list = json!({"kind": "APIGroupDiscoveryList", "apiVersion": "apidiscovery.k8s.io/v2", "metadata": {}, "items": items});
    Answer::with(StatusCode::OK, Content::Typed(AGGREGATED, Bytes::from(list.to_string())))
}

fn modern(resource: &Resource, version: &str) -> Value {
    let kind = json!({"group": *resource.key.group, "version": version, "kind": *resource.kind});
    let mut entry = json!({
        "resource": *resource.key.resource,
        "responseKind": kind,
        "scope": if resource.namespaced { "Namespaced" } else { "Cluster" },
        "singularResource": *resource.singular,
        "verbs": resource.verbs,
    });
    add_names(&mut entry, resource);
    if !resource.subresources.is_empty() {
        entry["subresources"] = resource
            .subresources
            .iter()
            .map(|part| {
                let kind = part.kind.map_or_else(
                    || kind.clone(),
                    |(group, version, kind)| json!({"group": group, "version": version, "kind": kind}),
                );
                json!({"subresource": *part.name, "responseKind": kind, "verbs": part.verbs})
            })
            .collect();
    }
    entry
}
