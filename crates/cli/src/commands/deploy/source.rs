//! What is deployed: a chart, or plain manifests.

use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use bytes::Bytes;
use chart::render::post_render::CommandPostRender;
use chart::render::{Release as RenderedFor, chart_of, render_plain};
use chart::{Capabilities, Chart, RenderOptions, Rendered};
use goyaml::Mapping;
use release::Release;

use crate::cluster;
use crate::context::Context;
use crate::flags::{ChartSourceFlags, PreparationFlags};
use crate::go_flags::comma_separated;
use crate::loading;
use crate::operation::Desk;
use crate::outside::Outside;
use crate::report::{self, Failure, Origin, plain};

/// How it is rendered.
#[derive(Default)]
pub(crate) struct Rendering<'a> {
    /// Whether schemas are passed over.
    pub(crate) skip_schema_validation: bool,
    /// Whether templates may look up host names.
    pub(crate) enable_dns: bool,
    /// Whether the notes of subcharts count.
    pub(crate) subchart_notes: bool,
    /// What manifests pass through.
    pub(crate) post_renderer: Option<CommandPostRender>,
    /// The files that values were given by, for what is told of errors.
    pub(crate) files: &'a [String],
}

/// What stands for standard input.
const STDIN: &str = "-";

/// Something that can be deployed.
pub(crate) struct Source {
    /// The chart, or what stands for it.
    pub(crate) chart: Chart,
    from: From,
}

enum From {
    Chart(PathBuf),
    Manifests(Vec<(String, Bytes)>),
}

impl Source {
    /// Loads what a user names: manifests if it is standard input, a YAML file or a directory that is no chart.
    pub(crate) fn load(
        name: &str,
        reference: &str,
        source: &ChartSourceFlags,
        preparation: &PreparationFlags,
        context: &mut Context,
    ) -> Result<Self, Failure> {
        if let Some(files) = manifests(reference)? {
            return Ok(Self { chart: chart_of(name, &files), from: From::Manifests(files) });
        }
        let path = source.locate(reference, context)?;
        let update = preparation.dependency_update.then_some(source);
        let chart = loading::installable(&path, update, context)?;
        Ok(Self { chart, from: From::Chart(path) })
    }

    /// Whether it is plain manifests.
    pub(crate) fn is_plain(&self) -> bool {
        matches!(self.from, From::Manifests(_))
    }

    /// Renders it as a live cluster sees it.
    pub(crate) fn render_live(
        &self,
        desk: &Desk,
        release: &Release,
        values: &Mapping,
        flags: &Rendering<'_>,
        context: &Context,
    ) -> Result<Rendered, Failure> {
        let served = desk.engine.served();
        let outside = Outside {
            cluster: Some(Rc::new((desk.cluster.clone(), served.clone()))),
            enable_dns: flags.enable_dns,
            ..Outside::default()
        };
        let marks = release.marks();
        let release = RenderedFor {
            name: marks.name.clone(),
            namespace: marks.namespace.clone(),
            revision: i64::from(release.next_version()),
            is_upgrade: release.is_installed(),
        };
        self.render(release, cluster::capabilities(served), outside, values, flags, context)
    }

    /// Renders it without a cluster.
    pub(super) fn render_offline(
        &self,
        name: &str,
        values: &Mapping,
        flags: &Rendering<'_>,
        context: &Context,
    ) -> Result<Rendered, Failure> {
        let release = RenderedFor {
            name: name.to_owned(),
            namespace: context.settings.namespace(),
            revision: 1,
            is_upgrade: false,
        };
        let outside = Outside { enable_dns: flags.enable_dns, ..Outside::default() };
        self.render(release, Capabilities::offline(None, &[]), outside, values, flags, context)
    }

    fn render(
        &self,
        release: RenderedFor,
        capabilities: Capabilities,
        outside: Outside,
        values: &Mapping,
        flags: &Rendering<'_>,
        context: &Context,
    ) -> Result<Rendered, Failure> {
        let rendered = match &self.from {
            From::Manifests(_) if !values.is_empty() => {
                return Err(Failure::usage("plain manifests take no values")
                    .hint("values are for charts: leave out --set, --values and the like"));
            }
            From::Manifests(files) => {
                render_plain(&release.name, files).map_err(|error| Failure::new(error.to_string()))?
            }
            From::Chart(path) => {
                let mut post_renderer = flags.post_renderer.clone();
                let mut options = RenderOptions {
                    release,
                    capabilities,
                    skip_schema_validation: flags.skip_schema_validation,
                    fetch_schema: Some(loading::fetch_schema(context)),
                    subchart_notes: flags.subchart_notes,
                    post_render: post_renderer.as_mut().map(|command| command as _),
                    ..RenderOptions::new(Rc::new(outside))
                };
                chart::render(&self.chart, values, &mut options).map_err(|error| {
                    let files = comma_separated(flags.files);
                    let origin = Origin { path, chart: &self.chart, values, files };
                    report::rendering(&error, &error.to_string(), &origin)
                })?
            }
        };
        rendered.warnings.iter().for_each(|warning| plain(warning));
        if rendered.manifests.is_empty() && rendered.hooks.is_empty() && self.is_plain() {
            return Err(Failure::new("there is nothing to deploy: the manifests have no objects"));
        }
        Ok(rendered)
    }
}

/// The manifests that a user names, if that is what they are.
fn manifests(reference: &str) -> Result<Option<Vec<(String, Bytes)>>, Failure> {
    let path = Path::new(reference);
    if reference == STDIN {
        let mut text = Vec::new();
        std::io::stdin().read_to_end(&mut text)?;
        return Ok(Some(vec![("stdin.yaml".to_owned(), text.into())]));
    }
    if is_manifest(path) && path.is_file() {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        return Ok(Some(vec![(name, read(path)?)]));
    }
    if !path.is_dir() || path.join("Chart.yaml").exists() {
        return Ok(None);
    }
    if let Some(file) =
        ["kustomization.yaml", "kustomization.yml"].iter().find(|file| path.join(file).exists())
    {
        return Err(Failure::new(format!("{} has a {file}, which is for kustomize", path.display()))
            .hint(format!("kubectl kustomize {} | slipway install NAME -", path.display())));
    }
    let mut files = Vec::new();
    walk(path, path, &mut files)?;
    if files.is_empty() {
        return Err(Failure::new(format!("{}: neither a chart nor manifests", path.display()))
            .hint("a chart has a Chart.yaml; manifests are files that end in .yaml, .yml or .json"));
    }
    files.sort();
    Ok(Some(files))
}

fn walk(root: &Path, directory: &Path, files: &mut Vec<(String, Bytes)>) -> Result<(), Failure> {
    let failed = |error: std::io::Error| Failure::new(format!("{}: {error}", directory.display()));
    for entry in std::fs::read_dir(directory).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        if path.is_dir() {
            walk(root, &path, files)?;
        } else if is_manifest(&path) {
            let name = path.strip_prefix(root).unwrap_or(&path).to_string_lossy().into_owned();
            files.push((name, read(&path)?));
        }
    }
    Ok(())
}

fn read(path: &Path) -> Result<Bytes, Failure> {
    let text = std::fs::read(path).map_err(|error| Failure::new(format!("{}: {error}", path.display())))?;
    Ok(text.into())
}

fn is_manifest(path: &Path) -> bool {
    path.extension().is_some_and(|end| end == "yaml" || end == "yml" || end == "json")
}
