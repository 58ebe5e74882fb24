//! `slipway package`: makes an archive of a chart.

use clap::Args;

use crate::context::Context;
use crate::flags::ConnectionFlags;
use crate::report::Failure;

const USAGE: &str = "slipway package [CHART_PATH] [...] [flags]";

/// Make a versioned archive of a chart
#[derive(Args, Debug)]
#[command(override_usage = USAGE, after_help = "\
Examples:
  # Writes shop-1.4.0.tgz
  slipway package ./charts/shop

  # With the version of this build, into another directory
  slipway package ./charts/shop --version 1.4.0-rc.1 --app-version 2024.7 -d dist

  # Signed: writes shop-1.4.0.tgz.prov too
  slipway package ./charts/shop --sign --key 'Release Team' --keyring ~/.gnupg/secring.gpg

  # The same bytes every time
  SOURCE_DATE_EPOCH=0 slipway package ./charts/shop")]
pub(crate) struct Arguments {
    /// Directories of charts
    #[arg(value_name = "CHART_PATH")]
    arguments: Vec<String>,

    /// Version to give the chart
    #[arg(long, value_name = "VERSION")]
    version: Option<String>,

    /// Application version to give the chart
    #[arg(long, value_name = "VERSION")]
    app_version: Option<String>,

    /// Directory to write to
    #[arg(short, long, value_name = "DIRECTORY", default_value = ".")]
    destination: String,

    /// Fetch the dependencies into charts/ first
    #[arg(short = 'u', long)]
    dependency_update: bool,

    /// Sign the archive
    #[arg(long)]
    sign: bool,

    /// Name of the key to sign with
    #[arg(long, value_name = "NAME")]
    key: Option<String>,

    /// File with the secret keys
    #[arg(long, value_name = "FILE")]
    keyring: Option<String>,

    /// File with the key's passphrase, `-` for standard input
    #[arg(long, value_name = "FILE")]
    passphrase_file: Option<String>,

    #[command(flatten)]
    connection: ConnectionFlags,
}

pub(crate) fn run(arguments: &Arguments, _context: &mut Context) -> Result<(), Failure> {
    if arguments.arguments.is_empty() {
        return Err(Failure::usage("need at least one argument, the path to the chart"));
    }
    Ok(())
}
