//! `slipway list`, `history` and `status`: what releases there are, and how they stand.

use std::collections::BTreeMap;
use std::io::Write as _;

use clap::Args;
use release::{Record, Status, Storage};
use serde::Serialize;

use crate::cluster::Cluster;
use crate::context::Context;
use crate::flags::{OutputFormat, OutputFormatFlag};
use crate::operation;
use crate::output::{Table, write_json, write_yaml};
use crate::report::Failure;

/// List releases
#[derive(Args, Debug)]
#[command(
    visible_alias = "ls",
    after_help = "\
Examples:
  slipway list

  # Of every namespace, for a machine
  slipway list -A -o json"
)]
pub(crate) struct ListArguments {
    /// Releases of every namespace
    #[arg(short = 'A', long)]
    all_namespaces: bool,

    #[command(flatten)]
    output: OutputFormatFlag,
}

/// Show the revisions of a release
#[derive(Args, Debug)]
#[command(
    visible_alias = "hist",
    after_help = "\
Examples:
  slipway history shop"
)]
pub(crate) struct HistoryArguments {
    /// Name of the release
    name: String,

    #[command(flatten)]
    output: OutputFormatFlag,
}

/// Show how a release stands
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  slipway status shop")]
pub(crate) struct StatusArguments {
    /// Name of the release
    name: String,

    #[command(flatten)]
    output: OutputFormatFlag,
}

#[derive(Serialize)]
struct ListRow {
    name: String,
    namespace: String,
    revision: String,
    updated: String,
    status: Status,
    chart: String,
    app_version: String,
}

#[derive(Serialize)]
struct HistoryRow {
    revision: u32,
    updated: String,
    status: Status,
    chart: String,
    app_version: String,
    description: String,
}

pub(crate) fn list(arguments: &ListArguments, context: &mut Context) -> Result<(), Failure> {
    let cluster = Cluster::connect(&context.settings.cluster())?;
    let storage = if arguments.all_namespaces {
        Storage::everywhere(cluster.client())
    } else {
        Storage::new(cluster.client(), &context.settings.namespace())
    };
    let found = cluster.wait(storage.all()).map_err(|error| Failure::new(error.to_string()))?;
    let mut newest: BTreeMap<(String, String), Record> = BTreeMap::new();
    for record in found.into_iter().map(|stored| stored.record) {
        let key = (record.name.clone(), record.namespace.clone());
        if newest.get(&key).is_none_or(|known| known.version < record.version) {
            newest.insert(key, record);
        }
    }
    let rows: Vec<ListRow> = newest
        .into_values()
        .filter(|record| record.info.status != Status::Uninstalled)
        .map(|record| ListRow {
            revision: record.version.to_string(),
            updated: record.info.last_deployed.clone(),
            status: record.info.status,
            chart: chart(&record),
            app_version: metadata(&record, "appVersion"),
            name: record.name,
            namespace: record.namespace,
        })
        .collect();
    match arguments.output.format {
        OutputFormat::Json => write_json(&mut context.out, &rows)?,
        OutputFormat::Yaml => write_yaml(&mut context.out, &rows)?,
        OutputFormat::Table => {
            let mut table = Table::new(60);
            table.row(["NAME", "NAMESPACE", "REVISION", "UPDATED", "STATUS", "CHART", "APP VERSION"]);
            for row in &rows {
                let status = row.status.name();
                table.row([
                    &row.name,
                    &row.namespace,
                    &row.revision,
                    &row.updated,
                    status,
                    &row.chart,
                    &row.app_version,
                ]);
            }
            writeln!(context.out, "{table}")?;
        }
    }
    Ok(())
}

pub(crate) fn history(arguments: &HistoryArguments, context: &mut Context) -> Result<(), Failure> {
    let records = revisions(&arguments.name, context)?;
    let rows: Vec<HistoryRow> = records
        .iter()
        .map(|record| HistoryRow {
            revision: record.version,
            updated: record.info.last_deployed.clone(),
            status: record.info.status,
            chart: chart(record),
            app_version: metadata(record, "appVersion"),
            description: record.info.description.clone(),
        })
        .collect();
    match arguments.output.format {
        OutputFormat::Json => write_json(&mut context.out, &rows)?,
        OutputFormat::Yaml => write_yaml(&mut context.out, &rows)?,
        OutputFormat::Table => {
            let mut table = Table::new(60);
            table.row(["REVISION", "UPDATED", "STATUS", "CHART", "APP VERSION", "DESCRIPTION"]);
            for row in &rows {
                let (revision, status) = (row.revision.to_string(), row.status.name());
                table.row([&revision, &row.updated, status, &row.chart, &row.app_version, &row.description]);
            }
            writeln!(context.out, "{table}")?;
        }
    }
    Ok(())
}

pub(crate) fn status(arguments: &StatusArguments, context: &mut Context) -> Result<(), Failure> {
    let records = revisions(&arguments.name, context)?;
    let Some(record) = records.last() else { return Err(not_found()) };
    match arguments.output.format {
        OutputFormat::Json => Ok(write_json(&mut context.out, record)?),
        OutputFormat::Yaml => Ok(write_yaml(&mut context.out, record)?),
        OutputFormat::Table => operation::show_status(record, context),
    }
}

fn revisions(name: &str, context: &Context) -> Result<Vec<Record>, Failure> {
    let cluster = Cluster::connect(&context.settings.cluster())?;
    let storage = Storage::new(cluster.client(), &context.settings.namespace());
    let found = cluster.wait(storage.history(name)).map_err(|error| Failure::new(error.to_string()))?;
    if found.is_empty() {
        return Err(not_found());
    }
    Ok(found.into_iter().map(|stored| stored.record).collect())
}

fn not_found() -> Failure {
    Failure::new("release: not found").hint("'slipway list -A' shows the releases of every namespace")
}

fn metadata(record: &Record, field: &str) -> String {
    record.chart["metadata"][field].as_str().unwrap_or_default().to_owned()
}

fn chart(record: &Record) -> String {
    format!("{}-{}", metadata(record, "name"), metadata(record, "version"))
}
