//! Layers of charts: who is in which, and which layers each needs.

use std::collections::HashMap;

use crate::error::{Link, PlanError};
use crate::graph::{Arc, shortest_cycle};
use crate::input::marks::{self, Marks};
use crate::input::{ChartTree, Member, Place, StoredLayer, StoredNeed, display_path, list};
use crate::output::Note;
use crate::{ChartIndex, LayerIndex, ObjectIndex};

/// The layers, and the layer of each member. Charts are sandboxed: a name means a layer of the same chart.
pub(super) fn read(
    tree: &ChartTree,
    members: &[&Member],
    marks: &[Marks<'_>],
    errors: &mut Vec<PlanError>,
    notes: &mut Vec<Note>,
) -> (Vec<StoredLayer>, Vec<Option<LayerIndex>>) {
    let mut layers = Vec::new();
    let mut layer_of = vec![None; members.len()];
    let mut named: Vec<HashMap<&str, LayerIndex>> = vec![HashMap::new(); tree.charts().len()];
    for (number, member) in members.iter().enumerate() {
        let name = marks[number].layer.as_deref();
        if let Some(name) = name {
            let layer = *named[member.chart.at()]
                .entry(name)
                .or_insert_with(|| new_layer(&mut layers, member.chart, Some(name)));
            layer_of[number] = Some(layer);
        } else if marks[number].needs.is_some() {
            layer_of[number] = Some(new_layer(&mut layers, member.chart, None));
        }
    }
    // Members of one layer are looked at together, so that `seen` tells what the layer needs already.
    let mut seen = vec![u32::MAX; layers.len()];
    for (layer, members_of) in by_layer(&layer_of, layers.len()).iter().enumerate() {
        let layer_number = layer as u32;
        for number in members_of {
            let member = members[*number as usize];
            let Some(annotation) = marks[*number as usize].needs else { continue };
            let known = &named[member.chart.at()];
            let result = list::names(&annotation.value, &mut |name: &str| {
                let Some(needed) = known.get(name) else {
                    notes.push(Note::UnknownLayer {
                        chart: display_path(&tree.charts()[member.chart.at()].path),
                        layer: name.to_owned(),
                        object: member.id.clone(),
                        place: marks::place(member, annotation),
                        annotation: annotation.spelling,
                    });
                    return;
                };
                if std::mem::replace(&mut seen[needed.at()], layer_number) != layer_number {
                    layers[layer].needs.push(StoredNeed {
                        layer: *needed,
                        by: ObjectIndex(*number),
                        annotation: annotation.spelling,
                        line: annotation.line,
                    });
                }
            });
            if let Err(cause) = result {
                errors.push(PlanError::BadList {
                    object: member.id.clone(),
                    place: marks::place(member, annotation),
                    annotation: annotation.spelling,
                    cause,
                });
            }
        }
    }
    (layers, layer_of)
}

fn new_layer(layers: &mut Vec<StoredLayer>, chart: ChartIndex, name: Option<&str>) -> LayerIndex {
    let index = LayerIndex::from(layers.len());
    layers.push(StoredLayer { chart, name: name.map(str::to_owned), needs: Vec::new() });
    index
}

/// The members of each layer.
fn by_layer(layer_of: &[Option<LayerIndex>], layers: usize) -> Vec<Vec<u32>> {
    let mut members = vec![Vec::new(); layers];
    for (number, layer) in layer_of.iter().enumerate() {
        if let Some(layer) = layer {
            members[layer.at()].push(number as u32);
        }
    }
    members
}

/// Finds layers that need each other, one cycle for each chart.
pub(super) fn check_cycles(
    tree: &ChartTree,
    members: &[&Member],
    layers: &[StoredLayer],
    errors: &mut Vec<PlanError>,
) {
    let mut arcs = Vec::new();
    let mut needs = Vec::new();
    for (number, layer) in layers.iter().enumerate() {
        for need in &layer.needs {
            // An arrow leads from who needs to who is needed, as people write it.
            arcs.push(Arc { from: number as u32, to: need.layer.0, origin: needs.len() as u32 });
            needs.push(need);
        }
    }
    while let Some(cycle) = shortest_cycle(layers.len(), &arcs) {
        let name = |layer: u32| layers[layer as usize].name.clone().unwrap_or_default();
        let link = |edge: &u32| {
            let arc = arcs[*edge as usize];
            let need = needs[arc.origin as usize];
            let member = members[need.by.at()];
            Link {
                from: name(arc.from),
                to: name(arc.to),
                why: need.annotation.key().to_owned(),
                object: Some(member.id.clone()),
                place: Some(Place { template: member.place.template.clone(), line: need.line }),
            }
        };
        let chart = layers[arcs[cycle[0] as usize].from as usize].chart;
        errors.push(PlanError::LayerCycle {
            chart: display_path(&tree.charts()[chart.at()].path),
            path: cycle.iter().map(link).collect(),
        });
        arcs.retain(|arc| layers[arc.from as usize].chart != chart);
    }
}
