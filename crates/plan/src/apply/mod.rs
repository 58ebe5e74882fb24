//! The half of a plan that applies what is wanted.

mod awaiting;
mod batches;
mod blame;
mod hoist;
mod lookup;
mod ordered;
mod unordered;

use crate::ObjectIndex;
use crate::draft::{Draft, Part, Priority};
use crate::error::{PlanError, PlanErrors};
use crate::input::marks::Marks;
use crate::input::{Live, Member, Order, Owner, Policy, StoredChart};
use crate::output::{Barrier, Change, Note, Origin, Reason, StepKind};
use crate::sequence::Sequence;
pub(crate) use hoist::Hoist;
pub(crate) use lookup::Lookup;

/// What applying starts from.
pub(crate) struct Applying<'a> {
    pub(crate) members: &'a [&'a Member],
    pub(crate) marks: &'a [Marks<'a>],
    pub(crate) sequence: &'a Sequence,
    pub(crate) lookup: &'a Lookup<'a>,
    pub(crate) policy: &'a Policy,
    pub(crate) live: &'a Live,
    /// Members whose stored digest is that of the wanted manifest.
    pub(crate) same_as_stored: &'a [bool],
    pub(crate) order: Order,
}

/// Where the steps of the members are.
pub(crate) struct Nodes {
    /// The step that applies each member, or finds it unchanged.
    pub(crate) apply: Vec<u32>,
    /// The step after which each member is ready, which is its apply if it is not awaited.
    pub(crate) ready: Vec<u32>,
    /// The step after which each definition is served, for those that are waited for.
    pub(crate) established: Vec<Option<u32>>,
    /// What was hoisted.
    pub(crate) hoists: Vec<Hoist>,
    /// For each member, whether it was hoisted out of the order of charts.
    pub(crate) freed: Vec<bool>,
}

impl<'a> Applying<'a> {
    /// Adds all steps between `start` and `end`.
    pub(crate) fn draft(
        &self,
        draft: &mut Draft,
        start: u32,
        end: u32,
        notes: &mut Vec<Note>,
    ) -> Result<Nodes, PlanErrors> {
        match self.order {
            Order::Ordered => ordered::draft(self, draft, start, end, notes),
            Order::Kinds | Order::Phases => unordered::draft(self, draft, start, end),
        }
    }

    /// The charts that the members' [`ChartIndex`](crate::ChartIndex) counts.
    fn charts(&self) -> &'a [StoredChart] {
        &self.sequence.sequencing.charts
    }

    /// Adds the step that applies a member, with what must happen to the live object before.
    fn apply_step(
        &self,
        draft: &mut Draft,
        number: u32,
        reason: Reason,
        priority: Priority,
        start: u32,
    ) -> Result<u32, Box<PlanError>> {
        let object = ObjectIndex(number);
        let member = self.members[number as usize];
        let Some(live) = self.live.get(&member.id) else {
            return Ok(draft.step(StepKind::Apply { object, change: Change::Create }, reason, priority));
        };
        let change = match &live.owner {
            Owner::Ours => Change::Update,
            // What is in the trash of a deleted owner of the same name comes back with it.
            Owner::Nobody | Owner::Other(_) if self.policy.take_ownership => Change::Adopt,
            owner => {
                let owner = match owner {
                    Owner::Other(name) => Some(name.clone()),
                    _ => None,
                };
                return Err(Box::new(PlanError::NotOurs { object: member.id.clone(), owner }));
            }
        };
        let own = draft.shared(Origin::Own);
        if live.deleting.is_some() {
            let kind = StepKind::AwaitGone { object };
            let gone = draft.step(kind, Reason::Terminating, priority);
            let apply = StepKind::Apply { object, change: Change::Create };
            let apply = draft.step(apply, reason, priority);
            let origin = draft.shared(Origin::Terminating);
            draft.edge(start, gone, own);
            draft.edge(gone, apply, origin);
            return Ok(apply);
        }
        let unchanged = live.in_sync
            && live.stamp.is_none()
            && change == Change::Update
            && self.same_as_stored[number as usize];
        let kind =
            if unchanged { StepKind::Unchanged { object } } else { StepKind::Apply { object, change } };
        let apply = draft.step(kind, reason, priority);
        if live.stamp.is_some() {
            let restore = draft.step(StepKind::Restore { object }, Reason::WantedAgain, priority);
            draft.edge(start, restore, own);
            draft.edge(restore, apply, own);
        }
        Ok(apply)
    }

    /// Adds edges that hold in every mode: a namespace before what is in it, a definition before its objects.
    fn physical(&self, draft: &mut Draft, nodes: &Nodes) {
        let namespace_origin = draft.shared(Origin::Namespace);
        let definition_origin = draft.shared(Origin::Definition);
        for (number, member) in self.members.iter().enumerate() {
            if let Some(namespace) = self.lookup.namespace_of(&member.id) {
                draft.edge(nodes.apply[namespace as usize], nodes.apply[number], namespace_origin);
            }
            if let Some(definition) = self.lookup.definition_of(&member.id)
                && let Some(established) = nodes.established[definition as usize]
            {
                draft.edge(established, nodes.apply[number], definition_origin);
            }
        }
    }

    /// Adds the steps that wait for definitions which the set has objects of.
    fn established(&self, draft: &mut Draft, apply: &[u32], all: bool) -> Vec<Option<u32>> {
        let mut needed = vec![false; self.members.len()];
        for member in self.members {
            if let Some(definition) = self.lookup.definition_of(&member.id) {
                needed[definition as usize] = true;
            }
        }
        let own = draft.shared(Origin::Own);
        let mut established = vec![None; self.members.len()];
        for (number, member) in self.members.iter().enumerate() {
            let is_definition = matches!(member.nature, crate::input::Nature::Definition(_));
            if !is_definition || !(needed[number] || all) {
                continue;
            }
            let (_, reason, priority) = draft.steps[apply[number] as usize].clone();
            let object = ObjectIndex::from(number);
            let step = draft.step(StepKind::AwaitEstablished { object }, reason, priority);
            draft.edge(apply[number], step, own);
            established[number] = Some(step);
        }
        established
    }
}

fn barrier(draft: &mut Draft, at: Barrier, group: u32, part: Part) -> u32 {
    draft.step(StepKind::Barrier { at }, Reason::Structure, Priority::new(group, part, 0, 0))
}
