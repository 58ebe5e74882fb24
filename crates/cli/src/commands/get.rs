//! `slipway get`: what a revision of a release has stored.

use std::collections::BTreeMap;
use std::io::Write as _;

use clap::{Args, Subcommand};
use release::{Record, Reuse, Status};
use serde::Serialize;
use serde_json::{Value, json};

use super::history::{metadata, revision};
use crate::context::Context;
use crate::flags::{OutputFormat, OutputFormatFlag};
use crate::operation::{self, Beside};
use crate::output::{RFC3339, moment, write_json, write_yaml};
use crate::report::Failure;

/// Show what a revision of a release has stored
#[derive(Args, Debug)]
#[command(subcommand_required = true, arg_required_else_help = true)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand, Debug)]
enum What {
    /// Everything
    #[command(after_help = "\
Examples:
  slipway get all shop")]
    All(AllArguments),
    /// The manifest
    #[command(after_help = "\
Examples:
  slipway get manifest shop --revision 2")]
    Manifest(Formatted),
    /// The hooks
    #[command(after_help = "\
Examples:
  slipway get hooks shop")]
    Hooks(Formatted),
    /// The notes
    #[command(after_help = "\
Examples:
  slipway get notes shop")]
    Notes(Formatted),
    /// The values that were given
    #[command(after_help = "\
Examples:
  slipway get values shop

  # With the defaults of the chart
  slipway get values shop --all -o json")]
    Values(Values),
    /// Name, chart, versions, status
    #[command(after_help = "\
Examples:
  slipway get metadata shop -o json")]
    Metadata(Formatted),
}

#[derive(Args, Debug)]
struct Plain {
    /// Name of the release
    name: String,

    /// Number of the revision; the newest if not given
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    revision: u32,
}

#[derive(Args, Debug)]
struct Formatted {
    #[command(flatten)]
    of: Plain,

    #[command(flatten)]
    output: OutputFormatFlag,
}

#[derive(Args, Debug)]
struct AllArguments {
    #[command(flatten)]
    of: Formatted,

    #[arg(long, hide = true, value_name = "TEMPLATE")]
    template: Option<String>,
}

#[derive(Args, Debug)]
struct Values {
    #[command(flatten)]
    of: Plain,

    /// With the defaults of the chart
    #[arg(short, long)]
    all: bool,

    #[command(flatten)]
    output: OutputFormatFlag,
}

pub(crate) fn run(arguments: &Arguments, context: &mut Context) -> Result<(), Failure> {
    match &arguments.what {
        What::Manifest(of) => {
            let record = of.of.read(context)?;
            let data = json!({"name": record.name, "revision": record.version, "manifest": record.manifest});
            of.print(&data, context, |context| Ok(writeln!(context.out, "{}", record.manifest)?))?;
        }
        What::Hooks(of) => {
            let record = of.of.read(context)?;
            of.print(&record.hooks, context, |context| print_hooks(&record, context))?;
        }
        What::Notes(of) => {
            let record = of.of.read(context)?;
            let data = json!({"name": record.name, "revision": record.version, "notes": record.info.notes});
            of.print(&data, context, |context| {
                if !record.info.notes.is_empty() {
                    writeln!(context.out, "NOTES:\n{}", record.info.notes)?;
                }
                Ok(())
            })?;
        }
        What::Values(values) => values.print(context)?,
        What::Metadata(of) => {
            let record = of.of.read(context)?;
            let metadata = Metadata::of(&record);
            of.print(&metadata, context, |context| metadata.print(context))?;
        }
        What::All(AllArguments { of, template }) => {
            if template.is_some() {
                return Err(Failure::usage(
                    "--template is not offered: it names the fields of Helm's own program",
                )
                .hint("-o json prints everything, for jq and the like"));
            }
            let record = of.of.read(context)?;
            of.print(&record, context, |context| print_all(&record, context))?;
        }
    }
    Ok(())
}

impl Formatted {
    /// Prints data for machines, or for people what they read.
    fn print(
        &self,
        data: &impl Serialize,
        context: &mut Context,
        for_people: impl FnOnce(&mut Context) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        match self.output.format {
            OutputFormat::Json => Ok(write_json(&mut context.out, data)?),
            OutputFormat::Yaml => Ok(write_yaml(&mut context.out, data)?),
            OutputFormat::Table => for_people(context),
        }
    }
}

impl Plain {
    fn read(&self, context: &Context) -> Result<Record, Failure> {
        revision(&self.name, self.revision, context)
    }
}

fn print_hooks(record: &Record, context: &mut Context) -> Result<(), Failure> {
    for hook in &record.hooks {
        writeln!(context.out, "---\n# Source: {}\n{}", hook.path, hook.manifest)?;
    }
    Ok(())
}

