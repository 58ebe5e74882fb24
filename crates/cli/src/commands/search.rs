//! `slipway search`: looks for charts in the repositories that were added.

use clap::{Args, Subcommand};

use crate::context::Context;
use crate::flags::OutputFormatFlag;
use crate::report::Failure;

/// Look for charts
#[derive(Args, Debug)]
#[command(subcommand_required = true, arg_required_else_help = true)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    place: Place,
}

#[derive(Subcommand, Debug)]
enum Place {
    /// Look for a keyword in the charts of the repositories that were added
    ///
    /// What is searched is the cached index: 'slipway repo update' renews it.
    #[command(
        override_usage = "slipway search repo [keyword] [flags]",
        after_help = "\
Examples:
  # The newest stable versions of the charts that mention nginx
  slipway search repo nginx

  # All versions of a range
  slipway search repo nginx --version '^1.0.0' --versions

  # By a regular expression over names, for a machine
  slipway search repo -r '^example/ng' -o json"
    )]
    Repo(Repo),
}

#[derive(Args, Debug)]
struct Repo {
    /// What to look for; everything if not given
    #[arg(value_name = "KEYWORD")]
    keywords: Vec<String>,

    /// The keyword is a regular expression
    #[arg(short, long)]
    regexp: bool,

    /// Show every version of a chart, not only the newest
    #[arg(short = 'l', long)]
    versions: bool,

    /// Consider pre-releases too, as with --version '>0.0.0-0'
    #[arg(long)]
    devel: bool,

    /// Only versions in this range
    #[arg(long, value_name = "RANGE")]
    version: Option<String>,

    /// Widest a column of the table may get
    #[arg(long, value_name = "COLUMNS", default_value_t = 50)]
    max_col_width: usize,

    /// Fail if nothing is found
    #[arg(long)]
    fail_on_no_result: bool,

    #[command(flatten)]
    output: OutputFormatFlag,
}

pub(crate) fn run(_arguments: Arguments, _context: &mut Context) -> Result<(), Failure> {
    Ok(())
}
