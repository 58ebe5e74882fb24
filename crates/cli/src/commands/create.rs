//! `slipway create`: starts a new chart.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use chart::remote::url::clean_path;
use chart::{Metadata, create};
use clap::Args;

use crate::context::Context;
use crate::report::{Failure, needs_exactly};

const USAGE: &str = "slipway create NAME [flags]";

/// Start a new chart
///
/// Writes a directory with Chart.yaml, values.yaml, .helmignore and templates for a web server, which work as
/// they are. Files that exist are overwritten.
#[derive(Args, Debug)]
#[command(override_usage = USAGE, after_help = "\
Examples:
  slipway create shop

  # From a chart of your own
  slipway create shop --starter /srv/charts/starter")]
pub(crate) struct Arguments {
    /// Directory of the new chart; its last part is the chart's name
    #[arg(value_name = "NAME")]
    positional: Vec<String>,

    /// Start from this chart: a name below the starters directory, or an absolute path
    #[arg(short = 'p', long, value_name = "STARTER")]
    starter: Option<String>,

    #[arg(long, hide = true, value_name = "VERSION")]
    chart_api_version: Option<String>,
}

pub(crate) fn run(arguments: &Arguments, context: &mut Context) -> Result<(), Failure> {
    needs_exactly(1, &arguments.positional, USAGE)?;
    let given = &arguments.positional[0];
    writeln!(context.out, "Creating {given}")?;
    match arguments.chart_api_version.as_deref() {
        None | Some("" | "v2") => {}
        Some("v3") => {
            return Err(Failure::new("charts of API version v3 cannot be created yet")
                .hint("create one of v2: it can be rendered by every Helm"));
        }
        Some(other) => {
            return Err(Failure::new(format!("unsupported chart API version: {other} (supported: v2, v3)")));
        }
    }
    let path = PathBuf::from(clean_path(given));
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let created = match arguments.starter.as_deref().filter(|starter| !starter.is_empty()) {
        None => create::create(&name, directory),
        Some(starter) => {
            // An absolute path replaces what it is joined to.
            let starter = context.settings.paths.data_home.join("starters").join(starter);
            create::create_from(&starting_point(name), directory, &starter)
        }
    };
    let created = created.map_err(|error| Failure::new(error.to_string()))?;
    for warning in &created.warnings {
        writeln!(context.out, "{warning}")?;
    }
    Ok(())
}

/// What a chart is that nobody has described yet.
fn starting_point(name: String) -> Metadata {
    Metadata {
        name,
        description: "A Helm chart for Kubernetes".to_owned(),
        chart_type: "application".to_owned(),
        version: "0.1.0".to_owned(),
        app_version: "0.1.0".to_owned(),
        api_version: "v2".to_owned(),
        ..Metadata::default()
    }
}
