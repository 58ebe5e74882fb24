//! A chart on its way to being rendered.

use std::cell::RefCell;
use std::rc::Rc;

use bytes::Bytes;

use super::table::{Table, from_mapping, new_table};
use crate::{Chart, File, Metadata};

/// A chart whose name, values and dependencies may still change.
///
/// Metadata is shared where Helm shares it: two aliases of one chart see the same subcharts' metadata.
#[derive(Clone)]
pub(crate) struct ChartTree {
    pub(crate) metadata: Rc<RefCell<Metadata>>,
    pub(crate) values: Table,
    pub(crate) content: Rc<Content>,
    pub(crate) dependencies: Vec<ChartTree>,
}

/// The parts of a chart that stay as they are.
pub(crate) struct Content {
    pub(crate) templates: Vec<File>,
    pub(crate) files: Vec<File>,
    pub(crate) schema: Option<Bytes>,
    /// `Chart.yaml` as it is, and `requirements.yaml` of an old chart.
    pub(crate) definition: Bytes,
    pub(crate) requirements: Option<Bytes>,
}

impl ChartTree {
    pub(crate) fn new(chart: &Chart) -> Self {
        Self {
            metadata: Rc::new(RefCell::new(chart.metadata.clone())),
            values: chart.values.as_deref().map_or_else(new_table, from_mapping),
            content: Rc::new(Content {
                templates: chart.templates.clone(),
                files: chart.files.clone(),
                schema: chart.schema.clone(),
                definition: raw(chart, "Chart.yaml").unwrap_or_default(),
                requirements: raw(chart, "requirements.yaml"),
            }),
            dependencies: chart.dependencies.iter().map(Self::new).collect(),
        }
    }

    pub(crate) fn name(&self) -> String {
        self.metadata.borrow().name.clone()
    }

    pub(crate) fn version(&self) -> String {
        self.metadata.borrow().version.clone()
    }

    pub(crate) fn is_library(&self) -> bool {
        self.metadata.borrow().chart_type.eq_ignore_ascii_case("library")
    }

    /// A copy with metadata of its own, for a dependency that may go by another name.
    pub(crate) fn renamed(&self, alias: &str) -> Self {
        let mut metadata = self.metadata.borrow().clone();
        if !alias.is_empty() {
            alias.clone_into(&mut metadata.name);
        }
        Self { metadata: Rc::new(RefCell::new(metadata)), ..self.clone() }
    }
}

fn raw(chart: &Chart, name: &str) -> Option<Bytes> {
    chart.raw_file(name).map(|file| file.data.clone())
}
