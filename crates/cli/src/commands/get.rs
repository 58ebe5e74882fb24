//! `slipway get`: what a revision of a release has stored.

use std::io::Write as _;

use clap::{Args, Subcommand};
use release::{Record, Reuse};
use serde::Serialize;
use serde_json::{Value, json};

use super::history::{chart, metadata, revision};
use crate::context::Context;
use crate::flags::{OutputFormat, OutputFormatFlag};
use crate::operation;
use crate::output::{write_json, write_yaml};
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
        What::Metadata(of) => print_metadata(&of.of.read(context)?, of.output.format, context)?,
        What::All(AllArguments { of, template }) => {
            if template.is_some() {
                return Err(Failure::usage(
                    "--template is not offered: it names the fields of Helm's own program",
                )
                .hint("-o json prints everything, for jq and the like"));
            }
            let record = of.of.read(context)?;
            of.print(&record, context, |context| print_all(record.clone(), context))?;
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

/// What the user gave, over the defaults of the chart.
fn computed(record: &Record) -> Value {
    let (_, all) = Reuse::Everything.apply(goyaml::Mapping::new(), Some(record));
    serde_json::to_value(all.unwrap_or_default()).unwrap_or_default()
}

impl Values {
    fn print(&self, context: &mut Context) -> Result<(), Failure> {
        let record = self.of.read(context)?;
        let values = if self.all { computed(&record) } else { Value::Object(record.config.clone()) };
        // Nothing given is null, as Helm has it.
        let values =
            if values.as_object().is_some_and(serde_json::Map::is_empty) { Value::Null } else { values };
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

fn print_metadata(record: &Record, format: OutputFormat, context: &mut Context) -> Result<(), Failure> {
    let dependencies = record.chart["metadata"]["dependencies"].as_array().cloned().unwrap_or_default();
    let names: Vec<&str> = dependencies.iter().filter_map(|of| of["name"].as_str()).collect();
    let annotations = &record.chart["metadata"]["annotations"];
    let data = json!({
        "name": record.name,
        "chart": metadata(record, "name"),
        "version": metadata(record, "version"),
        "appVersion": metadata(record, "appVersion"),
        "annotations": annotations,
        "dependencies": dependencies,
        "labels": record.labels,
        "namespace": record.namespace,
        "revision": record.version,
        "status": record.info.status,
        "deployedAt": record.info.last_deployed,
        "applyMethod": record.apply_method,
    });
    match format {
        OutputFormat::Json => write_json(&mut context.out, &data)?,
        OutputFormat::Yaml => write_yaml(&mut context.out, &data)?,
        OutputFormat::Table => {
            let out = &mut context.out;
            writeln!(out, "NAME: {}", record.name)?;
            writeln!(out, "CHART: {}", metadata(record, "name"))?;
            writeln!(out, "VERSION: {}", metadata(record, "version"))?;
            writeln!(out, "APP_VERSION: {}", metadata(record, "appVersion"))?;
            writeln!(out, "ANNOTATIONS: {}", pairs(annotations))?;
            writeln!(out, "LABELS: {}", pairs(&json!(record.labels)))?;
            writeln!(out, "DEPENDENCIES: {}", names.join(","))?;
            writeln!(out, "NAMESPACE: {}", record.namespace)?;
            writeln!(out, "REVISION: {}", record.version)?;
            writeln!(out, "STATUS: {}", record.info.status)?;
            writeln!(out, "DEPLOYED_AT: {}", record.info.last_deployed)?;
            writeln!(out, "APPLY_METHOD: {}", record.apply_method)?;
        }
    }
    Ok(())
}

fn pairs(map: &Value) -> String {
    let pairs = map.as_object().into_iter().flatten();
    let pairs: Vec<String> =
        pairs.map(|(key, value)| format!("{key}={}", value.as_str().unwrap_or_default())).collect();
    pairs.join(",")
}

fn print_all(mut record: Record, context: &mut Context) -> Result<(), Failure> {
    let notes = std::mem::take(&mut record.info.notes);
    operation::show_status(&record, context)?;
    writeln!(context.out, "CHART: {}\n", chart(&record))?;
    writeln!(context.out, "USER-SUPPLIED VALUES:")?;
    write_yaml(&mut context.out, &record.config)?;
    writeln!(context.out, "\nCOMPUTED VALUES:")?;
    write_yaml(&mut context.out, &computed(&record))?;
    writeln!(context.out, "\nHOOKS:")?;
    print_hooks(&record, context)?;
    writeln!(context.out, "MANIFEST:\n{}", record.manifest)?;
    if !notes.is_empty() {
        writeln!(context.out, "NOTES:\n{notes}")?;
    }
    Ok(())
}
