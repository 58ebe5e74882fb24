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
use crate::output::{PLAIN, Table, moment, write_json, write_yaml};
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

    // Helm 3's flag for what is the default since.
    #[arg(short, long, hide = true)]
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

    /// Go's layout of the time: '2006-01-02 15:04'
    #[arg(long, value_name = "LAYOUT")]
    time_format: Option<String>,

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
    let found = found.into_iter().map(|stored| stored.record);
    let mut records: Vec<Record> =
        if arguments.wants_only_history() { in_order(found) } else { newest(found) };
    records = records
        .into_iter()
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
    let layout = arguments.time_format.as_deref().filter(|layout| !layout.is_empty()).unwrap_or(PLAIN);
    let rows: Vec<Row> =
        records.into_iter().skip(arguments.offset).take(most).map(|record| row(record, layout)).collect();
    arguments.print(&rows, context)
}

/// The newest revision of each release, by name.
fn newest(records: impl Iterator<Item = Record>) -> Vec<Record> {
    let mut newest: BTreeMap<(String, String), Record> = BTreeMap::new();
    for record in records {
        let key = (record.name.clone(), record.namespace.clone());
        if newest.get(&key).is_none_or(|known| known.version < record.version) {
            newest.insert(key, record);
        }
    }
    newest.into_values().collect()
}

/// All revisions, by name.
fn in_order(records: impl Iterator<Item = Record>) -> Vec<Record> {
    let mut records: Vec<Record> = records.collect();
    records.sort_by(|one, other| {
        let key = |record: &Record| (record.name.clone(), record.namespace.clone(), record.version);
        key(one).cmp(&key(other))
    });
    records
}

fn row(record: Record, layout: &str) -> Row {
    let updated = match record.info.last_deployed.as_str() {
        "" => "-".to_owned(),
        text => moment(text, layout),
    };
    Row {
        revision: record.version.to_string(),
        updated,
        status: record.info.status,
        chart: chart(&record),
        app_version: app_version(&record),
        name: record.name,
        namespace: record.namespace,
    }
}

impl Arguments {
    /// The states that are asked for, each with whether it is a given one.
    fn asked(&self, status: Status) -> [(bool, bool); 6] {
        [
            (self.deployed, status == Status::Deployed),
            (self.failed, status == Status::Failed),
            (self.pending, status.is_pending()),
            (self.superseded, status == Status::Superseded),
            (self.uninstalled, status == Status::Uninstalled),
            (self.uninstalling, status == Status::Uninstalling),
        ]
    }

    /// Whether releases of a status are shown: all, unless some are asked for.
    fn shows(&self, status: Status) -> bool {
        let asked = self.asked(status);
        self.all || asked.iter().all(|(asked, _)| !asked) || asked.iter().any(|(asked, is)| *asked && *is)
    }

    /// Whether nothing but revisions is asked for whose place others took: the newest is never one of them.
    fn wants_only_history(&self) -> bool {
        let asked = self.asked(Status::Superseded);
        !self.all && self.superseded && asked.iter().filter(|(asked, _)| *asked).count() == 1
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
                let mut table = Table::new(0);
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
