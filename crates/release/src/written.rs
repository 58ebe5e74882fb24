//! A stored revision as the planner wants it: its manifest and hooks, read back.

use chart::render::split_documents;
use engine::{Marks, Served};
use objects::Source;
use plan::ChartIndex;
use plan::input::{ChartTree, HookDeletion, HookEvent, ReadError, Wanted, WantedBuilder, Written};
use serde_json::Value;

use crate::inventory::Origins;
use crate::record::Record;
use crate::wanted::{DocumentError, sendable, with_kinds};

/// The comment above a document that says where it was rendered from.
const SOURCE: &str = "# Source: ";

/// A revision that is read back.
pub(crate) struct Revision<'a> {
    record: &'a Record,
    tree: ChartTree,
    manifest: &'a str,
    builder: WantedBuilder,
    documents: Vec<Value>,
}

/// Why it cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RevisionError {
    /// A document is no object.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// A document could not be sent.
    #[error(transparent)]
    Document(#[from] DocumentError),
}

impl<'a> Revision<'a> {
    /// Begins to read a revision. With its origins, order is as it was declared then.
    pub(crate) fn new(record: &'a Record, origins: Option<&'a Origins>, served: &Served) -> Self {
        let chart = record.chart["metadata"]["name"].as_str().unwrap_or(&record.name);
        let tree = origins.map_or_else(|| ChartTree::single(chart), |origins| origins.tree.clone());
        let manifest = origins.and_then(|origins| origins.manifest.as_deref()).unwrap_or(&record.manifest);
        let builder = with_kinds(Wanted::builder(tree.clone(), &record.namespace), served);
        Self { record, tree, manifest, builder, documents: Vec::new() }
    }

    /// The objects, with the marks of their release.
    pub(crate) fn with_objects(self, marks: &Marks) -> Result<Self, RevisionError> {
        self.with_objects_marked(&|document| marks.put_on_all(document))
    }

    /// The objects, marked otherwise.
    pub(crate) fn with_objects_marked(mut self, mark: &dyn Fn(&mut Value)) -> Result<Self, RevisionError> {
        for text in split_documents(self.manifest) {
            let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
            let (said, text) = first.strip_prefix(SOURCE).map_or(("", text), |said| (said.trim(), rest));
            let source = Source::new(said);
            let chart = self.tree.find(source.chart_path()).unwrap_or_default();
            self.builder.manifest(Written { chart, source: &source, line: 1 }, text)?;
            let mut document = sendable(text)?;
            mark(&mut document);
            self.documents.push(document);
        }
        Ok(self)
    }

    /// The hooks.
    pub(crate) fn with_hooks(mut self) -> Result<Self, RevisionError> {
        for hook in &self.record.hooks {
            let events: Vec<HookEvent> =
                hook.events.iter().filter_map(|event| HookEvent::named(event)).collect();
            let deletions: Vec<HookDeletion> =
                hook.delete_policies.iter().filter_map(|policy| HookDeletion::named(policy)).collect();
            let source = Source::new(hook.path.clone());
            let written = Written { chart: ChartIndex(0), source: &source, line: 1 };
            self.builder.hook(written, &hook.manifest, &events, hook.weight, &deletions)?;
            self.documents.push(sendable(&hook.manifest)?);
        }
        Ok(self)
    }

    /// What was read, with the documents that it numbers.
    pub(crate) fn finish(self) -> (Wanted, Vec<Value>) {
        (self.builder.finish(), self.documents)
    }
}
