//! The flags of `slipway install` and `slipway upgrade`.

use std::time::Duration;

use chart::render::post_render::CommandPostRender;
use clap::Args;
use release::Reuse;

use super::Rendering;
use crate::commands::template::release::{check_labels, templated_name};
use crate::flags::{
    ChartSourceFlags, OperationFlags, OrderFlags, OutputFormatFlag, PreparationFlags, SendingFlags,
    ValuesFlags,
};
use crate::go_flags::{boolean, comma_separated, duration};
use crate::operation::ProgressFlag;
use crate::rehearsal::RehearseFlag;
use crate::report::Failure;

pub(super) const INSTALL_USAGE: &str = "slipway install [NAME] CHART|MANIFESTS|- [flags]";
pub(super) const UPGRADE_USAGE: &str = "slipway upgrade NAME CHART|MANIFESTS|- [flags]";

/// Install a chart or plain manifests
///
/// CHART is a directory, a packaged chart, a reference such as repo/name, a URL or oci://host/name. A directory
/// without a Chart.yaml, a YAML file, or - for standard input, are plain manifests. Everything is planned before
/// anything is sent, and what is meant to be there is stored before it is. With --wait=ordered layers and
/// subcharts wait for each other.
#[derive(Args, Debug)]
#[command(override_usage = INSTALL_USAGE, after_help = "\
Examples:
  # In the order that the chart declares
  slipway install shop ./charts/shop --wait=ordered

  # On the embedded cluster, in a namespace that need not be there
  slipway install shop ./charts/shop --embedded -n shop --create-namespace

  # Plain manifests, with the same order, history and deletion
  slipway install shop ./manifests
  kubectl kustomize ./overlay | slipway install shop -

  # All or nothing, within two minutes
  slipway install shop ./charts/shop --atomic --timeout 2m

  # See what would be done, and leave it at that
  slipway install shop ./charts/shop --dry-run=server

  # Try it on a copy of what is there, in memory
  slipway install shop ./charts/shop --wait=ordered --rehearse")]
pub(crate) struct InstallArguments {
    /// Name of the release and the chart
    #[arg(value_name = "[NAME] CHART", hide = true)]
    pub(super) positional: Vec<String>,

    /// Make up a name for the release
    #[arg(short, long)]
    generate_name: bool,

    /// Make the release's name by this template
    #[arg(long, value_name = "TEMPLATE")]
    name_template: Option<String>,

    /// Take the name of a release that failed or is there already
    #[arg(long)]
    pub(super) replace: bool,

    #[arg(long, hide = true, num_args = 0..=1, require_equals = true, default_missing_value = "true", value_parser = boolean)]
    server_side: Option<bool>,

    #[command(flatten)]
    pub(super) deploying: Deploying,
}

/// Upgrade a release to a chart or to plain manifests
#[derive(Args, Debug)]
#[command(override_usage = UPGRADE_USAGE, after_help = "\
Examples:
  # To another version of the chart, in order
  slipway upgrade shop ./charts/shop --wait=ordered

  # Install it if it is not there
  slipway upgrade --install shop ./charts/shop --embedded --wait=ordered

  # Keep the values that were given before, and change one
  slipway upgrade shop ./charts/shop --reuse-values --set web.replicas=3

  # Go back by itself if it fails
  slipway upgrade shop ./charts/shop --atomic

  # Try it on a copy of what is there: what would change, go, be stuck?
  slipway upgrade shop ./charts/shop --rehearse")]
pub(crate) struct UpgradeArguments {
    /// Name of the release and the chart
    #[arg(value_name = "NAME CHART", hide = true)]
    pub(super) positional: Vec<String>,

    /// Install the release if it is not there
    #[arg(short, long)]
    pub(super) install: bool,

    /// Forget the values that were given before
    #[arg(long)]
    reset_values: bool,

    /// Keep the values that were given before, and the defaults of the chart that is deployed
    #[arg(long)]
    reuse_values: bool,

    /// Keep the values that were given before, over the defaults of the new chart
    #[arg(long)]
    reset_then_reuse_values: bool,

    /// If it fails, delete what it has created
    #[arg(long)]
    pub(super) cleanup_on_fail: bool,

    #[arg(long, hide = true, value_name = "WHEN")]
    pub(super) server_side: Option<String>,

    #[command(flatten)]
    pub(super) deploying: Deploying,
}

/// What both have in common.
#[derive(Args, Debug)]
pub(crate) struct Deploying {
    /// Make the namespace if it is not there
    #[arg(long)]
    pub(super) create_namespace: bool,

    /// Take it back if it fails: to the last revision that went well, or out again
    #[arg(long, visible_alias = "rollback-on-failure")]
    atomic: bool,

    /// Show what would be sent, and send nothing: 'client' asks no cluster, 'server' does
    #[arg(long, value_name = "SIDE", num_args = 0..=1, require_equals = true, default_missing_value = "unset")]
    pub(super) dry_run: Option<String>,

    #[command(flatten)]
    pub(super) rehearse: RehearseFlag,

    /// With --dry-run, leave out Secrets
    #[arg(long)]
    pub(super) hide_secret: bool,

