//! A rendered chart as the planner wants it.

use chart::declared::{ChartPart, Written as WrittenDown};
use chart::render::{Hook, Rendered, split_documents};
use engine::{Marks, Served};
use objects::{Scope, Source};
use plan::ChartIndex;
use plan::input::{
    ChartFacts, ChartTree, Declared, Dependency, HookDeletion, HookEvent, ReadError, Wanted, WantedBuilder,
    Written,
};
use serde_json::Value;

/// Everything a rendered chart consists of. The documents are numbered as the manifests are, then the hooks. What a
/// cluster serves says which kinds live in namespaces, where neither Kubernetes nor the chart do.
pub fn wanted(rendered: &Rendered, namespace: &str, served: Option<&Served>) -> Result<Wanted, ReadError> {
    let tree = tree(&rendered.charts);
    let chart_of = |source: &Source| tree.find(source.chart_path()).unwrap_or_default();
    let mut wanted = Wanted::builder(tree.clone(), namespace);
    if let Some(served) = served {
        wanted = with_kinds(wanted, served);
    }
    let manifests = rendered.manifests.iter().map(|manifest| {
        let source = &manifest.source;
        (Written { chart: chart_of(source), source, line: manifest.line }, &*manifest.text)
    });
    let manifests: Vec<_> = manifests.collect();
    wanted.manifests(&manifests)?;
    for hook in &rendered.hooks {
        let source = &hook.manifest.source;
        let written = Written { chart: chart_of(source), source, line: hook.manifest.line };
        wanted.hook(written, &hook.manifest.text, &events(hook), hook.weight, &deletions(hook))?;
    }
    for crd in &rendered.crds {
        let text = String::from_utf8_lossy(&crd.data);
        for document in split_documents(&text) {
            let before = &text[..document.as_ptr() as usize - text.as_ptr() as usize];
            let line = 1 + before.bytes().filter(|byte| *byte == b'\n').count() as u32;
            let written = Written { chart: chart_of(&crd.source), source: &crd.source, line };
            wanted.crd(written, document)?;
        }
    }
    Ok(wanted.finish())
}

/// Tells what a cluster knows about the scopes of kinds.
pub(crate) fn with_kinds(mut wanted: WantedBuilder, served: &Served) -> WantedBuilder {
    for kind in served.kinds() {
        let scope = if kind.namespaced { Scope::Namespaced } else { Scope::Cluster };
        wanted.kind(&kind.resource.group, &kind.resource.kind, scope);
    }
    wanted
}

/// The charts, with what each declares about the others.
pub(crate) fn tree(charts: &[ChartPart]) -> ChartTree {
    let facts = |place: usize| {
        let declared = ChartPart::declarations(place, charts);
        let dependency = |subchart: chart::declared::Subchart| Dependency {
            name: subchart.name,
            alias: subchart.alias,
            tags: subchart.tags,
            depends_on: subchart.depends_on.map(declaration),
            chart: subchart.part.map(index),
        };
        ChartFacts {
            path: charts[place].path.clone(),
            parent: None,
            needs: declared.needs_subcharts.map(declaration),
            dependencies: declared.subcharts.into_iter().map(dependency).collect(),
        }
    };
    if charts.is_empty() {
        return ChartTree::default();
    }
    let mut tree = ChartTree::new(facts(0));
    for (place, chart) in charts.iter().enumerate().skip(1) {
        tree.add(index(chart.parent.unwrap_or_default()), facts(place));
    }
    tree
}

fn index(place: usize) -> ChartIndex {
    ChartIndex(place as u32)
}

fn declaration(written: WrittenDown) -> Declared {
    Declared { value: written.value, line: written.line as u32 }
}

fn events(hook: &Hook) -> Vec<HookEvent> {
    hook.events.iter().filter_map(|event| HookEvent::named(event.name())).collect()
}

fn deletions(hook: &Hook) -> Vec<HookDeletion> {
    hook.delete_policies.iter().filter_map(|policy| HookDeletion::named(policy)).collect()
}

/// What is sent for each document, in the order in which [`wanted`] numbers them: manifests with the marks of their
/// release, then hooks, then definitions.
pub fn documents(rendered: &Rendered, marks: &Marks) -> Result<Vec<Value>, DocumentError> {
    let mut documents = Vec::new();
    for manifest in &rendered.manifests {
        let mut document = sendable(&manifest.text)?;
        marks.put_on_all(&mut document);
        documents.push(document);
    }
    for hook in &rendered.hooks {
        documents.push(sendable(&hook.manifest.text)?);
    }
    for crd in &rendered.crds {
        let text = String::from_utf8_lossy(&crd.data);
        for document in split_documents(&text) {
            // Only what is made by this release gets its marks: a definition that is there already is left alone.
            let mut document = sendable(document)?;
            marks.put_on(&mut document);
            documents.push(document);
        }
    }
    Ok(documents)
}

/// A document that no server could be sent.
#[derive(Debug, thiserror::Error)]
#[error("a document cannot be sent: {0}")]
pub struct DocumentError(String);

/// A document without what a server would not take.
pub(crate) fn sendable(text: &str) -> Result<Value, DocumentError> {
    let mut document = goyaml::from_str(text).map_err(|error| DocumentError(error.to_string()))?;
    plan::sanitise(&mut document);
    goyaml::json::from_value(document).map_err(|error| DocumentError(error.to_string()))
}
