//! What can be said about an object's readiness, in kstatus' words.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The states that kstatus knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Status {
    /// What is wanted is not there yet.
    InProgress,
    /// What is wanted will not come without help.
    Failed,
    /// What is wanted is there: the object is ready.
    Current,
    /// The object is being deleted.
    Terminating,
    /// There is no such object.
    NotFound,
    /// The object does not have the shape that would tell.
    Unknown,
}

impl Status {
    /// The word kstatus has for it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::InProgress => "InProgress",
            Self::Failed => "Failed",
            Self::Current => "Current",
            Self::Terminating => "Terminating",
            Self::NotFound => "NotFound",
            Self::Unknown => "Unknown",
        }
    }

    /// The state of several objects that shall all be `desired`: one that failed decides, then one that is unknown;
    /// otherwise all must have arrived.
    pub fn aggregate(all: impl IntoIterator<Item = Self>, desired: Self) -> Self {
        let mut result = desired;
        for status in all {
            match status {
                Self::Failed => return Self::Failed,
                Self::Unknown => result = Self::Unknown,
                other if other != desired && result != Self::Unknown => result = Self::InProgress,
                _ => {}
            }
        }
        result
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// A state with its reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Verdict {
    /// The state.
    pub status: Status,
    /// One word for machines, such as `LessReady`; empty when the object is ready.
    pub reason: String,
    /// A sentence for people.
    pub message: String,
}

impl Verdict {
    pub(super) fn current(message: impl Into<String>) -> Self {
        Self { status: Status::Current, reason: String::new(), message: message.into() }
    }

    pub(super) fn in_progress(reason: impl Into<String>, message: impl Into<String>) -> Self {
        Self { status: Status::InProgress, reason: reason.into(), message: message.into() }
    }

    pub(super) fn failed(reason: impl Into<String>, message: impl Into<String>) -> Self {
        Self { status: Status::Failed, reason: reason.into(), message: message.into() }
    }

    pub(super) fn unknown(message: impl Into<String>) -> Self {
        Self { status: Status::Unknown, reason: String::new(), message: message.into() }
    }

    /// What there is to say when the object is not there.
    pub fn not_found() -> Self {
        Self { status: Status::NotFound, reason: String::new(), message: "Resource not found".to_owned() }
    }

    /// Whether the object is ready.
    pub fn is_ready(&self) -> bool {
        self.status == Status::Current
    }
}

#[cfg(test)]
mod tests {
    use super::Status::{self, Current, Failed, InProgress, NotFound, Terminating, Unknown};

    #[test]
    fn aggregate_is_failed_then_unknown_then_all_or_in_progress() {
        for (all, desired, expected) in [
            (&[][..], Current, Current),
            (&[Current, Current], Current, Current),
            (&[Current, InProgress], Current, InProgress),
            (&[Unknown, InProgress, Current], Current, Unknown),
            (&[InProgress, Unknown], Current, Unknown),
            (&[Unknown, Failed], Current, Failed),
            (&[NotFound, NotFound], NotFound, NotFound),
            (&[NotFound, Terminating], NotFound, InProgress),
        ] {
            assert_eq!(Status::aggregate(all.iter().copied(), desired), expected, "{all:?}");
        }
    }
}
