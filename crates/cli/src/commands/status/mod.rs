//! `slipway status`: how a release stands.

mod resources;

use std::io::Write as _;

use clap::Args;
use release::{Record, Standing};
use serde::Serialize;
use serde_json::{Value, json};

use super::history::revision;
use crate::context::Context;
use crate::flags::{OutputFormat, OutputFormatFlag};
use crate::operation::{self, Beside, Desk};
use crate::output::{Table, write_json, write_yaml};
use crate::report::Failure;
use resources::Form;

/// Show how a release stands
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  slipway status shop

  # With every object, and whether it is ready
  slipway status shop --show-resources")]
pub(crate) struct Arguments {
    /// Name of the release
    name: String,

    /// Number of the revision; the newest if not given
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    revision: u32,

    /// Show of each object whether it is ready, and why not
    #[arg(long)]
    show_resources: bool,

    #[command(flatten)]
    output: OutputFormatFlag,
}

/// A record, and how its objects are if that is asked for.
#[derive(Serialize)]
struct Shown<'a> {
    #[serde(flatten)]
    record: &'a Record,
    #[serde(skip_serializing_if = "Option::is_none")]
    resources: Option<&'a [Standing]>,
}

pub(crate) fn run(arguments: &Arguments, context: &mut Context) -> Result<(), Failure> {
    let mut record = revision(&arguments.name, arguments.revision, context)?;
    let desk = Desk::open(context)?;
    let members = release::members(&desk.engine, &record)
        .map_err(|error| operation::failed(&arguments.name, &error))?;
    if arguments.output.format == OutputFormat::Table {
        let found = desk.cluster.wait(resources::read(&desk.engine, members, Form::Tables));
        let resources = resources::print(&found);
        operation::show_standing(&record, Beside { resources: &resources, ..Beside::default() }, context)?;
        operation::show_notes(&record, context)?;
        return if arguments.show_resources {
            show_standing(arguments, &desk, &record, context)
        } else {
            Ok(())
        };
    }
    let found = desk.cluster.wait(resources::read(&desk.engine, members, Form::Objects));
    record.info.others.insert("resources".to_owned(), json!(found));
    let standing = if arguments.show_resources {
        Some(desk.wait(&arguments.name, release::standing(&desk.engine, &record))?)
    } else {
        None
    };
    // Helm leaves the chart out here, which is long.
    record.chart = Value::Null;
    let shown = Shown { record: &record, resources: standing.as_deref() };
    match arguments.output.format {
        OutputFormat::Yaml => write_yaml(&mut context.out, &shown)?,
        _ => write_json(&mut context.out, &shown)?,
    }
    Ok(())
}

fn show_standing(
    arguments: &Arguments,
    desk: &Desk,
    record: &Record,
    context: &mut Context,
) -> Result<(), Failure> {
    let standing = desk.wait(&arguments.name, release::standing(&desk.engine, record))?;
    writeln!(context.out, "OBJECTS:")?;
    let mut table = Table::new(100);
    table.row(["OBJECT", "STATUS", "MESSAGE"]);
    for object in &standing {
        table.row([&object.id.to_string(), &object.status, &object.message]);
    }
    writeln!(context.out, "{table}")?;
    Ok(())
}
