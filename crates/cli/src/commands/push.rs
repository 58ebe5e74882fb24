//! `slipway push`: uploads a packaged chart to a registry.

use chart::remote::push;
use clap::Args;

use crate::context::Context;
use crate::flags::ConnectionFlags;
use crate::network::{OnOutput, wait};
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
    positional: Vec<String>,

    #[command(flatten)]
    connection: ConnectionFlags,
}

pub(crate) fn run(arguments: &Arguments, context: &mut Context) -> Result<(), Failure> {
    needs_at_least(2, &arguments.positional, USAGE)?;
    let connection = &arguments.connection;
    let registry = context.remote().registry(connection.auth(), connection.tls(), connection.plain_http);
    let (archive, destination) = (&arguments.positional[0], &arguments.positional[1]);
    wait(push::push(archive, destination, &registry, &mut OnOutput(&mut context.out)))??;
    Ok(())
}
