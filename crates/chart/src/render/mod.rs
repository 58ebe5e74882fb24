//! From a chart and values to manifests in the order Helm prints them.

mod engine;
mod error;
mod files;
mod hook;
mod manifests;
mod objects;
pub mod output;
mod plain;
pub mod post_render;
mod second_thread;
mod split;
mod values;

use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use ::objects::{Manifest, Source};
use bytes::Bytes;
use gotmpl::functions::Environment;
use goyaml::Mapping;

pub(crate) use engine::render_templates;
pub use error::RenderError;
pub use hook::{Hook, HookEvent};
pub use objects::Release;
pub use plain::{chart_of, render_plain};
pub use post_render::{PostRender, PostRenderStrategy};
pub use split::split_documents;

use manifests::Documents;
use second_thread::{EndsWith, SecondThread};

use crate::declared::ChartPart;
use crate::load::Warnings;
use crate::prepare::{ChartTree, Table, coalesce, process_dependencies};
use crate::schema::{self, FetchSchema};
use crate::{Capabilities, Chart, checks, path};

/// How a chart is to be rendered.
#[expect(clippy::struct_excessive_bools, reason = "each is one choice of the caller")]
pub struct RenderOptions<'o> {
    /// For which release.
    pub release: Release,
    /// For which cluster.
    pub capabilities: Capabilities,
    /// Whether schemas are passed over.
    pub skip_schema_validation: bool,
    /// How schemas at addresses are loaded; `None` refuses them.
    pub fetch_schema: Option<FetchSchema>,
    /// Whether the notes of subcharts count too.
    pub subchart_notes: bool,
    /// What rendered text goes through before it is sorted.
    pub post_render: Option<&'o mut dyn PostRender>,
    /// How hooks take part in that.
    pub post_render_strategy: PostRenderStrategy,
    /// Whether `required` and `fail` only warn.
    pub lint: bool,
    /// Clock, randomness, cluster and network as templates may use them.
    pub environment: Rc<dyn Environment>,
    /// The process ends soon: memory that is no longer needed is left to the operating system.
    pub ends_with_process: bool,
}

impl RenderOptions<'_> {
    /// The defaults of `helm template`, in a given environment.
    pub fn new(environment: Rc<dyn Environment>) -> Self {
        Self {
            release: Release::default(),
            capabilities: Capabilities::default(),
            skip_schema_validation: false,
            fetch_schema: None,
            subchart_notes: false,
            post_render: None,
            post_render_strategy: PostRenderStrategy::default(),
            lint: false,
            environment,
            ends_with_process: false,
        }
    }
}

/// A chart rendered.
#[derive(Debug, Clone, Default)]
pub struct Rendered {
    /// What the release consists of, sorted by kind.
    pub manifests: Vec<Manifest>,
    /// What runs around it, sorted by kind.
    pub hooks: Vec<Hook>,
    /// What the chart says to the user.
    pub notes: String,
    /// Definitions that go in before everything else; they are no templates.
    pub crds: Vec<Crd>,
    /// The charts that take part, the root first, and parents before their subcharts.
    pub charts: Vec<ChartPart>,
    /// What is worth telling the user.
    pub warnings: Warnings,
}

/// A file of `crds/`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Crd {
    /// The file, with the chart it stands in.
    pub source: Source,
    /// Its contents as they are.
    pub data: Bytes,
}

/// Renders a chart under the user's values.
pub fn render(
    chart: &Chart,
    values: &Mapping,
    options: &mut RenderOptions<'_>,
) -> Result<Rendered, RenderError> {
    std::thread::scope(|scope| {
        let second = SecondThread::start(scope, chart);
        render_with(second, chart, values, options)
    })
}

