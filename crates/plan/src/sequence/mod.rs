//! Charts and layers as a graph: what the annotations and `Chart.yaml` files declare.

mod layers;
mod subcharts;

use crate::LayerIndex;
use crate::error::PlanError;
use crate::input::marks::Marks;
use crate::input::{ChartTree, Member, Sequencing};
use crate::output::Note;

/// The declared order of a wanted set.
#[derive(Debug, Default)]
pub(crate) struct Sequence {
    /// Charts and layers.
    pub(crate) sequencing: Sequencing,
    /// The layer of each member.
    pub(crate) layer_of: Vec<Option<LayerIndex>>,
}

/// Reads the declared order. Cycles and references to nothing are errors.
pub(crate) fn declared(
    tree: &ChartTree,
    members: &[&Member],
    marks: &[Marks<'_>],
    errors: &mut Vec<PlanError>,
    notes: &mut Vec<Note>,
) -> Sequence {
    let charts = subcharts::resolve(tree, errors, notes);
    subcharts::check_cycles(&charts, errors);
    let (layers, layer_of) = layers::read(tree, members, marks, errors, notes);
    layers::check_cycles(tree, members, &layers, errors);
    Sequence { sequencing: Sequencing { charts, layers }, layer_of }
}

/// The charts alone, for plans in which nothing is sequenced.
pub(crate) fn undeclared(tree: &ChartTree, members: usize) -> Sequence {
    let charts = subcharts::plain(tree);
    Sequence { sequencing: Sequencing { charts, layers: Vec::new() }, layer_of: vec![None; members] }
}
