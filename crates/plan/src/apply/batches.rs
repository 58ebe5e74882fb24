//! Helm's order of kinds inside of one group: the next kinds are applied when those before are.

use objects::{KindOrder, ObjectId};

use super::{Applying, barrier};
use crate::draft::{Draft, Part};
use crate::output::{Barrier, Origin};

/// The place of a kind in Helm's order; kinds it does not name come last.
pub(super) fn position(id: &ObjectId) -> u8 {
    KindOrder::Install.position(&id.kind).map_or(100, |place| place as u8)
}

impl Applying<'_> {
    /// Which batch a member belongs to: its kind's, or the one after its namespace's or definition's if Helm's order
    /// would have it before.
    pub(super) fn batch(&self, member: u32) -> (u8, u8) {
        let id = &self.members[member as usize].id;
        let mut batch = (position(id), 0);
        for needed in [self.lookup.namespace_of(id), self.lookup.definition_of(id)].into_iter().flatten() {
            let needed = (position(&self.members[needed as usize].id), 1);
            batch = batch.max(needed);
        }
        batch
    }

    /// Lets the members of one group, sorted by batch, wait for the batch before.
    pub(super) fn chain(&self, draft: &mut Draft, group: u32, members: &[u32], apply: &[u32]) {
        let origin = draft.shared(Origin::Kinds);
        let mut rest = members;
        let mut before: Option<u32> = None;
        while let Some(first) = rest.first() {
            let batch = self.batch(*first);
            let length = rest.iter().take_while(|member| self.batch(**member) == batch).count();
            let (own, others) = rest.split_at(length);
            let after = (!others.is_empty()).then(|| barrier(draft, Barrier::Kinds, group, Part::Act));
            for member in own {
                let apply = apply[*member as usize];
                if let Some(before) = before {
                    draft.edge(before, apply, origin);
                }
                if let Some(after) = after {
                    draft.edge(apply, after, origin);
                }
            }
            before = after;
            rest = others;
        }
    }
}
