//! Edges grouped by the node they leave or enter.

use super::Arc;

/// For each node, the numbers of its edges, in the order in which they were added.
#[derive(Debug)]
pub(crate) struct Adjacency {
    offsets: Vec<u32>,
    edges: Vec<u32>,
}

impl Adjacency {
    /// Edges by the node they leave.
    pub(crate) fn outgoing(nodes: usize, arcs: &[Arc]) -> Self {
        Self::by(nodes, arcs, |arc| arc.from)
    }

    /// Edges by the node they enter.
    pub(crate) fn incoming(nodes: usize, arcs: &[Arc]) -> Self {
        Self::by(nodes, arcs, |arc| arc.to)
    }

    fn by(nodes: usize, arcs: &[Arc], end: impl Fn(&Arc) -> u32) -> Self {
        let mut offsets = vec![0_u32; nodes + 1];
        for arc in arcs {
            offsets[end(arc) as usize + 1] += 1;
        }
        for node in 0..nodes {
            offsets[node + 1] += offsets[node];
        }
        let mut next = offsets.clone();
        let mut edges = vec![0; arcs.len()];
        for (number, arc) in arcs.iter().enumerate() {
            let slot = &mut next[end(arc) as usize];
            edges[*slot as usize] = number as u32;
            *slot += 1;
        }
        Self { offsets, edges }
    }

    /// How many nodes there are.
    pub(crate) fn nodes(&self) -> usize {
        self.offsets.len() - 1
    }

    /// The edges of one node.
    pub(crate) fn of(&self, node: u32) -> &[u32] {
        let node = node as usize;
        &self.edges[self.offsets[node] as usize..self.offsets[node + 1] as usize]
    }
}
