//! `slipway verify`: checks the provenance of a packaged chart.

use std::io::Write as _;
use std::path::Path;

use chart::remote::provenance;
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
    positional: Vec<String>,

    /// File with the public keys
    #[arg(long, value_name = "FILE")]
    keyring: Option<String>,
}

pub(crate) fn run(arguments: &Arguments, context: &mut Context) -> Result<(), Failure> {
    needs_exactly(1, &arguments.positional, USAGE)?;
    let archive = Path::new(&arguments.positional[0]);
    let keyring = context.settings.keyring(arguments.keyring.as_deref());
    let verification = provenance::verify_file(archive, &provenance::provenance_path(archive), &keyring)
        .map_err(|error| Failure::new(error.to_string()))?;
    write!(context.out, "{verification}")?;
    Ok(())
}
