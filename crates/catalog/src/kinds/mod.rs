//! The service catalog: brokers, what they sell, and what was bought.
//!
//! A [`ClusterServiceBroker`] or [`ServiceBroker`] says where a broker is. What it sells shows up as classes and plans
//! ([`ClusterServiceClass`], [`ClusterServicePlan`] and their namespaced kin), which nobody writes by hand. A
//! [`ServiceInstance`] buys one, a [`ServiceBinding`] gets credentials for it into a Secret.
//!
//! The fields are Service Catalog's where they mean the same (the crate `api` reads its objects); what is different is this:
//!
//! - `existsExternally: false` on an instance or binding gives it back to the broker and keeps the object, so that a
//!   refusal is not the end of it: set it back to true, and nothing has happened.
//! - Controllers never write a spec: `userInfo` there is the user who wrote it, and stays so. What they resolve and choose
//!   (plan, identifiers) is in the status.
//! - How far a thing is at its broker ([`Backing`]) is written before anything is asked of the broker.

mod backing;
mod binding;
mod broker;
mod class;
mod instance;
mod parameters;
mod plan;
mod secret_transform;

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::CustomResourceExt as _;
use schemars::{Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

pub use backing::{Backing, CurrentOperation, DeprovisionStatus, Properties, ProvisionStatus};
pub use binding::{LocalReference, ServiceBinding, ServiceBindingSpec, ServiceBindingStatus};
pub use broker::{
    AuthInfo, BrokerStatus, CatalogRestrictions, ClusterServiceBroker, ClusterServiceBrokerSpec,
    RelistBehavior, SecretReference, SecretSource, ServiceBroker, ServiceBrokerSpec,
};
pub use class::{
    ClusterServiceClass, ClusterServiceClassSpec, Offering, OfferingStatus, ServiceClass, ServiceClassSpec,
};
pub use instance::{PlanReference, ServiceInstance, ServiceInstanceSpec, ServiceInstanceStatus};
pub use parameters::{ParametersError, ParametersFrom, SecretKey, UserInfo};
pub use plan::{ClusterServicePlan, ClusterServicePlanSpec, PlanOffer, ServicePlan, ServicePlanSpec};
pub use secret_transform::{
    AddKey, AddKeysFrom, NamespacedName, RemoveKey, RenameKey, SecretTransform, TransformError, transform,
};

/// The group of these resources.
pub const GROUP: &str = "servicecatalog.slipway.dev";

/// Condition: the thing is there and can be used.
pub const READY: &str = "Ready";
/// Condition: it did not succeed, and waits for somebody.
pub const FAILED: &str = "Failed";
/// Condition: something may be left at the broker that nobody wants, and is being taken back.
pub const ORPHAN_MITIGATION: &str = "OrphanMitigation";
/// Condition: the broker has it no more; all that is left to do with the object is to delete it.
pub const DELETED: &str = "Deleted";

/// A reference to a class or plan by the name of its object.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ObjectReference {
    /// The object's name.
    pub name: String,
}

/// The definitions of all kinds of this group, in the order in which they are installed.
pub fn definitions() -> Vec<CustomResourceDefinition> {
    vec![
        ClusterServiceBroker::crd(),
        ServiceBroker::crd(),
        ClusterServiceClass::crd(),
        ServiceClass::crd(),
        ClusterServicePlan::crd(),
        ServicePlan::crd(),
        ServiceInstance::crd(),
        ServiceBinding::crd(),
    ]
}

/// Any object, which the server is to keep as it is.
fn any_object(_: &mut SchemaGenerator) -> Schema {
    json_schema!({"type": "object", "x-kubernetes-preserve-unknown-fields": true})
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const API_VERSION: &str = api::service_catalog::API_VERSION;

    fn mapped(object: serde_json::Value) -> serde_json::Value {
        api::mapped(object).unwrap()
    }

    #[test]
    fn an_instance_with_the_field_of_the_seed_is_ours_as_it_stands() {
        let written = json!({
            "apiVersion": API_VERSION,
            "kind": "ServiceInstance",
            "metadata": {"name": "ups-instance", "namespace": "test-ns", "finalizers": ["kubernetes-incubator/service-catalog"]},
            "spec": {
                "clusterServiceClassExternalName": "user-provided-service",
                "clusterServicePlanExternalName": "default",
                "clusterServiceClassRef": {"name": "4f6e6cf6"},
                "externalID": "a5b9c6d3",
                "userInfo": {"username": "forged"},
                "parameters": {"credentials": {"param-1": "value-1"}},
                "parametersFrom": [{"secretKeyRef": {"name": "s", "key": "k"}}],
                "existsExternally": true,
            },
            "status": {"conditions": []},
        });
        let ours: ServiceInstance = serde_json::from_value(mapped(written)).unwrap();
        assert_eq!(
            ours.spec.plan.cluster_service_class_external_name.as_deref(),
            Some("user-provided-service")
        );
        assert_eq!(ours.spec.external_id.as_deref(), Some("a5b9c6d3"));
        assert_eq!(ours.spec.exists_externally, Some(true));
        assert_eq!(ours.spec.parameters_from[0].secret_key_ref.key, "k");
        assert_eq!((ours.spec.user_info, ours.status), (None, None));
        assert_eq!(ours.metadata.finalizers, Some(Vec::new()));
    }

    #[test]
    fn a_binding_keeps_its_transforms_and_others_stay_as_they_are() {
        let written = json!({
            "apiVersion": API_VERSION, "kind": "ServiceBinding", "metadata": {"name": "b"},
            "spec": {
                "instanceRef": {"name": "ups-instance"}, "secretName": "ups-binding",
                "secretTransforms": [{"renameKey": {"from": "a", "to": "b"}}],
            },
        });
        let ours: ServiceBinding = serde_json::from_value(mapped(written)).unwrap();
        assert_eq!(ours.secret_name(), "ups-binding");
        assert!(ours.spec.secret_transforms[0].rename_key.is_some());
        let other = json!({"apiVersion": "v1", "kind": "ConfigMap"});
        assert_eq!(mapped(other.clone()), other);
    }

    #[test]
    fn every_kind_has_a_structural_definition_of_this_group() {
        for definition in definitions() {
            assert_eq!(definition.spec.group, GROUP);
            let version = &definition.spec.versions[0];
            assert_eq!(version.name, "v1alpha1");
            assert!(
                version.subresources.as_ref().unwrap().status.is_some(),
                "{}",
                definition.spec.names.kind
            );
            let schema = version.schema.as_ref().unwrap().open_api_v3_schema.as_ref().unwrap();
            assert!(
                schema.properties.as_ref().unwrap().contains_key("spec"),
                "{}",
                definition.spec.names.kind
            );
        }
    }
}
