//! `slipway search`: looks for charts in the repositories that were added.

use std::io::Write as _;

use chart::remote::repo::search::Query;
use clap::{Args, Subcommand};
use serde::Serialize;

use crate::context::Context;
use crate::flags::{OutputFormat, OutputFormatFlag};
use crate::network::OnError;
use crate::output::{Table, write_json, write_yaml};
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

pub(crate) fn run(arguments: Arguments, context: &mut Context) -> Result<(), Failure> {
    let Place::Repo(wanted) = arguments.place;
    let query = Query {
        term: (!wanted.keywords.is_empty()).then(|| wanted.keywords.join(" ")),
        regexp: wanted.regexp,
        versions: wanted.versions,
        devel: wanted.devel,
        version: wanted.version.clone().unwrap_or_default(),
    };
    let found =
        context.remote().search(&query, &mut OnError).map_err(|error| Failure::new(error.to_string()))?;
    if found.is_empty() && wanted.fail_on_no_result {
        return Err(Failure::new("no results found"));
    }
    let rows: Vec<Row> = found
        .iter()
        .map(|found| Row {
            name: &found.name,
            version: &found.chart.metadata.version,
            app_version: &found.chart.metadata.app_version,
            description: &found.chart.metadata.description,
        })
        .collect();
    match wanted.output.format {
        OutputFormat::Table => write_table(&rows, wanted.max_col_width, context)?,
        OutputFormat::Json => write_json(&mut context.out, &rows)?,
        OutputFormat::Yaml => write_yaml(&mut context.out, &rows)?,
    }
    Ok(())
}

#[derive(Serialize)]
struct Row<'a> {
    name: &'a str,
    version: &'a str,
    app_version: &'a str,
    description: &'a str,
}

fn write_table(rows: &[Row<'_>], max_column_width: usize, context: &mut Context) -> std::io::Result<()> {
    if rows.is_empty() {
        return writeln!(context.out, "No results found");
    }
    let mut table = Table::new(max_column_width);
    table.row(["NAME", "CHART VERSION", "APP VERSION", "DESCRIPTION"]);
    for row in rows {
        table.row([row.name, row.version, row.app_version, row.description]);
    }
    writeln!(context.out, "{table}")
}
