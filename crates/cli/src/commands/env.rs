//! `slipway env`: the variables that are in force.

use std::collections::BTreeMap;
use std::io::Write as _;

use clap::Args;

use crate::context::Context;
use crate::flags::{OutputFormat, OutputFormatFlag};
use crate::output::{write_json, write_yaml};
use crate::report::{Failure, accepts_at_most};

const USAGE: &str = "slipway env [NAME] [flags]";

/// Print the environment in force
///
/// Slipway shares its directories, repositories and registry logins with Helm, and obeys the same variables.
#[derive(Args, Debug)]
#[command(override_usage = USAGE, after_help = "\
Examples:
  # Everything, in a form that a shell can read
  slipway env

  # One variable
  slipway env HELM_REPOSITORY_CACHE")]
pub(crate) struct Arguments {
    /// Print only this variable
    #[arg(value_name = "NAME")]
    positional: Vec<String>,

    #[command(flatten)]
    output: OutputFormatFlag,
}

pub(crate) fn run(arguments: &Arguments, context: &mut Context) -> Result<(), Failure> {
    accepts_at_most(1, &arguments.positional, USAGE)?;
    let variables = context.settings.variables();
    let out = &mut context.out;
    if let Some(name) = arguments.positional.first() {
        let value = variables.iter().find(|(key, _)| key == name).map_or("", |(_, value)| value);
        writeln!(out, "{value}")?;
        return Ok(());
    }
    match arguments.output.format {
        OutputFormat::Table => {
            for (name, value) in &variables {
                writeln!(out, "{name}=\"{value}\"")?;
            }
        }
        OutputFormat::Json => write_json(out, &BTreeMap::from_iter(variables))?,
        OutputFormat::Yaml => write_yaml(out, &BTreeMap::from_iter(variables))?,
    }
    Ok(())
}
