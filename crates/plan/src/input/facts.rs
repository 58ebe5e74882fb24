//! What an object's body says that order depends on: what it defines, what it needs to exist, who serves whom.

use goyaml::Value;
use serde::{Deserialize, Serialize};

/// The kind of thing a reference names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Need {
    /// The namespace it is in.
    Namespace,
    /// The definition of its kind.
    Definition,
    /// The account its pods run as, or that its binding binds.
    ServiceAccount,
    /// A `ConfigMap` that its pods read.
    ConfigMap,
    /// A Secret that its pods read or pull images with.
    Secret,
    /// A claim that its pods mount.
    PersistentVolumeClaim,
    /// The priority of its pods.
    PriorityClass,
    /// The class of its volumes.
    StorageClass,
    /// The Role its binding grants.
    Role,
    /// The `ClusterRole` its binding grants.
    ClusterRole,
}

impl Need {
    /// Group and kind of what is needed.
    pub fn group_kind(self) -> (&'static str, &'static str) {
        match self {
            Self::Namespace => ("", "Namespace"),
            Self::Definition => ("apiextensions.k8s.io", "CustomResourceDefinition"),
            Self::ServiceAccount => ("", "ServiceAccount"),
            Self::ConfigMap => ("", "ConfigMap"),
            Self::Secret => ("", "Secret"),
            Self::PersistentVolumeClaim => ("", "PersistentVolumeClaim"),
            Self::PriorityClass => ("scheduling.k8s.io", "PriorityClass"),
            Self::StorageClass => ("storage.k8s.io", "StorageClass"),
            Self::Role => ("rbac.authorization.k8s.io", "Role"),
            Self::ClusterRole => ("rbac.authorization.k8s.io", "ClusterRole"),
        }
    }

    /// Whether what is needed lives in a namespace.
    pub fn is_namespaced(self) -> bool {
        matches!(
            self,
            Self::ServiceAccount | Self::ConfigMap | Self::Secret | Self::PersistentVolumeClaim | Self::Role
        )
    }
}

/// Something an object needs to exist.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Reference {
    /// What kind of thing.
    pub need: Need,
    /// Its namespace, if that is not the object's own.
    pub namespace: Option<Box<str>>,
    /// Its name.
    pub name: Box<str>,
}

/// The kind that a `CustomResourceDefinition` defines.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Definition {
    /// The API group.
    pub group: String,
    /// The kind.
    pub kind: String,
    /// The name in paths and access rules.
    pub plural: String,
    /// Whether its objects live in namespaces.
    pub namespaced: bool,
}

/// What somebody may change, by access rules: one group and one resource, `*` for all.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Grant {
    /// The API group.
    pub group: String,
    /// The plural name, without subresource.
    pub resource: String,
}

/// What is special about an object.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Nature {
    /// Nothing.
    #[default]
    Plain,
    /// It defines a kind.
    Definition(Definition),
    /// It runs pods with these labels under this account.
    Workload {
        /// The labels of its pods, sorted.
        labels: Vec<(String, String)>,
        /// The account; empty means `default`.
        service_account: String,
    },
    /// It routes to pods with these labels.
    Service {
        /// The selector, sorted; without one it routes to nobody in particular.
        selector: Vec<(String, String)>,
    },
    /// It makes the API server call these services: a webhook configuration or an `APIService`.
    Front {
        /// Namespace and name of each.
        services: Vec<(String, String)>,
    },
    /// It grants.
    Role {
        /// What it lets somebody change.
        grants: Vec<Grant>,
    },
    /// It binds accounts to a role.
    Binding {
        /// Kind and name of the role.
        role: (String, String),
        /// Namespace and name of the accounts.
        accounts: Vec<(String, String)>,
    },
}

