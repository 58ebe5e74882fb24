//! A plan: steps, what they wait for, and why.

use objects::ObjectId;
use serde::{Deserialize, Serialize};

use super::edges::Successors;
use super::note::Note;
use super::origin::{Edge, Origin};
use super::step::Step;
use crate::check::Fingerprint;
use crate::input::{HookDeletion, HookEvent, Inventory, Place, Rank, Sequencing};
use crate::{ChartIndex, LayerIndex, ObjectIndex, OriginIndex, StepIndex};

/// What is planned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Operation {
    /// A first revision.
    Install,
    /// A further revision.
    Upgrade,
    /// An earlier revision again; whether it was sequenced decides whether this is.
    Rollback {
        /// What that revision's own record says.
        sequenced: bool,
    },
    /// Everything goes.
    Uninstall,
    /// What is no longer wanted goes, and nothing is applied.
    Prune,
    /// The tests run, and nothing else.
    Test,
}

impl std::fmt::Display for Operation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Install => "install",
            Self::Upgrade => "upgrade",
            Self::Rollback { .. } => "rollback",
            Self::Uninstall => "uninstall",
            Self::Prune => "prune",
            Self::Test => "test",
        })
    }
}

/// Steps in an order in which they may be executed, with everything that waits for something else.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Plan {
    /// What it is a plan of.
    pub operation: Operation,
    /// Whether layers and subcharts order what is applied.
    pub sequenced: bool,
    /// Every object that is wanted or stored, once.
    pub objects: Vec<PlannedObject>,
    /// The charts and layers that [`ChartIndex`] and [`LayerIndex`] count.
    pub sequencing: Sequencing,
    /// The hooks that run.
    pub hooks: Vec<PlannedHook>,
    /// What is done. A step waits only for steps before it.
    pub steps: Vec<Step>,
    /// What waits for what, by what waits.
    pub edges: Vec<Edge>,
    /// Why.
    pub origins: Vec<Origin>,
    /// What is worth telling.
    pub notes: Vec<Note>,
    /// What must be stored before the first step: the old objects and the new.
    pub intent: Inventory,
    /// Whether layers are called resource groups, as the merged proposal does.
    pub resource_groups: bool,
    /// What it was made from, to see later whether it still fits.
    pub world: Fingerprint,
}

/// One object of a plan.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PlannedObject {
    /// Which object.
    pub id: ObjectId,
    /// The API version it is spoken of in.
    pub api_version: String,
    /// Where it comes from.
    pub place: Place,
    /// Its chart.
    pub chart: ChartIndex,
    /// Its layer, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub layer: Option<LayerIndex>,
    /// Its UID, where that is known: deletes carry it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uid: Option<String>,
    /// The revision that was decided upon, where one was read: deletes carry it too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resource_version: Option<String>,
    /// Which wanted document it is: the document's number and its item, if it is a list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub document: Option<(u32, Option<u32>)>,
    /// What decides its readiness, if not its kind.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub readiness: Option<Readiness>,
    /// The deletion rank it has in effect, if it is deleted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rank: Option<Rank>,
}

/// Expressions that decide readiness.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Readiness {
    /// Any of these makes it ready.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub success: Vec<String>,
    /// Any of these makes it failed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failure: Vec<String>,
}

/// A hook of a plan.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PlannedHook {
    /// Its object.
    pub id: ObjectId,
    /// The API version of its manifest.
    pub api_version: String,
    /// Where it comes from.
    pub place: Place,
    /// Which wanted document it is: the document's number and its item, if it is a list.
    pub document: (u32, Option<u32>),
    /// When it runs.
    pub events: Vec<HookEvent>,
    /// Its place among the hooks of one moment.
    pub weight: i64,
    /// When its object is deleted; never empty.
    pub deletions: Vec<HookDeletion>,
}

impl Plan {
    /// One object.
    pub fn object(&self, object: ObjectIndex) -> &PlannedObject {
        &self.objects[object.at()]
    }

    /// One step.
    pub fn step(&self, step: StepIndex) -> &Step {
        &self.steps[step.at()]
    }

    /// Why an edge is there.
    pub fn origin(&self, origin: OriginIndex) -> &Origin {
        &self.origins[origin.at()]
    }

    /// The steps with their numbers.
    pub fn numbered(&self) -> impl Iterator<Item = (StepIndex, &Step)> {
        self.steps.iter().enumerate().map(|(number, step)| (StepIndex::from(number), step))
    }

    /// What a step waits for.
    pub fn predecessors(&self, step: StepIndex) -> &[Edge] {
        let begin = self.edges.partition_point(|edge| edge.to < step);
        let end = self.edges.partition_point(|edge| edge.to <= step);
        &self.edges[begin..end]
    }

    /// For each step, what waits for it.
    pub fn successors(&self) -> Successors {
        Successors::new(self.steps.len(), &self.edges)
    }

    /// Whether executing it would change nothing.
    pub fn is_empty(&self) -> bool {
        !self.steps.iter().any(|step| step.kind.writes())
    }

    /// The path of a chart: `shop/charts/db`.
    pub fn chart_path(&self, chart: ChartIndex) -> &str {
        self.sequencing.charts.get(chart.at()).map_or("", |chart| &chart.path)
    }

    /// The name of a layer; `None` if it has none.
    pub fn layer_name(&self, layer: LayerIndex) -> Option<&str> {
        self.sequencing.layers.get(layer.at())?.name.as_deref()
    }
}
