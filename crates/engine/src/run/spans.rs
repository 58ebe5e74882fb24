//! Steps as spans, for those who trace them: what a run waited for, and how long. Without a listener they cost nothing.

use std::collections::HashMap;

use plan::output::StepKind;
use plan::{Plan, StepIndex};
use tracing::Span;
use tracing::field::{Empty, display};

use super::about;

/// The steps that are under way.
#[derive(Debug, Default)]
pub(super) struct Spans(HashMap<StepIndex, Span>);

impl Spans {
    /// A step begins. Those that only note something take no time.
    pub(super) fn begin(&mut self, plan: &Plan, step: StepIndex) {
        let Some(kind) = word(plan.step(step).kind) else { return };
        let object = about(plan, step).map(display);
        let span = tracing::info_span!("step", kind, object, error = Empty);
        if !span.is_disabled() {
            self.0.insert(step, span);
        }
    }

    /// It is done.
    pub(super) fn done(&mut self, step: StepIndex) {
        self.0.remove(&step);
    }

    /// It has failed.
    pub(super) fn failed(&mut self, step: StepIndex, message: &str) {
        if let Some(span) = self.0.remove(&step) {
            span.record("error", message);
        }
    }
}

fn word(kind: StepKind) -> Option<&'static str> {
    Some(match kind {
        StepKind::Apply { .. } => "apply",
        StepKind::AwaitReady { .. } => "await ready",
        StepKind::AwaitEstablished { .. } => "await established",
        StepKind::RunHook { .. } => "run hook",
        StepKind::Restore { .. } => "restore",
        StepKind::Stamp { .. } => "stamp",
        StepKind::Delete { .. } => "delete",
        StepKind::AwaitGone { .. } => "await gone",
        StepKind::AwaitRank { .. } => "await rank",
        _ => return None,
    })
}
