//! API versions that Kubernetes has given up, and since when.

use std::fmt::Write as _;

use super::document::Head;
use crate::capabilities::KubeVersion;

/// API version, minor versions of Kubernetes 1 since which its kinds are deprecated and gone (0: still there), the
/// API version that replaces it, and the kinds. `A=B` is a kind whose replacement is called otherwise.
const DEPRECATED: &[(&str, u32, u32, &str, &str)] = &[
    ("v1", 19, 0, "", "ComponentStatus"),
    ("v1", 33, 0, "discovery.k8s.io/v1", "Endpoints=EndpointSlice"),
    ("admission.k8s.io/v1beta1", 19, 22, "admission.k8s.io/v1", "AdmissionReview"),
    (
        "admissionregistration.k8s.io/v1alpha1",
        35,
        38,
        "",
        "MutatingAdmissionPolicy MutatingAdmissionPolicyBinding",
    ),
    (
        "admissionregistration.k8s.io/v1alpha1",
        29,
        32,
        "",
        "ValidatingAdmissionPolicy ValidatingAdmissionPolicyBinding",
    ),
    (
        "admissionregistration.k8s.io/v1beta1",
        37,
        40,
        "admissionregistration.k8s.io/v1",
        "MutatingAdmissionPolicy MutatingAdmissionPolicyBinding",
    ),
    (
        "admissionregistration.k8s.io/v1beta1",
        16,
        22,
        "admissionregistration.k8s.io/v1",
        "MutatingWebhookConfiguration ValidatingWebhookConfiguration",
    ),
    (
        "admissionregistration.k8s.io/v1beta1",
        31,
        34,
        "",
        "ValidatingAdmissionPolicy ValidatingAdmissionPolicyBinding",
    ),
    ("apps/v1beta1", 8, 16, "apps/v1", "ControllerRevision Deployment DeploymentRollback StatefulSet"),
    ("apps/v1beta1", 8, 16, "autoscaling/v1", "Scale"),
    ("apps/v1beta2", 9, 16, "apps/v1", "ControllerRevision DaemonSet Deployment ReplicaSet StatefulSet"),
    ("apps/v1beta2", 9, 16, "autoscaling/v1", "Scale"),
    ("authentication.k8s.io/v1alpha1", 29, 32, "", "SelfSubjectReview"),
    ("authentication.k8s.io/v1beta1", 30, 33, "", "SelfSubjectReview"),
    ("authentication.k8s.io/v1beta1", 19, 22, "authentication.k8s.io/v1", "TokenReview"),
    (
        "authorization.k8s.io/v1beta1",
        19,
        22,
        "authorization.k8s.io/v1",
        "LocalSubjectAccessReview SelfSubjectAccessReview SelfSubjectRulesReview SubjectAccessReview",
    ),
    ("batch/v1beta1", 21, 25, "batch/v1", "CronJob"),
    ("certificates.k8s.io/v1alpha1", 34, 37, "", "ClusterTrustBundle"),
    ("certificates.k8s.io/v1beta1", 19, 22, "certificates.k8s.io/v1", "CertificateSigningRequest"),
    (
        "certificates.k8s.io/v1beta1",
        37,
        40,
        "certificates.k8s.io/v1",
        "ClusterTrustBundle PodCertificateRequest",
    ),
    ("coordination.k8s.io/v1alpha2", 35, 38, "", "LeaseCandidate"),
    ("coordination.k8s.io/v1beta1", 19, 22, "coordination.k8s.io/v1", "Lease"),
    ("coordination.k8s.io/v1beta1", 36, 39, "", "LeaseCandidate"),
    ("discovery.k8s.io/v1beta1", 21, 25, "discovery.k8s.io/v1", "EndpointSlice"),
    ("events.k8s.io/v1beta1", 22, 25, "", "Event"),
    ("extensions/v1beta1", 8, 16, "apps/v1", "DaemonSet Deployment ReplicaSet"),
    ("extensions/v1beta1", 8, 16, "", "DeploymentRollback"),
    ("extensions/v1beta1", 14, 22, "networking.k8s.io/v1", "Ingress"),
    ("extensions/v1beta1", 9, 16, "networking.k8s.io/v1", "NetworkPolicy"),
    ("extensions/v1beta1", 2, 16, "", "Scale"),
    (
        "flowcontrol.apiserver.k8s.io/v1beta1",
        23,
        26,
        "flowcontrol.apiserver.k8s.io/v1beta3",
        "FlowSchema PriorityLevelConfiguration",
    ),
    (
        "flowcontrol.apiserver.k8s.io/v1beta2",
        26,
        29,
        "flowcontrol.apiserver.k8s.io/v1beta3",
        "FlowSchema PriorityLevelConfiguration",
    ),
    (
        "flowcontrol.apiserver.k8s.io/v1beta3",
        29,
        32,
        "flowcontrol.apiserver.k8s.io/v1",
        "FlowSchema PriorityLevelConfiguration",
    ),
    ("networking.k8s.io/v1beta1", 34, 37, "", "IPAddress ServiceCIDR"),
    ("networking.k8s.io/v1beta1", 19, 22, "networking.k8s.io/v1", "Ingress IngressClass=IngressClassList"),
    ("node.k8s.io/v1beta1", 22, 25, "", "RuntimeClass"),
    ("policy/v1beta1", 22, 25, "", "Eviction"),
    ("policy/v1beta1", 21, 25, "policy/v1", "PodDisruptionBudget"),
    (
        "rbac.authorization.k8s.io/v1beta1",
        17,
        22,
        "rbac.authorization.k8s.io/v1",
        "ClusterRole ClusterRoleBinding Role RoleBinding",
    ),
    ("resource.k8s.io/v1alpha3", 36, 39, "", "DeviceTaintRule"),
    ("resource.k8s.io/v1beta1", 35, 38, "", "DeviceClass ResourceClaim ResourceClaimTemplate ResourceSlice"),
    ("resource.k8s.io/v1beta2", 36, 39, "", "DeviceClass ResourceClaim ResourceClaimTemplate ResourceSlice"),
    ("scheduling.k8s.io/v1beta1", 14, 22, "scheduling.k8s.io/v1", "PriorityClass"),
    ("storage.k8s.io/v1alpha1", 21, 24, "storage.k8s.io/v1beta1", "CSIStorageCapacity"),
    ("storage.k8s.io/v1alpha1", 21, 24, "storage.k8s.io/v1", "VolumeAttachment"),
    ("storage.k8s.io/v1alpha1", 32, 35, "storage.k8s.io/v1", "VolumeAttributesClass"),
    ("storage.k8s.io/v1beta1", 19, 22, "storage.k8s.io/v1", "CSIDriver StorageClass VolumeAttachment"),
    ("storage.k8s.io/v1beta1", 17, 22, "storage.k8s.io/v1", "CSINode"),
    ("storage.k8s.io/v1beta1", 24, 27, "storage.k8s.io/v1", "CSIStorageCapacity"),
    ("storage.k8s.io/v1beta1", 34, 37, "storage.k8s.io/v1", "VolumeAttributesClass"),
    ("storagemigration.k8s.io/v1beta1", 37, 40, "storagemigration.k8s.io/v1", "StorageVersionMigration"),
];

