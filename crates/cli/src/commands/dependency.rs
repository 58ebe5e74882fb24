//! `slipway dependency`: the charts that a chart depends on.

use clap::{Args, Subcommand};

use crate::context::Context;
use crate::flags::{DependencyFlags, OutputFormatFlag};
use crate::report::{Failure, accepts_at_most};

/// List or fetch the charts that a chart depends on
///
/// A chart declares its dependencies in Chart.yaml and has them, packaged or unpacked, in charts/. Where a
/// dependency comes from is a repository's URL, '@name' for a repository that was added, 'oci://host/path', or
/// 'file://../neighbour'.
#[derive(Args, Debug)]
#[command(subcommand_required = true, arg_required_else_help = true)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand, Debug)]
enum Action {
    /// List the dependencies of a chart and whether charts/ has them
    #[command(alias = "ls", override_usage = LIST_USAGE, after_help = "\
Examples:
  slipway dependency list ./charts/shop
  slipway dependency list ./charts/shop -o json")]
    List(List),
    /// Fetch exactly what Chart.lock says; without a lock, as update does
    #[command(override_usage = BUILD_USAGE, after_help = "\
Examples:
  slipway dependency build ./charts/shop")]
    Build(Fetch),
    /// Fetch the newest versions that Chart.yaml allows, and write Chart.lock
    #[command(alias = "up", override_usage = UPDATE_USAGE, after_help = "\
Examples:
  slipway dependency update ./charts/shop

  # Without asking the repositories for their newest index
  slipway dependency update ./charts/shop --skip-refresh")]
    Update(Fetch),
}

const LIST_USAGE: &str = "slipway dependency list CHART [flags]";
const BUILD_USAGE: &str = "slipway dependency build CHART [flags]";
const UPDATE_USAGE: &str = "slipway dependency update CHART [flags]";

#[derive(Args, Debug)]
struct List {
    /// Directory or packaged chart; the current directory if not given
    #[arg(value_name = "CHART")]
    arguments: Vec<String>,

    /// Widest a column of the table may get
    #[arg(long, value_name = "COLUMNS", default_value_t = 80)]
    max_col_width: usize,

    #[command(flatten)]
    output: OutputFormatFlag,
}

#[derive(Args, Debug)]
struct Fetch {
    /// Directory of the chart; the current directory if not given
    #[arg(value_name = "CHART")]
    arguments: Vec<String>,

    #[command(flatten)]
    flags: DependencyFlags,
}

pub(crate) fn run(arguments: Arguments, context: &mut Context) -> Result<(), Failure> {
    match arguments.action {
        Action::List(list) => run_list(&list, context),
        Action::Build(fetch) => {
            accepts_at_most(1, &fetch.arguments, BUILD_USAGE)?;
            Ok(())
        }
        Action::Update(fetch) => {
            accepts_at_most(1, &fetch.arguments, UPDATE_USAGE)?;
            Ok(())
        }
    }
}

fn run_list(list: &List, _context: &mut Context) -> Result<(), Failure> {
    accepts_at_most(1, &list.arguments, LIST_USAGE)?;
    Ok(())
}