    /// Await that Jobs have completed, too
    #[arg(long)]
    pub(super) wait_for_jobs: bool,

    #[command(flatten)]
    pub(super) sending: SendingFlags,

    /// Take objects over that belong to others
    #[arg(long)]
    pub(super) take_ownership: bool,

    /// End everything at the first failure
    #[arg(long)]
    pub(super) fail_fast: bool,

    /// Leave the definitions in crds/ alone, as --crds=skip
    #[arg(long)]
    pub(super) skip_crds: bool,

    /// Revisions to keep; 0 keeps all, and 10 is what HELM_MAX_HISTORY says otherwise
    #[arg(long, value_name = "COUNT")]
    pub(super) history_max: Option<usize>,

    /// What the record says about this revision
    #[arg(long, value_name = "TEXT")]
    pub(super) description: Option<String>,

    /// Labels of the record: key=value,key=value; null takes one away
    #[arg(short, long, value_name = "LABELS")]
    labels: Vec<String>,

    /// How long an unfinished operation of Helm is taken to go on; 15 minutes if not given
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    pub(super) pending_grace: Option<Duration>,

    /// Allow templates to look up host names
    #[arg(long)]
    pub(super) enable_dns: bool,

    /// Show the notes of subcharts, too
    #[arg(long)]
    pub(super) render_subchart_notes: bool,

    /// Do not show the chart's notes
    #[arg(long)]
    pub(super) hide_notes: bool,

    /// Pass the manifests through this command
    #[arg(long, value_name = "COMMAND")]
    pub(super) post_renderer: Option<String>,

    /// Argument of that command (can be given several times)
    #[arg(long, value_name = "ARGUMENT")]
    pub(super) post_renderer_args: Vec<String>,

    #[command(flatten)]
    pub(super) output: OutputFormatFlag,

    #[command(flatten)]
    pub(super) progress: ProgressFlag,

    #[command(flatten)]
    pub(super) operation: OperationFlags,

    #[command(flatten)]
    pub(super) order: OrderFlags,

    #[command(flatten)]
    pub(super) preparation: PreparationFlags,

    #[command(flatten)]
    pub(super) values: ValuesFlags,

    #[command(flatten)]
    pub(super) source: ChartSourceFlags,
}

impl InstallArguments {
    /// What `--server-side` says.
    pub(super) fn server_side(&self) -> Option<&'static str> {
        self.server_side.map(|wanted| if wanted { "true" } else { "false" })
    }

    /// The name of the release, made up if that is asked for, and the chart.
    pub(super) fn name_and_chart(&self) -> Result<(String, String), Failure> {
        let template = self.name_template.as_deref().unwrap_or_default();
        match self.positional.as_slice() {
            [_, _] if self.generate_name => {
                Err(Failure::usage("cannot set --generate-name and also specify a name"))
            }
            [_, _] if !template.is_empty() => {
                Err(Failure::usage("cannot set --name-template and also specify a name"))
            }
            [name, chart] => Ok((name.clone(), chart.clone())),
            [chart] if !template.is_empty() => Ok((templated_name(template)?, chart.clone())),
            [chart] if self.generate_name => Ok((made_up(chart), chart.clone())),
            [_] => Err(Failure::usage("must either provide a name or specify --generate-name")
                .hint("slipway install NAME CHART")),
            _ => Err(Failure::usage("a name and a chart are needed, and nothing else")),
        }
    }
}

/// What Helm makes up: the chart's name, and the time.
fn made_up(chart: &str) -> String {
    let base = chart.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    let base = base.strip_suffix(".tgz").unwrap_or(base);
    let base = match base {
        "" | "." | "-" => "chart",
        base => base,
    };
    format!("{}-{}", base.replace('.', "-").to_lowercase(), jiff::Timestamp::now().as_second())
}

impl UpgradeArguments {
    pub(super) fn reuse(&self) -> Reuse {
        match () {
            () if self.reset_values => Reuse::Reset,
            () if self.reuse_values => Reuse::Everything,
            () if self.reset_then_reuse_values => Reuse::UnderNewDefaults,
            () => Reuse::IfNoneAreGiven,
        }
    }
}

impl Deploying {
    pub(super) fn rendering(&self) -> Rendering<'_> {
        let program = self.post_renderer.clone().filter(|name| !name.is_empty());
        let arguments = self.post_renderer_args.clone();
        Rendering {
            skip_schema_validation: self.preparation.skip_schema_validation,
            enable_dns: self.enable_dns,
            subchart_notes: self.render_subchart_notes,
            post_renderer: program.map(|program| CommandPostRender { program, arguments }),
            files: &self.values.values,
        }
    }

    pub(super) fn is_atomic(&self) -> bool {
        self.atomic
    }

    pub(super) fn labels(&self) -> Result<Vec<(String, String)>, Failure> {
        check_labels(&self.labels)?;
        let labels = comma_separated(&self.labels);
        let split =
            |label: &String| label.split_once('=').map(|(key, value)| (key.to_owned(), value.to_owned()));
        Ok(labels.iter().filter_map(split).collect())
    }
}
