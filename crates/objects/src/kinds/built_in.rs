//! The kinds that every Kubernetes API server serves by itself, from 1.30 on, and those that older charts still
//! name. They are facts of the API: a group that is not listed here belongs to a custom resource or to an
//! aggregated server.

use Scope::{Cluster, Namespaced};

use super::Scope;

/// Groups in byte order, and in each the kinds in byte order: both are looked up by bisection.
const GROUPS: &[(&str, &[(&str, Scope)])] = &[
    (
        "",
        &[
            ("Binding", Namespaced),
            ("ComponentStatus", Cluster),
            ("ConfigMap", Namespaced),
            ("Endpoints", Namespaced),
            ("Event", Namespaced),
            ("LimitRange", Namespaced),
            ("Namespace", Cluster),
            ("Node", Cluster),
            ("PersistentVolume", Cluster),
            ("PersistentVolumeClaim", Namespaced),
            ("Pod", Namespaced),
            ("PodTemplate", Namespaced),
            ("ReplicationController", Namespaced),
            ("ResourceQuota", Namespaced),
            ("Secret", Namespaced),
            ("Service", Namespaced),
            ("ServiceAccount", Namespaced),
        ],
    ),
    (
        "admissionregistration.k8s.io",
        &[
            ("MutatingAdmissionPolicy", Cluster),
            ("MutatingAdmissionPolicyBinding", Cluster),
            ("MutatingWebhookConfiguration", Cluster),
            ("ValidatingAdmissionPolicy", Cluster),
            ("ValidatingAdmissionPolicyBinding", Cluster),
            ("ValidatingWebhookConfiguration", Cluster),
        ],
    ),
    ("apiextensions.k8s.io", &[("CustomResourceDefinition", Cluster)]),
    ("apiregistration.k8s.io", &[("APIService", Cluster)]),
    (
        "apps",
        &[
            ("ControllerRevision", Namespaced),
            ("DaemonSet", Namespaced),
            ("Deployment", Namespaced),
            ("ReplicaSet", Namespaced),
            ("StatefulSet", Namespaced),
        ],
    ),
    ("authentication.k8s.io", &[("SelfSubjectReview", Cluster), ("TokenReview", Cluster)]),
    (
        "authorization.k8s.io",
        &[
            ("LocalSubjectAccessReview", Namespaced),
            ("SelfSubjectAccessReview", Cluster),
            ("SelfSubjectRulesReview", Cluster),
            ("SubjectAccessReview", Cluster),
        ],
    ),
    ("autoscaling", &[("HorizontalPodAutoscaler", Namespaced), ("Scale", Namespaced)]),
    ("batch", &[("CronJob", Namespaced), ("Job", Namespaced)]),
    (
        "certificates.k8s.io",
        &[
            ("CertificateSigningRequest", Cluster),
            ("ClusterTrustBundle", Cluster),
            ("PodCertificateRequest", Namespaced),
        ],
    ),
    ("coordination.k8s.io", &[("Lease", Namespaced), ("LeaseCandidate", Namespaced)]),
    ("discovery.k8s.io", &[("EndpointSlice", Namespaced)]),
    ("events.k8s.io", &[("Event", Namespaced)]),
    (
        "extensions",
        &[
            ("DaemonSet", Namespaced),
            ("Deployment", Namespaced),
            ("Ingress", Namespaced),
            ("NetworkPolicy", Namespaced),
            ("PodSecurityPolicy", Cluster),
            ("ReplicaSet", Namespaced),
        ],
    ),
    ("flowcontrol.apiserver.k8s.io", &[("FlowSchema", Cluster), ("PriorityLevelConfiguration", Cluster)]),
    ("internal.apiserver.k8s.io", &[("StorageVersion", Cluster)]),
    ("lifecycle.k8s.io", &[("Eviction", Namespaced), ("EvictionRequest", Namespaced)]),
    (
        "networking.k8s.io",
        &[
            ("ClusterCIDR", Cluster),
            ("IPAddress", Cluster),
            ("Ingress", Namespaced),
            ("IngressClass", Cluster),
            ("NetworkPolicy", Namespaced),
            ("ServiceCIDR", Cluster),
        ],
    ),
    ("node.k8s.io", &[("RuntimeClass", Cluster)]),
    (
        "policy",
        &[("Eviction", Namespaced), ("PodDisruptionBudget", Namespaced), ("PodSecurityPolicy", Cluster)],
    ),
    (
        "rbac.authorization.k8s.io",
        &[
            ("ClusterRole", Cluster),
            ("ClusterRoleBinding", Cluster),
            ("Role", Namespaced),
            ("RoleBinding", Namespaced),
        ],
    ),
    (
        "resource.k8s.io",
        &[
            ("DeviceClass", Cluster),
            ("DeviceTaintRule", Cluster),
            ("PodSchedulingContext", Namespaced),
            ("ResourceClaim", Namespaced),
            ("ResourceClaimParameters", Namespaced),
            ("ResourceClaimTemplate", Namespaced),
            ("ResourceClass", Cluster),
            ("ResourceClassParameters", Namespaced),
            ("ResourcePoolStatusRequest", Cluster),
            ("ResourceSlice", Cluster),
        ],
    ),
    (
        "scheduling.k8s.io",
        &[
            ("CompositePodGroup", Namespaced),
            ("PodGroup", Namespaced),
            ("PriorityClass", Cluster),
            ("Workload", Namespaced),
        ],
    ),
    (
        "storage.k8s.io",
        &[
            ("CSIDriver", Cluster),
            ("CSINode", Cluster),
            ("CSIStorageCapacity", Namespaced),
            ("StorageClass", Cluster),
            ("VolumeAttachment", Cluster),
            ("VolumeAttributesClass", Cluster),
        ],
    ),
    ("storagemigration.k8s.io", &[("StorageVersionMigration", Cluster)]),
];

/// The kinds of a group, if the API server has it by itself.
fn group(name: &str) -> Option<&'static [(&'static str, Scope)]> {
    GROUPS.binary_search_by_key(&name, |(group, _)| group).ok().map(|index| GROUPS[index].1)
}

/// Whether the API server itself serves a group.
pub(super) fn has_group(name: &str) -> bool {
    group(name).is_some()
}

/// The scope of a built-in kind.
pub(super) fn scope(group_name: &str, kind: &str) -> Option<Scope> {
    let kinds = group(group_name)?;
    kinds.binary_search_by_key(&kind, |(name, _)| name).ok().map(|index| kinds[index].1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_are_in_byte_order() {
        assert!(GROUPS.is_sorted_by(|left, right| left.0 < right.0));
        for (group, kinds) in GROUPS {
            assert!(kinds.is_sorted_by(|left, right| left.0 < right.0), "{group}");
        }
    }
}
