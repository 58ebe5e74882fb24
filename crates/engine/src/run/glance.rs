//! A run that waits for nothing: it goes as far as what is already known and what it finds on its way allow, and says
//! what it would have had to wait for. Whoever is told of every change anyway, as a controller is, runs it again then.

use std::collections::{HashMap, HashSet};

use kube::core::DynamicObject;
use objects::ObjectId;
use plan::output::StepKind;
use plan::{ObjectIndex, StepIndex};

use super::Run;
use super::table::Standing;
use crate::event::Event;
use crate::watches::{News, Seen};

/// What a run that waits for nothing goes by.
#[derive(Debug, Clone, Copy)]
pub struct Glance<'a> {
    /// The objects of the plan as they are now; what is not here is not there.
    pub seen: &'a HashMap<ObjectId, DynamicObject>,
    /// The objects that nothing is done to this time, nor to what comes after them.
    pub held: &'a HashSet<ObjectId>,
}

impl<'a, Tell: FnMut(Event)> Run<'a, Tell> {
    /// The same run, but it waits for nothing.
    pub(crate) fn at_a_glance(mut self, glance: Glance<'a>) -> Self {
        for object in &self.plan.objects {
            let seen = match glance.seen.get(&object.id) {
                Some(live) => Seen::There(Box::new(live.clone())),
                None => Seen::Absent,
            };
            self.table.heard(News { id: object.id.clone(), seen }, &self.outcome.uids);
        }
        self.glance = Some(glance);
        self
    }

    pub(super) fn is_held_back(&self, object: ObjectIndex) -> bool {
        self.glance.is_some_and(|glance| glance.held.contains(&self.plan.object(object).id))
    }

    /// Leaves a step out, with all that comes after it. Whoever held it back knows why.
    pub(super) fn leave_out(&mut self, step: StepIndex) {
        self.table.failed(step);
    }

    /// Leaves a step out that is still waiting, and says what for.
    pub(super) fn leave_waiting(&mut self, step: StepIndex) {
        if self.glance.is_none() || !self.table.is_under_way(step) {
            return;
        }
        let kind = self.plan.step(step).kind;
        if let Some(object) = kind.object() {
            if let Standing::Waiting { reason, message, .. } = self.table.judge(self.plan, kind, object) {
                let id = self.plan.object(object).id.clone();
                self.outcome.waiting.push((id, reason, message));
            }
        } else if let StepKind::AwaitRank { rank, .. } = kind {
            for object in self.table.left_of(rank) {
                let message = format!("rank {} waits for it to go", rank.0);
                let id = self.plan.object(object).id.clone();
                self.outcome.waiting.push((id, "Terminating".to_owned(), message));
            }
        }
        self.table.failed(step);
    }

    /// Keeps what the server answered to an apply, which spares asking for it.
    pub(super) fn see_applied(&mut self, object: ObjectIndex, applied: Option<Box<DynamicObject>>) {
        let (Some(_), Some(applied)) = (self.glance, applied) else { return };
        self.outcome.applied.push((self.plan.object(object).id.clone(), *applied));
    }
}
