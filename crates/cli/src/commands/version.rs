//! `slipway version`.

use std::io::Write as _;

use chart::capabilities::KubeVersion;
use clap::Args;
use gotmpl::{Functions, Options, TemplateSet, Value};
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
struct Build {
    #[serde(rename = "version")]
    own: &'static str,
    #[serde(rename = "helmVersion")]
    helm: &'static str,
    #[serde(rename = "kubeVersion")]
    kubernetes: String,
}

impl Build {
    fn new() -> Self {
        Self {
            own: concat!("v", env!("CARGO_PKG_VERSION")),
            helm: chart::capabilities::HELM_VERSION,
            kubernetes: KubeVersion::default().version,
        }
    }
}

pub(crate) fn run(arguments: &Arguments, context: &mut Context) -> Result<(), Failure> {
    accepts_none(&arguments.unexpected, USAGE)?;
    let build = Build::new();
    let out = &mut context.out;
    if let Some(template) = arguments.template.as_deref().filter(|template| !template.is_empty()) {
        out.write_all(by_template(template, &build)?.as_bytes())?;
        return Ok(());
    }
    if arguments.short {
        writeln!(out, "{}", build.own)?;
        return Ok(());
    }
    match arguments.output.format {
        OutputFormat::Table => writeln!(
            out,
            "slipway {} (charts as in Helm {}, Kubernetes {})",
            build.own, build.helm, build.kubernetes
        )?,
        OutputFormat::Json => write_json(out, &build)?,
        OutputFormat::Yaml => write_yaml(out, &build)?,
    }
    Ok(())
}

fn by_template(template: &str, build: &Build) -> Result<String, Failure> {
    let fields =
        [("Version", build.own), ("HelmVersion", build.helm), ("KubeVersion", build.kubernetes.as_str())];
    let data = Value::map(fields.map(|(name, text)| (name.into(), Value::from(text))).into());
    let mut set = TemplateSet::new(Functions::builtin(), Options { name: "_".into(), ..Options::default() });
    let mut text = String::new();
    set.add("_", template)
        .and_then(|()| set.execute("_", &data, &mut text))
        .map_err(|error| Failure::new(error.to_string()))?;
    Ok(text)
}
