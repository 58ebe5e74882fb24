//! Classes: the services that a broker sells.

use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::any_object;

/// A service that a broker of the cluster sells. Made from its catalog.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, CustomResource, JsonSchema)]
#[kube(
    group = "servicecatalog.slipway.dev",
    version = "v1alpha1",
    kind = "ClusterServiceClass",
    plural = "clusterserviceclasses",
    category = "slipway",
    status = "OfferingStatus",
    derive = "Default",
    derive = "PartialEq",
    printcolumn = r#"{"name": "External name", "type": "string", "jsonPath": ".spec.externalName"}"#,
    printcolumn = r#"{"name": "Broker", "type": "string", "jsonPath": ".spec.clusterServiceBrokerName"}"#
)]
#[serde(rename_all = "camelCase")]
pub struct ClusterServiceClassSpec {
    /// The broker that sells it.
    pub cluster_service_broker_name: String,
    /// What it is.
    #[serde(flatten)]
    pub offering: Offering,
}

/// A service that a broker of the namespace sells. Made from its catalog.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, CustomResource, JsonSchema)]
#[kube(
    group = "servicecatalog.slipway.dev",
    version = "v1alpha1",
    kind = "ServiceClass",
    plural = "serviceclasses",
    category = "slipway",
    namespaced,
    status = "OfferingStatus",
    derive = "Default",
    derive = "PartialEq",
    printcolumn = r#"{"name": "External name", "type": "string", "jsonPath": ".spec.externalName"}"#,
    printcolumn = r#"{"name": "Broker", "type": "string", "jsonPath": ".spec.serviceBrokerName"}"#
)]
#[serde(rename_all = "camelCase")]
pub struct ServiceClassSpec {
    /// The broker that sells it.
    pub service_broker_name: String,
    /// What it is.
    #[serde(flatten)]
    pub offering: Offering,
}

/// What a service is.
#[expect(clippy::struct_excessive_bools, reason = "Service Catalog has them")]
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Offering {
    /// What users call it.
    pub external_name: String,
    /// What the broker calls it.
    #[serde(rename = "externalID")]
    pub external_id: String,
    /// One line about it.
    #[serde(default)]
    pub description: String,
    /// Whether its instances can be bound to, unless a plan says otherwise.
    #[serde(default)]
    pub bindable: bool,
    /// Whether its bindings can be fetched.
    #[serde(default)]
    pub binding_retrievable: bool,
    /// Whether its instances can be fetched.
    #[serde(default)]
    pub instance_retrievable: bool,
    /// Whether the plan of an instance can be changed, unless a plan says otherwise.
    #[serde(default)]
    pub plan_updatable: bool,
    /// For display.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "any_object")]
    pub external_metadata: Option<Map<String, Value>>,
    /// Words to find it by.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// What a user has to allow it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub requires: Vec<String>,
}

/// How a class or plan stands.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OfferingStatus {
    /// The broker no longer sells it; it stays for as long as there are instances of it.
    #[serde(default)]
    pub removed_from_broker_catalog: bool,
}
