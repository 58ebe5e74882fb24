//! `slipway pull`: downloads a chart.

use std::path::PathBuf;

use chart::remote::pull::PullOptions;
use clap::Args;

use crate::context::Context;
use crate::flags::ChartSourceFlags;
use crate::network::{OnOutput, wait};
use crate::report::{Failure, needs_at_least};

const USAGE: &str = "slipway pull [chart URL | repo/chartname] [...] [flags]";

/// Download a chart, and unpack it if asked
#[derive(Args, Debug)]
#[command(override_usage = USAGE, after_help = "\
Examples:
  # From a repository that was added
  slipway pull repo/shop --version '~1.4'

  # From a registry, unpacked into ./vendor
  slipway pull oci://registry.example.com/charts/shop --version 1.4.0 --untar --untardir vendor

  # With its provenance checked
  slipway pull repo/shop --verify --keyring release-team.gpg")]
pub(crate) struct Arguments {
    /// Charts: repo/name, a URL or oci://host/name
    #[arg(value_name = "CHART")]
    positional: Vec<String>,

    /// Directory to write to
    #[arg(short, long, value_name = "DIRECTORY", default_value = ".")]
    destination: String,

    /// Unpack the chart after downloading it
    #[arg(long)]
    untar: bool,

    /// Directory to unpack into, below the destination
    #[arg(long, value_name = "DIRECTORY", default_value = ".")]
    untardir: String,

    /// Download the provenance file, but do not check it
    #[arg(long)]
    prov: bool,

    #[command(flatten)]
    source: ChartSourceFlags,
}

pub(crate) fn run(arguments: &Arguments, context: &mut Context) -> Result<(), Failure> {
    needs_at_least(1, &arguments.positional, USAGE)?;
    let remote = context.remote();
    let options = PullOptions {
        source: arguments.source.options(context),
        devel: arguments.source.devel,
        provenance: arguments.prov,
        untar: arguments.untar,
        untar_dir: PathBuf::from(&arguments.untardir),
        destination: PathBuf::from(&arguments.destination),
    };
    for reference in &arguments.positional {
        wait(remote.pull(reference, &options, &mut OnOutput(&mut context.out)))??;
    }
    Ok(())
}
