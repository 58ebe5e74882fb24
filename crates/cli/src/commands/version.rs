//! `slipway version`.

use std::io::Write as _;

use clap::Args;
use serde::Serialize;

use crate::context::Context;
use crate::flags::{OutputFormat, OutputFormatFlag};
use crate::output::{write_json, write_yaml};
use crate::report::{Failure, accepts_none};

const USAGE: &str = "slipway version [flags]";

/// Print the version of Slipway, and of the Helm and Kubernetes whose behaviour it has
#[derive(Args, Debug)]
#[command(override_usage = USAGE, after_help = "\
Examples:
  # Only the number
  slipway version --short

  # For a script
  slipway version -o json
  slipway version --template '{{ .Version }}'")]
pub(crate) struct Arguments {
    /// Print only the version number
    #[arg(long)]
    short: bool,

    /// Print by a Go template over .Version, .HelmVersion and .KubeVersion
    #[arg(long, value_name = "TEMPLATE")]
    template: Option<String>,

    #[command(flatten)]
    output: OutputFormatFlag,

    #[arg(hide = true)]
    unexpected: Vec<String>,
}

/// What `-o json` and `--template` show.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Version {
    version: &'static str,
    helm_version: &'static str,
    kube_version: &'static str,
}

const VERSION: Version = Version {
    version: concat!("v", env!("CARGO_PKG_VERSION")),
    helm_version: "v4.3.1",
    kube_version: "v1.37.0",
};

pub(crate) fn run(arguments: &Arguments, context: &mut Context) -> Result<(), Failure> {
    accepts_none(&arguments.unexpected, USAGE)?;
    let out = &mut context.out;
    if arguments.short {
        writeln!(out, "{}", VERSION.version)?;
        return Ok(());
    }
    match arguments.output.format {
        OutputFormat::Table => writeln!(
            out,
            "slipway {} (charts as in Helm {}, Kubernetes {})",
            VERSION.version, VERSION.helm_version, VERSION.kube_version
        )?,
        OutputFormat::Json => write_json(out, &VERSION)?,
        OutputFormat::Yaml => write_yaml(out, &VERSION)?,
    }
    Ok(())
}
