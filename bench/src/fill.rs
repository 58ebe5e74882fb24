//! Completes charts whose dependencies are not vendored, from neighbouring charts of the same tree.

use std::path::{Path, PathBuf};
use std::{fs, io};

use crate::charts::{self, Charts, Found, Origin};
use crate::requirements::{self, Requirement};

/// A chart that both tools can be given.
#[derive(Debug, Clone)]
pub(crate) struct Complete {
    /// The chart itself, or a copy with `charts/` filled.
    pub(crate) path: PathBuf,
    /// The hash of its files.
    pub(crate) hash: String,
}

/// Why a chart cannot be rendered by anybody.
#[derive(Debug)]
pub(crate) enum Incomplete {
    /// A dependency that no neighbour provides.
    Missing(String),
    /// The tree could not be read or copied.
    Unreadable(io::Error),
}

impl From<io::Error> for Incomplete {
    fn from(error: io::Error) -> Self {
        Self::Unreadable(error)
    }
}

/// Dependencies of dependencies are filled to this depth; deeper ones are a cycle of neighbours.
const DEEPEST: usize = 8;

/// Gives the chart as it is when its dependencies are vendored, and else a filled copy below `copies`.
pub(crate) fn complete(chart: &Found, charts: &Charts, copies: &Path) -> Result<Complete, Incomplete> {
    let hash = charts::content_hash(&chart.path)?;
    if missing(&chart.path)?.is_empty() {
        return Ok(Complete { path: chart.path.clone(), hash });
    }
    let copy = copies.join(&hash[..16]);
    let path = copy.join(chart.path.file_name().unwrap_or_default());
    if copy.exists() {
        fs::remove_dir_all(&copy)?;
    }
    copy_tree(&chart.path, &path)?;
    fill(&path, &chart.origin, charts, DEEPEST)?;
    Ok(Complete { hash: charts::content_hash(&path)?, path })
}

fn fill(chart: &Path, origin: &Origin, charts: &Charts, depth: usize) -> Result<(), Incomplete> {
    for requirement in missing(chart)? {
        let neighbour = charts
            .neighbour(&requirement.name, &requirement.version, origin)
            .filter(|_| depth > 0)
            .ok_or_else(|| Incomplete::Missing(requirement.name.clone()))?;
        let into = chart.join("charts").join(&requirement.name);
        copy_tree(&neighbour.path, &into)?;
        fill(&into, &neighbour.origin, charts, depth - 1)?;
    }
    for file in ["Chart.yaml", "requirements.yaml"] {
        if let Ok(text) = fs::read_to_string(chart.join(file)) {
            fs::write(chart.join(file), requirements::with_open_ranges(&text))?;
        }
    }
    Ok(())
}

/// The declared dependencies that `charts/` does not hold.
fn missing(chart: &Path) -> io::Result<Vec<Requirement>> {
    let mut wanted = Vec::new();
    for file in ["Chart.yaml", "requirements.yaml"] {
        if let Ok(bytes) = fs::read(chart.join(file)) {
            wanted.extend(requirements::dependencies(&String::from_utf8_lossy(&bytes)));
        }
    }
    let present = vendored(&chart.join("charts"))?;
    wanted.retain(|requirement| !present.contains(&requirement.name));
    wanted.dedup_by(|a, b| a.name == b.name);
    Ok(wanted)
}

fn vendored(charts: &Path) -> io::Result<Vec<String>> {
    if !charts.is_dir() {
        return Ok(Vec::new());
    }
    let mut names = Vec::new();
    for entry in fs::read_dir(charts)? {
        let path = entry?.path();
        let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if let Ok(bytes) = fs::read(path.join("Chart.yaml")) {
            names.extend(requirements::top_level(&String::from_utf8_lossy(&bytes), "name"));
        } else if let Some(archive) = file.strip_suffix(".tgz") {
            // In `name-1.2.3.tgz` the version starts after the first hyphen that a number and a dot follow.
            let version = archive
                .match_indices('-')
                .find(|(at, _)| {
                    let rest = archive[at + 1..].trim_start_matches('v');
                    let after = rest.trim_start_matches(|c: char| c.is_ascii_digit());
                    after.len() < rest.len() && after.starts_with('.')
                })
                .map_or(archive.len(), |(at, _)| at);
            names.push(archive[..version].to_owned());
        }
    }
    Ok(names)
}

/// Copies a directory, with the contents of what symbolic links point to.
fn copy_tree(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let (source, target) = (entry.path(), to.join(entry.file_name()));
        if source.is_dir() {
            copy_tree(&source, &target)?;
        } else if source.is_file() {
            fs::write(&target, fs::read(&source)?)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(path: &Path, text: &str) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    #[test]
    fn dependencies_are_filled_recursively_from_neighbours() {
        let tree = tempfile::tempdir().unwrap();
        let copies = tempfile::tempdir().unwrap();
        let dependency = |name: &str| format!("dependencies:\n- name: {name}\n  version: 9.x\n");
        write(&tree.path().join("a/Chart.yaml"), &format!("name: a\nversion: 1.0.0\n{}", dependency("b")));
        write(&tree.path().join("b/Chart.yaml"), "name: b\nversion: 1.0.0\n");
        write(&tree.path().join("b/requirements.yaml"), &dependency("c"));
        write(&tree.path().join("b/charts/c-1.0.0.tgz"), "");
        write(&tree.path().join("d/Chart.yaml"), &format!("name: d\n{}", dependency("nowhere")));
        let charts = Charts::below(&[tree.path().to_owned()]).unwrap();

        let a = complete(&charts.found[0], &charts, copies.path()).unwrap();
        assert!(a.path.starts_with(copies.path()));
        assert!(a.path.join("charts/b/charts/c-1.0.0.tgz").is_file());
        assert!(fs::read_to_string(a.path.join("Chart.yaml")).unwrap().contains("version: \">=0.0.0-0\""));

        let b = complete(&charts.found[1], &charts, copies.path()).unwrap();
        assert_eq!(b.path, tree.path().join("b"));

        let d = complete(&charts.found[2], &charts, copies.path());
        assert!(matches!(d, Err(Incomplete::Missing(name)) if name == "nowhere"));
    }

    #[test]
    fn archives_are_known_by_the_name_before_their_version() {
        let directory = tempfile::tempdir().unwrap();
        for file in ["redis-17.0.1.tgz", "k8s-4-all-v1.2.3-rc.1.tgz", "README.md"] {
            write(&directory.path().join(file), "");
        }
        let mut names = vendored(directory.path()).unwrap();
        names.sort();
        assert_eq!(names, ["k8s-4-all", "redis"]);
    }
}
