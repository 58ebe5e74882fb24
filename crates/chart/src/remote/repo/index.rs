//! What a repository offers.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::path::Path;

use gotmpl::semver::{Constraint, Version};
use serde::{Serialize, Serializer};

use super::{IndexError, Timestamp};
use crate::Metadata;
use crate::remote::files;
use crate::remote::notice::{Notify, Warning};

/// One version of a chart in an index.
#[derive(Debug, Clone, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ChartVersion {
    /// What its `Chart.yaml` says.
    #[serde(flatten)]
    pub metadata: Metadata,
    /// Where its archive is; the first place is used.
    #[serde(serialize_with = "null_if_empty")]
    pub urls: Vec<String>,
    /// When it was listed.
    pub created: Timestamp,
    /// Whether it was taken back.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub removed: bool,
    /// The SHA-256 of its archive, in hexadecimal digits.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub digest: String,
    /// Helm 2's digest.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub checksum: String,
    /// Helm 2's template engine.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub engine: String,
    /// Helm 2's server.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub tiller_version: String,
    /// Helm 2's place of the archive.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub url: String,
}

fn null_if_empty<S: Serializer>(urls: &[String], serializer: S) -> Result<S::Ok, S::Error> {
    if urls.is_empty() { serializer.serialize_none() } else { urls.serialize(serializer) }
}

/// An index: for each chart its versions, newest first.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Index {
    /// The kind of file: `v1`.
    pub api_version: String,
    /// When it was made.
    pub generated: Timestamp,
    /// The charts.
    pub entries: BTreeMap<String, Vec<ChartVersion>>,
}

impl Default for Index {
    fn default() -> Self {
        Self { api_version: "v1".to_owned(), generated: Timestamp::now(), entries: BTreeMap::new() }
    }
}

impl Index {
    /// Reads an index file. Entries that are not acceptable are passed over with a warning.
    pub fn load(path: &Path, notify: &mut dyn Notify) -> Result<Self, IndexError> {
        let data = files::read(path)?;
        Self::parse(&data, &path.display().to_string(), notify)
            .map_err(|source| IndexError::File { path: path.to_owned(), source: Box::new(source) })
    }

    /// The version of a chart that is asked for: exactly that, else the newest in the range; the newest stable
    /// one when none is asked for.
    pub fn get(
        &self,
        name: &str,
        version: &str,
        notify: &mut dyn Notify,
    ) -> Result<&ChartVersion, IndexError> {
        let versions = self.entries.get(name).ok_or(IndexError::NoChartName)?;
        if versions.is_empty() {
            return Err(IndexError::NoChartVersion);
        }
        let constraint = Constraint::parse(if version.is_empty() { "*" } else { version })?;
        let exact = versions.iter().find(|candidate| candidate.metadata.version == version);
        if let Some(exact) = exact.filter(|_| !version.is_empty()) {
            return Ok(exact);
        }
        let fits = |candidate: &&ChartVersion| {
            Version::parse(&candidate.metadata.version).is_ok_and(|version| constraint.check(&version))
        };
        let found = versions.iter().find(fits).ok_or_else(|| IndexError::NoSuchVersion {
            name: name.to_owned(),
            version: version.to_owned(),
        })?;
        if !version.is_empty() && !is_range(version) {
            let message = "unable to find exact version requested; falling back to closest available version";
            let warning = Warning::new(message).with("chart", name).with("requested", version);
            notify.warn(warning.with("selected", &found.metadata.version));
        }
        Ok(found)
    }

    /// Puts every chart's newest version first.
    pub fn sort(&mut self) {
        for versions in self.entries.values_mut() {
            sort_newest_first(versions, |entry| &entry.metadata.version);
        }
    }

    /// Adds what another index has and this one has not.
    pub fn merge(&mut self, other: Self) {
        for entry in other.entries.into_values().flatten() {
            let (name, version) = (&entry.metadata.name, &entry.metadata.version);
            if self.get(name, version, &mut crate::remote::Silent).is_err() {
                self.entries.entry(name.clone()).or_default().push(entry);
            }
        }
    }

    /// Writes the index, as YAML or as JSON.
    pub fn write(&self, path: &Path, json: bool) -> Result<(), IndexError> {
        let text = if json { goyaml::json::to_string_pretty(self)? } else { goyaml::to_string(self)? };
        Ok(files::write(path, text.as_bytes(), 0o644)?)
    }
}

/// Sorts by version, newest first; what is not a version comes last.
fn sort_newest_first<T>(items: &mut Vec<T>, version: impl Fn(&T) -> &str) {
    let mut parsed: Vec<(Option<Version>, T)> =
        items.drain(..).map(|item| (Version::parse(version(&item)).ok(), item)).collect();
    parsed.sort_by(|(a, _), (b, _)| match (a, b) {
        (Some(a), Some(b)) => b.precedence(a),
        (Some(_), None) => Ordering::Less,
        (None, Some(_)) => Ordering::Greater,
        (None, None) => Ordering::Equal,
    });
    items.extend(parsed.into_iter().map(|(_, item)| item));
}

/// Whether a version is asked for by a range, and not by its exact number.
fn is_range(version: &str) -> bool {
    let core = version.split(['-', '+']).next().unwrap_or(version);
    version.contains(['^', '~', '<', '>', '=', '!', '*'])
        || version.contains("||")
        || version.contains(" - ")
        || core.contains(['x', 'X'])
}
