//! `slipway create`: starts a new chart.

use clap::Args;

use crate::context::Context;
use crate::report::{Failure, needs_exactly};

const USAGE: &str = "slipway create NAME [flags]";

/// Start a new chart
///
/// Writes a directory with Chart.yaml, values.yaml, .helmignore and templates for a web server, which work as
/// they are. Files that exist are overwritten.
#[derive(Args, Debug)]
#[command(override_usage = USAGE, after_help = "\
Examples:
  slipway create shop

  # From a chart of your own
  slipway create shop --starter /srv/charts/starter")]
pub(crate) struct Arguments {
    /// Directory of the new chart; its last part is the chart's name
    #[arg(value_name = "NAME")]
    arguments: Vec<String>,

    /// Start from this chart: a name below the starters directory, or an absolute path
    #[arg(short = 'p', long, value_name = "STARTER")]
    starter: Option<String>,

    #[arg(long, hide = true, value_name = "VERSION")]
    chart_api_version: Option<String>,
}

pub(crate) fn run(arguments: &Arguments, _context: &mut Context) -> Result<(), Failure> {
    needs_exactly(1, &arguments.arguments, USAGE)?;
    Ok(())
}
