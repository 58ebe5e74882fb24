//! What happens during a run, as it happens. Progress, logs, history and metrics are all read off this one stream.

use jiff::Timestamp;
use objects::ObjectId;
use serde::Serialize;

/// Something happened.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "event", rename_all = "kebab-case", rename_all_fields = "camelCase")]
#[non_exhaustive]
pub enum Event {
    /// The run begins.
    Begun {
        /// How many steps there are.
        steps: usize,
        /// How many of them write.
        writes: usize,
    },
    /// An object was applied.
    Applied {
        /// Which object.
        object: ObjectId,
        /// What that did.
        effect: Effect,
    },
    /// An object is awaited, and this is what it lacks. Told when it begins, and again when the reason changes.
    Waiting {
        /// Which object.
        object: ObjectId,
        /// One word for machines.
        reason: String,
        /// A sentence for people.
        message: String,
    },
    /// An object is ready.
    Ready {
        /// Which object.
        object: ObjectId,
    },
    /// A delete was accepted.
    Deleting {
        /// Which object.
        object: ObjectId,
    },
    /// An object is gone.
    Gone {
        /// Which object.
        object: ObjectId,
    },
    /// Finalizers were removed by force; what they stood for outside of the cluster may be left behind.
    Stripped {
        /// Which object.
        object: ObjectId,
        /// Which finalizers.
        finalizers: Vec<String>,
    },
    /// A countdown began.
    Stamped {
        /// Which object.
        object: ObjectId,
        /// When it ends.
        due: Option<Timestamp>,
    },
    /// A countdown was taken back.
    Restored {
        /// Which object.
        object: ObjectId,
    },
    /// An object stays.
    Kept {
        /// Which object.
        object: ObjectId,
        /// Why, in words.
        why: String,
    },
    /// A hook runs.
    HookBegun {
        /// Its object.
        object: ObjectId,
        /// For which moment.
        moment: plan::input::HookEvent,
    },
    /// A hook has done its work.
    HookDone {
        /// Its object.
        object: ObjectId,
    },
    /// The server asks to be left in peace for a while.
    Slowed {
        /// How many requests may be under way from now on.
        width: usize,
    },
    /// Something is odd.
    Warning {
        /// What.
        message: String,
    },
    /// A step failed.
    Failed {
        /// The object it is about, if it is about one.
        #[serde(skip_serializing_if = "Option::is_none")]
        object: Option<ObjectId>,
        /// One word for machines: that of the object, or of its pods.
        #[serde(skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
        /// Why.
        message: String,
        /// The last lines that a container of its pods has logged.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        log: Vec<String>,
        /// Warnings about it and its pods.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        warnings: Vec<String>,
        /// What may help.
        #[serde(skip_serializing_if = "Option::is_none")]
        hint: Option<String>,
        /// How many steps are not done because of it.
        skipped: usize,
    },
    /// The run is over.
    Ended {
        /// How.
        outcome: Ending,
    },
}

/// What an apply did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Effect {
    /// The object is new.
    Created,
    /// It was changed.
    Configured,
    /// It already was as wanted.
    Unchanged,
}

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ending {
    /// Every step was done.
    Done,
    /// Some steps failed.
    Failed,
    /// Somebody asked it to stop.
    Stopped,
}
