//! `slipway status`: how a release stands.

use std::io::Write as _;

use clap::Args;
use release::{Record, Standing};
use serde::Serialize;

use super::history::revision;
use crate::context::Context;
use crate::flags::{OutputFormat, OutputFormatFlag};
use crate::operation::{self, Desk};
use crate::output::{Table, write_json, write_yaml};
use crate::report::Failure;

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

    /// Show the objects, too, and how each is
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
    let record = revision(&arguments.name, arguments.revision, context)?;
    let standing = if arguments.show_resources {
        let desk = Desk::open(context)?;
        Some(desk.wait(&arguments.name, release::standing(&desk.engine, &record))?)
    } else {
        None
    };
    let shown = Shown { record: &record, resources: standing.as_deref() };
    match arguments.output.format {
        OutputFormat::Json => return Ok(write_json(&mut context.out, &shown)?),
        OutputFormat::Yaml => return Ok(write_yaml(&mut context.out, &shown)?),
        OutputFormat::Table => operation::show_status(&record, context)?,
    }
    if let Some(standing) = standing {
        writeln!(context.out, "RESOURCES:")?;
        let mut table = Table::new(100);
        table.row(["OBJECT", "STATUS", "MESSAGE"]);
        for object in &standing {
            table.row([&object.id.to_string(), &object.status, &object.message]);
        }
        writeln!(context.out, "{table}")?;
    }
    Ok(())
}
