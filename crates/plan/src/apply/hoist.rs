//! Hoisting: unannotated objects that sequenced ones need move before their users.

use crate::apply::lookup::Lookup;
use crate::input::{Member, Need};
use crate::sequence::Sequence;

/// One object that moves before one of its users.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Hoist {
    pub(crate) object: u32,
    pub(crate) user: u32,
    pub(crate) need: Need,
}

/// What moves, and what that leaves of the unannotated rest.
#[derive(Debug)]
pub(crate) struct Hoists {
    /// Every need that a move serves.
    pub(crate) hoists: Vec<Hoist>,
    /// For each member, whether it has left the rest of its chart.
    pub(crate) moved: Vec<bool>,
}

impl Hoists {
    /// Finds them. Namespaces and definitions move whatever the user wants, since nothing works otherwise; other
    /// needs only if `hoist` says so, and never those that were `dropped`.
    pub(crate) fn find(
        members: &[&Member],
        sequence: &Sequence,
        lookup: &Lookup<'_>,
        hoist: bool,
        dropped: &[(u32, u32)],
    ) -> Self {
        let in_rest = |member: u32| sequence.layer_of[member as usize].is_none();
        let mut moved = vec![false; members.len()];
        let mut hoists = Vec::new();
        let mut users: Vec<u32> = (0..members.len() as u32).collect();
        while let Some(user) = users.pop() {
            let member = members[user as usize];
            let mut need = |object: u32, need: Need| {
                if object == user || !in_rest(object) || dropped.binary_search(&(object, user)).is_ok() {
                    return;
                }
                // Inside of one rest kinds go in their order, and nothing has to move.
                let together =
                    in_rest(user) && !moved[user as usize] && members[object as usize].chart == member.chart;
                if together {
                    return;
                }
                hoists.push(Hoist { object, user, need });
                if !std::mem::replace(&mut moved[object as usize], true) {
                    users.push(object);
                }
            };
            if let Some(namespace) = lookup.namespace_of(&member.id) {
                need(namespace, Need::Namespace);
            }
            if let Some(definition) = lookup.definition_of(&member.id) {
                need(definition, Need::Definition);
            }
            if hoist {
                for reference in &member.needs {
                    if let Some(object) = lookup.referenced(&member.id, reference) {
                        need(object, reference.need);
                    }
                }
            }
        }
        hoists.sort_unstable_by_key(|hoist| (hoist.object, hoist.user, hoist.need));
        hoists.dedup_by_key(|hoist| (hoist.object, hoist.user));
        Self { hoists, moved }
    }

    /// For each member, whether others cannot be without it: it is moved as their namespace or definition.
    pub(crate) fn certain(&self) -> Vec<bool> {
        let mut certain = vec![false; self.moved.len()];
        for hoist in &self.hoists {
            if matches!(hoist.need, Need::Namespace | Need::Definition) {
                certain[hoist.object as usize] = true;
            }
        }
        certain
    }
}
