//! How a chart's dependencies stand: `dependency list`.

use std::path::{Path, PathBuf};

use gotmpl::semver::{Constraint, Version};

use crate::remote::url::quote;
use crate::{Chart, Dependency, LoadError};

/// One line of the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// The dependency's name.
    pub name: String,
    /// The range that is wanted.
    pub version: String,
    /// Its repository.
    pub repository: String,
    /// `ok`, `unpacked`, `missing`, `wrong version`, …
    pub status: &'static str,
}

/// The list, and warnings about what else lies in `charts/`.
#[derive(Debug, Clone, Default)]
pub struct Listing {
    /// The dependencies; `None` when the chart declares none at all.
    pub rows: Option<Vec<Row>>,
    /// Lines to print below.
    pub warnings: Vec<String>,
}

/// Lists the dependencies of the chart at a path.
pub fn list(path: &Path) -> Result<Listing, LoadError> {
    let chart = crate::load(path)?.chart;
    let Some(dependencies) = &chart.metadata.dependencies else {
        let charts = path.join("charts");
        let warnings = vec![format!("WARNING: no dependencies at {}", charts.display())];
        return Ok(Listing { rows: None, warnings });
    };
    let row = |dependency: &Dependency| Row {
        name: dependency.name.clone(),
        version: dependency.version.clone(),
        repository: dependency.repository.clone(),
        status: status(path, dependency, &chart),
    };
    Ok(Listing {
        rows: Some(dependencies.iter().map(row).collect()),
        warnings: strangers(path, dependencies),
    })
}

/// Charts in `charts/` that nothing declares.
fn strangers(path: &Path, dependencies: &[Dependency]) -> Vec<String> {
    let mut warnings = Vec::new();
    for entry in entries(&path.join("charts")) {
        if !entry.is_dir() && entry.extension().is_none_or(|extension| extension != "tgz") {
            continue;
        }
        let shown = quote(&entry.display().to_string());
        match crate::load(&entry) {
            Err(_) => warnings.push(format!("WARNING: {shown} is not a chart.")),
            Ok(loaded) if dependencies.iter().any(|wanted| wanted.name == loaded.chart.name()) => {}
            Ok(_) => warnings.push(format!("WARNING: {shown} is not in Chart.yaml.")),
        }
    }
    warnings
}

fn status(path: &Path, dependency: &Dependency, parent: &Chart) -> &'static str {
    let prefix = format!("{}-", dependency.name);
    let version_of = |path: &Path| {
        let stem = path.file_name()?.to_str()?.strip_prefix(&prefix)?.strip_suffix(".tgz")?;
        Some(stem.to_owned())
    };
    let archives: Vec<PathBuf> =
        entries(&path.join("charts")).into_iter().filter(|path| version_of(path).is_some()).collect();
    match archives.as_slice() {
        [] => {}
        [archive] => return archive_status(archive, dependency),
        several => {
            let is_version = |path: &&PathBuf| {
                version_of(path).is_some_and(|version| Version::parse_strict(&version).is_ok())
            };
            let versions: Vec<&PathBuf> = several.iter().filter(is_version).collect();
            match versions.as_slice() {
                [] => {}
                [archive] => return archive_status(archive, dependency),
                _ => return "too many matches",
            }
        }
    }
    let unpacked = parent.dependencies.iter().rev().find(|chart| chart.name() == dependency.name);
    unpacked.map_or("missing", |chart| fit(chart, dependency).unwrap_or("unpacked"))
}

fn archive_status(archive: &Path, dependency: &Dependency) -> &'static str {
    match crate::load(archive) {
        Err(_) => "corrupt",
        Ok(loaded) if loaded.chart.name() != dependency.name => "misnamed",
        Ok(loaded) => fit(&loaded.chart, dependency).unwrap_or("ok"),
    }
}

/// What is wrong with a chart's version; `None` when it is the one that is wanted.
fn fit(chart: &Chart, dependency: &Dependency) -> Option<&'static str> {
    if chart.metadata.version == dependency.version {
        return None;
    }
    match (Constraint::parse(&dependency.version), Version::parse(&chart.metadata.version)) {
        (Ok(constraint), Ok(version)) => (!constraint.check(&version)).then_some("wrong version"),
        _ => Some("invalid version"),
    }
}

fn entries(directory: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    paths
}
