//! The kinds whose types go into the table, in the order of their groups.

use std::any::TypeId;

use k8s_openapi::schemars::{JsonSchema, SchemaGenerator};
use k8s_openapi::{
    ClusterResourceScope, ListableResource, NamespaceResourceScope, Resource, api,
    apiextensions_apiserver::pkg::apis::apiextensions, apimachinery::pkg::apis::meta,
    apimachinery::pkg::version, kube_aggregator::pkg::apis::apiregistration,
};

/// One kind, as the table names it.
#[expect(clippy::struct_field_names, reason = "group, version and kind are the words of Kubernetes")]
pub(crate) struct Kind {
    pub(crate) group: &'static str,
    pub(crate) version: &'static str,
    pub(crate) kind: &'static str,
    pub(crate) resource: &'static str,
    /// 0: cluster, 1: namespaced, 2: subresource.
    pub(crate) scope: u8,
    pub(crate) type_name: String,
    /// The kind of lists of it, if there are lists.
    pub(crate) list: Option<&'static str>,
}

fn kind<T: Resource<Scope: 'static> + JsonSchema>(generator: &mut SchemaGenerator) -> Kind {
    generator.subschema_for::<T>();
    let scope = TypeId::of::<T::Scope>();
    Kind {
        group: T::GROUP,
        version: T::VERSION,
        kind: T::KIND,
        resource: T::URL_PATH_SEGMENT,
        scope: if scope == TypeId::of::<ClusterResourceScope>() {
            0
        } else {
            2 - u8::from(scope == TypeId::of::<NamespaceResourceScope>())
        },
        type_name: T::schema_name().into_owned(),
        list: None,
    }
}

fn listed<T: ListableResource<Scope: 'static> + JsonSchema>(generator: &mut SchemaGenerator) -> Kind {
    Kind { list: Some(T::LIST_KIND), ..kind::<T>(generator) }
}

macro_rules! kinds {
    ($generator:ident: $($($module:ident)::+ { $($listed:ident)* $(; $($single:ident)*)? })*) => {{
        let mut kinds = Vec::new();
        $({
            use $($module)::+ as module;
            $(kinds.push(listed::<module::$listed>($generator));)*
            $($(kinds.push(kind::<module::$single>($generator));)*)?
        })*
        kinds
    }};
}

/// Gives every type that a built-in kind is made of to the generator, and names the kinds.
pub(crate) fn gather(generator: &mut SchemaGenerator) -> Vec<Kind> {
    generator.subschema_for::<meta::v1::APIGroupList>();
    generator.subschema_for::<meta::v1::APIResourceList>();
    generator.subschema_for::<meta::v1::APIVersions>();
    generator.subschema_for::<meta::v1::DeleteOptions>();
    generator.subschema_for::<meta::v1::ListMeta>();
    generator.subschema_for::<meta::v1::Patch>();
    generator.subschema_for::<meta::v1::Status>();
    generator.subschema_for::<version::Info>();
    kinds! { generator:
        api::admissionregistration::v1 {
            MutatingAdmissionPolicy MutatingAdmissionPolicyBinding MutatingWebhookConfiguration
            ValidatingAdmissionPolicy ValidatingAdmissionPolicyBinding
            ValidatingWebhookConfiguration
        }
        api::admissionregistration::v1alpha1 { MutatingAdmissionPolicy MutatingAdmissionPolicyBinding }
        api::admissionregistration::v1beta1 { MutatingAdmissionPolicy MutatingAdmissionPolicyBinding }
        api::apiserverinternal::v1alpha1 { StorageVersion }
        api::apps::v1 { ControllerRevision DaemonSet Deployment ReplicaSet StatefulSet }
        api::authentication::v1 { ; SelfSubjectReview TokenRequest TokenReview }
        api::authorization::v1 {
            ; LocalSubjectAccessReview SelfSubjectAccessReview SelfSubjectRulesReview
            SubjectAccessReview
        }
        api::autoscaling::v1 { HorizontalPodAutoscaler ; Scale }
        api::autoscaling::v2 { HorizontalPodAutoscaler }
        api::batch::v1 { CronJob Job }
        api::certificates::v1 { CertificateSigningRequest }
        api::certificates::v1alpha1 { ClusterTrustBundle }
        api::certificates::v1beta1 { ClusterTrustBundle PodCertificateRequest }
        api::coordination::v1 { Lease }
        api::coordination::v1alpha2 { LeaseCandidate }
        api::coordination::v1beta1 { LeaseCandidate }
        api::core::v1 {
            ComponentStatus ConfigMap Endpoints Event LimitRange Namespace Node PersistentVolume
            PersistentVolumeClaim Pod PodTemplate ReplicationController ResourceQuota Secret
            Service ServiceAccount ; Binding
        }
        api::discovery::v1 { EndpointSlice }
        api::events::v1 { Event }
        api::flowcontrol::v1 { FlowSchema PriorityLevelConfiguration }
        api::networking::v1 { IPAddress Ingress IngressClass NetworkPolicy ServiceCIDR }
        api::networking::v1beta1 { IPAddress ServiceCIDR }
        api::node::v1 { RuntimeClass }
        api::policy::v1 { PodDisruptionBudget ; Eviction }
        api::rbac::v1 { ClusterRole ClusterRoleBinding Role RoleBinding }
        api::resource::v1 { DeviceClass ResourceClaim ResourceClaimTemplate ResourceSlice }
        api::resource::v1alpha3 { DeviceTaintRule ResourcePoolStatusRequest }
        api::resource::v1beta1 { DeviceClass ResourceClaim ResourceClaimTemplate ResourceSlice }
        api::resource::v1beta2 {
            DeviceClass DeviceTaintRule ResourceClaim ResourceClaimTemplate ResourceSlice
        }
        api::scheduling::v1 { PriorityClass }
        api::scheduling::v1alpha2 { PodGroup Workload }
        api::storage::v1 {
            CSIDriver CSINode CSIStorageCapacity StorageClass VolumeAttachment
            VolumeAttributesClass
        }
        api::storage::v1beta1 { VolumeAttributesClass }
        api::storagemigration::v1beta1 { StorageVersionMigration }
        apiextensions::v1 { CustomResourceDefinition }
        apiregistration::v1 { APIService }
    }
}
