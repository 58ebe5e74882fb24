//! Why a step stands where it stands, and why an object is kept.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::input::{HookEvent, Need, Rank};
use crate::{ChartIndex, LayerIndex, ObjectIndex};

/// How many foreign objects are named.
const NAMED: usize = 5;

/// Why a step is where it is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
#[non_exhaustive]
pub enum Reason {
    /// It holds the graph together.
    Structure,
    /// Definitions in `crds/` come before everything else.
    Definitions,
    /// Its object is in this layer.
    Layer(LayerIndex),
    /// Its object has no layer, but needs some.
    Nameless(LayerIndex),
    /// Its object is not annotated: it comes after all layers of its chart.
    Unlayered(ChartIndex),
    /// Its object is not annotated, but one that is needs it.
    Hoisted {
        /// The first that needs it.
        user: ObjectIndex,
        /// As what.
        need: Need,
    },
    /// Nothing is sequenced: kinds go in Helm's order.
    Kinds,
    /// Nothing is sequenced: definitions, then the cluster's objects, then those in namespaces.
    Phase(Phase),
    /// A hook has its moment and its weight.
    Hook {
        /// The moment.
        event: HookEvent,
        /// The weight.
        weight: i64,
    },
    /// Something comes after it.
    Awaited,
    /// Nothing comes after it, but the operation is done only when it is.
    Leaf,
    /// It is being deleted; its successor is created when it is gone.
    Terminating,
    /// It is wanted again.
    WantedAgain,
    /// It has this deletion rank.
    Ranked {
        /// The rank it has in effect.
        rank: Rank,
        /// Where that comes from.
        by: RankBy,
    },
    /// A rule forces what is left after its time.
    Forced {
        /// The rule, counted from zero.
        rule: u32,
    },
    /// It is kept.
    Kept(Kept),
    /// It is gone, or not what was stored.
    Forgotten(Forgotten),
}

/// The three phases of plain manifests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Phase {
    /// Definitions of kinds.
    Definitions,
    /// Objects of the whole cluster.
    Cluster,
    /// Objects in namespaces.
    Namespaced,
}

/// Where a deletion rank comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum RankBy {
    /// From what kind of object it is.
    Default,
    /// From its own annotation.
    Annotation,
    /// From the rule of this number, counted from zero.
    Rule(u32),
    /// From an object that must go after it and has a lower one.
    Before(ObjectIndex),
}

/// Why an object is kept.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
#[non_exhaustive]
pub enum Kept {
    /// `helm.sh/resource-policy: keep` is on it.
    Policy,
    /// Its marks do not say that it is ours.
    NotOurs {
        /// Whose it is, if anybody's.
        owner: Option<String>,
    },
    /// It comes from a chart's `crds/`.
    Definitions,
    /// Its countdown runs.
    Counting {
        /// Until when.
        due: Timestamp,
    },
    /// Its live delay or stamp cannot be read.
    Unreadable {
        /// `delay` or `stamp`.
        field: UnreadableField,
        /// What it says.
        value: String,
    },
    /// Its owner is not Ready.
    OwnerNotReady,
    /// Others have objects in it, or of its kind.
    Foreign {
        /// Some of them.
        objects: Vec<objects::ObjectId>,
        /// How many there are.
        count: usize,
    },
    /// Something that stays needs it.
    Holds {
        /// What stays.
        object: ObjectIndex,
    },
}

impl Kept {
    /// Others have these objects in it, or of its kind.
    pub fn foreign(objects: &[objects::ObjectId]) -> Self {
        Self::Foreign { count: objects.len(), objects: objects.iter().take(NAMED).cloned().collect() }
    }
}

/// Which annotation of a live object cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum UnreadableField {
    /// The delay.
    Delay,
    /// The stamp.
    Stamp,
}

/// Why an object is dropped from the inventory without a delete.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Forgotten {
    /// It is not there.
    Gone,
    /// Another object has its name now.
    Replaced,
    /// It is a wanted object under another group.
    Moved,
}
