//! Strongly connected components: the sets of nodes that wait for each other.

use super::{Adjacency, Arc};

const UNSEEN: u32 = u32::MAX;

/// For each node the number of its component, by Tarjan's algorithm without recursion.
pub(crate) fn components(arcs: &[Arc], outgoing: &Adjacency) -> Vec<u32> {
    let nodes = outgoing.nodes();
    let mut state = State {
        index: vec![UNSEEN; nodes],
        low: vec![0; nodes],
        component: vec![UNSEEN; nodes],
        stack: Vec::new(),
        next: 0,
        found: 0,
    };
    let mut calls: Vec<(u32, usize)> = Vec::new();
    for root in 0..nodes as u32 {
        if state.index[root as usize] != UNSEEN {
            continue;
        }
        state.enter(root);
        calls.push((root, 0));
        while let Some((node, seen)) = calls.last_mut() {
            let node = *node;
            if let Some(edge) = outgoing.of(node).get(*seen) {
                *seen += 1;
                let to = arcs[*edge as usize].to;
                if state.index[to as usize] == UNSEEN {
                    state.enter(to);
                    calls.push((to, 0));
                } else if state.component[to as usize] == UNSEEN {
                    state.low[node as usize] = state.low[node as usize].min(state.index[to as usize]);
                }
                continue;
            }
            calls.pop();
            if let Some((caller, _)) = calls.last() {
                state.low[*caller as usize] = state.low[*caller as usize].min(state.low[node as usize]);
            }
            if state.low[node as usize] == state.index[node as usize] {
                state.leave(node);
            }
        }
    }
    state.component
}

struct State {
    index: Vec<u32>,
    low: Vec<u32>,
    component: Vec<u32>,
    stack: Vec<u32>,
    next: u32,
    found: u32,
}

impl State {
    fn enter(&mut self, node: u32) {
        self.index[node as usize] = self.next;
        self.low[node as usize] = self.next;
        self.next += 1;
        self.stack.push(node);
    }

    fn leave(&mut self, root: u32) {
        while let Some(node) = self.stack.pop() {
            self.component[node as usize] = self.found;
            if node == root {
                break;
            }
        }
        self.found += 1;
    }
}
