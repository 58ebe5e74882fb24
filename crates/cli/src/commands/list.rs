//! `slipway list`: what releases there are.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::io::Write as _;

use clap::Args;
use goregexp::Regexp;
use release::{Record, Status, Storage};
use serde::Serialize;

use super::history::{app_version, chart};
use crate::cluster::{self, Cluster};
use crate::context::Context;
use crate::flags::{OutputFormat, OutputFormatFlag};
use crate::output::{Table, write_json, write_yaml};
use crate::report::Failure;
use crate::settings;

/// List releases
#[derive(Args, Debug)]
#[command(
    visible_alias = "ls",
    after_help = "\
Examples:
  slipway list

  # Of every namespace, for a machine
  slipway list -A -o json

  # Those that failed, the newest first
  slipway list --failed -d -r"
)]
pub(crate) struct Arguments {
    /// Releases of every namespace
    #[arg(short = 'A', long)]
    all_namespaces: bool,

    /// In whatever state they are
    #[arg(short, long)]
    all: bool,

    /// Those that are deployed
    #[arg(long)]
    deployed: bool,

    /// Those that failed
    #[arg(long)]
    failed: bool,

    /// Those that somebody is at work on
    #[arg(long)]
    pending: bool,

    /// Those that a later revision took the place of
    #[arg(long)]
    superseded: bool,

    /// Those that were taken out, and whose record was kept
    #[arg(long)]
    uninstalled: bool,

    /// Those that are being taken out
    #[arg(long)]
    uninstalling: bool,

    /// Only names that this regular expression matches
    #[arg(short, long, value_name = "EXPRESSION")]
    filter: Option<String>,

    /// Only records with these labels: key=value,key!=value
    #[arg(short = 'l', long, value_name = "LABELS")]
    selector: Option<String>,

    /// Only the names
    #[arg(short = 'q', long)]
    short: bool,

    /// By date instead of by name
    #[arg(short, long)]
    date: bool,

    /// The other way round
    #[arg(short, long)]
    reverse: bool,

    /// At most so many; 0 for all
    #[arg(short, long, value_name = "COUNT", default_value_t = 256)]
    max: usize,

    /// Leave out so many first
    #[arg(long, value_name = "COUNT", default_value_t = 0)]
    offset: usize,

    /// Leave out the headings
    #[arg(long)]
    no_headers: bool,

    #[command(flatten)]
    output: OutputFormatFlag,
}

#[derive(Serialize)]
struct Row {
    name: String,
    namespace: String,
    revision: String,
    updated: String,
    status: Status,
    chart: String,
    app_version: String,
}

pub(crate) fn run(arguments: &Arguments, context: &mut Context) -> Result<(), Failure> {
    let filter = arguments.filter.as_deref().filter(|filter| !filter.is_empty());
    let filter =
        filter.map(Regexp::compile).transpose().map_err(|error| Failure::usage(error.to_string()))?;
    settings::check_driver()?;
    let cluster = Cluster::connect(&context.settings.cluster())?;
    let storage = if arguments.all_namespaces {
        Storage::everywhere(cluster.client())
    } else {
        Storage::new(cluster.client(), &context.settings.namespace())
    };
    let found = cluster.wait(storage.all(arguments.selector.as_deref()));
    let found = found.map_err(|error| cluster::unreadable(&error))?;
    let mut newest: BTreeMap<(String, String), Record> = BTreeMap::new();
    for record in found.into_iter().map(|stored| stored.record) {
        let key = (record.name.clone(), record.namespace.clone());
        if newest.get(&key).is_none_or(|known| known.version < record.version) {
            newest.insert(key, record);
        }
    }
    let mut records: Vec<Record> = newest
        .into_values()
        .filter(|record| arguments.shows(record.info.status))
        .filter(|record| filter.as_ref().is_none_or(|filter| filter.is_match(&record.name)))
        .collect();
    if arguments.date {
        records.sort_by_key(|record| Reverse(objects::parse_time(&record.info.last_deployed)));
        records.reverse();
    }
    if arguments.reverse {
        records.reverse();
    }
    let most = if arguments.max == 0 { usize::MAX } else { arguments.max };
    let rows: Vec<Row> = records.into_iter().skip(arguments.offset).take(most).map(row).collect();
    arguments.print(&rows, context)
}

fn row(record: Record) -> Row {
    Row {
        revision: record.version.to_string(),
        updated: record.info.last_deployed.clone(),
        status: record.info.status,
        chart: chart(&record),
        app_version: app_version(&record),
        name: record.name,
        namespace: record.namespace,
    }
}

impl Arguments {
    /// Whether releases of a status are shown; by default all but those that are gone or only history.
    fn shows(&self, status: Status) -> bool {
        let chosen = [
            (self.deployed, status == Status::Deployed),
            (self.failed, status == Status::Failed),
            (self.pending, status.is_pending()),
            (self.superseded, status == Status::Superseded),
            (self.uninstalled, status == Status::Uninstalled),
            (self.uninstalling, status == Status::Uninstalling),
        ];
        if self.all {
            return true;
        }
        if chosen.iter().any(|(asked, _)| *asked) {
            return chosen.iter().any(|(asked, is)| *asked && *is);
        }
        !matches!(status, Status::Uninstalled | Status::Superseded)
    }

    fn print(&self, rows: &[Row], context: &mut Context) -> Result<(), Failure> {
        let out = &mut context.out;
        if self.short {
            let names: Vec<&str> = rows.iter().map(|row| row.name.as_str()).collect();
            match self.output.format {
                OutputFormat::Json => write_json(out, &names)?,
                OutputFormat::Yaml => write_yaml(out, &names)?,
                OutputFormat::Table => names.iter().try_for_each(|name| writeln!(out, "{name}"))?,
            }
            return Ok(());
        }
        match self.output.format {
            OutputFormat::Json => write_json(out, &rows)?,
            OutputFormat::Yaml => write_yaml(out, &rows)?,
            OutputFormat::Table => {
                let mut table = Table::new(60);
                if !self.no_headers {
                    table.row(["NAME", "NAMESPACE", "REVISION", "UPDATED", "STATUS", "CHART", "APP VERSION"]);
                }
                for row in rows {
                    let Row { name, namespace, revision, updated, chart, app_version, .. } = row;
                    table.row([name, namespace, revision, updated, row.status.name(), chart, app_version]);
                }
                writeln!(out, "{table}")?;
            }
        }
        Ok(())
    }
}
