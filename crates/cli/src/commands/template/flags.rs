//! The flags of `slipway template`.

use std::time::Duration;

use clap::Args;

use crate::flags::{ChartSourceFlags, ClusterFlags, PreparationFlags, ValuesFlags};
use crate::go_flags::{boolean, duration};

/// Render a chart and print the manifests
///
/// CHART is a directory, a packaged chart, a reference such as repo/name, a URL or oci://host/name. Nothing is
/// sent to a cluster: lookups find nothing, and the Kubernetes version and its APIs are those of --kube-version
/// and --api-versions.
#[derive(Args, Debug, Default)]
#[command(override_usage = super::USAGE, after_help = "\
Examples:
  # Render the chart in a directory as release 'shop'
  slipway template shop ./charts/shop

  # Override values, and see only one template
  slipway template shop ./charts/shop -f production.yaml --set web.replicas=3 -s templates/web.yaml

  # Render for a given cluster, with the CRDs and without the tests
  slipway template shop ./charts/shop --kube-version 1.33 --api-versions monitoring.coreos.com/v1 \\
    --include-crds --skip-tests

  # In the order in which '--wait=ordered' deploys, layer by layer
  slipway template shop ./charts/shop --wait=ordered

  # Render a chart from a registry
  slipway template shop oci://registry.example.com/charts/shop --version '^2'

  # One file per template instead of standard output
  slipway template shop ./charts/shop --output-dir rendered")]
pub(crate) struct Arguments {
    /// Name of the release (optional) and the chart
    #[arg(value_name = "[NAME] CHART", hide = true)]
    pub(super) positional: Vec<String>,

    #[command(flatten)]
    pub(super) selection: Selection,

    #[command(flatten)]
    pub(super) release: Release,

    #[command(flatten)]
    pub(super) cluster: Cluster,

    #[command(flatten)]
    pub(super) processing: Processing,

    #[command(flatten)]
    pub(super) values: ValuesFlags,

    #[command(flatten)]
    pub(super) source: ChartSourceFlags,

    #[command(flatten)]
    pub(super) installation: Installation,
}

/// What is printed.
#[derive(Args, Debug, Default)]
#[command(next_help_heading = "What is printed")]
pub(super) struct Selection {
    /// Only the manifests of these templates; may have wildcards (can be given several times)
    #[arg(short, long, value_name = "TEMPLATE")]
    pub(super) show_only: Vec<String>,

    /// Print the chart's CRDs too
    #[arg(long)]
    pub(super) include_crds: bool,

    /// Leave out CRDs
    #[arg(long)]
    pub(super) skip_crds: bool,

    /// Leave out test hooks
    #[arg(long)]
    pub(super) skip_tests: bool,

    /// Leave out all hooks
    #[arg(long)]
    pub(super) no_hooks: bool,

    /// With 'ordered', print in the order of deployment, with each layer's begin and end marked; other
    /// strategies have no effect here
    #[arg(long, value_name = "STRATEGY", num_args = 0..=1, require_equals = true, default_missing_value = "watcher", value_parser = wait_strategy)]
    pub(super) wait: Option<String>,

    /// Write one file per template into this directory
    #[arg(long, value_name = "DIRECTORY")]
    pub(super) output_dir: Option<String>,

    /// Put those files into a subdirectory named after the release
    #[arg(long)]
    pub(super) release_name: bool,
}

/// What the templates are told about the release.
#[derive(Args, Debug, Default)]
#[command(next_help_heading = "Release")]
pub(super) struct Release {
    /// Make up a name for the release
    #[arg(short, long)]
    pub(super) generate_name: bool,

    /// Make the release's name by this template
    #[arg(long, value_name = "TEMPLATE")]
    pub(super) name_template: Option<String>,

    /// Render as for an upgrade instead of an installation
    #[arg(long)]
    pub(super) is_upgrade: bool,

    /// Labels of the release: key=value,key=value
    #[arg(short, long, value_name = "LABELS")]
    pub(super) labels: Vec<String>,

    /// Description of the release
    #[arg(long, value_name = "TEXT")]
    pub(super) description: Option<String>,
}

/// What the templates are told about the cluster.
#[derive(Args, Debug, Default)]
#[command(next_help_heading = "Cluster")]
pub(super) struct Cluster {
    #[command(flatten)]
    pub(super) known: ClusterFlags,

    /// Allow templates to look up host names
    #[arg(long)]
    pub(super) enable_dns: bool,

    /// Which side simulates the release: 'server' asks the cluster for its version, kinds and objects, 'client' does not
    #[arg(long, value_name = "SIDE", num_args = 0..=1, require_equals = true, default_missing_value = "unset")]
    pub(super) dry_run: Option<String>,

    #[arg(long, hide = true)]
    pub(super) validate: bool,
}

/// What happens around rendering.
#[derive(Args, Debug, Default)]
#[command(next_help_heading = "Rendering")]
pub(super) struct Processing {
    #[command(flatten)]
    pub(super) preparation: PreparationFlags,

    /// Pass the manifests through this command
    #[arg(long, value_name = "COMMAND")]
    pub(super) post_renderer: Vec<String>,

    /// Argument of that command (can be given several times)
    #[arg(long, value_name = "ARGUMENT")]
    pub(super) post_renderer_args: Vec<String>,
}

/// Flags of an installation, which rendering alone has no use for; scripts may pass them.
#[derive(Args, Debug, Default)]
#[command(next_help_heading = "Accepted without effect")]
pub(super) struct Installation {
    #[arg(long, hide = true)]
    pub(super) create_namespace: bool,
    #[arg(long, hide = true)]
    pub(super) force_replace: bool,
    #[arg(long, hide = true)]
    pub(super) force: bool,
    #[arg(long, hide = true)]
    pub(super) force_conflicts: bool,
    #[arg(long, hide = true, num_args = 0..=1, require_equals = true, default_missing_value = "true", value_parser = boolean)]
    pub(super) server_side: Option<bool>,
    #[arg(long, hide = true)]
    pub(super) replace: bool,
    #[arg(long, hide = true, value_parser = duration)]
    pub(super) timeout: Option<Duration>,
    #[arg(long, hide = true)]
    pub(super) wait_for_jobs: bool,
    #[arg(long, hide = true)]
    pub(super) disable_openapi_validation: bool,
    #[arg(long, hide = true)]
    pub(super) rollback_on_failure: bool,
    #[arg(long, hide = true)]
    pub(super) atomic: bool,
    #[arg(long, hide = true)]
    pub(super) take_ownership: bool,
    #[arg(long, hide = true)]
    pub(super) render_subchart_notes: bool,
    #[arg(long, hide = true)]
    pub(super) hide_notes: bool,
}

/// The strategy that deploys by layers and subcharts.
const ORDERED: &str = "ordered";

impl Selection {
    /// Whether manifests are printed in the order of deployment.
    pub(super) fn is_ordered(&self) -> bool {
        self.wait.as_deref() == Some(ORDERED)
    }
}

fn wait_strategy(text: &str) -> Result<String, String> {
    match text {
        "watcher" | "hookOnly" | "legacy" | ORDERED | "true" | "false" => Ok(text.to_owned()),
        _ => Err(format!(
            "invalid wait input {text:?}. Valid inputs are watcher, hookOnly, legacy, and {ORDERED}"
        )),
    }
}
