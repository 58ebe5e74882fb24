//! Moving gathered archives into `charts/`, and outdated ones out of it.

use std::collections::HashSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::DependencyError;
use crate::Dependency;
use crate::remote::PathError;
use crate::remote::files::system_words;
use crate::remote::notice::Notify;

/// Moves the archives in, then deletes the archives of charts that are no dependencies any more. What is no
/// chart, and charts that are meant to lie there, stay.
pub(super) fn replace(
    dependencies: &[Dependency],
    gathered: &Path,
    charts: &Path,
    notify: &mut dyn Notify,
) -> Result<(), DependencyError> {
    let fresh = plain_files(gathered)?;
    let present = plain_files(charts)?;
    let local: HashSet<&str> = dependencies
        .iter()
        .filter(|dependency| dependency.repository.is_empty())
        .map(|dependency| dependency.name.as_str())
        .collect();
    let mut moved: HashSet<OsString> = HashSet::new();
    for path in fresh {
        let Some(name) = path.file_name() else { continue };
        moved.insert(name.to_owned());
        if let Err(error) = crate::load::load_file(&path) {
            let path = path.display();
            notify.say(&format!("Could not verify {path} for moving: {error} (Skipping)"));
            continue;
        }
        if let Err(error) = std::fs::rename(&path, charts.join(name)) {
            let path = path.display();
            let why = system_words(&error);
            notify.say(&format!("Unable to move {path} to charts dir {why} (Skipping)"));
        }
    }
    notify.say("Deleting outdated charts\n");
    for path in present {
        if path.file_name().is_some_and(|name| moved.contains(name)) {
            continue;
        }
        match crate::load::load_file(&path) {
            Err(error) => {
                let path = path.display();
                notify.say(&format!("Could not verify {path} for deletion: {error} (Skipping)\n"));
            }
            Ok(loaded) if local.contains(loaded.chart.name()) => {}
            Ok(_) => {
                if let Err(error) = std::fs::remove_file(&path) {
                    let why = PathError::new("remove", &path)(error);
                    notify.say(&format!("Could not delete {}: {why} (Skipping)", path.display()));
                }
            }
        }
    }
    Ok(())
}

fn plain_files(directory: &Path) -> Result<Vec<PathBuf>, PathError> {
    let entries = std::fs::read_dir(directory).map_err(PathError::new("open", directory))?;
    let is_file = |entry: &std::fs::DirEntry| !entry.file_type().is_ok_and(|kind| kind.is_dir());
    let mut paths: Vec<PathBuf> = entries.flatten().filter(is_file).map(|entry| entry.path()).collect();
    paths.sort();
    Ok(paths)
}
