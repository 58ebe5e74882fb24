//! What can go wrong with dependencies, in Helm's words.

use gotmpl::semver::{ConstraintError, VersionError};

use crate::LoadError;
use crate::remote::oci::OciError;
use crate::remote::repo::{IndexError, RepositoryError};
use crate::remote::url::{UrlError, quote};
use crate::remote::{PathError, RemoteError};

/// Why a chart's dependencies could not be brought in line.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DependencyError {
    /// The chart is not there.
    #[error("could not find {path}: {source}")]
    NoChart {
        /// Its path.
        path: String,
        /// What the system said.
        source: PathError,
    },
    /// The chart is an archive.
    #[error("only unpacked charts can be updated")]
    Packed,
    /// The chart, or one it depends on, cannot be loaded.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// A chart in a directory cannot be packed.
    #[error(transparent)]
    Package(#[from] crate::package::PackageError),
    /// A file cannot be read or written.
    #[error(transparent)]
    Path(#[from] PathError),
    /// Repositories are of no use.
    #[error(transparent)]
    Repository(#[from] RepositoryError),
    /// The lock cannot be written.
    #[error(transparent)]
    Yaml(#[from] goyaml::Error),
    /// The lock's digest cannot be made.
    #[error(transparent)]
    Json(#[from] goyaml::json::Error),
    /// The lock does not fit what `Chart.yaml` wants.
    #[error(
        "the lock file (Chart.lock) is out of sync with the dependencies file (Chart.yaml). Please update the dependencies with 'helm dependency update'"
    )]
    OutOfSync,
    /// The lock does not fit what `requirements.yaml` wants.
    #[error(
        "the lock file (requirements.lock) is out of sync with the dependencies file (requirements.yaml). Please update the dependencies"
    )]
    OutOfSyncV1,
    /// Repositories that the lock names are not configured.
    #[error("no repository definition for {}. Please add the missing repos via 'helm repo add'", repositories.join(", "))]
    NotConfigured {
        /// Their addresses.
        repositories: Vec<String>,
    },
    /// Repositories that are neither configured nor addresses.
    #[error("no repository definition for {}. Please add them via 'helm repo add'{note}", repositories.join(", "))]
    Undefined {
        /// What stands for them.
        repositories: Vec<String>,
        /// What to write instead.
        note: &'static str,
    },
    /// A directory that a dependency names is not there.
    #[error("directory {path} not found")]
    NoDirectory {
        /// The directory.
        path: String,
    },
    /// A range cannot be read.
    #[error("dependency {} has an invalid version/constraint format: {source}", if *quoted { quote(name) } else { name.clone() })]
    Constraint {
        /// The dependency.
        name: String,
        /// Whether Helm puts the name in quotes here.
        quoted: bool,
        /// What is wrong.
        source: ConstraintError,
    },
    /// A version cannot be read.
    #[error(transparent)]
    Version(#[from] VersionError),
    /// A dependency in `charts/` has a version that cannot be read.
    #[error("invalid version {version} for dependency {name}: {source}")]
    LocalVersion {
        /// The version that is wanted.
        version: String,
        /// The dependency.
        name: String,
        /// What is wrong.
        source: VersionError,
    },
    /// A repository's index was never downloaded.
    #[error("no cached repository for {repository} found. (try 'helm repo update'): {source}")]
    NotCached {
        /// The repository.
        repository: String,
        /// What is wrong with its index.
        source: Box<IndexError>,
    },
    /// A repository has no such chart.
    #[error("{chart} chart not found in repo {repository}")]
    NotInRepository {
        /// The chart.
        chart: String,
        /// The repository.
        repository: String,
    },
    /// A registry did not tell its tags.
    #[error("could not retrieve list of tags for repository {repository}: {source}")]
    Tags {
        /// The registry.
        repository: String,
        /// Why.
        source: Box<OciError>,
    },
    /// No version fits.
    #[error(
        "can't get a valid version for {} subchart(s): {}. Make sure a matching chart version exists in the repo, or change the version constraint in Chart.yaml",
        charts.len(),
        charts.join(", ")
    )]
    NoVersion {
        /// The charts, with repository and range.
        charts: Vec<String>,
    },
    /// The version in a directory does not fit.
    #[error("can't get a valid version for dependency {name}")]
    LocalMisfit {
        /// The dependency.
        name: String,
    },
    /// The chart in `charts/` does not fit.
    #[error("dependency {name} at version {version} does not satisfy the constraint {constraint}")]
    Unsatisfied {
        /// The dependency.
        name: String,
        /// The version that is there.
        version: String,
        /// The range that is wanted.
        constraint: String,
    },
    /// A chart in `charts/` cannot be loaded.
    #[error("unable to load chart '{path}': {source}")]
    Unloadable {
        /// The chart.
        path: String,
        /// Why.
        source: Box<LoadError>,
    },
    /// There is a file where `charts/` should be.
    #[error("{} is not a directory", quote(path))]
    NotADirectory {
        /// The path.
        path: String,
    },
    /// An archive is nowhere to be found.
    #[error("could not find {address}: {reason}")]
    NotFound {
        /// Its address, as far as it is known.
        address: String,
        /// Why.
        reason: String,
    },
    /// An archive could not be downloaded.
    #[error("could not download {address}: {source}")]
    Download {
        /// Its address.
        address: String,
        /// Why.
        source: Box<RemoteError>,
    },
    /// The index of a configured repository cannot be read.
    #[error(transparent)]
    Index(#[from] IndexError),
    /// An address cannot be read.
    #[error(transparent)]
    Url(#[from] UrlError),
    /// The lock is a link, which is not followed.
    #[error("the {name} file is a symlink to {}", quote(target))]
    Link {
        /// The lock's name.
        name: &'static str,
        /// Where the link leads.
        target: String,
    },
}
