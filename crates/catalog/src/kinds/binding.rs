//! A binding: credentials for an instance, in a Secret.

use extension::{Extension, ExtensionStatus};
use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{Backing, ParametersFrom, SecretTransform, UserInfo, any_object};

/// Credentials for an instance, which are put into a Secret. Nothing of it can be changed but `existsExternally` and
/// `deletionProtection`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, CustomResource, JsonSchema)]
#[kube(
    group = "servicecatalog.slipway.dev",
    version = "v1alpha1",
    kind = "ServiceBinding",
    plural = "servicebindings",
    shortname = "svcbind",
    category = "slipway",
    namespaced,
    status = "ServiceBindingStatus",
    derive = "Default",
    derive = "PartialEq",
    printcolumn = r#"{"name": "Instance", "type": "string", "jsonPath": ".spec.instanceRef.name"}"#,
    printcolumn = r#"{"name": "Secret", "type": "string", "jsonPath": ".status.secretName"}"#,
    printcolumn = r#"{"name": "Ready", "type": "string", "jsonPath": ".status.conditions[?(@.type==\"Ready\")].status"}"#,
    printcolumn = r#"{"name": "Reason", "type": "string", "jsonPath": ".status.conditions[?(@.type==\"Ready\")].reason"}"#,
    printcolumn = r#"{"name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp"}"#
)]
#[serde(rename_all = "camelCase")]
pub struct ServiceBindingSpec {
    /// The instance, in the same namespace.
    pub instance_ref: LocalReference,
    /// What is wanted of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "any_object")]
    pub parameters: Option<Map<String, Value>>,
    /// What is wanted of it, kept in Secrets.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parameters_from: Vec<ParametersFrom>,
    /// The Secret that gets the credentials; it has the binding's name if this is not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret_name: Option<String>,
    /// How the credentials become the keys of the Secret.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub secret_transforms: Vec<SecretTransform>,
    /// What the broker is to know it by; made up if it is not given.
    #[serde(rename = "externalID", default, skip_serializing_if = "Option::is_none")]
    pub external_id: Option<String>,
    /// The user who last changed this. Written by the operator's webhook.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_info: Option<UserInfo>,
    /// False: give it back to the broker, and keep this object. See the same field of an instance.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exists_externally: Option<bool>,
    /// True: the object cannot be deleted before the broker has given the thing up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deletion_protection: Option<bool>,
}

/// An object in the same namespace.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LocalReference {
    /// Its name.
    pub name: String,
}

/// How a binding stands.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ServiceBindingStatus {
    /// What every extension has: conditions, the last operation, errors.
    #[serde(flatten)]
    pub extension: ExtensionStatus,
    /// How far it is at its broker.
    #[serde(flatten)]
    pub backing: Backing,
    /// The Secret that has the credentials.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret_name: Option<String>,
    /// What the broker knows the instance by that this was bound to.
    #[serde(rename = "instanceExternalID", default, skip_serializing_if = "Option::is_none")]
    pub instance_external_id: Option<String>,
    /// The broker: its kind and name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub broker: Option<String>,
}

impl Extension for ServiceBinding {
    fn status(&self) -> Option<&ExtensionStatus> {
        self.status.as_ref().map(|status| &status.extension)
    }

    fn status_mut(&mut self) -> &mut ExtensionStatus {
        &mut self.status.get_or_insert_default().extension
    }
}

impl ServiceBindingSpec {
    /// Whether the broker is to have it.
    pub fn exists_externally(&self) -> bool {
        self.exists_externally.unwrap_or(true)
    }
}

impl ServiceBinding {
    /// The Secret that gets the credentials.
    pub fn secret_name(&self) -> &str {
        let own = self.metadata.name.as_deref().unwrap_or_default();
        self.spec.secret_name.as_deref().unwrap_or(own)
    }
}
