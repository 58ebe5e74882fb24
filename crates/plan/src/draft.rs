//! A plan that is being made: steps and edges in the order in which somebody thought of them.

use std::collections::HashMap;

use crate::graph::{Adjacency, Arc, topological};
use crate::output::{Edge, Origin, Reason, Step, StepKind};
use crate::{OriginIndex, StepIndex};

/// Where a step stands among those that may run next: lower is earlier.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(crate) struct Priority(u64);

impl Priority {
    /// By the group a step belongs to, then by its part in the group, then by kind, then by number.
    pub(crate) fn new(group: u32, part: Part, kind: u8, number: u32) -> Self {
        let kind = u64::from(kind.min(127));
        Self(u64::from(group) << 40 | (part as u64) << 37 | kind << 30 | u64::from(number & 0x3fff_ffff))
    }
}

/// The parts of a group, in their order.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Part {
    Begin,
    Before,
    Act,
    Wait,
    End,
}

/// Steps and edges.
#[derive(Debug, Default)]
pub(crate) struct Draft {
    pub(crate) steps: Vec<(StepKind, Reason, Priority)>,
    pub(crate) arcs: Vec<Arc>,
    pub(crate) origins: Vec<Origin>,
    interned: HashMap<Origin, u32>,
}

impl Draft {
    /// Adds a step, and says its number.
    pub(crate) fn step(&mut self, kind: StepKind, reason: Reason, priority: Priority) -> u32 {
        self.steps.push((kind, reason, priority));
        self.steps.len() as u32 - 1
    }

    /// The number of a cause that many edges share.
    pub(crate) fn shared(&mut self, origin: Origin) -> u32 {
        if let Some(known) = self.interned.get(&origin) {
            return *known;
        }
        let number = self.origin(origin.clone());
        self.interned.insert(origin, number);
        number
    }

    /// The number of a cause of its own.
    pub(crate) fn origin(&mut self, origin: Origin) -> u32 {
        self.origins.push(origin);
        self.origins.len() as u32 - 1
    }

    /// Lets `to` wait for `from`.
    pub(crate) fn edge(&mut self, from: u32, to: u32, origin: u32) {
        self.arcs.push(Arc { from, to, origin });
    }

    /// An order in which the steps may be executed, `None` if they wait for each other.
    pub(crate) fn order(&self, outgoing: &Adjacency) -> Option<Vec<u32>> {
        let priority: Vec<u64> = self.steps.iter().map(|(_, _, priority)| priority.0).collect();
        topological(&self.arcs, outgoing, &priority)
    }

    /// Edges by the step they leave.
    pub(crate) fn outgoing(&self) -> Adjacency {
        Adjacency::outgoing(self.steps.len(), &self.arcs)
    }

    /// The finished steps and edges: in order, numbered anew, without barriers that hold nothing together.
    pub(crate) fn finish(self) -> Option<(Vec<Step>, Vec<Edge>, Vec<Origin>)> {
        let outgoing = self.outgoing();
        let order = self.order(&outgoing)?;
        let kept = self.kept(&order, &outgoing);
        let mut number = vec![u32::MAX; self.steps.len()];
        let mut next = 0;
        for node in &order {
            if kept[*node as usize] {
                number[*node as usize] = next;
                next += 1;
            }
        }
        let mut edges: Vec<Edge> = self
            .arcs
            .iter()
            .filter(|arc| kept[arc.from as usize] && kept[arc.to as usize])
            .map(|arc| Edge {
                from: StepIndex(number[arc.from as usize]),
                to: StepIndex(number[arc.to as usize]),
                origin: OriginIndex(arc.origin),
            })
            .collect();
        edges.sort_unstable_by_key(|edge| (edge.to, edge.from, edge.origin));
        edges.dedup_by_key(|edge| (edge.to, edge.from));
        let mut slots: Vec<Option<(StepKind, Reason, Priority)>> = self.steps.into_iter().map(Some).collect();
        let mut steps = Vec::with_capacity(next as usize);
        for node in order {
            if let Some((kind, reason, _)) = slots[node as usize].take().filter(|_| kept[node as usize]) {
                steps.push(Step { kind, reason, wave: 0 });
            }
        }
        for edge in &edges {
            let from = &steps[edge.from.at()];
            let wave = from.wave + u32::from(from.kind.waits());
            let to = &mut steps[edge.to.at()];
            to.wave = to.wave.max(wave);
        }
        let origins = used_origins(&mut edges, self.origins);
        Some((steps, edges, origins))
    }

    /// Which steps stay: barriers that nothing comes before, or nothing after, hold nothing together.
    fn kept(&self, order: &[u32], outgoing: &Adjacency) -> Vec<bool> {
        let mut kept = vec![true; self.steps.len()];
        let mut before = vec![false; self.steps.len()];
        let is_barrier = |node: u32| matches!(self.steps[node as usize].0, StepKind::Barrier { .. });
        for node in order {
            if is_barrier(*node) && !before[*node as usize] {
                kept[*node as usize] = false;
                continue;
            }
            for edge in outgoing.of(*node) {
                before[self.arcs[*edge as usize].to as usize] = true;
            }
        }
        for node in order.iter().rev() {
            let after = |edge: &u32| kept[self.arcs[*edge as usize].to as usize];
            if is_barrier(*node) && !outgoing.of(*node).iter().any(after) {
                kept[*node as usize] = false;
            }
        }
        kept
    }
}

/// Only the causes of edges that are left, numbered anew in the order of the edges.
fn used_origins(edges: &mut [Edge], origins: Vec<Origin>) -> Vec<Origin> {
    let mut slots: Vec<Option<Origin>> = origins.into_iter().map(Some).collect();
    let mut number = vec![u32::MAX; slots.len()];
    let mut used = Vec::new();
    for edge in edges {
        let old = edge.origin.at();
        if let Some(origin) = slots[old].take() {
            number[old] = used.len() as u32;
            used.push(origin);
        }
        edge.origin = OriginIndex(number[old]);
    }
    used
}
