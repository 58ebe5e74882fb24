//! Directed graphs over small numbers: adjacency, order, components and cycles, each in time linear in the edges.

mod adjacency;
mod admit;
mod components;
mod cycle;
mod order;

pub(crate) use adjacency::Adjacency;
pub(crate) use admit::admit;
pub(crate) use components::components;
pub(crate) use cycle::{shortest_cycle, shortest_path};
pub(crate) use order::{any_order, topological};

/// One edge: `to` waits for `from`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Arc {
    pub(crate) from: u32,
    pub(crate) to: u32,
    /// Where it comes from, as the graph's owner numbers origins.
    pub(crate) origin: u32,
}
