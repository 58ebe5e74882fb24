//! The edges of a plan by the step they leave.

use super::origin::Edge;
use crate::StepIndex;

/// For each step, what waits for it. A plan holds its edges by what waits; whoever runs it needs this side too.
#[derive(Debug)]
pub struct Successors {
    offsets: Vec<u32>,
    edges: Vec<Edge>,
}

impl Successors {
    pub(crate) fn new(steps: usize, edges: &[Edge]) -> Self {
        let mut offsets = vec![0_u32; steps + 1];
        for edge in edges {
            offsets[edge.from.at() + 1] += 1;
        }
        for step in 0..steps {
            offsets[step + 1] += offsets[step];
        }
        let mut next = offsets.clone();
        let mut sorted = edges.to_vec();
        for edge in edges {
            let slot = &mut next[edge.from.at()];
            sorted[*slot as usize] = *edge;
            *slot += 1;
        }
        Self { offsets, edges: sorted }
    }

    /// The edges that leave a step.
    pub fn of(&self, step: StepIndex) -> &[Edge] {
        &self.edges[self.offsets[step.at()] as usize..self.offsets[step.at() + 1] as usize]
    }
}
