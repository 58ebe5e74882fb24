//! Making an index from a directory of archives.

use std::path::{Path, PathBuf};

use super::{ChartVersion, Index, IndexError, RepositoryError, Timestamp};
use crate::remote::files::{self, PathError};
use crate::remote::notice::Notify;
use crate::remote::{sha256_hex, url};

/// Makes the index of a directory (and of the directories in it) and writes it there as `index.yaml`. With a base
/// address, the charts are listed below it; with an index to merge into, its other charts are kept.
pub fn write_index(
    directory: &Path,
    base: &str,
    merge: Option<&Path>,
    json: bool,
    notify: &mut dyn Notify,
) -> Result<(), RepositoryError> {
    let mut index = index_directory(directory, base)?;
    if let Some(path) = merge {
        let other = if path.exists() {
            Index::load(path, notify).map_err(|error| IndexError::Merge(Box::new(error)))?
        } else {
            let empty = Index::default();
            empty.write(path, json)?;
            empty
        };
        index.merge(other);
    }
    index.sort();
    Ok(index.write(&directory.join("index.yaml"), json)?)
}

/// The index of a directory, in no order. What is not a chart is passed over.
pub fn index_directory(directory: &Path, base: &str) -> Result<Index, RepositoryError> {
    let mut index = Index::default();
    for (parent, archive) in archives(directory)? {
        let Ok(chart) = crate::load(&archive) else { continue };
        let digest = sha256_hex(&files::read(&archive)?);
        let file = archive.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let place = url::join(base, &parent).unwrap_or_else(|_| url::join_paths(&[base, &parent]));
        let address = match place.as_str() {
            "" => file.clone(),
            place => url::join(place, &file).unwrap_or_else(|_| url::join_paths(&[place, &file])),
        };
        let mut metadata = chart.chart.metadata;
        if metadata.api_version.is_empty() {
            "v1".clone_into(&mut metadata.api_version);
        }
        index.entries.entry(metadata.name.clone()).or_default().push(ChartVersion {
            metadata,
            urls: vec![address],
            created: Timestamp::now(),
            digest,
            ..ChartVersion::default()
        });
    }
    Ok(index)
}

/// The `.tgz` files of a directory, then those one level below, each with the name of the directory it is in.
fn archives(directory: &Path) -> Result<Vec<(String, PathBuf)>, PathError> {
    let mut found = Vec::new();
    let mut below = Vec::new();
    for path in sorted(directory)? {
        if path.is_dir() {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let inside = sorted(&path).unwrap_or_default();
            below.extend(inside.into_iter().map(|path| (name.clone(), path)));
        } else {
            found.push((String::new(), path));
        }
    }
    found.append(&mut below);
    found.retain(|(_, path)| path.extension().is_some_and(|extension| extension == "tgz"));
    Ok(found)
}

fn sorted(directory: &Path) -> Result<Vec<PathBuf>, PathError> {
    let entries = std::fs::read_dir(directory).map_err(PathError::new("open", directory))?;
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    Ok(paths)
}
