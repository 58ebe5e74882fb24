//! What can go wrong with repositories, in Helm's words.

use std::path::PathBuf;

use super::TimeError;
use crate::remote::files::{PathError, system_words};
use crate::remote::http::FetchError;
use crate::remote::url::{UrlError, quote};
use crate::{DecodeError, LoadError, MetadataError};

/// Why an index cannot be read, or has not what is asked of it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum IndexError {
    /// The file has nothing in it.
    #[error("empty index.yaml file")]
    Empty,
    /// It says not what it is.
    #[error("no API version specified")]
    NoApiVersion,
    /// It is not YAML.
    #[error(transparent)]
    Yaml(#[from] goyaml::Error),
    /// It cannot be written.
    #[error(transparent)]
    Json(#[from] goyaml::json::Error),
    /// It is not text.
    #[error("error converting YAML to JSON: yaml: invalid leading UTF-8 octet")]
    Encoding,
    /// Something in it has the wrong shape.
    #[error("error unmarshaling JSON: while decoding JSON: {0}")]
    Shape(String),
    /// A chart in it cannot be read.
    #[error(transparent)]
    Decode(#[from] DecodeError),
    /// A time in it cannot be read.
    #[error("error unmarshaling JSON: while decoding JSON: {0}")]
    Time(#[from] TimeError),
    /// The file cannot be read.
    #[error(transparent)]
    Path(#[from] PathError),
    /// It is a file, and not a good one.
    #[error("error loading {}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: Box<IndexError>,
    },
    /// It has no such chart.
    #[error("no chart name found")]
    NoChartName,
    /// The chart has no versions.
    #[error("no chart version found")]
    NoChartVersion,
    /// The chart has no such version.
    #[error("no chart version found for {name}-{version}")]
    NoSuchVersion {
        /// The chart.
        name: String,
        /// The version or range.
        version: String,
    },
    /// The range cannot be read.
    #[error(transparent)]
    Constraint(#[from] gotmpl::semver::ConstraintError),
    /// A chart that is to be listed is not acceptable.
    #[error("failed adding to {file} to index: validate failed for {file}: {source}")]
    Add {
        /// The archive.
        file: String,
        /// What is wrong with it.
        source: MetadataError,
    },
    /// An index that was to be merged is of no use.
    #[error("merge failed: {0}")]
    Merge(#[source] Box<IndexError>),
}

/// Why something about a repository went wrong.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RepositoryError {
    /// A file cannot be read or written.
    #[error(transparent)]
    Path(#[from] PathError),
    /// `repositories.yaml` is not there, or cannot be read.
    #[error("couldn't load repositories file ({path}): open {path}: {}", system_words(source))]
    Config {
        /// The file.
        path: String,
        /// What the system said.
        source: std::io::Error,
    },
    /// `repositories.yaml` is not what it should be.
    #[error(transparent)]
    Yaml(#[from] goyaml::Error),
    /// The index is of no use.
    #[error(transparent)]
    Index(#[from] IndexError),
    /// The repository cannot be spoken with.
    #[error(transparent)]
    Fetch(#[from] FetchError),
    /// An address cannot be read.
    #[error(transparent)]
    Url(#[from] UrlError),
    /// A repository that cannot be had.
    #[error("looks like {} is not a valid chart repository or cannot be reached: {source}", quote(url))]
    Unreachable {
        /// Its address.
        url: String,
        /// Why.
        source: Box<RepositoryError>,
    },
    /// The address of a repository cannot be read.
    #[error("invalid chart URL format: {url}")]
    BadUrl {
        /// The address.
        url: String,
    },
    /// Nothing here speaks this scheme.
    #[error("could not find protocol handler for: {scheme}")]
    NoHandler {
        /// The scheme.
        scheme: String,
    },
    /// A repository that was closed for good.
    #[error("repo {} is no longer available; try {} instead", quote(url), quote(instead))]
    Closed {
        /// Its address.
        url: String,
        /// Where its charts are now.
        instead: &'static str,
    },
    /// A name that could not be told from a path.
    #[error("repository name ({name}) contains '/', please specify a different name without '/'")]
    Slash {
        /// The name.
        name: String,
    },
    /// Another repository has the name.
    #[error("repository name ({name}) already exists, please specify a different name")]
    Taken {
        /// The name.
        name: String,
    },
    /// There are no repositories to update.
    #[error("no repositories found. You must add one before updating")]
    NothingToUpdate,
    /// There are none at all.
    #[error("no repositories configured")]
    NoRepositories,
    /// The list could not be read before an update.
    #[error("failed loading file: {}: {source}", path.display())]
    Loading {
        /// The file.
        path: PathBuf,
        /// Why.
        source: Box<RepositoryError>,
    },
    /// A repository that was to be updated is not in the list.
    #[error("no repositories found matching '{name}'.  Nothing will be updated")]
    NotListed {
        /// Its name.
        name: String,
    },
    /// A repository that was to be removed is not in the list.
    #[error("no repo named {} found", quote(name))]
    NoSuch {
        /// Its name.
        name: String,
    },
    /// Some repositories could not be updated.
    #[error("failed to update the following repositories: [{}]", urls.join(" "))]
    NotUpdated {
        /// Their addresses.
        urls: Vec<String>,
    },
    /// The repository has no such chart.
    #[error("{chart} not found in {url} repository")]
    ChartNotFound {
        /// The chart, and perhaps the version: `chart "x" version "1"`.
        chart: String,
        /// The repository.
        url: String,
    },
    /// The index names no place to get the chart from.
    #[error("{chart} has no downloadable URLs")]
    NoUrls {
        /// The chart.
        chart: String,
    },
    /// The place to get the chart from cannot be read.
    #[error("failed to make chart URL absolute: {0}")]
    ChartUrl(#[source] UrlError),
    /// An archive that was to be listed cannot be read.
    #[error(transparent)]
    Load(#[from] LoadError),
}
