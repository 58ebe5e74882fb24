//! A broker: where it is, and how often its catalog is read.

use extension::{Extension, ExtensionStatus};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

macro_rules! broker {
    ($(#[$meta:meta])* $spec:ident) => {
        $(#[$meta])*
        #[serde(rename_all = "camelCase")]
        pub struct $spec {
            /// Its address.
            pub url: String,
            /// Whether its certificate is not looked at.
            #[serde(rename = "insecureSkipTLSVerify", default, skip_serializing_if = "std::ops::Not::not")]
            pub insecure_skip_tls_verify: bool,
            /// The authorities that vouch for it: PEM, in base64.
            #[serde(rename = "caBundle", default, skip_serializing_if = "Option::is_none")]
            pub ca_bundle: Option<String>,
            /// How it knows us.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub auth_info: Option<AuthInfo>,
            /// When its catalog is read again.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub relist_behavior: Option<RelistBehavior>,
            /// How long after the last time, as a duration such as `15m`; a day if it is not given.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub relist_duration: Option<String>,
            /// Another number asks for the catalog to be read now.
            #[serde(default)]
            pub relist_requests: i64,
            /// Which classes and plans show up.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub catalog_restrictions: Option<CatalogRestrictions>,
        }
    };
}

broker! {
    /// A broker for the whole cluster. The Secrets that it names may be in any namespace.
    #[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, CustomResource, JsonSchema)]
    #[kube(
        group = "servicecatalog.slipway.dev",
        version = "v1alpha1",
        kind = "ClusterServiceBroker",
        plural = "clusterservicebrokers",
        category = "slipway",
        status = "BrokerStatus",
        derive = "Default",
        derive = "PartialEq",
        printcolumn = r#"{"name": "URL", "type": "string", "jsonPath": ".spec.url"}"#,
        printcolumn = r#"{"name": "Ready", "type": "string", "jsonPath": ".status.conditions[?(@.type==\"Ready\")].status"}"#,
        printcolumn = r#"{"name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp"}"#
    )]
    ClusterServiceBrokerSpec
}

broker! {
    /// A broker for a namespace. The Secrets that it names are in it.
    #[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, CustomResource, JsonSchema)]
    #[kube(
        group = "servicecatalog.slipway.dev",
        version = "v1alpha1",
        kind = "ServiceBroker",
        plural = "servicebrokers",
        category = "slipway",
        namespaced,
        status = "BrokerStatus",
        derive = "Default",
        derive = "PartialEq",
        printcolumn = r#"{"name": "URL", "type": "string", "jsonPath": ".spec.url"}"#,
        printcolumn = r#"{"name": "Ready", "type": "string", "jsonPath": ".status.conditions[?(@.type==\"Ready\")].status"}"#,
        printcolumn = r#"{"name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp"}"#
    )]
    ServiceBrokerSpec
}

/// How a broker knows us. At most one of the two.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AuthInfo {
    /// By the keys `username` and `password` of a Secret.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub basic: Option<SecretSource>,
    /// By the key `token` of a Secret.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bearer: Option<SecretSource>,
}

/// A Secret with credentials.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SecretSource {
    /// Which.
    pub secret_ref: SecretReference,
}

/// A Secret by name, and for brokers of the cluster by namespace.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SecretReference {
    /// The namespace; for a broker of a namespace that one, whatever is said here.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub namespace: String,
    /// The name.
    pub name: String,
}

/// When a catalog is read again.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum RelistBehavior {
    /// After some time.
    #[default]
    Duration,
    /// When somebody asks.
    Manual,
}

/// Which classes and plans show up: requirements as label selectors have them, all of which must hold, on `name`,
/// `spec.externalName`, `spec.externalID`, `spec.free` and so on.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CatalogRestrictions {
    /// For classes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub service_class: Vec<String>,
    /// For plans.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub service_plan: Vec<String>,
}

/// How a broker stands.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BrokerStatus {
    /// What every extension has: conditions, the last operation, errors.
    #[serde(flatten)]
    pub extension: ExtensionStatus,
    /// When the catalog was last read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_catalog_retrieval_time: Option<Time>,
    /// The generation of the spec by which it was read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reconciled_generation: Option<i64>,
    /// The request to read it that was last served.
    #[serde(default)]
    pub served_relist_requests: i64,
    /// How many services it sells.
    #[serde(default)]
    pub services: u32,
    /// How many plans they have.
    #[serde(default)]
    pub plans: u32,
}

macro_rules! extension {
    ($($kind:ident),*) => {$(
        impl Extension for $kind {
            fn status(&self) -> Option<&ExtensionStatus> {
                self.status.as_ref().map(|status| &status.extension)
            }

            fn status_mut(&mut self) -> &mut ExtensionStatus {
                &mut self.status.get_or_insert_default().extension
            }
        }
    )*};
}

extension!(ClusterServiceBroker, ServiceBroker);
