//! A Bundle: objects that belong together.

use extension::{Extension, ExtensionStatus};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, Time};
use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Objects that belong together. They are applied in the order of the references between them and of their layers; what
/// is no longer listed is taken out again, in order, after the delay that its annotation asks for.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, CustomResource, JsonSchema)]
#[kube(
    group = "slipway.dev",
    version = "v1alpha1",
    kind = "Bundle",
    plural = "bundles",
    shortname = "bdl",
    category = "slipway",
    namespaced,
    status = "BundleStatus",
    derive = "Default",
    derive = "PartialEq",
    printcolumn = r#"{"name": "Ready", "type": "string", "jsonPath": ".status.conditions[?(@.type==\"Ready\")].status"}"#,
    printcolumn = r#"{"name": "Reason", "type": "string", "jsonPath": ".status.conditions[?(@.type==\"Ready\")].reason"}"#,
    printcolumn = r#"{"name": "Pending", "type": "string", "jsonPath": ".status.pendingDeletions[*].due", "priority": 1}"#,
    printcolumn = r#"{"name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp"}"#
)]
#[serde(rename_all = "camelCase")]
pub struct BundleSpec {
    /// The objects, each under a name by which others refer to it.
    #[serde(default)]
    pub resources: Vec<Resource>,
    /// The ServiceAccount of the Bundle's namespace as which everything is done; `default` if none is named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub service_account_name: Option<String>,
    /// While this is true nothing is done. Countdowns go on, but nothing is deleted at their end.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub suspend: bool,
    /// False: take everything down, and keep this object. It needs the feature `DeclarativeDelete`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exists_externally: Option<bool>,
    /// How long an object may take to become ready before the Bundle is said to have failed, as a duration such as
    /// `10m`. Without it the Bundle waits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub readiness_timeout: Option<String>,
    /// Whether fields that others have taken are taken back; they are unless this is false, when a conflict is told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub force_conflicts: Option<bool>,
}

/// One object of a Bundle.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Resource {
    /// Its name within the Bundle.
    pub name: String,
    /// The resources that it comes after, and what it takes from them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub references: Vec<Reference>,
    /// What it is.
    pub spec: ResourceSpec,
}

/// What a resource is.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ResourceSpec {
    /// The object. A text `!{name}` stands for the value of the reference of that name: with its type where it is all
    /// of the text, as text inside of another.
    #[schemars(schema_with = "any_object")]
    pub object: Map<String, Value>,
}

/// What a resource takes from another.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Reference {
    /// The name in `!{name}`. Without one the reference only orders.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The resource that is referred to, by its name within the Bundle.
    pub resource: String,
    /// Where the value is, as JSONPath in the object as the cluster has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// What is looked at instead of the object itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub modifier: Option<Modifier>,
    /// A value of the same form, by which the object can be checked before there is a real one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "anything")]
    pub example: Option<Value>,
}

/// What is looked at instead of the object itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Modifier {
    /// The Secret that a `ServiceBinding` has made. Its values are decoded.
    BindSecret,
}

/// How a Bundle stands.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BundleStatus {
    /// The last operation, its errors, and the conditions `Ready`, `InProgress`, `Error` and `Deleted`.
    #[serde(flatten)]
    pub extension: ExtensionStatus,
    /// How each resource stands.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub resource_statuses: Vec<ResourceStatus>,
    /// The objects that are no longer listed, and whose delay runs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pending_deletions: Vec<PendingDeletion>,
    /// The objects that are no longer listed, and go when the Bundle is ready or are going.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub objects_to_delete: Vec<ObjectReference>,
    /// The Secret that holds the inventory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inventory: Option<String>,
}

/// How one resource stands.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ResourceStatus {
    /// Its name within the Bundle.
    pub name: String,
    /// `Blocked`, `InProgress`, `Ready`, `Error`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<Condition>,
}

/// An object, by name.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ObjectReference {
    /// Its group.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub group: String,
    /// The version it was applied in.
    pub version: String,
    /// Its kind.
    pub kind: String,
    /// Its namespace, unless it has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// Its name.
    pub name: String,
    /// Why it stays for now, if something keeps it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

/// An object whose delay runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PendingDeletion {
    /// Which object.
    pub object: ObjectReference,
    /// Since when it is not wanted.
    pub since: Time,
    /// When it goes; nothing if its delay or its stamp cannot be read, and it stays.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub due: Option<Time>,
}

impl Extension for Bundle {
    fn status(&self) -> Option<&ExtensionStatus> {
        self.status.as_ref().map(|status| &status.extension)
    }

    fn status_mut(&mut self) -> &mut ExtensionStatus {
        &mut self.status.get_or_insert_default().extension
    }
}

impl Bundle {
    /// The ServiceAccount as which everything is done.
    pub fn service_account(&self) -> &str {
        named_or_default(self.spec.service_account_name.as_deref())
    }
}

pub(crate) fn named_or_default(account: Option<&str>) -> &str {
    account.filter(|name| !name.is_empty()).unwrap_or("default")
}

fn any_object(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    schemars::json_schema!({"type": "object", "x-kubernetes-preserve-unknown-fields": true})
}

fn anything(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    schemars::json_schema!({"x-kubernetes-preserve-unknown-fields": true})
}
