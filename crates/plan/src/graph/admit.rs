//! Edges that are wanted, but not at any price.

use std::collections::VecDeque;

use super::{Adjacency, Arc, components};

/// Adds those of the `candidates` to `arcs` that close no cycle, and says of each whether it was added. `arcs` must
/// have none. In the usual case, that nothing closes a cycle, the time is linear; otherwise only what hangs together
/// in cycles is looked at edge by edge, in the order of the node the edges leave.
pub(crate) fn admit(nodes: usize, arcs: &mut Vec<Arc>, candidates: &[Arc]) -> Vec<bool> {
    let certain = arcs.len();
    arcs.extend_from_slice(candidates);
    let component = components(arcs, &Adjacency::outgoing(nodes, arcs));
    let together = |arc: &Arc| component[arc.from as usize] == component[arc.to as usize];
    let mut admitted = vec![true; candidates.len()];
    let mut suspects: Vec<usize> =
        (0..candidates.len()).filter(|number| together(&candidates[*number])).collect();
    if suspects.is_empty() {
        return admitted;
    }
    arcs.truncate(certain);
    let mut inside: Vec<Arc> = arcs.iter().filter(|arc| together(arc)).copied().collect();
    suspects.sort_by_key(|number| candidates[*number].from);
    for leaving in suspects.chunk_by(|first, second| candidates[*first].from == candidates[*second].from) {
        let reaches = reaching(nodes, &inside, candidates[leaving[0]].from);
        for number in leaving {
            let arc = candidates[*number];
            if reaches[arc.to as usize] {
                admitted[*number] = false;
            } else {
                inside.push(arc);
            }
        }
    }
    let kept = candidates.iter().zip(&admitted).filter(|(_, admitted)| **admitted);
    arcs.extend(kept.map(|(arc, _)| *arc));
    admitted
}

/// Which nodes lead to `target`.
fn reaching(nodes: usize, arcs: &[Arc], target: u32) -> Vec<bool> {
    let incoming = Adjacency::incoming(nodes, arcs);
    let mut reaches = vec![false; nodes];
    reaches[target as usize] = true;
    let mut queue = VecDeque::from([target]);
    while let Some(node) = queue.pop_front() {
        for edge in incoming.of(node) {
            let from = arcs[*edge as usize].from;
            if !std::mem::replace(&mut reaches[from as usize], true) {
                queue.push_back(from);
            }
        }
    }
    reaches
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arc((from, to): (u32, u32)) -> Arc {
        Arc { from, to, origin: 0 }
    }

    #[test]
    fn only_what_closes_a_cycle_is_left_out() {
        let mut arcs: Vec<Arc> = [(0, 1), (1, 2)].map(arc).to_vec();
        let candidates = [(2, 0), (2, 3), (3, 1), (0, 2)].map(arc);
        assert_eq!(admit(4, &mut arcs, &candidates), [false, true, false, true]);
        assert_eq!(arcs.len(), 4);
    }
}