fn render_with(
    second: Option<SecondThread<'_>>,
    chart: &Chart,
    values: &Mapping,
    options: &mut RenderOptions<'_>,
) -> Result<Rendered, RenderError> {
    let ahead = second.as_ref().map(|second| Arc::clone(second.ahead()));
    // Whatever goes wrong, nobody needs to be waited for.
    let _end = ahead.clone().map(EndsWith);
    let mut warnings = Warnings::new();
    let (tree, values) = prepare(chart, values, options, &mut warnings)?;
    let mut notes = Files::new();
    let mut documents = Documents::new(second);
    let mut files = Files::new();
    let is_final = options.post_render.is_none();
    let each = |path: &str, text: Vec<u8>| {
        if path.ends_with(NOTES) {
            notes.insert(path.to_owned(), text.into());
        } else if is_final {
            documents.add(path, text.into());
        } else {
            files.insert(path.to_owned(), text.into());
        }
    };
    engine::render_each(&tree, &values, options, ahead, each)?;
    let notes = joined_notes(notes, &tree.name(), options.subchart_notes);
    if let Some(post_render) = options.post_render.as_deref_mut() {
        for (path, text) in post_render::run(files, post_render, options.post_render_strategy)? {
            documents.add(&path, text);
        }
    }
    let (manifests, hooks) = documents.sort(&mut warnings)?;
    let mut crds = Vec::new();
    collect_crds(&tree, &tree.name(), &mut crds);
    let charts = ChartPart::all(&tree);
    warnings.sort();
    warnings.dedup();
    if options.ends_with_process {
        std::mem::forget((tree, values));
    }
    Ok(Rendered { manifests, hooks, notes, crds, charts, warnings })
}

/// Renders a chart's templates and leaves it at that: the text of every file, with the notes, not yet split into
/// documents or sorted, and not required to be YAML, nor UTF-8.
pub fn render_files(
    chart: &Chart,
    values: &Mapping,
    options: &RenderOptions<'_>,
) -> Result<Files, RenderError> {
    let (tree, values) = prepare(chart, values, options, &mut Warnings::new())?;
    render_templates(&tree, &values, options)
}

/// The rendered files by their paths.
pub type Files = BTreeMap<String, Bytes>;

/// The charts that take part, and the values of the root.
fn prepare(
    chart: &Chart,
    values: &Mapping,
    options: &RenderOptions<'_>,
    warnings: &mut Warnings,
) -> Result<(ChartTree, Table), RenderError> {
    checks::release_name(&options.release.name).map_err(RenderError::ReleaseName)?;
    let tree = process_dependencies(chart, values, warnings).map_err(RenderError::Dependencies)?;
    let user_values = crate::prepare::table_from(values);
    let values = coalesce(&tree, &user_values, false, warnings).map_err(RenderError::Values)?;
    if !options.skip_schema_validation {
        schema::validate(&tree, &values, options.fetch_schema.as_ref())?;
    }
    let required = tree.metadata.borrow().kube_version.clone();
    if !options.capabilities.satisfies(&required) {
        let found = options.capabilities.kube_version.version.clone();
        return Err(RenderError::KubeVersion { required, found });
    }
    if options.ends_with_process {
        std::mem::forget(user_values);
    }
    Ok((tree, values))
}

const NOTES: &str = "NOTES.txt";

/// What the charts say to the user; only the root chart counts, unless all are wanted.
fn joined_notes(files: Files, root: &str, with_subcharts: bool) -> String {
    let own = path::join(&[root, "templates", NOTES]);
    let mut notes = String::new();
    for (name, text) in files {
        if with_subcharts || name == own {
            if !notes.is_empty() {
                notes.push('\n');
            }
            notes.push_str(&goyaml::text_of(&text));
        }
    }
    notes
}

/// The definitions of a chart, then those of its subcharts.
fn collect_crds(chart: &ChartTree, full_path: &str, crds: &mut Vec<Crd>) {
    for file in chart.content.files.iter().filter(|file| is_crd(&file.name)) {
        let source = Source::new(path::join(&[full_path, &file.name]));
        crds.push(Crd { source, data: file.data.clone() });
    }
    for subchart in &chart.dependencies {
        collect_crds(subchart, &format!("{full_path}/charts/{}", subchart.name()), crds);
    }
}

/// Whether a file of a chart is a definition of its own kinds.
pub(crate) fn is_crd(name: &str) -> bool {
    let manifest = [".yaml", ".yml", ".json"];
    name.starts_with("crds/")
        && manifest.iter().any(|known| path::extension(name).eq_ignore_ascii_case(known))
}
