//! Pushing an archive to a registry, as `push` does.

use std::path::Path;

use super::notice::Notify;
use super::oci::{Pushed, Registry};
use super::repo::Timestamp;
use super::url::{Url, join_paths};
use super::{PathError, RemoteError, files, provenance};

/// Pushes the archive at a path, and the provenance file beside it, below an `oci://` address.
pub async fn push(
    archive: &str,
    destination: &str,
    registry: &Registry,
    notify: &mut dyn Notify,
) -> Result<Pushed, RemoteError> {
    let url = Url::parse(destination)
        .map_err(|_| RemoteError::BadReference { reference: destination.to_owned() })?;
    match url.scheme.as_str() {
        "oci" => {}
        "" => return Err(RemoteError::NoScheme),
        _ => return Err(RemoteError::Scheme { scheme: url.scheme }),
    }
    let path = Path::new(archive);
    let about = std::fs::metadata(path).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => RemoteError::NoSuchFile { path: archive.to_owned() },
        _ => PathError::new("stat", path)(error).into(),
    })?;
    if about.is_dir() {
        return Err(RemoteError::Directory);
    }
    let bytes = files::read(path)?;
    let metadata = crate::load(path)?.chart.metadata;
    let beside = provenance::provenance_path(path);
    let signature = beside.exists().then(|| files::read(&beside)).transpose()?;
    let below = join_paths(&[destination.strip_prefix("oci://").unwrap_or(destination), &metadata.name]);
    let name = format!("{below}:{}", metadata.version);
    let created = about.modified().unwrap_or_else(|_| std::time::SystemTime::now());
    let created = Timestamp::seconds_of(created);
    Ok(registry.push(bytes, signature, &name, created.as_str(), notify).await?)
}
