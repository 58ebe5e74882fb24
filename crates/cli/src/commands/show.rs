//! `slipway show`: what is in a chart.

use std::io::Write as _;

use chart::{Chart, show};
use clap::{Args, Subcommand};
use goyaml::Value;
use objects::jsonpath::JsonPath;

use crate::context::Context;
use crate::flags::{ChartSourceFlags, OutputFormat};
use crate::loading;
use crate::output::write_json;
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
        override_usage = ALL_USAGE,
        after_help = "\
Examples:
  slipway show all ./charts/shop
  slipway show all oci://registry.example.com/charts/shop --version 2.1.0"
    )]
    All(Wanted),
    /// Show the chart's definition, Chart.yaml
    #[command(
        override_usage = CHART_USAGE,
        after_help = "\
Examples:
  slipway show chart ./charts/shop
  slipway show chart repo/shop -o json"
    )]
    Chart(Definition),
    /// Show the chart's default values
    #[command(
        override_usage = VALUES_USAGE,
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
        override_usage = README_USAGE,
        after_help = "\
Examples:
  slipway show readme repo/shop | less"
    )]
    Readme(Wanted),
    /// Show the chart's custom resource definitions
    #[command(
        override_usage = CRDS_USAGE,
        after_help = "\
Examples:
  # Install them on their own
  slipway show crds repo/shop | kubectl apply --server-side -f -"
    )]
    Crds(Wanted),
}

const ALL_USAGE: &str = "slipway show all [CHART] [flags]";
const CHART_USAGE: &str = "slipway show chart [CHART] [flags]";
const VALUES_USAGE: &str = "slipway show values [CHART] [flags]";
const README_USAGE: &str = "slipway show readme [CHART] [flags]";
const CRDS_USAGE: &str = "slipway show crds [CHART] [flags]";

#[derive(Args, Debug)]
struct Wanted {
    /// Directory, packaged chart, repo/name, URL or oci://host/name
    #[arg(value_name = "CHART")]
    positional: Vec<String>,

    #[command(flatten)]
    source: ChartSourceFlags,
}

#[derive(Args, Debug)]
struct Definition {
    #[command(flatten)]
    chart: Wanted,

    /// Print as yaml or json
    #[arg(short = 'o', long = "output", value_name = "FORMAT", default_value = "yaml")]
    format: OutputFormat,
}

#[derive(Args, Debug)]
struct Values {
    #[command(flatten)]
    chart: Wanted,

    /// Print only what this JSONPath expression finds
    #[arg(long, value_name = "EXPRESSION")]
    jsonpath: Option<String>,
}

pub(crate) fn run(arguments: Arguments, context: &mut Context) -> Result<(), Failure> {
    match arguments.part {
        Part::All(wanted) => write_part(&wanted.load(ALL_USAGE, context)?, show::Part::All, context),
        Part::Chart(wanted) => {
            let chart = wanted.chart.load(CHART_USAGE, context)?;
            match wanted.format {
                OutputFormat::Json => Ok(write_json(&mut context.out, &chart.metadata)?),
                OutputFormat::Yaml | OutputFormat::Table => write_part(&chart, show::Part::Chart, context),
            }
        }
        Part::Values(wanted) => {
            let chart = wanted.chart.load(VALUES_USAGE, context)?;
            match wanted.jsonpath.as_deref() {
                Some(expression) if !expression.is_empty() => write_found(&chart, expression, context),
                _ => write_part(&chart, show::Part::Values, context),
            }
        }
        Part::Readme(wanted) => write_part(&wanted.load(README_USAGE, context)?, show::Part::Readme, context),
        Part::Crds(wanted) => write_part(&wanted.load(CRDS_USAGE, context)?, show::Part::Crds, context),
    }
}

impl Wanted {
    fn load(&self, usage: &str, context: &mut Context) -> Result<Chart, Failure> {
        needs_exactly(1, &self.positional, usage)?;
        let path = self.source.locate(&self.positional[0], context)?;
        loading::load_plainly(&path)
    }
}

fn write_part(chart: &Chart, part: show::Part, context: &mut Context) -> Result<(), Failure> {
    let text = show::show(chart, part).map_err(|error| Failure::new(error.to_string()))?;
    context.out.write_all(text.as_bytes())?;
    Ok(())
}

/// What a path does not find is not printed, and no error: that is how Helm has it.
fn write_found(chart: &Chart, expression: &str, context: &mut Context) -> Result<(), Failure> {
    let path = JsonPath::parse(expression)
        .map_err(|error| Failure::new(format!("error parsing jsonpath {expression}: {error}")))?;
    let Some(values) = &chart.values else { return Ok(()) };
    if let Ok(text) = path.render(&Value::Mapping(values.as_ref().clone())) {
        context.out.write_all(text.as_bytes())?;
    }
    Ok(())
}
