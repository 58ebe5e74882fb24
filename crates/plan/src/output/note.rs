//! What is worth telling the user of a plan.

use objects::ObjectId;
use serde::{Deserialize, Serialize};

use crate::input::{HookEvent, Place, Spelling};

/// Something a plan's reader should know. Each is data; [`std::fmt::Display`] gives the words.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, thiserror::Error)]
#[serde(tag = "note", rename_all = "kebab-case", rename_all_fields = "camelCase")]
#[non_exhaustive]
pub enum Note {
    /// A layer that nobody is in is needed by some; the need is dropped.
    #[error("{place}: {object} needs the layer {layer:?}, which chart {chart} does not have")]
    UnknownLayer {
        /// The chart.
        chart: String,
        /// The layer that is not there.
        layer: String,
        /// Who needs it.
        object: ObjectId,
        /// Where that is written.
        place: Place,
        /// With which annotation.
        annotation: Spelling,
    },
    /// A subchart that is needed is disabled; the need counts as satisfied.
    #[error("{place}: the subchart {reference:?} of {chart} is disabled, so it counts as ready")]
    DisabledSubchart {
        /// The chart that declares it.
        chart: String,
        /// The name or tag.
        reference: String,
        /// Where that is written.
        place: Place,
    },
    /// Hooks are not sequenced.
    #[error("{place}: {hook} is a hook; its annotation {annotation} is ignored")]
    SequencedHook {
        /// The hook.
        hook: ObjectId,
        /// The annotation.
        annotation: Spelling,
        /// Where it is written.
        place: Place,
    },
    /// A hook that has no moment without a release.
    #[error("{hook} is left out: {} hooks need a release", names(events))]
    HookLeftOut {
        /// The hook.
        hook: ObjectId,
        /// When it would run.
        events: Vec<HookEvent>,
    },
    /// Moving an object before its user would have closed a cycle.
    #[error("{object} is not moved before {user}, which needs it: {user} must come before it")]
    HoistDropped {
        /// The object.
        object: ObjectId,
        /// Its user.
        user: ObjectId,
    },
    /// Only one of the two readiness annotations is there.
    #[error("{place}: {object} has only {annotation}; the other side is judged by its kind")]
    OneSidedReadiness {
        /// The object.
        object: ObjectId,
        /// The annotation it has.
        annotation: Spelling,
        /// Where it is written.
        place: Place,
    },
    /// A rule's type matches no object.
    #[error("the type {pattern:?} of deletion rule {rule} matches nothing")]
    UnmatchedType {
        /// The rule, counted from one.
        rule: u32,
        /// The type.
        pattern: String,
    },
    /// An object would wait for somebody who is gone before.
    #[error("{object} waits for its finalizer {finalizer:?}, and {owner}, which likely removes it, goes before: {}", path.join(" → "))]
    Deadlock {
        /// The object.
        object: ObjectId,
        /// The finalizer.
        finalizer: String,
        /// Who likely removes it.
        owner: ObjectId,
        /// Why the owner goes first: a path of objects and layers.
        path: Vec<String>,
    },
    /// The stored objects are those of Helm's manifest.
    #[error("helm wrote this release last: its manifest is believed, unsequenced, with default ranks")]
    FromHelm,
    /// No cluster was looked at.
    #[error("no cluster was looked at: stored objects are taken to be there, wanted ones not")]
    NotLooked,
}

impl Note {
    /// Where what it tells of is written, if it is written anywhere.
    pub fn place(&self) -> Option<&Place> {
        match self {
            Self::UnknownLayer { place, .. }
            | Self::DisabledSubchart { place, .. }
            | Self::SequencedHook { place, .. }
            | Self::OneSidedReadiness { place, .. } => Some(place),
            _ => None,
        }
    }

    /// What comes of it, where nobody refuses it.
    pub fn outcome(&self) -> Option<&'static str> {
        matches!(self, Self::UnknownLayer { .. }).then_some("this need is dropped")
    }

    /// The words for it, with what comes of it.
    pub fn told(&self) -> String {
        match self.outcome() {
            Some(outcome) => format!("{self}; {outcome}"),
            None => self.to_string(),
        }
    }

    /// Whether `--strict` and `lint` refuse what this tells.
    pub fn is_strict_error(&self) -> bool {
        matches!(self, Self::UnknownLayer { .. } | Self::Deadlock { .. })
    }

    /// Whether it warns of something, rather than only telling it.
    pub fn is_warning(&self) -> bool {
        matches!(
            self,
            Self::UnknownLayer { .. }
                | Self::Deadlock { .. }
                | Self::UnmatchedType { .. }
                | Self::OneSidedReadiness { .. }
                | Self::FromHelm
        )
    }
}

fn names(events: &[HookEvent]) -> String {
    events.iter().map(|event| event.name()).collect::<Vec<_>>().join(", ")
}
