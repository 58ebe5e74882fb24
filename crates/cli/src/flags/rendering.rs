//! The flags of commands that render a chart, and rendering only to look at what a chart consists of.

use std::rc::Rc;

use chart::render::Release;
use chart::{Capabilities, RenderOptions, Rendered};
use clap::Args;
use goyaml::Mapping;

use super::{ChartSourceFlags, ValuesFlags};
use crate::context::Context;
use crate::go_flags::comma_separated;
use crate::loading;
use crate::outside::Outside;
use crate::report::{self, Failure, Origin, plain};

/// How a chart is rendered.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Rendering")]
pub(crate) struct RenderingFlags {
    #[command(flatten)]
    pub(crate) cluster: ClusterFlags,

    #[command(flatten)]
    pub(crate) preparation: PreparationFlags,

    #[command(flatten)]
    pub(crate) values: ValuesFlags,

    #[command(flatten)]
    pub(crate) source: ChartSourceFlags,
}

/// What templates are told about the cluster.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct ClusterFlags {
    /// Version of Kubernetes to render for
    #[arg(long, value_name = "VERSION")]
    pub(crate) kube_version: Option<String>,

    /// APIs that the cluster has beside its own: group/version or group/version/Kind, separated by commas
    #[arg(short, long, value_name = "API")]
    pub(crate) api_versions: Vec<String>,
}

/// What happens before rendering.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct PreparationFlags {
    /// Do not check the values against the chart's schemas
    #[arg(long)]
    pub(crate) skip_schema_validation: bool,

    /// Fetch missing dependencies first
    #[arg(long)]
    pub(crate) dependency_update: bool,
}

impl ClusterFlags {
    /// The cluster that templates see.
    pub(crate) fn capabilities(&self) -> Result<Capabilities, Failure> {
        let version = loading::kube_version(self.kube_version.as_deref())?;
        Ok(Capabilities::offline(version, &comma_separated(&self.api_versions)))
    }
}

impl RenderingFlags {
    /// The user's values.
    pub(crate) fn values(&self, context: &Context) -> Result<Mapping, Failure> {
        self.values.merge(context)
    }

    /// Renders a chart for a release, under given values.
    pub(crate) fn render(
        &self,
        reference: &str,
        release: Release,
        values: &Mapping,
        context: &mut Context,
    ) -> Result<Rendered, Failure> {
        let path = self.source.locate(reference, context)?;
        let update = self.preparation.dependency_update.then_some(&self.source);
        let chart = loading::installable(&path, update, context)?;
        let mut options = RenderOptions {
            release,
            capabilities: self.cluster.capabilities()?,
            skip_schema_validation: self.preparation.skip_schema_validation,
            fetch_schema: Some(loading::fetch_schema(context)),
            ..RenderOptions::new(Rc::new(Outside::default()))
        };
        let rendered = chart::render(&chart, values, &mut options).map_err(|error| {
            let files = comma_separated(&self.values.values);
            let origin = Origin { path: &path, chart: &chart, values, files };
            report::rendering(&error, &error.to_string(), &origin)
        })?;
        rendered.warnings.iter().for_each(|warning| plain(warning));
        Ok(rendered)
    }
}
