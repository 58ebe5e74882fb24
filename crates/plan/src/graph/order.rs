//! An order in which every node comes after what it waits for.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::{Adjacency, Arc};

/// The nodes in such an order, of those that may come next always the one with the lowest priority and then the
/// lowest number. `None` if there is a cycle.
pub(crate) fn topological(arcs: &[Arc], outgoing: &Adjacency, priority: &[u64]) -> Option<Vec<u32>> {
    let nodes = outgoing.nodes();
    let mut waits = vec![0_u32; nodes];
    for arc in arcs {
        waits[arc.to as usize] += 1;
    }
    let mut free: BinaryHeap<Reverse<(u64, u32)>> = (0..nodes as u32)
        .filter(|node| waits[*node as usize] == 0)
        .map(|node| Reverse((priority[node as usize], node)))
        .collect();
    let mut order = Vec::with_capacity(nodes);
    while let Some(Reverse((_, node))) = free.pop() {
        order.push(node);
        for edge in outgoing.of(node) {
            let to = arcs[*edge as usize].to;
            waits[to as usize] -= 1;
            if waits[to as usize] == 0 {
                free.push(Reverse((priority[to as usize], to)));
            }
        }
    }
    (order.len() == nodes).then_some(order)
}

/// Some such order, without priorities and so a little faster. What is on a cycle is left out.
pub(crate) fn any_order(arcs: &[Arc], outgoing: &Adjacency) -> Vec<u32> {
    let nodes = outgoing.nodes();
    let mut waits = vec![0_u32; nodes];
    for arc in arcs {
        waits[arc.to as usize] += 1;
    }
    let mut order: Vec<u32> = (0..nodes as u32).filter(|node| waits[*node as usize] == 0).collect();
    let mut next = 0;
    while let Some(node) = order.get(next).copied() {
        next += 1;
        for edge in outgoing.of(node) {
            let to = arcs[*edge as usize].to;
            waits[to as usize] -= 1;
            if waits[to as usize] == 0 {
                order.push(to);
            }
        }
    }
    order
}
