//! Finds the charts of a directory tree, and remembers them by name so that they can serve as dependencies.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{fs, io};

use sha2::{Digest, Sha256};

use crate::requirements;

/// A chart directory in the tree.
#[derive(Debug, Clone)]
pub(crate) struct Found {
    /// Where the chart lies.
    pub(crate) path: PathBuf,
    /// `name` in its `Chart.yaml`.
    pub(crate) name: String,
    /// `version` in its `Chart.yaml`.
    pub(crate) version: String,
    /// Where it was published, if the path says so.
    pub(crate) origin: Origin,
}

/// The repository and commit a chart comes from, read from a path component `owner+name@commit`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Origin {
    /// `owner/name`, or the directory that was searched.
    pub(crate) repository: String,
    /// The commit, empty when unknown.
    pub(crate) commit: String,
    /// The chart's path within the repository.
    pub(crate) inside: String,
}

/// All charts of the given directories.
#[derive(Debug, Default)]
pub(crate) struct Charts {
    /// In the order of their paths.
    pub(crate) found: Vec<Found>,
    by_name: BTreeMap<String, Vec<usize>>,
}

impl Charts {
    /// Walks `roots`. A chart inside another chart is part of that chart and not found on its own.
    pub(crate) fn below(roots: &[PathBuf]) -> io::Result<Self> {
        let mut charts = Self::default();
        for root in roots {
            walk(root, root, &mut charts.found)?;
        }
        for (index, chart) in charts.found.iter().enumerate() {
            charts.by_name.entry(chart.name.clone()).or_default().push(index);
        }
        Ok(charts)
    }

    /// The neighbour that can stand in for a dependency: one of the wanted major version if there is one, then
    /// one from the same repository, then the newest.
    pub(crate) fn neighbour(&self, name: &str, wanted: &str, of: &Origin) -> Option<&Found> {
        let candidates = self.by_name.get(name)?;
        candidates.iter().map(|&index| &self.found[index]).max_by_key(|chart| {
            let numbers = numbers(&chart.version);
            let major = leading_number(wanted);
            (
                major.is_some() && numbers.first().copied() == major,
                chart.origin.repository == of.repository,
                numbers,
            )
        })
    }
}

fn walk(root: &Path, directory: &Path, found: &mut Vec<Found>) -> io::Result<()> {
    if directory.join("Chart.yaml").is_file() {
        let text = fs::read(directory.join("Chart.yaml"))?;
        let text = String::from_utf8_lossy(&text);
        if let Some(name) = requirements::top_level(&text, "name") {
            found.push(Found {
                path: directory.to_owned(),
                name,
                version: requirements::top_level(&text, "version").unwrap_or_default(),
                origin: origin(root, directory),
            });
        }
        return Ok(());
    }
    let mut entries: Vec<_> = fs::read_dir(directory)?.collect::<Result<_, _>>()?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        if entry.file_type()?.is_dir() && entry.file_name() != ".git" {
            walk(root, &entry.path(), found)?;
        }
    }
    Ok(())
}

fn origin(root: &Path, chart: &Path) -> Origin {
    let components: Vec<_> = chart.iter().map(|part| part.to_string_lossy()).collect();
    for (index, part) in components.iter().enumerate() {
        let Some((repository, commit)) = part.split_once('@') else { continue };
        if let Some((owner, name)) = repository.split_once('+') {
            return Origin {
                repository: format!("{owner}/{name}"),
                commit: commit.to_owned(),
                inside: components[index + 1..].join("/"),
            };
        }
    }
    Origin {
        repository: root.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default(),
        commit: String::new(),
        inside: chart.strip_prefix(root).unwrap_or(chart).to_string_lossy().into_owned(),
    }
}

fn numbers(version: &str) -> Vec<u64> {
    version.trim_start_matches('v').split(['.', '-', '+']).map_while(|part| part.parse().ok()).collect()
}

fn leading_number(range: &str) -> Option<u64> {
    let digits: String =
        range.chars().skip_while(|c| !c.is_ascii_digit()).take_while(char::is_ascii_digit).collect();
    digits.parse().ok()
}

/// A hash over the names and contents of all files of a chart.
pub(crate) fn content_hash(chart: &Path) -> io::Result<String> {
    let mut hash = Sha256::new();
    hash_directory(chart, chart, &mut hash)?;
    Ok(hex(&hash.finalize()))
}

fn hash_directory(root: &Path, directory: &Path, hash: &mut Sha256) -> io::Result<()> {
    let mut entries: Vec<_> = fs::read_dir(directory)?.collect::<Result<_, _>>()?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let path = entry.path();
        hash.update(path.strip_prefix(root).unwrap_or(&path).as_os_str().as_encoded_bytes());
        hash.update([0]);
        if path.is_dir() {
            hash_directory(root, &path, hash)?;
        } else if let Ok(bytes) = fs::read(&path) {
            hash.update(bytes.len().to_le_bytes());
            hash.update(bytes);
        }
    }
    Ok(())
}

/// The SHA-256 of `bytes`, in hexadecimal.
pub(crate) fn sha256(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

fn hex(bytes: &[u8]) -> String {
    let digit = |half: u8| char::from_digit(u32::from(half), 16).unwrap_or_default();
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chart(directory: &Path, version: &str) {
        fs::create_dir_all(directory.join("charts/inner")).unwrap();
        let name = directory.file_name().unwrap().to_str().unwrap();
        fs::write(directory.join("Chart.yaml"), format!("name: {name}\nversion: {version}\n")).unwrap();
        fs::write(directory.join("charts/inner/Chart.yaml"), "name: inner\nversion: 1.0.0\n").unwrap();
    }

    #[test]
    fn charts_inside_charts_are_not_found_on_their_own() {
        let tree = tempfile::tempdir().unwrap();
        chart(&tree.path().join("me+charts@0123abc/stable/web"), "1.0.0");
        let charts = Charts::below(&[tree.path().to_owned()]).unwrap();
        let names: Vec<_> = charts.found.iter().map(|chart| chart.name.as_str()).collect();
        assert_eq!(names, ["web"]);
        assert_eq!(
            charts.found[0].origin,
            Origin { repository: "me/charts".into(), commit: "0123abc".into(), inside: "stable/web".into() }
        );
    }

    #[test]
    fn a_neighbour_of_the_wanted_major_version_is_preferred() {
        let tree = tempfile::tempdir().unwrap();
        chart(&tree.path().join("me+charts@1/common"), "2.10.0");
        chart(&tree.path().join("you+charts@1/common"), "1.4.0");
        chart(&tree.path().join("you+other@1/common"), "2.2.0");
        let charts = Charts::below(&[tree.path().to_owned()]).unwrap();
        let of = Origin { repository: "you/other".into(), ..Origin::default() };
        let version = |wanted| charts.neighbour("common", wanted, &of).unwrap().version.clone();
        assert_eq!(version("^1.0.0"), "1.4.0");
        assert_eq!(version("2.x.x"), "2.2.0");
        assert_eq!(version("*"), "2.2.0");
        assert!(charts.neighbour("none", "*", &of).is_none());
    }
}
