//! From a directory or an archive to a [`Chart`].

mod archive;
mod assemble;
mod directory;
mod error;
mod tar;
mod values_file;

use std::fs;
use std::path::Path;

use crate::{Chart, File, decode};

pub use archive::{MAX_CHART_BYTES, read_archive};
pub use error::{ArchiveError, LoadError};
pub use values_file::{ValuesFileError, merge_maps, read_values};

/// Things worth telling the user that did not stop the work; Helm's words.
pub type Warnings = Vec<String>;

/// A chart, and what was odd about it.
#[derive(Debug, Clone, Default)]
pub struct Loaded {
    /// The chart with its subcharts.
    pub chart: Chart,
    /// Symbolic links that were followed, old-fashioned files, and the like.
    pub warnings: Warnings,
}

/// Loads the chart at a path: a directory or a `.tgz`.
pub fn load(path: &Path) -> Result<Loaded, LoadError> {
    let kind = fs::metadata(path).map_err(|source| LoadError::io("stat", path, source))?;
    if kind.is_dir() { load_dir(path) } else { load_file(path) }
}

/// Loads a chart from a directory, following symbolic links and obeying `.helmignore`.
pub fn load_dir(path: &Path) -> Result<Loaded, LoadError> {
    let top = std::path::absolute(path).map_err(|source| LoadError::io("getwd", path, source))?;
    let chart_yaml = top.join("Chart.yaml");
    let data = fs::read(&chart_yaml)
        .map_err(|source| LoadError::NotDetected { path: chart_yaml.clone(), source })?;
    read_dir(&top, Generation::of(&data)?)
}

/// Loads a chart from a directory whatever its `apiVersion` says, for whoever wants to say more about it.
pub(crate) fn load_unchecked(path: &Path) -> Result<Loaded, LoadError> {
    let top = std::path::absolute(path).map_err(|source| LoadError::io("getwd", path, source))?;
    let data = fs::read(top.join("Chart.yaml")).unwrap_or_default();
    read_dir(&top, Generation::of(&data).unwrap_or(Generation::Settled))
}

fn read_dir(top: &Path, generation: Generation) -> Result<Loaded, LoadError> {
    let mut warnings = Warnings::new();
    let files = directory::read(top, &mut warnings)?;
    let chart = assemble::assemble(files, generation, &mut warnings)?;
    Ok(Loaded { chart, warnings })
}

/// Loads a chart from a gzipped tar archive on disk.
pub fn load_file(path: &Path) -> Result<Loaded, LoadError> {
    let data = fs::read(path).map_err(|source| LoadError::io("open", path, source))?;
    archive::ensure_archive(path, &data)?;
    load_archive(&data).map_err(|error| match error {
        LoadError::Archive(ArchiveError::Header) => LoadError::NotAChartFile { path: path.to_owned() },
        other => other,
    })
}

/// Loads a chart from the bytes of a gzipped tar archive.
pub fn load_archive(bytes: &[u8]) -> Result<Loaded, LoadError> {
    load_files(read_archive(bytes).map_err(LoadError::Archive)?)
}

/// Makes a chart of files that are already in memory, `Chart.yaml` among them.
pub fn load_files(files: Vec<File>) -> Result<Loaded, LoadError> {
    let chart_yaml = files.iter().find(|file| file.name == "Chart.yaml").ok_or(LoadError::NoChartYaml)?;
    let generation = Generation::of(&chart_yaml.data)?;
    let mut warnings = Warnings::new();
    let chart = assemble::assemble(files, generation, &mut warnings)?;
    Ok(Loaded { chart, warnings })
}

/// Which loader a chart asks for. Subcharts are loaded as their parent is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Generation {
    /// `v1` and `v2`: `requirements.yaml` still counts.
    Settled,
    /// `v3`.
    Next,
}

impl Generation {
    fn of(chart_yaml: &[u8]) -> Result<Self, LoadError> {
        // Nearly all say so in a plain line, and all of it is read later on.
        let plain = str::from_utf8(chart_yaml).ok().and_then(goyaml::Head::from_lines);
        if plain.is_some_and(|head| matches!(head.api_version.as_str(), "v1" | "v2")) {
            return Ok(Self::Settled);
        }
        let refused = |source| LoadError::Yaml { file: "Chart.yaml".to_owned(), source };
        let value = decode::parse(chart_yaml).map_err(refused)?;
        match decode::api_version(&value).map_err(refused)?.as_str() {
            "" | "v1" | "v2" => Ok(Self::Settled),
            "v3" => Ok(Self::Next),
            other => Err(LoadError::UnsupportedVersion { api_version: other.to_owned() }),
        }
    }
}