/// Kubernetes' warning about an object of an API version that is deprecated in this version of it.
pub(super) fn check(head: &Head, version: &KubeVersion) -> Result<(), String> {
    let (Ok(major), Ok(minor)) = (version.major.parse::<u32>(), version.minor.parse::<u32>()) else {
        return Ok(());
    };
    // A list of a kind shares its fate.
    let (kind, suffix) =
        head.kind.strip_suffix("List").map_or((head.kind.as_str(), ""), |kind| (kind, "List"));
    for (api_version, since, gone, replacement, kinds) in DEPRECATED {
        let entry = kinds.split(' ').map(|entry| entry.split_once('=').unwrap_or((entry, entry)));
        let Some((_, new_kind)) = entry.into_iter().find(|(name, _)| *name == kind) else { continue };
        if *api_version != head.api_version || (1, *since) > (major, minor) {
            continue;
        }
        let mut text = format!("{} {} is deprecated in v1.{since}+", head.api_version, head.kind);
        if *gone > 0 {
            let _ = write!(text, ", unavailable in v1.{gone}+");
        }
        if !replacement.is_empty() {
            let _ = write!(text, "; use {replacement} {new_kind}{suffix}");
        }
        return Err(text);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn says_since_when_and_what_instead() {
        let head = |api_version: &str, kind: &str| Head {
            api_version: api_version.into(),
            kind: kind.into(),
            ..Head::default()
        };
        let now = KubeVersion::default();
        assert_eq!(
            check(&head("extensions/v1beta1", "Ingress"), &now).unwrap_err(),
            "extensions/v1beta1 Ingress is deprecated in v1.14+, unavailable in v1.22+; use networking.k8s.io/v1 Ingress"
        );
        assert_eq!(
            check(&head("v1", "EndpointsList"), &now).unwrap_err(),
            "v1 EndpointsList is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSliceList"
        );
        assert!(check(&head("batch/v1beta1", "CronJob"), &"1.20".parse().unwrap()).is_ok());
        assert!(check(&head("apps/v1", "Deployment"), &now).is_ok());
    }
}
