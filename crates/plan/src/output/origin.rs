//! Where an edge comes from.

use serde::{Deserialize, Serialize};

use crate::input::{Need, Rank, Spelling};
use crate::{ChartIndex, ObjectIndex, OriginIndex, StepIndex};

/// `to` waits for `from`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(from = "(u32, u32, u32)", into = "(u32, u32, u32)")]
pub struct Edge {
    /// What comes before.
    pub from: StepIndex,
    /// What comes after.
    pub to: StepIndex,
    /// Why.
    pub origin: OriginIndex,
}

impl From<(u32, u32, u32)> for Edge {
    fn from((from, to, origin): (u32, u32, u32)) -> Self {
        Self { from: StepIndex(from), to: StepIndex(to), origin: OriginIndex(origin) }
    }
}

impl From<Edge> for (u32, u32, u32) {
    fn from(edge: Edge) -> Self {
        (edge.from.0, edge.to.0, edge.origin.0)
    }
}

/// Why one step waits for another.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
#[non_exhaustive]
pub enum Origin {
    /// Both are steps of one object.
    Own,
    /// One is the begin or end of what the other belongs to.
    Member,
    /// Definitions in `crds/` come first.
    Definitions,
    /// Hooks run at their moments, by weight.
    Hook,
    /// Kinds go in Helm's order.
    Kinds,
    /// What is unwanted goes when everything wanted is there.
    NewBeforeOld,
    /// An object declares that its layer needs another.
    Layer {
        /// The object that says so first.
        by: ObjectIndex,
        /// With which annotation.
        annotation: Spelling,
        /// On which line of what its template rendered.
        line: u32,
    },
    /// A chart's annotation declares that its own objects come after a subchart.
    Parent {
        /// The chart whose `Chart.yaml` says so.
        chart: ChartIndex,
        /// On which line.
        line: u32,
    },
    /// A `depends-on` declares that one subchart comes after another.
    Sibling {
        /// The chart whose `Chart.yaml` says so.
        chart: ChartIndex,
        /// On which line.
        line: u32,
    },
    /// A chart's unannotated objects come after its layers.
    Unlayered {
        /// The chart.
        chart: ChartIndex,
    },
    /// A namespace comes before what is in it.
    Namespace,
    /// A definition comes before objects of its kind.
    Definition,
    /// The release's own namespace goes last.
    OwnNamespace,
    /// A webhook configuration or `APIService` is not left without its backend.
    Backend,
    /// One needs the other to exist.
    Needs {
        /// As what.
        need: Need,
    },
    /// One likely removes the other's finalizer.
    Finalizer {
        /// Which finalizer.
        finalizer: String,
    },
    /// A rank starts when all lower ones are gone.
    Rank {
        /// The lower rank.
        rank: Rank,
    },
    /// What was deleted under the same name must be gone.
    Terminating,
}

impl Origin {
    /// Whether somebody wrote it down.
    pub fn is_declared(&self) -> bool {
        matches!(self, Self::Layer { .. } | Self::Parent { .. } | Self::Sibling { .. })
    }

    /// Whether nothing may ever skip it.
    pub fn is_physical(&self) -> bool {
        matches!(self, Self::Namespace | Self::Definition | Self::Backend)
    }
}
