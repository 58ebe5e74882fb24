//! What a release or Bundle consists of, as it was stored: enough to take it out without rendering anything again.

use objects::ObjectId;
use serde::{Deserialize, Serialize};

use super::facts::{Definition, Grant, Need};
use super::member::{Digest, Place};
use super::rank::Rank;
use super::vocabulary::Spelling;
use crate::{ChartIndex, LayerIndex, ObjectIndex};

/// The stored objects of the last revision, together with those of earlier ones that are not gone yet.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Inventory {
    /// The objects.
    pub entries: Vec<Entry>,
    /// How they were sequenced; `None` if they were not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sequencing: Option<Sequencing>,
    /// The accounts that workloads run as, with what access rules let them change: their workloads are the likely
    /// owners of finalizers there.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub accounts: Vec<Vec<Grant>>,
    /// Whether this was made from Helm's manifest, because Helm wrote last: unsequenced, with default ranks.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub from_helm: bool,
}

/// One stored object.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Entry {
    /// Which object.
    pub id: ObjectId,
    /// The API version it was applied in.
    pub api_version: String,
    /// Its UID, once known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uid: Option<String>,
    /// Where it was rendered from.
    #[serde(default)]
    pub place: Place,
    /// Its chart, among those of the sequencing, if it was sequenced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chart: Option<ChartIndex>,
    /// Its layer, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub layer: Option<LayerIndex>,
    /// The rank it has without rules.
    pub rank: Rank,
    /// The rank its own annotation gives it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub own_rank: Option<Rank>,
    /// Its deletion delay, as written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delay: Option<String>,
    /// Whether Helm's `keep` is on it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub keep: bool,
    /// Whether it comes from a chart's `crds/`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub from_crds: bool,
    /// The kind it defines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub defines: Option<Definition>,
    /// The services and workloads behind this webhook configuration or `APIService`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub backends: Vec<ObjectIndex>,
    /// Whether it was moved, because others need it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub moved: Option<Moved>,
    /// The objects it was moved before, if it is neither a namespace nor a definition.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub needed_by: Vec<(ObjectIndex, Need)>,
    /// The account this workload runs as, among those of the inventory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub account: Option<u32>,
    /// The digest of what was applied.
    pub digest: Digest,
}

/// How far an object without a layer was moved because others need it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Moved {
    /// Before layers of its chart; what its chart comes after still comes before it.
    BeforeLayers,
    /// Before what its chart comes after, which cannot be without it.
    BeforeCharts,
}

/// Charts and layers of a sequenced revision.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Sequencing {
    /// The charts, root first.
    pub charts: Vec<StoredChart>,
    /// The layers.
    #[serde(default)]
    pub layers: Vec<StoredLayer>,
}

/// One chart of a sequenced revision.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StoredChart {
    /// Where its files were: `shop/charts/db`.
    pub path: String,
    /// The chart that contains it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<ChartIndex>,
    /// The subcharts its own objects come after, each with the line in its `Chart.yaml`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub needs: Vec<(ChartIndex, u32)>,
    /// The siblings it comes after as a whole, each with the line in its parent's `Chart.yaml`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub after: Vec<(ChartIndex, u32)>,
}

/// One layer of a sequenced revision.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StoredLayer {
    /// Its chart.
    pub chart: ChartIndex,
    /// Its name; nothing can depend on a layer without one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The layers it needs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub needs: Vec<StoredNeed>,
}

/// One declared edge between layers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredNeed {
    /// The layer that is needed.
    pub layer: LayerIndex,
    /// The object that says so first.
    pub by: ObjectIndex,
    /// With which annotation.
    pub annotation: Spelling,
    /// On which line of what its template rendered.
    pub line: u32,
}
