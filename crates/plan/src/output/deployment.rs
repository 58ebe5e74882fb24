//! The order in which a plan deploys its objects, with those of one layer together: what `template` prints.

use super::plan::Plan;
use super::reason::Reason;
use super::step::StepKind;
use crate::input::display_path;
use crate::{LayerIndex, ObjectIndex};

/// Objects that are printed together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Deployed {
    /// Their layer, if they are in one that has a name.
    pub layer: Option<LayerIndex>,
    /// The objects, in order.
    pub objects: Vec<ObjectIndex>,
}

impl Plan {
    /// The objects that are applied, in the order in which they are. A layer stands where its last object does, so
    /// that it comes after all that any of its objects waits for, and before all that waits for it.
    pub fn deployment_order(&self) -> Vec<Deployed> {
        let mut last = vec![0; self.sequencing.layers.len()];
        let mut placed = Vec::new();
        for (number, step) in self.numbered() {
            let (StepKind::Apply { object, .. } | StepKind::Unchanged { object }) = step.kind else {
                continue;
            };
            let layer = match step.reason {
                Reason::Layer(layer) => Some(layer),
                _ => None,
            };
            if let Some(layer) = layer {
                last[layer.at()] = number.0;
            }
            placed.push((number.0, layer, object));
        }
        placed.sort_by_key(|(number, layer, _)| (layer.map_or(*number, |layer| last[layer.at()]), *number));
        let mut groups: Vec<Deployed> = Vec::new();
        for (_, layer, object) in placed {
            match groups.last_mut() {
                Some(group) if group.layer == layer => group.objects.push(object),
                _ => groups.push(Deployed { layer, objects: vec![object] }),
            }
        }
        groups
    }

    /// The delimiters around a layer: `## START layer: shop/db database` and its end.
    pub fn delimiters(&self, layer: LayerIndex) -> Option<(String, String)> {
        let stored = self.sequencing.layers.get(layer.at())?;
        let name = stored.name.as_deref()?;
        let word = if self.resource_groups { "resource-group" } else { "layer" };
        let chart = display_path(self.chart_path(stored.chart));
        Some((format!("## START {word}: {chart} {name}"), format!("## END {word}: {chart} {name}")))
    }
}
