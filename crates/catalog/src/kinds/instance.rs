//! An instance: something that was bought from a broker.

use extension::{Extension, ExtensionStatus};
use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{Backing, ParametersFrom, UserInfo, any_object};

/// Something that a broker has made for us: a database, a queue, a bucket.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, CustomResource, JsonSchema)]
#[kube(
    group = "servicecatalog.slipway.dev",
    version = "v1alpha1",
    kind = "ServiceInstance",
    plural = "serviceinstances",
    shortname = "svcinst",
    category = "slipway",
    namespaced,
    status = "ServiceInstanceStatus",
    derive = "Default",
    derive = "PartialEq",
    printcolumn = r#"{"name": "Class", "type": "string", "jsonPath": ".status.className"}"#,
    printcolumn = r#"{"name": "Plan", "type": "string", "jsonPath": ".status.planName"}"#,
    printcolumn = r#"{"name": "Ready", "type": "string", "jsonPath": ".status.conditions[?(@.type==\"Ready\")].status"}"#,
    printcolumn = r#"{"name": "Reason", "type": "string", "jsonPath": ".status.conditions[?(@.type==\"Ready\")].reason"}"#,
    printcolumn = r#"{"name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp"}"#
)]
#[serde(rename_all = "camelCase")]
pub struct ServiceInstanceSpec {
    /// What is bought.
    #[serde(flatten)]
    pub plan: PlanReference,
    /// What is wanted of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "any_object")]
    pub parameters: Option<Map<String, Value>>,
    /// What is wanted of it, kept in Secrets.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parameters_from: Vec<ParametersFrom>,
    /// What the broker is to know it by; made up if it is not given. It cannot be changed.
    #[serde(rename = "externalID", default, skip_serializing_if = "Option::is_none")]
    pub external_id: Option<String>,
    /// The user who last changed this. Written by the operator's webhook.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_info: Option<UserInfo>,
    /// Another number asks for an update that no other field shows: when a Secret has changed.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub update_requests: i64,
    /// False: give it back to the broker, and keep this object. It can be set back to true: at once if the broker has
    /// refused, otherwise when it is known what became of it. It needs the feature `DeclarativeDelete`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exists_externally: Option<bool>,
    /// True: the object cannot be deleted before the broker has given the thing up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deletion_protection: Option<bool>,
}

/// A class and a plan of it, by the names that users know, by the broker's identifiers, or by the names of the objects;
/// of the cluster or of the namespace.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PlanReference {
    /// The class of the cluster, by its name for users.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cluster_service_class_external_name: Option<String>,
    /// The plan of the cluster, by its name for users.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cluster_service_plan_external_name: Option<String>,
    /// The class of the cluster, by the broker's identifier.
    #[serde(rename = "clusterServiceClassExternalID", default, skip_serializing_if = "Option::is_none")]
    pub cluster_service_class_external_id: Option<String>,
    /// The plan of the cluster, by the broker's identifier.
    #[serde(rename = "clusterServicePlanExternalID", default, skip_serializing_if = "Option::is_none")]
    pub cluster_service_plan_external_id: Option<String>,
    /// The class of the cluster, by the name of its object.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cluster_service_class_name: Option<String>,
    /// The plan of the cluster, by the name of its object.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cluster_service_plan_name: Option<String>,
    /// The class of the namespace, by its name for users.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub service_class_external_name: Option<String>,
    /// The plan of the namespace, by its name for users.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub service_plan_external_name: Option<String>,
    /// The class of the namespace, by the broker's identifier.
    #[serde(rename = "serviceClassExternalID", default, skip_serializing_if = "Option::is_none")]
    pub service_class_external_id: Option<String>,
    /// The plan of the namespace, by the broker's identifier.
    #[serde(rename = "servicePlanExternalID", default, skip_serializing_if = "Option::is_none")]
    pub service_plan_external_id: Option<String>,
    /// The class of the namespace, by the name of its object.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub service_class_name: Option<String>,
    /// The plan of the namespace, by the name of its object.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub service_plan_name: Option<String>,
}

/// How an instance stands.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ServiceInstanceStatus {
    /// What every extension has: conditions, the last operation, errors.
    #[serde(flatten)]
    pub extension: ExtensionStatus,
    /// How far it is at its broker.
    #[serde(flatten)]
    pub backing: Backing,
    /// Where it can be managed.
    #[serde(rename = "dashboardURL", default, skip_serializing_if = "Option::is_none")]
    pub dashboard_url: Option<String>,
    /// What its class is called.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub class_name: Option<String>,
    /// What its plan is called.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan_name: Option<String>,
    /// The broker that it was bought from: its kind and name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub broker: Option<String>,
}

impl Extension for ServiceInstance {
    fn status(&self) -> Option<&ExtensionStatus> {
        self.status.as_ref().map(|status| &status.extension)
    }

    fn status_mut(&mut self) -> &mut ExtensionStatus {
        &mut self.status.get_or_insert_default().extension
    }
}

impl ServiceInstanceSpec {
    /// Whether the broker is to have it.
    pub fn exists_externally(&self) -> bool {
        self.exists_externally.unwrap_or(true)
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_zero(value: &i64) -> bool {
    *value == 0
}
