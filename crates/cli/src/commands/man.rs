//! `slipway man`: the manual pages, one per command, drawn from the command line's own tree.

use std::io::Write as _;
use std::path::PathBuf;

use clap::{Args, CommandFactory};

use crate::arguments;
use crate::context::Context;
use crate::report::{Failure, needs_exactly};

const USAGE: &str = "slipway man DIRECTORY [flags]";

/// Write the manual pages into a directory
#[derive(Args, Debug)]
#[command(override_usage = USAGE, after_help = "\
Examples:
  # Write the pages where man looks for them
  slipway man ~/.local/share/man/man1
  man slipway-template")]
pub(crate) struct Arguments {
    /// Directory to write to; created if it is missing
    #[arg(value_name = "DIRECTORY")]
    positional: Vec<String>,
}

pub(crate) fn run(arguments: &Arguments, context: &mut Context) -> Result<(), Failure> {
    needs_exactly(1, &arguments.positional, USAGE)?;
    let directory = PathBuf::from(&arguments.positional[0]);
    std::fs::create_dir_all(&directory)
        .map_err(|error| Failure::new(format!("cannot create {}: {error}", directory.display())))?;
    let tree = arguments::Arguments::command().disable_help_subcommand(true);
    clap_mangen::generate_to(tree, &directory)
        .map_err(|error| Failure::new(format!("cannot write to {}: {error}", directory.display())))?;
    writeln!(context.out, "Wrote the manual pages to {}", directory.display())?;
    Ok(())
}
