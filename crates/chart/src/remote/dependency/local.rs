//! Dependencies on this machine: `file://` directories.

use std::path::{Path, PathBuf};

use gotmpl::semver::{Constraint, Version};

use super::{DependencyError, Manager};
use crate::remote::PathError;
use crate::remote::url::clean_path;
use crate::{Chart, Dependency};

/// The directory that a dependency names, relative to the chart unless it is absolute.
pub(super) fn directory(repository: &str, chart: &Path) -> Result<PathBuf, DependencyError> {
    let path = repository.strip_prefix("file://").unwrap_or(repository);
    let joined = if path.starts_with('/') { PathBuf::from(path) } else { chart.join(path) };
    let joined = PathBuf::from(clean_path(&joined.to_string_lossy()));
    match std::fs::metadata(&joined) {
        Ok(_) => Ok(joined),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            Err(DependencyError::NoDirectory { path: joined.display().to_string() })
        }
        Err(error) => Err(PathError::new("stat", &joined)(error).into()),
    }
}

/// Reads the range of a dependency.
pub(super) fn constraint(dependency: &Dependency, quoted: bool) -> Result<Constraint, DependencyError> {
    Constraint::parse(&dependency.version).map_err(|source| DependencyError::Constraint {
        name: dependency.name.clone(),
        quoted,
        source,
    })
}

impl Manager<'_> {
    /// Packs the chart in a dependency's directory, if it has a version that is wanted; returns that version.
    pub(super) fn pack(&self, dependency: &Dependency, into: &Path) -> Result<String, DependencyError> {
        let directory = directory(&dependency.repository, &self.chart)?;
        let mut chart: Chart = crate::load::load_dir(&directory)?.chart;
        if let Some(time) = self.source_date {
            crate::package::stamp(&mut chart, time);
        }
        let constraint = constraint(dependency, false)?;
        let version = Version::parse(&chart.metadata.version)?;
        if !constraint.check(&version) {
            return Err(DependencyError::LocalMisfit { name: dependency.name.clone() });
        }
        crate::package::save(&chart, into)?;
        Ok(chart.metadata.version)
    }
}
