//! `slipway lint`: looks for what is wrong with a chart or unusual about it.

use clap::Args;

use crate::context::Context;
use crate::flags::{OutputFormatFlag, ValuesFlags};
use crate::report::{Failure, needs_at_least};

const USAGE: &str = "slipway lint PATH [flags]";

/// Look for problems in charts
///
/// An [ERROR] would make an installation fail; a [WARNING] breaks a convention; [INFO] is good advice.
#[derive(Args, Debug)]
#[command(override_usage = USAGE, after_help = "\
Examples:
  # One chart, with the values it will get
  slipway lint ./charts/shop -f production.yaml

  # It and its subcharts; warnings count as failures
  slipway lint ./charts/shop --with-subcharts --strict

  # For a machine
  slipway lint ./charts/* -o json")]
pub(crate) struct Arguments {
    /// Directories or packaged charts
    #[arg(value_name = "PATH")]
    arguments: Vec<String>,

    /// Fail on warnings too
    #[arg(long)]
    strict: bool,

    /// Look at the subcharts too
    #[arg(long)]
    with_subcharts: bool,

    /// Print only warnings and errors
    #[arg(long)]
    quiet: bool,

    /// Do not check the values against the chart's schemas
    #[arg(long)]
    skip_schema_validation: bool,

    /// Version of Kubernetes that the chart is meant for
    #[arg(long, value_name = "VERSION")]
    kube_version: Option<String>,

    #[command(flatten)]
    output: OutputFormatFlag,

    #[command(flatten)]
    values: ValuesFlags,
}

pub(crate) fn run(arguments: &Arguments, _context: &mut Context) -> Result<(), Failure> {
    needs_at_least(1, &arguments.arguments, USAGE)?;
    Ok(())
}