/// What the user gave; nothing is null, as Helm has it.
fn given(record: &Record) -> Value {
    if record.config.is_empty() { Value::Null } else { Value::Object(record.config.clone()) }
}

/// What the user gave, over the defaults of the chart; nothing is null here too.
fn computed(record: &Record) -> Value {
    let (_, all) = Reuse::Everything.apply(goyaml::Mapping::new(), Some(record));
    all.filter(|all| !all.is_empty()).and_then(|all| serde_json::to_value(all).ok()).unwrap_or_default()
}

impl Values {
    fn print(&self, context: &mut Context) -> Result<(), Failure> {
        let record = self.of.read(context)?;
        let values = if self.all { computed(&record) } else { given(&record) };
        match self.output.format {
            OutputFormat::Json => write_json(&mut context.out, &values)?,
            OutputFormat::Yaml => write_yaml(&mut context.out, &values)?,
            OutputFormat::Table => {
                let title = if self.all { "COMPUTED VALUES:" } else { "USER-SUPPLIED VALUES:" };
                writeln!(context.out, "{title}")?;
                write_yaml(&mut context.out, &values)?;
            }
        }
        Ok(())
    }
}

/// What `get metadata` tells, in Helm's order; what is empty is left out for machines.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Metadata<'a> {
    name: &'a str,
    chart: &'a str,
    version: &'a str,
    app_version: &'a str,
    #[serde(skip_serializing_if = "is_empty")]
    annotations: &'a Value,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    labels: &'a BTreeMap<String, String>,
    #[serde(skip_serializing_if = "is_empty")]
    dependencies: &'a Value,
    namespace: &'a str,
    revision: u32,
    status: Status,
    deployed_at: String,
    #[serde(skip_serializing_if = "str::is_empty")]
    apply_method: &'a str,
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => fields.is_empty(),
        _ => true,
    }
}

impl<'a> Metadata<'a> {
    fn of(record: &'a Record) -> Self {
        let written = &record.chart["metadata"];
        Self {
            name: &record.name,
            chart: metadata(record, "name"),
            version: metadata(record, "version"),
            app_version: metadata(record, "appVersion"),
            annotations: &written["annotations"],
            labels: &record.labels,
            dependencies: &written["dependencies"],
            namespace: &record.namespace,
            revision: record.version,
            status: record.info.status,
            deployed_at: moment(&record.info.last_deployed, RFC3339),
            apply_method: &record.apply_method,
        }
    }

    fn print(&self, context: &mut Context) -> Result<(), Failure> {
        let dependencies = self.dependencies.as_array().into_iter().flatten();
        let mut dependencies: Vec<&str> = dependencies.filter_map(|of| of["name"].as_str()).collect();
        dependencies.sort_unstable();
        let method = match self.apply_method {
            "" => "client-side apply (defaulted)".to_owned(),
            "csa" => "client-side apply".to_owned(),
            "ssa" => "server-side apply".to_owned(),
            other => format!("unknown ({other:?})"),
        };
        let out = &mut context.out;
        writeln!(out, "NAME: {}", self.name)?;
        writeln!(out, "CHART: {}", self.chart)?;
        writeln!(out, "VERSION: {}", self.version)?;
        writeln!(out, "APP_VERSION: {}", self.app_version)?;
        writeln!(out, "ANNOTATIONS: {}", pairs(self.annotations))?;
        writeln!(out, "LABELS: {}", pairs(&json!(self.labels)))?;
        writeln!(out, "DEPENDENCIES: {}", dependencies.join(","))?;
        writeln!(out, "NAMESPACE: {}", self.namespace)?;
        writeln!(out, "REVISION: {}", self.revision)?;
        writeln!(out, "STATUS: {}", self.status)?;
        writeln!(out, "DEPLOYED_AT: {}", self.deployed_at)?;
        writeln!(out, "APPLY_METHOD: {method}")?;
        Ok(())
    }
}

fn pairs(map: &Value) -> String {
    let pairs = map.as_object().into_iter().flatten();
    let pairs: Vec<String> =
        pairs.map(|(key, value)| format!("{key}={}", value.as_str().unwrap_or_default())).collect();
    pairs.join(",")
}

fn print_all(record: &Record, context: &mut Context) -> Result<(), Failure> {
    operation::show_standing(record, Beside { chart: true, ..Beside::default() }, context)?;
    writeln!(context.out, "USER-SUPPLIED VALUES:")?;
    write_yaml(&mut context.out, &given(record))?;
    writeln!(context.out, "\nCOMPUTED VALUES:")?;
    write_yaml(&mut context.out, &computed(record))?;
    writeln!(context.out, "\nHOOKS:")?;
    print_hooks(record, context)?;
    writeln!(context.out, "MANIFEST:\n{}", record.manifest)?;
    operation::show_notes(record, context)
}
