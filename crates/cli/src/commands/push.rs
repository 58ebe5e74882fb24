//! `slipway push`: uploads a packaged chart to a registry.

use clap::Args;

use crate::context::Context;
use crate::flags::ConnectionFlags;
use crate::report::{Failure, needs_at_least};

const USAGE: &str = "slipway push [chart] [remote] [flags]";

/// Upload a packaged chart to a registry
///
/// A provenance file beside the archive goes with it.
#[derive(Args, Debug)]
#[command(override_usage = USAGE, after_help = "\
Examples:
  slipway push shop-1.4.0.tgz oci://registry.example.com/charts

  # To a registry on this machine, without TLS
  slipway push shop-1.4.0.tgz oci://localhost:5000/charts --plain-http")]
pub(crate) struct Arguments {
    /// The archive, and the registry's oci:// URL
    #[arg(value_name = "CHART REMOTE")]
    arguments: Vec<String>,

    #[command(flatten)]
    connection: ConnectionFlags,
}

pub(crate) fn run(arguments: &Arguments, _context: &mut Context) -> Result<(), Failure> {
    needs_at_least(2, &arguments.arguments, USAGE)?;
    Ok(())
}
