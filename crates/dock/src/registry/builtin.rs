//! The built-in resources, as a server of version 1.36 discovers them.

use std::sync::Arc;

use schema::{Schema, Types, View};

use super::{Behaviour, Collection, Resource, Subresource, Traits};
use crate::kinds;
use crate::store::ResourceKey;

const ALL: &[&str] = &["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"];
const NO_COLLECTION: &[&str] = &["create", "delete", "get", "list", "patch", "update", "watch"];
const CREATE: &[&str] = &["create"];
const CHANGE: &[&str] = &["get", "patch", "update"];
const GET: &[&str] = &["get"];
const UPDATE: &[&str] = &["update"];

/// One line of the table: group, versions with the preferred one first, plural, kind, scope, short names, categories,
/// subresources.
type Row = (
    &'static str,
    &'static [&'static str],
    &'static str,
    &'static str,
    Scope,
    &'static [&'static str],
    &'static [&'static str],
    &'static [Sub],
);

#[derive(Clone, Copy, PartialEq, Eq)]
enum Scope {
    Namespaced,
    Cluster,
}
use Scope::{Cluster as C, Namespaced as N};

#[derive(Clone, Copy)]
enum Sub {
    Status,
    Scale,
    Finalize,
    Log,
    Eviction,
    Binding,
    Token,
    Approval,
    Ephemeral,
    Resize,
}

const S: &[Sub] = &[Sub::Status];
const SCALED: &[Sub] = &[Sub::Scale, Sub::Status];
const V1: &[&str] = &["v1"];
const REG: &str = "admissionregistration.k8s.io";

