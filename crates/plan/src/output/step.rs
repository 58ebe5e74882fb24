//! What is done, one thing at a time.

use std::time::Duration;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::reason::Reason;
use crate::input::{Cascade, HookEvent, Rank};
use crate::{ChartIndex, HookIndex, LayerIndex, ObjectIndex};

/// One step of a plan.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Step {
    /// What is done.
    #[serde(flatten)]
    pub kind: StepKind,
    /// Why it is done here.
    pub reason: Reason,
    /// How many waits come before it at least: steps of one wave may run together.
    pub wave: u32,
}

/// What a step does. Steps that write say so with [`StepKind::writes`].
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "kebab-case", rename_all_fields = "camelCase")]
#[non_exhaustive]
pub enum StepKind {
    /// Nothing: it is a place where many edges meet, done when what comes before it is.
    Barrier {
        /// Which place.
        at: Barrier,
    },
    /// Applies the wanted manifest.
    Apply {
        /// Which object.
        object: ObjectIndex,
        /// What that means for the cluster.
        change: Change,
    },
    /// Does nothing: the object already is as wanted.
    Unchanged {
        /// Which object.
        object: ObjectIndex,
    },
    /// Waits until an object is ready.
    AwaitReady {
        /// Which object.
        object: ObjectIndex,
        /// What ready means.
        gate: Gate,
        /// How long it may take.
        within: Within,
    },
    /// Waits until a definition is served.
    AwaitEstablished {
        /// Which definition.
        object: ObjectIndex,
    },
    /// Runs a hook to its end, with the deletions before and after that its policies ask for.
    RunHook {
        /// Which hook.
        hook: HookIndex,
        /// For which event.
        event: HookEvent,
    },
    /// Takes the stamp off an object whose countdown runs, since it is wanted again.
    Restore {
        /// Which object.
        object: ObjectIndex,
    },
    /// Stamps an object, so that its countdown begins, instead of deleting it.
    Stamp {
        /// Which object.
        object: ObjectIndex,
        /// When it is due, by the delay the live object has now.
        due: Option<Timestamp>,
    },
    /// Deletes an object, if it still is the one with the UID that the plan knows.
    Delete {
        /// Which object.
        object: ObjectIndex,
        /// Why it goes.
        because: Because,
        /// How the delete reaches what the object owns.
        cascade: Cascade,
        /// What is looked at again directly before.
        recheck: Recheck,
    },
    /// Waits until an object is gone.
    AwaitGone {
        /// Which object.
        object: ObjectIndex,
    },
    /// Waits until all objects of this rank and of lower ones are gone, stamped ones counting as gone. It does not
    /// wait for deletes that an [`StepKind::AwaitGone`] holds back.
    AwaitRank {
        /// The rank.
        rank: Rank,
        /// How long, counted from the rank's last delete; then the next rank starts all the same. `None`: until
        /// the operation's time is over, which fails it.
        #[serde(with = "crate::span::optional", default, skip_serializing_if = "Option::is_none")]
        at_most: Option<Duration>,
    },
    /// Removes the finalizers of all objects that are left of this rank and of lower ones, and that are being
    /// deleted; never those that [`is_protected`](crate::is_protected) names.
    StripFinalizers {
        /// The rank.
        up_to: Rank,
    },
    /// Leaves an object where it is; it is no longer the release's concern, or not yet.
    Keep {
        /// Which object.
        object: ObjectIndex,
    },
    /// Drops an object from the inventory: there is nothing to delete.
    Forget {
        /// Which object.
        object: ObjectIndex,
    },
}

impl StepKind {
    /// Whether executing it changes the cluster.
    pub fn writes(self) -> bool {
        matches!(
            self,
            Self::Apply { .. }
                | Self::RunHook { .. }
                | Self::Restore { .. }
                | Self::Stamp { .. }
                | Self::Delete { .. }
                | Self::StripFinalizers { .. }
        )
    }

    /// Whether it takes time although nothing is sent.
    pub fn waits(self) -> bool {
        matches!(
            self,
            Self::AwaitReady { .. }
                | Self::AwaitEstablished { .. }
                | Self::AwaitGone { .. }
                | Self::AwaitRank { .. }
                | Self::RunHook { .. }
        )
    }

    /// Whether an object is meant to be gone after it.
    pub fn deletes(self) -> bool {
        matches!(self, Self::Delete { .. })
    }

    /// The object it is about.
    pub fn object(self) -> Option<ObjectIndex> {
        match self {
            Self::Apply { object, .. }
            | Self::Unchanged { object }
            | Self::AwaitReady { object, .. }
            | Self::AwaitEstablished { object }
            | Self::Restore { object }
            | Self::Stamp { object, .. }
            | Self::Delete { object, .. }
            | Self::AwaitGone { object }
            | Self::Keep { object }
            | Self::Forget { object } => Some(object),
            Self::Barrier { .. }
            | Self::RunHook { .. }
            | Self::AwaitRank { .. }
            | Self::StripFinalizers { .. } => None,
        }
    }
}

/// Places where edges meet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum Barrier {
    /// The definitions of all `crds/` are established.
    Definitions,
    /// The hooks before are done.
    Hooks(HookEvent),
    /// Everything wanted is applied, and ready if that is awaited.
    Applied,
    /// Everything unwanted is gone.
    Deleted,
    /// A chart may begin: what it comes after is ready.
    ChartBegin(ChartIndex),
    /// A chart and its subcharts are ready.
    ChartEnd(ChartIndex),
    /// A chart's own objects may begin.
    OwnBegin(ChartIndex),
    /// A chart's own objects are ready.
    OwnEnd(ChartIndex),
    /// A layer may begin.
    LayerBegin(LayerIndex),
    /// A layer is ready.
    LayerEnd(LayerIndex),
    /// A chart's objects without a layer may begin.
    RestBegin(ChartIndex),
    /// The kinds before are applied, and the next may be.
    Kinds,
    /// A chart with its subcharts may be deleted: what needs it is gone.
    ChartFree(ChartIndex),
    /// A chart and its subcharts are gone.
    ChartGone(ChartIndex),
    /// A chart's own objects may be deleted.
    OwnFree(ChartIndex),
    /// A chart's own objects are gone.
    OwnGone(ChartIndex),
    /// A layer may be deleted: what needs it is gone.
    LayerFree(LayerIndex),
    /// A layer is gone.
    LayerGone(LayerIndex),
    /// A chart's objects without a layer are gone.
    RestGone(ChartIndex),
}

/// What applying means for the cluster.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Change {
    /// The object is new.
    Create,
    /// It is there and ours.
    Update,
    /// It is there and becomes ours.
    Adopt,
    /// It is created if it is not there, and left alone otherwise.
    CreateIfAbsent,
}

/// What ready means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Gate {
    /// As the object's own expressions say, or else its kind.
    Ready,
    /// A Job that something comes after must have completed.
    Complete,
}

/// How long an object may take to become ready.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Within {
    /// As long as the operation may take.
    Operation,
    /// So long from its own apply, and never longer than the operation.
    Own(#[serde(with = "crate::span")] Duration),
}

/// Why an object is deleted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Because {
    /// The set no longer has it.
    NotWanted,
    /// The whole set goes.
    Uninstalled,
    /// Its countdown is over.
    Expired,
}

/// What is looked at again directly before a delete, beside the UID that every delete carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Recheck {
    /// Whether others have objects in the namespace or of the kind.
    pub foreign: bool,
    /// Whether its owner, or any its marks now name, wants it again.
    pub owners: bool,
    /// Whether a countdown that was set, taken back or prolonged meanwhile holds it back.
    pub countdown: bool,
}
