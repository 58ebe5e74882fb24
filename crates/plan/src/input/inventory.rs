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

impl Inventory {
    /// Drops the objects that are gone. What refers to others goes on to mean the same ones.
    pub fn forget(&mut self, gone: &[bool]) {
        let mut left = 0_usize;
        let number = |place: usize| {
            let is_gone = gone.get(place).copied().unwrap_or_default();
            (!is_gone).then(|| {
                left += 1;
                ObjectIndex::from(left - 1)
            })
        };
        let numbers: Vec<Option<ObjectIndex>> = (0..self.entries.len()).map(number).collect();
        let now = |object: ObjectIndex| numbers.get(object.at()).copied().flatten();
        let mut place = 0;
        self.entries.retain(|_| {
            place += 1;
            numbers[place - 1].is_some()
        });
        for entry in &mut self.entries {
            entry.backends = entry.backends.iter().filter_map(|backend| now(*backend)).collect();
            entry.needed_by =
                entry.needed_by.iter().filter_map(|(user, need)| Some((now(*user)?, *need))).collect();
        }
        let entries = &self.entries;
        for (layer, stored) in self.sequencing.iter_mut().flat_map(|of| of.layers.iter_mut().enumerate()) {
            let layer = LayerIndex::from(layer);
            // An edge outlives the object that declared it: others of the layer, and layers beyond, go by it.
            let other = || entries.iter().position(|entry| entry.layer == Some(layer)).unwrap_or_default();
            for need in &mut stored.needs {
                need.by = now(need.by).unwrap_or_else(|| ObjectIndex::from(other()));
            }
        }
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(name: &str, layer: Option<u32>) -> Entry {
        let id =
            ObjectId { group: String::new(), kind: "A".to_owned(), namespace: None, name: name.to_owned() };
        Entry {
            id,
            api_version: "v1".to_owned(),
            uid: None,
            place: Place::default(),
            chart: None,
            layer: layer.map(LayerIndex),
            rank: Rank(300),
            own_rank: None,
            delay: None,
            keep: false,
            from_crds: false,
            defines: None,
            backends: Vec::new(),
            moved: None,
            needed_by: Vec::new(),
            account: None,
            digest: Digest::default(),
        }
    }

    #[test]
    fn what_is_left_still_means_the_same_objects() {
        let mut entries = vec![entry("a", Some(0)), entry("b", Some(0)), entry("c", None), entry("d", None)];
        entries[3].backends = vec![ObjectIndex(0), ObjectIndex(2)];
        entries[2].needed_by = vec![(ObjectIndex(3), Need::Secret), (ObjectIndex(0), Need::Secret)];
        let annotation = Spelling::of("helm.sh/depends-on/layers").unwrap();
        let need = StoredNeed { layer: LayerIndex(1), by: ObjectIndex(0), annotation, line: 1 };
        let layer = |needs| StoredLayer { chart: ChartIndex(0), name: None, needs };
        let sequencing =
            Sequencing { charts: Vec::new(), layers: vec![layer(vec![need]), layer(Vec::new())] };
        let mut inventory = Inventory { entries, sequencing: Some(sequencing), ..Inventory::default() };
        inventory.forget(&[true, false, false, false]);
        let names: Vec<&str> = inventory.entries.iter().map(|entry| entry.id.name.as_str()).collect();
        assert_eq!(names, ["b", "c", "d"]);
        assert_eq!(inventory.entries[2].backends, [ObjectIndex(1)]);
        assert_eq!(inventory.entries[1].needed_by, [(ObjectIndex(2), Need::Secret)]);
        let sequencing = inventory.sequencing.unwrap();
        assert_eq!(sequencing.layers[0].needs[0].by, ObjectIndex(0));
    }
}