#[rustfmt::skip]
const TABLE: &[Row] = &[
    ("", V1, "bindings", "Binding", N, &[], &[], &[]),
    ("", V1, "componentstatuses", "ComponentStatus", C, &["cs"], &[], &[]),
    ("", V1, "configmaps", "ConfigMap", N, &["cm"], &[], &[]),
    ("", V1, "endpoints", "Endpoints", N, &["ep"], &[], &[]),
    ("", V1, "events", "Event", N, &["ev"], &[], &[]),
    ("", V1, "limitranges", "LimitRange", N, &["limits"], &[], &[]),
    ("", V1, "namespaces", "Namespace", C, &["ns"], &[], &[Sub::Finalize, Sub::Status]),
    ("", V1, "nodes", "Node", C, &["no"], &[], S),
    ("", V1, "persistentvolumeclaims", "PersistentVolumeClaim", N, &["pvc"], &[], S),
    ("", V1, "persistentvolumes", "PersistentVolume", C, &["pv"], &[], S),
    ("", V1, "pods", "Pod", N, &["po"], &["all"], &[Sub::Binding, Sub::Ephemeral, Sub::Eviction, Sub::Log, Sub::Resize, Sub::Status]),
    ("", V1, "podtemplates", "PodTemplate", N, &[], &[], &[]),
    ("", V1, "replicationcontrollers", "ReplicationController", N, &["rc"], &["all"], SCALED),
    ("", V1, "resourcequotas", "ResourceQuota", N, &["quota"], &[], S),
    ("", V1, "secrets", "Secret", N, &[], &[], &[]),
    ("", V1, "serviceaccounts", "ServiceAccount", N, &["sa"], &[], &[Sub::Token]),
    ("", V1, "services", "Service", N, &["svc"], &["all"], S),
    (REG, V1, "mutatingadmissionpolicies", "MutatingAdmissionPolicy", C, &[], &["api-extensions"], &[]),
    (REG, V1, "mutatingadmissionpolicybindings", "MutatingAdmissionPolicyBinding", C, &[], &["api-extensions"], &[]),
    (REG, V1, "mutatingwebhookconfigurations", "MutatingWebhookConfiguration", C, &[], &["api-extensions"], &[]),
    (REG, V1, "validatingadmissionpolicies", "ValidatingAdmissionPolicy", C, &[], &["api-extensions"], S),
    (REG, V1, "validatingadmissionpolicybindings", "ValidatingAdmissionPolicyBinding", C, &[], &["api-extensions"], &[]),
    (REG, V1, "validatingwebhookconfigurations", "ValidatingWebhookConfiguration", C, &[], &["api-extensions"], &[]),
    ("apiextensions.k8s.io", V1, "customresourcedefinitions", "CustomResourceDefinition", C, &["crd", "crds"], &["api-extensions"], S),
    ("apiregistration.k8s.io", V1, "apiservices", "APIService", C, &[], &["api-extensions"], S),
    ("apps", V1, "controllerrevisions", "ControllerRevision", N, &[], &[], &[]),
    ("apps", V1, "daemonsets", "DaemonSet", N, &["ds"], &["all"], S),
    ("apps", V1, "deployments", "Deployment", N, &["deploy"], &["all"], SCALED),
    ("apps", V1, "replicasets", "ReplicaSet", N, &["rs"], &["all"], SCALED),
    ("apps", V1, "statefulsets", "StatefulSet", N, &["sts"], &["all"], SCALED),
    ("authentication.k8s.io", V1, "selfsubjectreviews", "SelfSubjectReview", C, &[], &[], &[]),
    ("authentication.k8s.io", V1, "tokenreviews", "TokenReview", C, &[], &[], &[]),
    ("authorization.k8s.io", V1, "localsubjectaccessreviews", "LocalSubjectAccessReview", N, &[], &[], &[]),
    ("authorization.k8s.io", V1, "selfsubjectaccessreviews", "SelfSubjectAccessReview", C, &[], &[], &[]),
    ("authorization.k8s.io", V1, "selfsubjectrulesreviews", "SelfSubjectRulesReview", C, &[], &[], &[]),
    ("authorization.k8s.io", V1, "subjectaccessreviews", "SubjectAccessReview", C, &[], &[], &[]),
    ("autoscaling", &["v2", "v1"], "horizontalpodautoscalers", "HorizontalPodAutoscaler", N, &["hpa"], &["all"], S),
    ("batch", V1, "cronjobs", "CronJob", N, &["cj"], &["all"], S),
    ("batch", V1, "jobs", "Job", N, &[], &["all"], S),
    ("certificates.k8s.io", V1, "certificatesigningrequests", "CertificateSigningRequest", C, &["csr"], &[], &[Sub::Approval, Sub::Status]),
    ("coordination.k8s.io", V1, "leases", "Lease", N, &[], &[], &[]),
    ("discovery.k8s.io", V1, "endpointslices", "EndpointSlice", N, &[], &[], &[]),
    ("events.k8s.io", V1, "events", "Event", N, &["ev"], &[], &[]),
    ("flowcontrol.apiserver.k8s.io", V1, "flowschemas", "FlowSchema", C, &[], &[], S),
    ("flowcontrol.apiserver.k8s.io", V1, "prioritylevelconfigurations", "PriorityLevelConfiguration", C, &[], &[], S),
    ("networking.k8s.io", V1, "ingressclasses", "IngressClass", C, &[], &[], &[]),
    ("networking.k8s.io", V1, "ingresses", "Ingress", N, &["ing"], &[], S),
    ("networking.k8s.io", V1, "ipaddresses", "IPAddress", C, &["ip"], &[], &[]),
    ("networking.k8s.io", V1, "networkpolicies", "NetworkPolicy", N, &["netpol"], &[], &[]),
    ("networking.k8s.io", V1, "servicecidrs", "ServiceCIDR", C, &[], &[], S),
    ("node.k8s.io", V1, "runtimeclasses", "RuntimeClass", C, &[], &[], &[]),
    ("policy", V1, "poddisruptionbudgets", "PodDisruptionBudget", N, &["pdb"], &[], S),
    ("rbac.authorization.k8s.io", V1, "clusterrolebindings", "ClusterRoleBinding", C, &[], &[], &[]),
    ("rbac.authorization.k8s.io", V1, "clusterroles", "ClusterRole", C, &[], &[], &[]),
    ("rbac.authorization.k8s.io", V1, "rolebindings", "RoleBinding", N, &[], &[], &[]),
    ("rbac.authorization.k8s.io", V1, "roles", "Role", N, &[], &[], &[]),
    ("resource.k8s.io", V1, "deviceclasses", "DeviceClass", C, &[], &[], &[]),
    ("resource.k8s.io", V1, "resourceclaims", "ResourceClaim", N, &[], &[], S),
    ("resource.k8s.io", V1, "resourceclaimtemplates", "ResourceClaimTemplate", N, &[], &[], &[]),
    ("resource.k8s.io", V1, "resourceslices", "ResourceSlice", C, &[], &[], &[]),
    ("scheduling.k8s.io", V1, "priorityclasses", "PriorityClass", C, &["pc"], &[], &[]),
    ("storage.k8s.io", V1, "csidrivers", "CSIDriver", C, &[], &[], &[]),
    ("storage.k8s.io", V1, "csinodes", "CSINode", C, &[], &[], &[]),
    ("storage.k8s.io", V1, "csistoragecapacities", "CSIStorageCapacity", N, &[], &[], &[]),
    ("storage.k8s.io", V1, "storageclasses", "StorageClass", C, &["sc"], &[], &[]),
    ("storage.k8s.io", V1, "volumeattachments", "VolumeAttachment", C, &[], &[], S),
    ("storage.k8s.io", V1, "volumeattributesclasses", "VolumeAttributesClass", C, &["vac"], &[], &[]),
];

