//! A DeployItem: a chart or manifests, with rules about how they are taken out.

use extension::{Extension, ExtensionStatus};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::bundle::{ObjectReference, PendingDeletion, named_or_default};

/// A chart or a set of manifests, deployed to a namespace of this cluster or of another, and taken out again by the
/// rules given here.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, CustomResource, JsonSchema)]
#[kube(
    group = "slipway.dev",
    version = "v1alpha1",
    kind = "DeployItem",
    plural = "deployitems",
    shortname = "di",
    category = "slipway",
    namespaced,
    status = "DeployItemStatus",
    derive = "Default",
    derive = "PartialEq",
    printcolumn = r#"{"name": "Ready", "type": "string", "jsonPath": ".status.conditions[?(@.type==\"Ready\")].status"}"#,
    printcolumn = r#"{"name": "Reason", "type": "string", "jsonPath": ".status.conditions[?(@.type==\"Ready\")].reason"}"#,
    printcolumn = r#"{"name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp"}"#
)]
#[serde(rename_all = "camelCase")]
pub struct DeployItemSpec {
    /// The chart. Exactly one of `chart` and `manifests` is given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chart: Option<ChartSource>,
    /// The manifests.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub manifests: Vec<ManifestEntry>,
    /// The values for the chart.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    #[schemars(schema_with = "any_object")]
    pub values: Map<String, Value>,
    /// Where more values are, the later ones over the earlier; `values` is over them all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub values_from: Vec<ValuesSource>,
    /// True: the chart becomes a release as Helm stores it. False: it is only templated, and what comes out is applied
    /// as plain manifests.
    #[serde(default = "yes")]
    pub helm_deployment: bool,
    /// The name of the release; that of the `DeployItem` if none is given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub release_name: Option<String>,
    /// Where to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<Target>,
    /// The ServiceAccount of the item's namespace as which everything is done; `default` if none is named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub service_account_name: Option<String>,
    /// Whether layers and subcharts order the deployment, each waiting for what it needs.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub wait_ordered: bool,
    /// In which order objects go, how long each rank is waited for, and what happens to what does not go.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub deletion_order_rules: Vec<DeletionOrderRule>,
    /// The same for objects that an update no longer has; without it, the rules above.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deletion_order_rules_during_update: Option<Vec<DeletionOrderRule>>,
    /// What may be done to some of the objects; others are managed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub policies: Vec<ObjectPolicy>,
    /// When objects are ready.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub readiness: Option<ReadinessSettings>,
    /// How long a deployment, and a deletion, may take, as a duration such as `10m`; ten minutes if it is not said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout: Option<String>,
    /// Other `DeployItem`s of the same namespace: this one is deployed after them and deleted before them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub depends_on: Vec<String>,
    /// Whether objects that were changed by others are put right.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub drift_correction: Option<DriftCorrection>,
    /// While this is true nothing is done.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub suspend: bool,
    /// False: take everything down, and keep this object. It needs the feature `DeclarativeDelete`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exists_externally: Option<bool>,
}

/// Where a chart is. Exactly one field is given.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChartSource {
    /// The archive itself, in base64.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub archive: Option<String>,
    /// A ConfigMap that holds the archive.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub config_map: Option<KeyReference>,
    /// A chart of a repository.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repository: Option<RepositoryChart>,
    /// A chart in an OCI registry.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub oci: Option<OciChart>,
}

/// A key of a ConfigMap or Secret.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct KeyReference {
    /// The name of the ConfigMap or Secret.
    pub name: String,
    /// The key; without one, the only key there is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
}

/// A chart of a repository.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RepositoryChart {
    /// The address of the repository.
    pub url: String,
    /// The chart.
    pub name: String,
    /// Its version, or a range of versions; the newest if none is given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// The Secret to log in with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret_ref: Option<LoginSecret>,
}

/// A Secret of the same namespace, with the keys `username` and `password`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LoginSecret {
    /// Its name.
    pub name: String,
}

