//! How long, and for what, each object is awaited.

use crate::ObjectIndex;
use crate::apply::Applying;
use crate::draft::{Draft, Priority};
use crate::graph::Adjacency;
use crate::output::{Gate, Reason, StepKind, Within};

impl Applying<'_> {
    /// Adds the step that waits for a member, unless it is exempt, and says after which step it is ready.
    pub(super) fn await_step(&self, draft: &mut Draft, number: u32, apply: u32, priority: Priority) -> u32 {
        let marks = &self.marks[number as usize];
        if marks.unawaited {
            return apply;
        }
        let object = ObjectIndex(number);
        let within = marks.readiness_timeout.map_or(Within::Operation, Within::Own);
        let kind = StepKind::AwaitReady { object, gate: Gate::Ready, within };
        let step = draft.step(kind, Reason::Leaf, priority);
        let own = draft.shared(crate::output::Origin::Own);
        draft.edge(apply, step, own);
        step
    }

    /// Tightens the waits that something comes after: a Job must complete, others have the readiness timeout.
    pub(super) fn settle(&self, draft: &mut Draft, order: &[u32], outgoing: &Adjacency) {
        let mut followed = vec![false; draft.steps.len()];
        for node in order.iter().rev() {
            let leads_on = |edge: &u32| {
                let to = draft.arcs[*edge as usize].to as usize;
                followed[to]
                    || matches!(draft.steps[to].0, StepKind::Apply { .. } | StepKind::Unchanged { .. })
            };
            followed[*node as usize] = outgoing.of(*node).iter().any(leads_on);
        }
        for (node, (kind, reason, _)) in draft.steps.iter_mut().enumerate() {
            let StepKind::AwaitReady { object, gate, within } = kind else { continue };
            let id = &self.members[object.at()].id;
            let is_job = id.group == "batch" && id.kind == "Job";
            if is_job && (followed[node] || self.policy.wait_for_jobs) {
                *gate = Gate::Complete;
            }
            if !followed[node] {
                continue;
            }
            *reason = Reason::Awaited;
            if is_job {
                continue;
            }
            if *within == Within::Operation {
                *within = Within::Own(self.policy.readiness_timeout.min(self.policy.timeout));
            }
        }
    }
}
