//! Why a chart could not be loaded, in Helm's words.

use std::path::{Path, PathBuf};

use crate::ignore::IgnoreError;
use crate::load::values_file::ValuesFileError;
use crate::path::io_message;
use crate::{DecodeError, MetadataError};

/// Why a chart could not be loaded.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// The path cannot be read.
    #[error("{operation} {}: {}", path.display(), io_message(source))]
    Io {
        /// What was tried: `open`, `stat`, `read`.
        operation: &'static str,
        /// On what.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The directory has no readable `Chart.yaml`.
    #[error("unable to detect chart at {}: open {}: {}", path.display(), path.display(), io_message(source))]
    NotDetected {
        /// Where it should be.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The `apiVersion` is none that is known.
    #[error("unsupported chart version")]
    UnsupportedVersion {
        /// What `Chart.yaml` says.
        api_version: String,
    },
    /// A file of the chart does not say what it should.
    #[error("cannot load {file}: {source}")]
    Yaml {
        /// The file, relative to the chart.
        file: String,
        /// What is wrong with it.
        source: DecodeError,
    },
    /// The default values cannot be read.
    #[error("cannot load values.yaml: {0}")]
    Values(#[source] ValuesFileError),
    /// A subchart's directory has no `Chart.yaml`.
    #[error("Chart.yaml file is missing")]
    MissingChartYaml,
    /// An archive has no `Chart.yaml`.
    #[error("unable to detect chart version, no Chart.yaml found")]
    NoChartYaml,
    /// The metadata is not acceptable.
    #[error(transparent)]
    Metadata(#[from] MetadataError),
    /// `.helmignore` holds a rule that is not understood.
    #[error(transparent)]
    Ignore(#[from] IgnoreError),
    /// A device, socket or pipe stands where a file should.
    #[error("cannot load irregular file {} as it has file mode type bits set", path.display())]
    Irregular {
        /// Which one.
        path: PathBuf,
    },
    /// A symbolic link leads nowhere.
    #[error("error evaluating symlink {}: lstat {}: {}", path.display(), target.display(), io_message(source))]
    Symlink {
        /// The link.
        path: PathBuf,
        /// Where it leads.
        target: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The files are too large together.
    #[error("error reading {file}: chart exceeds maximum decompressed size of {limit} bytes")]
    TooLarge {
        /// The file that went beyond.
        file: String,
        /// How much a chart may hold.
        limit: u64,
    },
    /// What should be an archive is something else.
    #[error("file '{}' seems to be a YAML file, but expected a gzipped archive", path.display())]
    YamlInsteadOfArchive {
        /// The file.
        path: PathBuf,
    },
    /// What should be an archive is something else.
    #[error("file '{}' does not appear to be a gzipped archive; got '{found}'", path.display())]
    NotGzip {
        /// The file.
        path: PathBuf,
        /// What it looks like.
        found: &'static str,
    },
    /// The archive's first bytes are right, but not its header.
    #[error("file '{}' does not appear to be a valid chart file (details: gzip: invalid header)", path.display())]
    NotAChartFile {
        /// The file.
        path: PathBuf,
    },
    /// The archive cannot be unpacked.
    #[error("unable to load chart archive")]
    Archive(#[source] ArchiveError),
    /// A subchart cannot be loaded.
    #[error("error unpacking subchart {name} in {parent}: {source}")]
    Subchart {
        /// The entry in `charts/`.
        name: String,
        /// The chart that holds it.
        parent: String,
        /// What is wrong with it.
        source: Box<LoadError>,
    },
    /// A packed subchart cannot be unpacked; Helm names the cause of these only.
    #[error(transparent)]
    PackedSubchart(ArchiveError),
    /// Charts stand in charts without end.
    #[error("charts are nested more than {limit} deep")]
    TooDeep {
        /// How deep they may be.
        limit: usize,
    },
    /// A directory is named like an archive.
    #[error("error unpacking subchart tar in {parent}: expected {expected}, got {found}")]
    SubchartArchive {
        /// The chart that holds it.
        parent: String,
        /// The entry in `charts/`.
        expected: String,
        /// What was found in its place.
        found: String,
    },
}

impl LoadError {
    pub(crate) fn io(operation: &'static str, path: &Path, source: std::io::Error) -> Self {
        Self::Io { operation, path: path.to_owned(), source }
    }
}

/// Why an archive could not be unpacked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ArchiveError {
    /// Not gzip at all.
    #[error("gzip: invalid header")]
    Header,
    /// The compressed data is broken or ends early.
    #[error("{}", io_message(.0))]
    Compression(#[source] std::io::Error),
    /// The tar inside is broken.
    #[error("archive/tar: invalid tar header")]
    Tar,
    /// A path starts at the root.
    #[error("chart illegally contains absolute paths")]
    AbsolutePath {
        /// As the archive has it.
        path: String,
    },
    /// A file stands outside the one directory that an archive holds.
    #[error("chart illegally contains content outside the base directory: {}", goyaml::strconv::quote(path))]
    OutsideBase {
        /// As the archive has it.
        path: String,
    },
    /// A path climbs out of the chart.
    #[error("chart illegally references parent directory")]
    ParentDirectory {
        /// As the archive has it.
        path: String,
    },
    /// A path names a drive of Windows.
    #[error("chart contains illegally named files")]
    IllegalName {
        /// As the archive has it.
        path: String,
    },
    /// There is no directory around the chart.
    #[error("chart yaml not in base directory")]
    NoBaseDirectory,
    /// Unpacked, it is too large.
    #[error("decompressed chart is larger than the maximum size {limit}")]
    TooLarge {
        /// How much a chart may hold.
        limit: u64,
    },
    /// It holds too many files.
    #[error("chart archive holds more than {limit} files")]
    TooManyFiles {
        /// How many it may hold.
        limit: usize,
    },
    /// There is nothing in it.
    #[error("no files in chart archive")]
    Empty,
}