const CREATE_ON_UPDATE: &[&str] = &[
    "clusterrolebindings",
    "clusterroles",
    "endpoints",
    "events",
    "leases",
    "limitranges",
    "rolebindings",
    "roles",
    "runtimeclasses",
    "services",
];

const CONDITIONAL_UPDATE: &[&str] = &[
    "csidrivers",
    "csinodes",
    "csistoragecapacities",
    "customresourcedefinitions",
    "leases",
    "mutatingadmissionpolicies",
    "mutatingadmissionpolicybindings",
    "mutatingwebhookconfigurations",
    "poddisruptionbudgets",
    "runtimeclasses",
    "validatingadmissionpolicies",
    "validatingadmissionpolicybindings",
    "validatingwebhookconfigurations",
    "volumeattachments",
];

const RETURNS_DELETED: &[&str] = &[
    "csidrivers",
    "csinodes",
    "deviceclasses",
    "namespaces",
    "persistentvolumeclaims",
    "persistentvolumes",
    "pods",
    "podtemplates",
    "resourceclaims",
    "resourceclaimtemplates",
    "resourcequotas",
    "resourceslices",
    "serviceaccounts",
    "services",
    "storageclasses",
    "volumeattachments",
    "volumeattributesclasses",
];

pub(super) fn resources() -> impl Iterator<Item = Resource> {
    TABLE.iter().map(|&(group, versions, plural, kind, scope, short_names, categories, subresources)| {
        let review =
            matches!(group, "authentication.k8s.io" | "authorization.k8s.io") || plural == "bindings";
        let shared = |names: &[&str]| names.iter().map(|name| Arc::from(*name)).collect();
        let traits = Traits {
            create_on_update: CREATE_ON_UPDATE.contains(&plural),
            conditional_update: CONDITIONAL_UPDATE.contains(&plural),
            returns_deleted: RETURNS_DELETED.contains(&plural),
            graceful: plural == "pods",
            review,
            collection: match plural {
                "jobs" | "replicationcontrollers" => Collection::Orphans,
                "events" => Collection::Unsupported,
                _ => Collection::Dependents,
            },
        };
        let verbs = match plural {
            _ if review => CREATE,
            "namespaces" => NO_COLLECTION,
            "componentstatuses" => &["get", "list"],
            _ => ALL,
        };
        Resource {
            key: ResourceKey { group: group.into(), resource: plural.into() },
            kind: kind.into(),
            list_kind: format!("{kind}List").into(),
            singular: kind.to_lowercase().into(),
            short_names: shared(short_names),
            categories: shared(categories),
            namespaced: scope == N,
            versions: shared(versions),
            storage_version: versions[0].into(),
            verbs,
            subresources: subresources.iter().map(|sub| subresource(*sub)).collect(),
            traits,
            behaviour: Behaviour::Builtin(match kind {
                "CustomResourceDefinition" => &super::custom::Definitions,
                _ => kinds::rules(group, kind),
            }),
        }
    })
}

fn subresource(sub: Sub) -> Subresource {
    let (name, kind, verbs) = match sub {
        Sub::Status => ("status", None, CHANGE),
        Sub::Scale => ("scale", Some(("autoscaling", "v1", "Scale")), CHANGE),
        Sub::Finalize => ("finalize", None, UPDATE),
        Sub::Log => ("log", None, GET),
        Sub::Eviction => ("eviction", Some(("policy", "v1", "Eviction")), CREATE),
        Sub::Binding => ("binding", Some(("", "v1", "Binding")), CREATE),
        Sub::Token => ("token", Some(("authentication.k8s.io", "v1", "TokenRequest")), CREATE),
        Sub::Approval => ("approval", None, CHANGE),
        Sub::Ephemeral => ("ephemeralcontainers", None, CHANGE),
        Sub::Resize => ("resize", None, CHANGE),
    };
    Subresource { name: name.into(), kind, verbs }
}

pub(super) fn with_structure<T>(
    group: &str,
    version: &str,
    kind: &str,
    read: impl FnOnce(View<'_>) -> T,
) -> T {
    match schema::builtin(group, version, kind) {
        Some(view) => read(view),
        None => read(Types::default().view(&Schema::untyped())),
    }
}
