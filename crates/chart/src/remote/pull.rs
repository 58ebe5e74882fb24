//! Downloading a chart into a directory, and perhaps unpacking it, as `pull` does.

use std::path::{Component, Path, PathBuf};

use super::download::{Downloader, Verify};
use super::locate::SourceOptions;
use super::notice::Notify;
use super::url::base_name;
use super::{PathError, Remote, RemoteError, files};

/// What is pulled and where to.
#[derive(Debug, Clone, Default)]
pub struct PullOptions {
    /// Where the chart is looked for.
    pub source: SourceOptions,
    /// `--devel`: versions that are not stable count too, unless a version is given.
    pub devel: bool,
    /// `--prov`: fetch the signature without checking it.
    pub provenance: bool,
    /// `--untar`.
    pub untar: bool,
    /// `--untardir`: below the destination, unless it is absolute.
    pub untar_dir: PathBuf,
    /// `--destination`.
    pub destination: PathBuf,
}

impl Remote {
    /// Pulls a chart.
    pub async fn pull(
        &self,
        reference: &str,
        options: &PullOptions,
        notify: &mut dyn Notify,
    ) -> Result<(), RemoteError> {
        let source = &options.source;
        let version = if source.version.is_empty() && options.devel { ">0.0.0-0" } else { &source.version };
        let verify = match (source.verify, options.provenance) {
            (true, _) => Verify::Always,
            (false, true) => Verify::Later,
            (false, false) => Verify::Never,
        };
        let scratch = options.untar.then(|| tempfile::Builder::new().prefix("helm-").tempdir()).transpose();
        let scratch = scratch.map_err(PathError::new("mkdir", &std::env::temp_dir()))?;
        let directory = scratch.as_ref().map_or(options.destination.as_path(), tempfile::TempDir::path);
        let address = match source.repository.as_str() {
            "" => reference.to_owned(),
            _ => self.find_chart(&source.access(), reference, version, notify).await?,
        };
        let registry = self.registry(source.auth.clone(), source.tls.clone(), source.plain_http);
        let downloader = Downloader { remote: self, registry: &registry, options: source.download(verify) };
        let archive = downloader.to_directory(&address, version, directory, notify).await?;
        if let Some(verification) = &archive.verification {
            notify.say(&verification.to_string());
        }
        if options.untar {
            let below = options.destination.join(&options.untar_dir);
            let below = PathBuf::from(super::url::clean_path(&below.to_string_lossy()));
            unpack_as(&below, reference, &files::read(&archive.path)?)?;
        }
        Ok(())
    }
}

/// Unpacks a chart into a directory where nothing has the name it was asked for by.
fn unpack_as(directory: &Path, reference: &str, archive: &[u8]) -> Result<(), RemoteError> {
    let name = if reference.ends_with('/') { "" } else { base_name(reference) };
    let place = if directory == Path::new(".") { PathBuf::from(name) } else { directory.join(name) };
    if std::fs::metadata(&place).is_ok() {
        return Err(RemoteError::InTheWay { path: place.display().to_string() });
    }
    files::make_dirs(&place).map_err(RemoteError::Untar)?;
    unpack(directory, archive)
}

/// Unpacks a chart into the directory of its name below another.
pub fn unpack(directory: &Path, archive: &[u8]) -> Result<(), RemoteError> {
    let wrong = |reason: String| Err(RemoteError::Unpack { reason });
    let files = crate::load::read_archive(archive)
        .map_err(|error| RemoteError::Unpack { reason: error.to_string() })?;
    let chart = files.iter().find(|file| file.name == "Chart.yaml");
    let name = match chart {
        Some(file) => {
            let mut decoded = crate::decode::DecodedMetadata::default();
            crate::decode::parse(&file.data)
                .and_then(|tree| crate::decode::metadata(&tree, &mut decoded))
                .map_err(|error| RemoteError::Unpack {
                    reason: format!("cannot load Chart.yaml: {error}"),
                })?;
            decoded.metadata.name
        }
        None => String::new(),
    };
    if name.is_empty() {
        return wrong("chart name not specified".to_owned());
    }
    if name == "." || name == ".." {
        return wrong(format!("chart name {} is not allowed", super::url::quote(&name)));
    }
    if name.contains(['/', '\\', '\0']) {
        return wrong(format!("chart name {} must not contain path separators", super::url::quote(&name)));
    }
    for file in files {
        let path = inside(directory, &Path::new(&name).join(&file.name))?;
        if let Some(parent) = path.parent() {
            files::make_dirs(parent)?;
        }
        files::write(&path, &file.data, 0o644)?;
    }
    Ok(())
}

/// A path below a directory that no `..` and no link leads out of.
fn inside(directory: &Path, relative: &Path) -> Result<PathBuf, RemoteError> {
    let outside =
        || RemoteError::Unpack { reason: format!("{} leaves the chart's directory", relative.display()) };
    let mut path = directory.to_owned();
    for component in relative.components() {
        match component {
            Component::Normal(part) => path.push(part),
            Component::CurDir => {}
            _ => return Err(outside()),
        }
        if std::fs::symlink_metadata(&path).is_ok_and(|about| about.file_type().is_symlink()) {
            return Err(outside());
        }
    }
    Ok(path)
}

#[cfg(test)]
mod tests;