/// A chart in an OCI registry.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OciChart {
    /// Its reference: `oci://registry/path/chart`, with a tag or digest if no version is given.
    #[serde(rename = "ref")]
    pub reference: String,
    /// Its version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// The Secret to log in with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret_ref: Option<LoginSecret>,
    /// Speaks HTTP with the registry, not HTTPS.
    #[serde(default, rename = "plainHTTP", skip_serializing_if = "std::ops::Not::not")]
    pub plain_http: bool,
}

/// One manifest.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ManifestEntry {
    /// What may be done to the object.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy: Option<Policy>,
    /// The object.
    #[schemars(schema_with = "any_object")]
    pub manifest: Map<String, Value>,
}

/// Where values are.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ValuesSource {
    /// A ConfigMap.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub config_map: Option<KeyReference>,
    /// A Secret.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret: Option<KeyReference>,
    /// Whether it may be missing.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub optional: bool,
}

/// Where to.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Target {
    /// The namespace; that of the `DeployItem` if none is given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// A Secret of the item's namespace with the kubeconfig of another cluster.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kubeconfig: Option<KeyReference>,
}

/// One rule about the order of deletion.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DeletionOrderRule {
    /// The rank it is about: lower ranks go first.
    pub deletion_rank: i32,
    /// The types that get this rank, as `group/version/kind`; without them the rule is about the rank itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub types: Option<Vec<String>>,
    /// How long the rank is waited for before the next one begins.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wait_timeout: Option<String>,
    /// What happens then to what is left.
    #[serde(default, alias = "forceRemoveAfterWaitPeriod", skip_serializing_if = "Option::is_none")]
    pub force_delete_after_wait_timeout: Option<ForceDelete>,
}

/// Removes the finalizers of what does not go.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ForceDelete {
    /// Whether it is done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub enabled: Option<bool>,
    /// How long what has lost its finalizers is waited for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub force_timeout: Option<String>,
}

/// What may be done to some objects.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ObjectPolicy {
    /// The types it is about, as `group/version/kind`; all if none is given.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub types: Vec<String>,
    /// The names it is about; all if none is given.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub names: Vec<String>,
    /// What may be done.
    pub policy: Policy,
}

/// What may be done to an object.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Policy {
    /// It is created, updated and deleted.
    #[default]
    Manage,
    /// It is created and updated, and never deleted.
    Keep,
    /// It is not touched at all.
    Ignore,
    /// It is created and deleted, and never updated.
    Immutable,
}

/// When objects are ready.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReadinessSettings {
    /// Whether nothing is waited for.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub disabled: bool,
    /// How long an object that others wait for may take.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout: Option<String>,
}

/// Whether objects that were changed by others are put right.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DriftCorrection {
    /// How often it is looked, as a duration such as `1h`.
    pub interval: String,
}

/// How a `DeployItem` stands.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DeployItemStatus {
    /// The last operation, its errors, and the conditions `Ready`, `InProgress`, `Error` and `Deleted`.
    #[serde(flatten)]
    pub extension: ExtensionStatus,
    /// The objects, as they are in the inventory.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub objects: Vec<ObjectReference>,
    /// The objects that are no longer there, and whose delay runs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pending_deletions: Vec<PendingDeletion>,
    /// The revision of the release, if it is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revision: Option<u32>,
    /// What was deployed last, as a hash of chart, values and settings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deployed: Option<String>,
    /// When it was looked for drift last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checked: Option<Time>,
}

impl Extension for DeployItem {
    fn status(&self) -> Option<&ExtensionStatus> {
        self.status.as_ref().map(|status| &status.extension)
    }

    fn status_mut(&mut self) -> &mut ExtensionStatus {
        &mut self.status.get_or_insert_default().extension
    }
}

impl DeployItem {
    /// The ServiceAccount as which everything is done.
    pub fn service_account(&self) -> &str {
        named_or_default(self.spec.service_account_name.as_deref())
    }
}

fn yes() -> bool {
    true
}

fn any_object(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    schemars::json_schema!({"type": "object", "x-kubernetes-preserve-unknown-fields": true})
}
