//! Layers and subcharts in reverse: what was applied last goes first.

use super::{Deleting, Nodes, barrier};
use crate::draft::Draft;
use crate::graph::Arc;
use crate::input::Moved;
use crate::output::{Barrier, Origin};
use crate::{ChartIndex, LayerIndex};

/// Adds them. What has no layer goes before all layers of its chart, but only if nothing else is in the way: these
/// edges are returned.
pub(super) fn draft(deleting: &Deleting<'_>, draft: &mut Draft, nodes: &[Option<Nodes>]) -> Vec<Arc> {
    let sequenced =
        (0..nodes.len()).any(|number| nodes[number].is_some() && chart(deleting, number).is_some());
    if !sequenced {
        return Vec::new();
    }
    let member = draft.shared(Origin::Member);
    let own = charts(deleting, draft, member);
    let layers = layers(deleting, draft, nodes, &own, member);
    let mut rest_gone: Vec<Option<u32>> = vec![None; own.len()];
    let mut rests = Vec::new();
    for (number, entry) in deleting.entries().iter().enumerate() {
        let (Some(node), Some(chart)) = (nodes[number], chart(deleting, number)) else { continue };
        if deleting.layer(number).is_some() {
            continue;
        }
        draft.edge(own[chart.at()].free, node.act, member);
        if entry.moved != Some(Moved::BeforeCharts) {
            draft.edge(node.gone, own[chart.at()].gone, member);
        }
        if entry.moved.is_some() {
            continue;
        }
        let gone = *rest_gone[chart.at()].get_or_insert_with(|| barrier(draft, Barrier::RestGone(chart)));
        let origin = draft.shared(Origin::Unlayered { chart });
        rests.push(Arc { from: node.gone, to: gone, origin });
    }
    for (number, layer) in deleting.sequencing.layers.iter().enumerate() {
        if let (Some(gone), Some(ends)) = (rest_gone[layer.chart.at()], layers[number]) {
            let origin = draft.shared(Origin::Unlayered { chart: layer.chart });
            draft.edge(gone, ends.free, origin);
        }
    }
    rests
}

/// After `free` it may go, after `gone` it is gone.
#[derive(Debug, Clone, Copy)]
struct Ends {
    free: u32,
    gone: u32,
}

fn chart(deleting: &Deleting<'_>, number: usize) -> Option<ChartIndex> {
    deleting.entries()[number].chart.filter(|chart| chart.at() < deleting.sequencing.charts.len())
}

fn charts(deleting: &Deleting<'_>, draft: &mut Draft, member: u32) -> Vec<Ends> {
    let charts = &deleting.sequencing.charts;
    let mut at = |free: fn(ChartIndex) -> Barrier, gone: fn(ChartIndex) -> Barrier| -> Vec<Ends> {
        (0..charts.len())
            .map(ChartIndex::from)
            .map(|chart| Ends { free: barrier(draft, free(chart)), gone: barrier(draft, gone(chart)) })
            .collect()
    };
    let whole = at(Barrier::ChartFree, Barrier::ChartGone);
    let own = at(Barrier::OwnFree, Barrier::OwnGone);
    for (number, chart) in charts.iter().enumerate().skip(deleting.old_charts) {
        draft.edge(whole[number].free, own[number].free, member);
        draft.edge(own[number].free, own[number].gone, member);
        draft.edge(own[number].gone, whole[number].gone, member);
        if let Some(parent) = chart.parent {
            draft.edge(whole[parent.at()].free, whole[number].free, member);
            draft.edge(whole[number].gone, whole[parent.at()].gone, member);
        }
        for (needed, line) in &chart.needs {
            let origin = draft.origin(Origin::Parent { chart: ChartIndex::from(number), line: *line });
            draft.edge(own[number].gone, whole[needed.at()].free, origin);
        }
        for (needed, line) in &chart.after {
            let parent = chart.parent.unwrap_or_default();
            let origin = draft.origin(Origin::Sibling { chart: parent, line: *line });
            draft.edge(whole[number].gone, whole[needed.at()].free, origin);
        }
    }
    own
}

/// The ends of layers. A nameless layer is its one object, and need not be there at all.
fn layers(
    deleting: &Deleting<'_>,
    draft: &mut Draft,
    nodes: &[Option<Nodes>],
    own: &[Ends],
    member: u32,
) -> Vec<Option<Ends>> {
    let stored = &deleting.sequencing.layers;
    let mut ends: Vec<Option<Ends>> = stored
        .iter()
        .enumerate()
        .map(|(number, layer)| {
            let layer_index = LayerIndex::from(number);
            let named = layer.name.is_some() && number >= deleting.old_layers;
            named.then(|| Ends {
                free: barrier(draft, Barrier::LayerFree(layer_index)),
                gone: barrier(draft, Barrier::LayerGone(layer_index)),
            })
        })
        .collect();
    for (number, node) in nodes.iter().enumerate() {
        let (Some(node), Some(layer)) = (node, deleting.layer(number)) else { continue };
        match ends[layer.at()] {
            Some(ends) => {
                draft.edge(ends.free, node.act, member);
                draft.edge(node.gone, ends.gone, member);
            }
            None => ends[layer.at()] = Some(Ends { free: node.act, gone: node.gone }),
        }
    }
    for (number, layer) in stored.iter().enumerate().skip(deleting.old_layers) {
        let Some(Ends { free, gone }) = ends[number] else { continue };
        let own = own[layer.chart.at()];
        draft.edge(own.free, free, member);
        draft.edge(gone, own.gone, member);
        if layer.name.is_some() {
            draft.edge(free, gone, member);
        }
        for need in &layer.needs {
            if let Some(needed) = ends[need.layer.at()] {
                let declared = Origin::Layer { by: need.by, annotation: need.annotation, line: need.line };
                let origin = draft.origin(declared);
                draft.edge(gone, needed.free, origin);
            }
        }
    }
    ends
}
