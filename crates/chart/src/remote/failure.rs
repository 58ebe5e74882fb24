//! Why a chart could not be had or given away.

use super::files::PathError;
use super::http::FetchError;
use super::oci::OciError;
use super::provenance::ProvenanceError;
use super::repo::{IndexError, RepositoryError};
use super::url::quote;
use crate::LoadError;

/// What can go wrong between a reference and a chart.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RemoteError {
    /// A file cannot be read or written.
    #[error(transparent)]
    Path(#[from] PathError),
    /// Something could not be fetched.
    #[error(transparent)]
    Fetch(#[from] FetchError),
    /// A registry did not do what it was asked.
    #[error("{0}")]
    Oci(#[source] Box<OciError>),
    /// A repository did not have what it was asked for.
    #[error("{0}")]
    Repository(#[source] Box<RepositoryError>),
    /// The signature does not hold.
    #[error("{0}")]
    Provenance(#[source] Box<ProvenanceError>),
    /// What arrived is not a chart.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// The reference is no address.
    #[error("invalid chart URL format: {reference}")]
    BadReference {
        /// The reference.
        reference: String,
    },
    /// The reference has no repository in it.
    #[error("non-absolute URLs should be in form of repo_name/path_to_chart, got: {reference}")]
    NoRepositoryName {
        /// The reference.
        reference: String,
    },
    /// The repository is not on the list.
    #[error("repo {name} not found")]
    UnknownRepository {
        /// Its name.
        name: String,
    },
    /// The repository is on the list without an address.
    #[error("no URL found for repository {name}")]
    NoUrl {
        /// Its name.
        name: String,
    },
    /// The repository's index was never downloaded.
    #[error("no cached repo found. (try 'helm repo update'): {0}")]
    NotCached(#[source] Box<IndexError>),
    /// The index has no such chart or version.
    #[error(
        "chart {} matching {version} not found in {repository} index. (try 'helm repo update'): {source}",
        quote(chart)
    )]
    NotInIndex {
        /// The chart.
        chart: String,
        /// The version.
        version: String,
        /// The repository.
        repository: String,
        /// What the index has not.
        source: Box<IndexError>,
    },
    /// The index names no place to get the chart from.
    #[error("chart {} has no downloadable URLs", quote(reference))]
    NoUrls {
        /// The reference.
        reference: String,
    },
    /// A digest is not one.
    #[error("invalid digest {}", quote(digest))]
    BadDigest {
        /// The digest.
        digest: String,
    },
    /// A signature is required and there is none.
    #[error("failed to fetch provenance {}", quote(address))]
    NoProvenance {
        /// Where it was looked for.
        address: String,
    },
    /// The address does not end in the name of a file.
    #[error("{address}: does not name a file")]
    NoFileName {
        /// The address.
        address: String,
    },
    /// There is nothing at the path.
    #[error("path {} not found", quote(path))]
    PathNotFound {
        /// The path.
        path: String,
    },
    /// There is something where the chart is to be unpacked.
    #[error("failed to untar: a file or directory with the name {path} already exists")]
    InTheWay {
        /// What is there.
        path: String,
    },
    /// The directory to unpack into cannot be made.
    #[error("failed to untar (mkdir): {0}")]
    Untar(#[source] PathError),
    /// An archive that would be unpacked outside its directory, or is none.
    #[error("{reason}")]
    Unpack {
        /// What is wrong.
        reason: String,
    },
    /// Where to push to is not said.
    #[error("scheme prefix missing from remote (e.g. \"oci://\")")]
    NoScheme,
    /// Charts are pushed to registries only.
    #[error("scheme {} not supported", quote(scheme))]
    Scheme {
        /// The scheme.
        scheme: String,
    },
    /// What is to be pushed is not there.
    #[error("{path}: no such file")]
    NoSuchFile {
        /// The path.
        path: String,
    },
    /// Only archives are pushed.
    #[error("cannot push directory, must provide chart archive (.tgz)")]
    Directory,
}

impl From<OciError> for RemoteError {
    fn from(error: OciError) -> Self {
        Self::Oci(Box::new(error))
    }
}

impl From<RepositoryError> for RemoteError {
    fn from(error: RepositoryError) -> Self {
        Self::Repository(Box::new(error))
    }
}

impl From<ProvenanceError> for RemoteError {
    fn from(error: ProvenanceError) -> Self {
        Self::Provenance(Box::new(error))
    }
}