/// Reads both from a body.
pub(crate) fn read(group: &str, kind: &str, namespace: &str, body: &Value) -> (Nature, Vec<Reference>) {
    let mut needs = Vec::new();
    let nature = match (group, kind) {
        ("" | "apps" | "batch" | "extensions", _) if let Some((pod, labels)) = pod_of(kind, body) => {
            pod_needs(pod, &mut needs);
            for template in list(body, &["spec", "volumeClaimTemplates"]) {
                push(&mut needs, Need::StorageClass, text(template, &["spec", "storageClassName"]));
            }
            Nature::Workload {
                labels: pairs(labels),
                service_account: text(pod, &["serviceAccountName"])
                    .or(text(pod, &["serviceAccount"]))
                    .unwrap_or_default()
                    .to_owned(),
            }
        }
        ("", "PersistentVolumeClaim") => {
            push(&mut needs, Need::StorageClass, text(body, &["spec", "storageClassName"]));
            Nature::Plain
        }
        ("", "Service") => {
            Nature::Service { selector: pairs(body.get_path(["spec", "selector"]).unwrap_or(&Value::Null)) }
        }
        ("apiextensions.k8s.io", "CustomResourceDefinition") => definition(body),
        ("apiregistration.k8s.io", "APIService") => {
            Nature::Front { services: service(body.get_path(["spec", "service"])).into_iter().collect() }
        }
        (
            "admissionregistration.k8s.io",
            "ValidatingWebhookConfiguration" | "MutatingWebhookConfiguration",
        ) => Nature::Front {
            services: list(body, &["webhooks"])
                .filter_map(|webhook| service(webhook.get_path(["clientConfig", "service"])))
                .collect(),
        },
        ("rbac.authorization.k8s.io", "Role" | "ClusterRole") => Nature::Role { grants: grants(body) },
        ("rbac.authorization.k8s.io", "RoleBinding" | "ClusterRoleBinding") => {
            binding(namespace, body, &mut needs)
        }
        _ => Nature::Plain,
    };
    needs.sort();
    needs.dedup();
    (nature, needs)
}

fn pod_of<'a>(kind: &str, body: &'a Value) -> Option<(&'a Value, &'a Value)> {
    const NONE: &Value = &Value::Null;
    let template = match kind {
        "Pod" => body,
        "Deployment" | "ReplicaSet" | "StatefulSet" | "DaemonSet" | "Job" | "ReplicationController" => {
            body.get_path(["spec", "template"])?
        }
        "CronJob" => body.get_path(["spec", "jobTemplate", "spec", "template"])?,
        _ => return None,
    };
    let labels = template.get_path(["metadata", "labels"]).unwrap_or(NONE);
    Some((template.get("spec").unwrap_or(NONE), labels))
}

fn pod_needs(pod: &Value, needs: &mut Vec<Reference>) {
    push(needs, Need::ServiceAccount, text(pod, &["serviceAccountName"]).or(text(pod, &["serviceAccount"])));
    push(needs, Need::PriorityClass, text(pod, &["priorityClassName"]));
    for secret in list(pod, &["imagePullSecrets"]) {
        push(needs, Need::Secret, text(secret, &["name"]));
    }
    for volume in list(pod, &["volumes"]) {
        keyed(needs, Need::ConfigMap, volume.get("configMap"), "name");
        keyed(needs, Need::Secret, volume.get("secret"), "secretName");
        keyed(needs, Need::PersistentVolumeClaim, volume.get("persistentVolumeClaim"), "claimName");
        for source in list(volume, &["projected", "sources"]) {
            keyed(needs, Need::ConfigMap, source.get("configMap"), "name");
            keyed(needs, Need::Secret, source.get("secret"), "name");
        }
    }
    for container in list(pod, &["containers"]).chain(list(pod, &["initContainers"])) {
        for variable in list(container, &["env"]) {
            let Some(from) = variable.get("valueFrom") else { continue };
            keyed(needs, Need::ConfigMap, from.get("configMapKeyRef"), "name");
            keyed(needs, Need::Secret, from.get("secretKeyRef"), "name");
        }
        for from in list(container, &["envFrom"]) {
            keyed(needs, Need::ConfigMap, from.get("configMapRef"), "name");
            keyed(needs, Need::Secret, from.get("secretRef"), "name");
        }
    }
}

