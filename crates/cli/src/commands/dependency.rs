//! `slipway dependency`: the charts that a chart depends on.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use chart::remote::dependency::{Manager, list};
use chart::remote::download::Verify;
use chart::remote::oci::Registry;
use chart::remote::{Remote, Silent};
use clap::{Args, Subcommand};
use serde::Serialize;

use crate::context::Context;
use crate::flags::{ChartSourceFlags, ConnectionFlags, DependencyFlags, OutputFormat, OutputFormatFlag};
use crate::loading;
use crate::network::{OnOutput, wait};
use crate::output::{Table, write_json, write_yaml};
use crate::report::{Failure, accepts_at_most};
use crate::settings::source_date;

/// List or fetch the charts that a chart depends on
#[derive(Args, Debug)]
#[command(subcommand_required = true, arg_required_else_help = true, long_about = ABOUT)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    action: Action,
}

const ABOUT: &str = "\
List or fetch the charts that a chart depends on

A chart declares its dependencies in Chart.yaml and has them, packaged or unpacked, in charts/. Where a
dependency comes from is a repository's URL, '@name' for a repository that was added, 'oci://host/path', or
'file://../neighbour'.";

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
    positional: Vec<String>,

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
    positional: Vec<String>,

    #[command(flatten)]
    flags: DependencyFlags,
}

pub(crate) fn run(arguments: Arguments, context: &mut Context) -> Result<(), Failure> {
    match arguments.action {
        Action::List(list) => run_list(&list, context),
        Action::Build(fetch) => {
            accepts_at_most(1, &fetch.positional, BUILD_USAGE)?;
            let verify = if fetch.flags.verify { Verify::IfPossible } else { Verify::Never };
            let prepared = fetch.prepare(verify, context)?;
            let work = prepared.manager();
            wait(work.build(&mut OnOutput(&mut context.out)))??;
            Ok(())
        }
        Action::Update(fetch) => {
            accepts_at_most(1, &fetch.positional, UPDATE_USAGE)?;
            let verify = if fetch.flags.verify { Verify::Always } else { Verify::Never };
            let prepared = fetch.prepare(verify, context)?;
            let work = prepared.manager();
            wait(work.update(&mut OnOutput(&mut context.out)))??;
            Ok(())
        }
    }
}

/// Fetches what a chart misses before it is rendered.
pub(crate) fn update_for(
    chart: &Path,
    source: &ChartSourceFlags,
    context: &mut Context,
) -> Result<(), Failure> {
    let prepared = Prepared::new(chart.to_owned(), &source.connection, source.keyring.as_deref(), context)?;
    wait(prepared.manager().update(&mut OnOutput(&mut context.out)))??;
    Ok(())
}

/// Fetches the dependencies of a chart that is about to be packaged, without a word.
pub(crate) fn update_quietly(
    chart: &Path,
    connection: &ConnectionFlags,
    keyring: Option<&str>,
    context: &Context,
) -> Result<(), Failure> {
    let prepared = Prepared::new(chart.to_owned(), connection, keyring, context)?;
    wait(prepared.manager().update(&mut Silent))??;
    Ok(())
}

/// What a [`Manager`] borrows.
struct Prepared {
    remote: Remote,
    registry: Registry,
    chart: PathBuf,
    verify: Verify,
    keyring: PathBuf,
    skip_refresh: bool,
    debug: bool,
    source_date: Option<SystemTime>,
}

impl Prepared {
    fn new(
        chart: PathBuf,
        connection: &ConnectionFlags,
        keyring: Option<&str>,
        context: &Context,
    ) -> Result<Self, Failure> {
        let remote = context.remote();
        let registry = remote.registry(connection.auth(), connection.tls(), connection.plain_http);
        Ok(Self {
            remote,
            registry,
            chart,
            verify: Verify::Never,
            keyring: context.settings.keyring(keyring),
            skip_refresh: false,
            debug: context.settings.debug,
            source_date: source_date()?,
        })
    }

    fn manager(&self) -> Manager<'_> {
        Manager {
            remote: &self.remote,
            registry: &self.registry,
            chart: self.chart.clone(),
            verify: self.verify,
            keyring: self.keyring.clone(),
            skip_refresh: self.skip_refresh,
            debug: self.debug,
            source_date: self.source_date,
        }
    }
}

impl Fetch {
    fn prepare(&self, verify: Verify, context: &Context) -> Result<Prepared, Failure> {
        let flags = &self.flags;
        let prepared = Prepared::new(
            chart_path(&self.positional),
            &flags.connection,
            flags.keyring.as_deref(),
            context,
        )?;
        Ok(Prepared { verify, skip_refresh: flags.skip_refresh, ..prepared })
    }
}

fn chart_path(arguments: &[String]) -> PathBuf {
    let given = arguments.first().map_or(".", String::as_str);
    PathBuf::from(chart::remote::url::clean_path(given))
}

#[derive(Serialize)]
struct Row<'a> {
    name: &'a str,
    version: &'a str,
    repository: &'a str,
    status: &'a str,
}

impl<'a> From<&'a list::Row> for Row<'a> {
    fn from(row: &'a list::Row) -> Self {
        Self { name: &row.name, version: &row.version, repository: &row.repository, status: row.status }
    }
}

fn run_list(list: &List, context: &mut Context) -> Result<(), Failure> {
    accepts_at_most(1, &list.positional, LIST_USAGE)?;
    let path = chart_path(&list.positional);
    let listing = list::list(&path).map_err(|error| loading::plain_error(&error, &path))?;
    let rows: Option<Vec<Row>> = listing.rows.as_ref().map(|rows| rows.iter().map(Row::from).collect());
    let out = &mut context.out;
    match list.output.format {
        OutputFormat::Json => return Ok(write_json(out, &rows.unwrap_or_default())?),
        OutputFormat::Yaml => return Ok(write_yaml(out, &rows.unwrap_or_default())?),
        OutputFormat::Table => {}
    }
    if let Some(rows) = rows {
        let mut table = Table::new(list.max_col_width);
        table.row(["NAME", "VERSION", "REPOSITORY", "STATUS"]);
        for row in &rows {
            table.row([row.name, row.version, row.repository, row.status]);
        }
        writeln!(out, "{table}\n")?;
    }
    for warning in &listing.warnings {
        writeln!(out, "{warning}")?;
    }
    Ok(())
}
