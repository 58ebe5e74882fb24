//! `slipway history`: the revisions of a release.

use std::io::Write as _;

use clap::Args;
use release::{Record, Status, Storage};
use serde::Serialize;
use serde_json::Value;

use crate::cluster::{self, Cluster};
use crate::context::Context;
use crate::flags::{OutputFormat, OutputFormatFlag};
use crate::output::{ANSIC, Table, moment, write_json, write_yaml};
use crate::report::Failure;
use crate::settings;

/// Show the revisions of a release
#[derive(Args, Debug)]
#[command(
    visible_alias = "hist",
    after_help = "\
Examples:
  slipway history shop

  # The last three
  slipway history shop --max 3"
)]
pub(crate) struct Arguments {
    /// Name of the release
    name: String,

    /// At most so many of the newest
    #[arg(long, value_name = "COUNT", default_value_t = 256)]
    max: usize,

    /// In a table, show which revision was gone back to
    #[arg(long)]
    show_rollback_revision: bool,

    #[command(flatten)]
    output: OutputFormatFlag,
}

#[derive(Serialize)]
struct Row {
    revision: u32,
    updated: String,
    status: Status,
    chart: String,
    app_version: String,
    description: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    rollback_revision: Option<u64>,
}

pub(crate) fn run(arguments: &Arguments, context: &mut Context) -> Result<(), Failure> {
    let records = revisions(&arguments.name, context)?;
    let first = records.len().saturating_sub(arguments.max);
    let rows: Vec<Row> = records[first..]
        .iter()
        .map(|record| Row {
            revision: record.version,
            updated: record.info.last_deployed.clone(),
            status: record.info.status,
            chart: chart(record),
            app_version: app_version(record),
            description: record.info.description.clone(),
            rollback_revision: record.info.others.get("rollback_revision").and_then(Value::as_u64),
        })
        .collect();
    match arguments.output.format {
        OutputFormat::Json => write_json(&mut context.out, &rows)?,
        OutputFormat::Yaml => write_yaml(&mut context.out, &rows)?,
        OutputFormat::Table => {
            let mut table = Table::new(0);
            let mut titles = vec!["REVISION", "UPDATED", "STATUS", "CHART", "APP VERSION", "DESCRIPTION"];
            if arguments.show_rollback_revision {
                titles.insert(5, "ROLLBACK");
            }
            table.cells(&titles);
            for row in &rows {
                let Row { chart, app_version, description, .. } = row;
                let updated = moment(&row.updated, ANSIC);
                let revision = row.revision.to_string();
                let back_to = row.rollback_revision.map(|revision| revision.to_string()).unwrap_or_default();
                let status = row.status.name();
                let mut cells: Vec<&str> = vec![&revision, &updated, status, chart, app_version, description];
                if arguments.show_rollback_revision {
                    cells.insert(5, &back_to);
                }
                table.cells(&cells);
            }
            writeln!(context.out, "{table}")?;
        }
    }
    Ok(())
}

/// The revisions of a release, the first one first.
pub(crate) fn revisions(name: &str, context: &Context) -> Result<Vec<Record>, Failure> {
    settings::check_driver()?;
    let cluster = Cluster::connect(&context.settings.cluster())?;
    let storage = Storage::new(cluster.client(), &context.settings.namespace());
    let found = cluster.wait(storage.history(name)).map_err(|error| cluster::unreadable(&error))?;
    if found.is_empty() {
        return Err(Failure::new("release: not found")
            .hint("'slipway list -A' shows the releases of every namespace"));
    }
    Ok(found.into_iter().map(|stored| stored.record).collect())
}

/// One revision of a release: the newest, unless another is asked for.
pub(crate) fn revision(name: &str, version: u32, context: &Context) -> Result<Record, Failure> {
    let mut records = revisions(name, context)?;
    let place = match version {
        0 => records.len() - 1,
        version => records.iter().position(|record| record.version == version).ok_or_else(|| {
            let known: Vec<String> = records.iter().map(|record| record.version.to_string()).collect();
            Failure::new("release: not found")
                .hint(format!("the revisions of {name} are {}", known.join(", ")))
        })?,
    };
    Ok(records.swap_remove(place))
}

/// The version of what a revision's chart installs.
pub(crate) fn app_version(record: &Record) -> String {
    metadata(record, "appVersion").to_owned()
}

/// The chart of a revision, with its version.
pub(crate) fn chart(record: &Record) -> String {
    format!("{}-{}", metadata(record, "name"), metadata(record, "version"))
}

/// A text of the chart's metadata.
pub(crate) fn metadata<'a>(record: &'a Record, field: &str) -> &'a str {
    record.chart["metadata"][field].as_str().unwrap_or_default()
}
