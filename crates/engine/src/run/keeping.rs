//! What stays although it was planned to go, and what must stay with it.

use std::collections::HashSet;
use std::sync::Arc;

use plan::output::{Kept, Reason, StepKind};
use plan::{ObjectIndex, Plan, StepIndex};

use super::Run;
use crate::event::Event;

impl<Tell: FnMut(Event)> Run<'_, Tell> {
    /// Something that was to go stays, and is told.
    pub(super) fn stays(&mut self, step: StepIndex, kept: &Kept) {
        if let Some(object) = self.plan.step(step).kind.object() {
            let why = self.plan.describe_reason(&Reason::Kept(kept.clone()));
            let id = self.plan.object(object).id.clone();
            self.table.keep(object, matches!(kept, Kept::NotOurs { .. }));
            if let Some(uid) = &self.outcome.uids[object.at()] {
                Arc::make_mut(&mut self.own).remove(uid);
            }
            self.outcome.kept.push((id.clone(), why.clone()));
            self.say(Event::Kept { object: id, why });
        }
        self.done(step);
    }

    /// Whether something that stays against what was planned cannot be without what this step would delete.
    pub(super) fn is_held(&self, step: StepIndex) -> Option<Kept> {
        let StepKind::Delete { object, recheck, .. } = self.plan.step(step).kind else { return None };
        let held = &self.plan.intent.entries[object.at()];
        let needs = |other: ObjectIndex| {
            let entry = &self.plan.intent.entries[other.at()];
            let defines = held.defines.as_ref().is_some_and(|definition| {
                definition.group == entry.id.group && definition.kind == entry.id.kind
            });
            let contains = held.id.group.is_empty()
                && held.id.kind == "Namespace"
                && entry.id.namespace.as_ref() == Some(&held.id.name);
            (defines || contains || entry.backends.contains(&object)).then_some(defines || contains)
        };
        self.table.kept().find_map(|(other, is_foreign)| {
            let is_container = needs(other)?;
            // Whoever takes what others have in it along does so on purpose.
            let on_purpose = is_container && is_foreign && !recheck.foreign;
            (!on_purpose).then_some(Kept::Holds { object: other })
        })
    }
}

/// The UIDs of the objects that a plan takes away.
pub(super) fn going(plan: &Plan) -> HashSet<String> {
    let going = plan.steps.iter().filter_map(|step| match step.kind {
        StepKind::Delete { object, .. } | StepKind::AwaitGone { object } => plan.object(object).uid.clone(),
        _ => None,
    });
    going.collect()
}
