//! What is due when.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use plan::StepIndex;
use tokio::time::Instant;

/// Moments at which a step is to be looked at.
#[derive(Debug, Default)]
pub(crate) struct Deadlines(BinaryHeap<Reverse<(Instant, StepIndex)>>);

impl Deadlines {
    pub(crate) fn add(&mut self, at: Instant, step: StepIndex) {
        self.0.push(Reverse((at, step)));
    }

    pub(crate) fn next(&self) -> Option<Instant> {
        self.0.peek().map(|Reverse((at, _))| *at)
    }

    /// Takes out what is due.
    pub(crate) fn passed(&mut self, now: Instant) -> Vec<StepIndex> {
        let mut passed = Vec::new();
        while let Some(Reverse((at, step))) = self.0.peek().copied()
            && at <= now
        {
            self.0.pop();
            passed.push(step);
        }
        passed
    }
}
