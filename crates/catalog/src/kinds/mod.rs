//! The service catalog: brokers, what they sell, and what was bought.
//!
//! A [`ClusterServiceBroker`] or [`ServiceBroker`] says where a broker is. What it sells shows up as classes and plans
//! ([`ClusterServiceClass`], [`ClusterServicePlan`] and their namespaced kin), which nobody writes by hand. A
//! [`ServiceInstance`] buys one, a [`ServiceBinding`] gets credentials for it into a Secret.
//!
//! The fields are Service Catalog's where they mean the same ([`mapping`] reads its objects); what is different is this:
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
pub mod mapping;
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
    use super::*;

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
