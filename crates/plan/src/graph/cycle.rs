//! A cycle or a path to show to people: as short as can be, and always the same one.

use std::collections::VecDeque;

use super::{Adjacency, Arc, components};

/// The edges of a shortest cycle through the lowest node that is on any; `None` if there is no cycle.
pub(crate) fn shortest_cycle(nodes: usize, arcs: &[Arc]) -> Option<Vec<u32>> {
    let outgoing = Adjacency::outgoing(nodes, arcs);
    let component = components(arcs, &outgoing);
    let mut size = vec![0_u32; nodes];
    for component in &component {
        size[*component as usize] += 1;
    }
    let on_cycle = |node: u32| {
        size[component[node as usize] as usize] > 1
            || outgoing.of(node).iter().any(|edge| arcs[*edge as usize].to == node)
    };
    let start = (0..nodes as u32).find(|node| on_cycle(*node))?;
    let within = |node: u32| component[node as usize] == component[start as usize];
    search(arcs, &outgoing, start, start, within)
}

/// The edges of a shortest path, at least one edge long.
pub(crate) fn shortest_path(arcs: &[Arc], outgoing: &Adjacency, from: u32, to: u32) -> Option<Vec<u32>> {
    search(arcs, outgoing, from, to, |_| true)
}

fn search(
    arcs: &[Arc],
    outgoing: &Adjacency,
    from: u32,
    to: u32,
    within: impl Fn(u32) -> bool,
) -> Option<Vec<u32>> {
    const UNSEEN: u32 = u32::MAX;
    let mut reached_by = vec![UNSEEN; outgoing.nodes()];
    let mut queue = VecDeque::from([from]);
    while let Some(node) = queue.pop_front() {
        for edge in outgoing.of(node) {
            let next = arcs[*edge as usize].to;
            if !within(next) || reached_by[next as usize] != UNSEEN {
                continue;
            }
            reached_by[next as usize] = *edge;
            if next != to {
                queue.push_back(next);
                continue;
            }
            let mut path = vec![*edge];
            let mut at = arcs[*edge as usize].from;
            while at != from {
                let edge = reached_by[at as usize];
                path.push(edge);
                at = arcs[edge as usize].from;
            }
            path.reverse();
            return Some(path);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arcs(pairs: &[(u32, u32)]) -> Vec<Arc> {
        pairs.iter().map(|(from, to)| Arc { from: *from, to: *to, origin: 0 }).collect()
    }

    #[test]
    fn the_shortest_cycle_of_the_lowest_node_is_found() {
        let graph = arcs(&[(0, 1), (1, 2), (2, 3), (3, 1), (2, 1), (4, 4)]);
        assert_eq!(shortest_cycle(5, &graph), Some(vec![1, 4]));
        assert_eq!(shortest_cycle(5, &arcs(&[(4, 4)])), Some(vec![0]));
        assert_eq!(shortest_cycle(3, &arcs(&[(0, 1), (1, 2), (0, 2)])), None);
    }

    #[test]
    fn nodes_that_wait_for_each_other_are_one_component() {
        let graph = arcs(&[(0, 1), (1, 2), (2, 0), (2, 3), (3, 4)]);
        let found = components(&graph, &Adjacency::outgoing(5, &graph));
        assert!(found[0] == found[1] && found[1] == found[2]);
        assert!(found[3] != found[0] && found[4] != found[3]);
    }
}