fn definition(body: &Value) -> Nature {
    let field = |path: &[&str]| text(body, path).unwrap_or_default().to_owned();
    let definition = Definition {
        group: field(&["spec", "group"]),
        kind: field(&["spec", "names", "kind"]),
        plural: field(&["spec", "names", "plural"]),
        namespaced: text(body, &["spec", "scope"]) != Some("Cluster"),
    };
    if definition.kind.is_empty() { Nature::Plain } else { Nature::Definition(definition) }
}

fn service(value: Option<&Value>) -> Option<(String, String)> {
    let value = value?;
    Some((text(value, &["namespace"])?.to_owned(), text(value, &["name"])?.to_owned()))
}

fn grants(body: &Value) -> Vec<Grant> {
    let mut grants = Vec::new();
    for rule in list(body, &["rules"]) {
        let names = |field: &'static str| list(rule, &[field]).filter_map(Value::as_str);
        if !names("verbs").any(|verb| matches!(verb, "*" | "update" | "patch")) {
            continue;
        }
        for group in names("apiGroups") {
            for resource in names("resources") {
                let resource = resource.split('/').next().unwrap_or_default();
                grants.push(Grant { group: group.to_owned(), resource: resource.to_owned() });
            }
        }
    }
    grants.sort();
    grants.dedup();
    grants
}

fn binding(namespace: &str, body: &Value, needs: &mut Vec<Reference>) -> Nature {
    let role = body.get("roleRef").unwrap_or(&Value::Null);
    let (kind, name) = (text(role, &["kind"]).unwrap_or_default(), text(role, &["name"]));
    match kind {
        "Role" => push(needs, Need::Role, name),
        "ClusterRole" => push(needs, Need::ClusterRole, name),
        _ => {}
    }
    let mut accounts = Vec::new();
    for subject in list(body, &["subjects"]) {
        if text(subject, &["kind"]) != Some("ServiceAccount") {
            continue;
        }
        let Some(name) = text(subject, &["name"]) else { continue };
        let of = text(subject, &["namespace"]).unwrap_or(namespace);
        accounts.push((of.to_owned(), name.to_owned()));
        needs.push(Reference {
            need: Need::ServiceAccount,
            namespace: (of != namespace).then(|| of.into()),
            name: name.into(),
        });
    }
    Nature::Binding { role: (kind.to_owned(), name.unwrap_or_default().to_owned()), accounts }
}

/// A reference that a pod may do without is no need.
fn keyed(needs: &mut Vec<Reference>, need: Need, value: Option<&Value>, field: &str) {
    let Some(value) = value else { return };
    if value.get("optional").and_then(Value::as_bool) != Some(true) {
        push(needs, need, text(value, &[field]));
    }
}

fn push(needs: &mut Vec<Reference>, need: Need, name: Option<&str>) {
    if let Some(name) = name.filter(|name| !name.is_empty()) {
        needs.push(Reference { need, namespace: None, name: name.into() });
    }
}

fn list<'a>(value: &'a Value, path: &[&str]) -> impl Iterator<Item = &'a Value> + use<'a> {
    value.get_path(path.iter().copied()).and_then(Value::as_sequence).unwrap_or_default().iter()
}

fn text<'a>(value: &'a Value, path: &[&str]) -> Option<&'a str> {
    value.get_path(path.iter().copied()).and_then(Value::as_str)
}

fn pairs(value: &Value) -> Vec<(String, String)> {
    let Some(entries) = value.as_mapping() else { return Vec::new() };
    entries
        .iter()
        .filter_map(|(key, value)| value.as_str().map(|value| (key.clone(), value.to_owned())))
        .collect()
}
