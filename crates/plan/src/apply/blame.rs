//! Which of the edges that nobody declared give way when something cannot be ordered.

use super::Applying;
use crate::ObjectIndex;
use crate::draft::Draft;
use crate::error::PlanError;
use crate::graph::{Arc, admit, shortest_cycle};
use crate::output::{Barrier, Origin, StepKind};
use crate::words::Names;

/// What closes the cycles.
pub(super) enum Blame {
    /// What is declared cannot be.
    Declared,
    /// The places of these objects in the order of charts. Others cannot be without them, and nobody gave them one.
    Places(Vec<u32>),
    /// These moves, as object and user.
    Hoists(Vec<(u32, u32)>),
    /// Only the order of kinds.
    Kinds,
}

/// Finds out which of the edges that nobody declared close the cycles. `is_certain` says of an unannotated object
/// whether others cannot be without it.
pub(super) fn blame(draft: &Draft, is_certain: impl Fn(u32) -> bool) -> Blame {
    let nodes = draft.steps.len();
    let mut arcs = hard(draft);
    if shortest_cycle(nodes, &arcs).is_some() {
        let is_place = |arc: &Arc| {
            let from = draft.steps[arc.from as usize].0;
            let is_begin = matches!(from, StepKind::Barrier { at: Barrier::OwnBegin(_) });
            is_begin && draft.steps[arc.to as usize].0.object().is_some_and(|object| is_certain(object.0))
        };
        let (places, mut others): (Vec<Arc>, Vec<Arc>) = arcs.into_iter().partition(is_place);
        if shortest_cycle(nodes, &others).is_some() {
            return Blame::Declared;
        }
        let admitted = admit(nodes, &mut others, &places);
        let given_up = places.iter().zip(admitted).filter(|(_, admitted)| !admitted);
        return Blame::Places(given_up.map(|(arc, _)| object_of(draft, arc.to)).collect());
    }
    let is_hoist = |arc: &&Arc| matches!(draft.origins[arc.origin as usize], Origin::Needs { .. });
    let hoists: Vec<Arc> = draft.arcs.iter().filter(is_hoist).copied().collect();
    let admitted = admit(nodes, &mut arcs, &hoists);
    let dropped = hoists.iter().zip(admitted).filter(|(_, admitted)| !admitted);
    let dropped: Vec<_> =
        dropped.map(|(arc, _)| (object_of(draft, arc.from), object_of(draft, arc.to))).collect();
    if dropped.is_empty() { Blame::Kinds } else { Blame::Hoists(dropped) }
}

/// The cycle among what is declared and what cannot be otherwise.
pub(super) fn contradiction(applying: &Applying<'_>, draft: &Draft) -> PlanError {
    let hard = hard(draft);
    let cycle = shortest_cycle(draft.steps.len(), &hard).unwrap_or_default();
    let object = |object: ObjectIndex| {
        let member = applying.members[object.at()];
        (&member.id, &member.place)
    };
    let names = Names { object: &object, sequencing: &applying.sequence.sequencing };
    let path = names.links(&cycle, &hard, &draft.origins, |node| draft.steps[node as usize].0);
    PlanError::Contradiction { path }
}

/// What is declared, and what cannot be otherwise.
fn hard(draft: &Draft) -> Vec<Arc> {
    let is_hard =
        |arc: &&Arc| !matches!(draft.origins[arc.origin as usize], Origin::Needs { .. } | Origin::Kinds);
    draft.arcs.iter().filter(is_hard).copied().collect()
}

fn object_of(draft: &Draft, step: u32) -> u32 {
    draft.steps[step as usize].0.object().map_or(u32::MAX, |object| object.0)
}
