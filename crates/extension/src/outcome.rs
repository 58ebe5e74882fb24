//! How an operation went, as an actuator says it.

use std::time::Duration;

use jiff::Timestamp;

use crate::Clock;
use crate::status::ConditionStatus;

/// How an operation went, when nothing went wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use]
pub struct Outcome {
    pub(crate) done: bool,
    pub(crate) progress: u8,
    pub(crate) description: Option<String>,
    pub(crate) again: Option<Again>,
    pub(crate) conditions: Vec<SetCondition>,
}

/// When to come back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Again {
    After(Duration),
    At(Timestamp),
}

impl Again {
    pub(crate) fn instant(self, clock: &Clock) -> Timestamp {
        match self {
            Self::After(after) => clock.after(after),
            Self::At(instant) => instant,
        }
    }
}

/// A condition to be set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SetCondition {
    pub(crate) kind: String,
    pub(crate) status: ConditionStatus,
    pub(crate) reason: String,
    pub(crate) message: String,
}

impl Outcome {
    /// The operation is over, and all is well.
    pub fn done() -> Self {
        Self { done: true, progress: 100, description: None, again: None, conditions: Vec::new() }
    }

    /// The operation goes on elsewhere: how far it is, and what it waits for. The actuator is called again when the
    /// object changes, when it is [woken](crate::Trigger), or when it asked to be; by the usual pauses if it did not.
    pub fn progress(percent: u8, description: impl Into<String>) -> Self {
        let progress = percent.min(99);
        Self { done: false, progress, description: Some(description.into()), ..Self::done() }
    }

    /// What there is to say about it.
    pub fn describe(mut self, description: impl Into<String>) -> Self {
        self.description = Some(description.into());
        self
    }

    /// The actuator is called again after this time.
    pub fn requeue_after(mut self, after: Duration) -> Self {
        self.again = Some(Again::After(after));
        self
    }

    /// The actuator is called again at this instant.
    pub fn requeue_at(mut self, instant: Timestamp) -> Self {
        self.again = Some(Again::At(instant));
        self
    }

    /// Sets a condition of the object.
    pub fn condition(
        mut self,
        kind: impl Into<String>,
        status: impl Into<ConditionStatus>,
        reason: impl Into<String>,
        message: impl Into<String>,
    ) -> Self {
        self.conditions.push(SetCondition {
            kind: kind.into(),
            status: status.into(),
            reason: reason.into(),
            message: message.into(),
        });
        self
    }

    /// Whether the operation is over.
    pub fn is_done(&self) -> bool {
        self.done
    }
}
