//! `slipway show`: what is in a chart.

use clap::{Args, Subcommand};

use crate::context::Context;
use crate::flags::{ChartSourceFlags, OutputFormat};
use crate::report::{Failure, needs_exactly};

/// Show what is in a chart
#[derive(Args, Debug)]
#[command(alias = "inspect", subcommand_required = true, arg_required_else_help = true)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    part: Part,
}

#[derive(Subcommand, Debug)]
enum Part {
    /// Show everything: definition, values, README and CRDs
    #[command(
        override_usage = "slipway show all [CHART] [flags]",
        after_help = "\
Examples:
  slipway show all ./charts/shop
  slipway show all oci://registry.example.com/charts/shop --version 2.1.0"
    )]
    All(Chart),
    /// Show the chart's definition, Chart.yaml
    #[command(
        override_usage = "slipway show chart [CHART] [flags]",
        after_help = "\
Examples:
  slipway show chart ./charts/shop
  slipway show chart repo/shop -o json"
    )]
    Chart(Definition),
    /// Show the chart's default values
    #[command(
        override_usage = "slipway show values [CHART] [flags]",
        after_help = "\
Examples:
  # A file of values to start from
  slipway show values repo/shop > values.yaml

  # One value
  slipway show values repo/shop --jsonpath '{.image.tag}'"
    )]
    Values(Values),
    /// Show the chart's README
    #[command(
        override_usage = "slipway show readme [CHART] [flags]",
        after_help = "\
Examples:
  slipway show readme repo/shop | less"
    )]
    Readme(Chart),
    /// Show the chart's custom resource definitions
    #[command(
        override_usage = "slipway show crds [CHART] [flags]",
        after_help = "\
Examples:
  # Install them on their own
  slipway show crds repo/shop | kubectl apply --server-side -f -"
    )]
    Crds(Chart),
}

#[derive(Args, Debug)]
struct Chart {
    /// Directory, packaged chart, repo/name, URL or oci://host/name
    #[arg(value_name = "CHART")]
    arguments: Vec<String>,

    #[command(flatten)]
    source: ChartSourceFlags,
}

#[derive(Args, Debug)]
struct Definition {
    #[command(flatten)]
    chart: Chart,

    /// Print as yaml or json
    #[arg(short = 'o', long = "output", value_name = "FORMAT", default_value = "yaml")]
    format: OutputFormat,
}

#[derive(Args, Debug)]
struct Values {
    #[command(flatten)]
    chart: Chart,

    /// Print only what this JSONPath expression finds
    #[arg(long, value_name = "EXPRESSION")]
    jsonpath: Option<String>,
}

pub(crate) fn run(_arguments: Arguments, _context: &mut Context) -> Result<(), Failure> {
    Ok(())
}
