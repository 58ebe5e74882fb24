//! Loads charts for the commands, and tells what is odd about them.

use std::path::Path;
use std::sync::Arc;

use chart::capabilities::KubeVersion;
use chart::load::LoadError;
use chart::schema::FetchSchema;
use chart::{Chart, checks};

use crate::context::Context;
use crate::flags::ChartSourceFlags;
use crate::network::wait;
use crate::report::{self, Failure, plain, warn};

/// Loads a chart from a directory or an archive.
pub(crate) fn load(path: &Path) -> Result<Chart, Failure> {
    let loaded = chart::load(path).map_err(|error| report::loading(&error, path))?;
    for warning in &loaded.warnings {
        plain(warning);
    }
    Ok(loaded.chart)
}

/// Loads a chart from a directory, and nothing else.
pub(crate) fn load_directory(path: &Path) -> Result<Chart, Failure> {
    let loaded = chart::load::load_dir(path).map_err(|error| report::loading(&error, path))?;
    loaded.warnings.iter().for_each(|warning| plain(warning));
    Ok(loaded.chart)
}

/// Loads a chart as the commands do that only look at it: a chart without Chart.yaml is told of more briefly.
pub(crate) fn load_plainly(path: &Path) -> Result<Chart, Failure> {
    let loaded = chart::load(path).map_err(|error| plain_error(&error, path))?;
    loaded.warnings.iter().for_each(|warning| plain(warning));
    Ok(loaded.chart)
}

/// What those commands say of a chart that cannot be loaded.
pub(crate) fn plain_error(error: &LoadError, path: &Path) -> Failure {
    match error {
        LoadError::NotDetected { .. } | LoadError::NoChartYaml => Failure::new("Chart.yaml file is missing")
            .hint(format!("{} is not a chart: a chart has a Chart.yaml", report::short(path))),
        other => report::loading(other, path),
    }
}

/// Loads a chart that could be installed: an application, with its dependencies at hand.
///
/// With `fetch`, dependencies that are missing are fetched first.
pub(crate) fn installable(
    path: &Path,
    fetch: Option<&ChartSourceFlags>,
    context: &mut Context,
) -> Result<Chart, Failure> {
    let chart = load(path)?;
    checks::installable(&chart).map_err(|error| {
        Failure::new(error.to_string())
            .hint("a library chart has nothing to install: render a chart that depends on it")
    })?;
    if chart.metadata.deprecated {
        warn("this chart is deprecated", &[]);
    }
    let Err(missing) = checks::dependencies_present(&chart) else { return Ok(chart) };
    let Some(source) = fetch else {
        return Err(Failure::new(format!(
            "an error occurred while checking for chart dependencies. You may need to run 'slipway dependency build' \
             to fetch missing dependencies: {missing}"
        ))
        .hint(format!("run 'slipway dependency build {}', or pass --dependency-update", report::short(path))));
    };
    crate::commands::dependency::update_for(path, source, context)?;
    load(path)
}

/// The version of Kubernetes that a flag names.
pub(crate) fn kube_version(flag: Option<&str>) -> Result<Option<KubeVersion>, Failure> {
    let Some(text) = flag.filter(|text| !text.is_empty()) else { return Ok(None) };
    let parsed =
        text.parse().map_err(|error| Failure::new(format!("invalid kube version '{text}': {error}")))?;
    Ok(Some(parsed))
}

/// How schemas that refer to others by address get them.
pub(crate) fn fetch_schema(context: &Context) -> FetchSchema {
    let remote = context.remote();
    Arc::new(move |address| {
        let fetched = wait(remote.read_file(address)).map_err(|failure| failure.message().to_owned())?;
        fetched.map_err(|error| error.to_string())
    })
}
