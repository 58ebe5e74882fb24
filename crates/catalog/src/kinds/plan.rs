//! Plans: in which sizes a service is sold.

use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{ObjectReference, OfferingStatus, any_object};

/// A plan of a class of the cluster. Made from a catalog.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, CustomResource, JsonSchema)]
#[kube(
    group = "servicecatalog.slipway.dev",
    version = "v1alpha1",
    kind = "ClusterServicePlan",
    plural = "clusterserviceplans",
    category = "slipway",
    status = "OfferingStatus",
    derive = "Default",
    derive = "PartialEq",
    printcolumn = r#"{"name": "External name", "type": "string", "jsonPath": ".spec.externalName"}"#,
    printcolumn = r#"{"name": "Broker", "type": "string", "jsonPath": ".spec.clusterServiceBrokerName"}"#,
    printcolumn = r#"{"name": "Class", "type": "string", "jsonPath": ".spec.clusterServiceClassRef.name"}"#
)]
#[serde(rename_all = "camelCase")]
pub struct ClusterServicePlanSpec {
    /// The broker that sells it.
    pub cluster_service_broker_name: String,
    /// The class that it is of.
    pub cluster_service_class_ref: ObjectReference,
    /// What it is.
    #[serde(flatten)]
    pub offer: PlanOffer,
}

/// A plan of a class of the namespace. Made from a catalog.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, CustomResource, JsonSchema)]
#[kube(
    group = "servicecatalog.slipway.dev",
    version = "v1alpha1",
    kind = "ServicePlan",
    plural = "serviceplans",
    category = "slipway",
    namespaced,
    status = "OfferingStatus",
    derive = "Default",
    derive = "PartialEq",
    printcolumn = r#"{"name": "External name", "type": "string", "jsonPath": ".spec.externalName"}"#,
    printcolumn = r#"{"name": "Broker", "type": "string", "jsonPath": ".spec.serviceBrokerName"}"#,
    printcolumn = r#"{"name": "Class", "type": "string", "jsonPath": ".spec.serviceClassRef.name"}"#
)]
#[serde(rename_all = "camelCase")]
pub struct ServicePlanSpec {
    /// The broker that sells it.
    pub service_broker_name: String,
    /// The class that it is of.
    pub service_class_ref: ObjectReference,
    /// What it is.
    #[serde(flatten)]
    pub offer: PlanOffer,
}

/// What a plan is.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PlanOffer {
    /// What users call it.
    pub external_name: String,
    /// What the broker calls it.
    #[serde(rename = "externalID")]
    pub external_id: String,
    /// One line about it.
    #[serde(default)]
    pub description: String,
    /// Whether its instances can be bound to; as the class says if it is not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bindable: Option<bool>,
    /// Whether it costs nothing.
    #[serde(default)]
    pub free: bool,
    /// Whether an instance can leave it for another; as the class says if it is not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan_updatable: Option<bool>,
    /// How many seconds an operation is polled at most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub maximum_polling_duration: Option<i64>,
    /// The state of maintenance that instances are made in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub maintenance_version: Option<String>,
    /// For display.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "any_object")]
    pub external_metadata: Option<Map<String, Value>>,
    /// The JSON schema of the parameters of a new instance.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "any_object")]
    pub instance_create_parameter_schema: Option<Map<String, Value>>,
    /// The JSON schema of the parameters of a change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "any_object")]
    pub instance_update_parameter_schema: Option<Map<String, Value>>,
    /// The JSON schema of the parameters of a binding.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "any_object")]
    pub service_binding_create_parameter_schema: Option<Map<String, Value>>,
}
