//! What the planner has to know about the charts that objects come from.

use goyaml::Value;
use serde::{Deserialize, Serialize};

use crate::ChartIndex;

/// A chart and its subcharts, as far as order is concerned. The root is first, and parents stand before their
/// subcharts. Plain manifests are a tree of one chart.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ChartTree {
    charts: Vec<ChartFacts>,
}

/// One enabled chart of the tree.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ChartFacts {
    /// Where its files are, as paths of templates begin: `shop/charts/db`.
    pub path: String,
    /// The chart that contains it.
    pub parent: Option<ChartIndex>,
    /// The annotation `helm.sh/depends-on/subcharts` of its `Chart.yaml`: what its own objects come after.
    pub needs: Option<Declared>,
    /// The subcharts it declares, disabled ones too, and those that merely lie in its `charts/`.
    pub dependencies: Vec<Dependency>,
}

/// A list of names as somebody wrote it, and the line in `Chart.yaml`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Declared {
    /// A list, or a text that holds one.
    pub value: Value,
    /// The line, from one; zero if nobody knows.
    pub line: u32,
}

/// One entry of `dependencies` in a `Chart.yaml`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Dependency {
    /// The name of the chart.
    pub name: String,
    /// The name it has here, if another.
    pub alias: Option<String>,
    /// Its tags.
    pub tags: Vec<String>,
    /// The field `depends-on`: what must be ready before this subchart begins.
    pub depends_on: Option<Declared>,
    /// Its place in the tree; `None` if its condition or tags disable it.
    pub chart: Option<ChartIndex>,
}

impl Dependency {
    /// What it is called here: its alias, or else its name.
    pub fn effective_name(&self) -> &str {
        self.alias.as_deref().unwrap_or(&self.name)
    }
}

impl ChartTree {
    /// A tree of one chart without subcharts.
    pub fn single(path: impl Into<String>) -> Self {
        Self { charts: vec![ChartFacts { path: path.into(), ..ChartFacts::default() }] }
    }

    /// A tree from its root.
    pub fn new(root: ChartFacts) -> Self {
        Self { charts: vec![ChartFacts { parent: None, ..root }] }
    }

    /// Adds an enabled subchart below `parent`, and says where it stands now.
    pub fn add(&mut self, parent: ChartIndex, facts: ChartFacts) -> ChartIndex {
        let index = ChartIndex::from(self.charts.len());
        self.charts.push(ChartFacts { parent: Some(parent), ..facts });
        index
    }

    /// The charts, root first.
    pub fn charts(&self) -> &[ChartFacts] {
        &self.charts
    }

    /// One chart, to complete what is known about it.
    pub fn chart_mut(&mut self, chart: ChartIndex) -> Option<&mut ChartFacts> {
        self.charts.get_mut(chart.at())
    }

    /// One chart.
    pub fn get(&self, chart: ChartIndex) -> Option<&ChartFacts> {
        self.charts.get(chart.at())
    }

    /// The chart whose files lie at `path`.
    pub fn find(&self, path: &str) -> Option<ChartIndex> {
        self.charts.iter().position(|chart| chart.path == path).map(ChartIndex::from)
    }
}

impl Default for ChartTree {
    fn default() -> Self {
        Self::single("")
    }
}

/// How a chart is called in what people read: `shop/db` for `shop/charts/db`.
pub fn display_path(path: &str) -> String {
    path.replace("/charts/", "/")
}
