//! `dependency build` and `dependency update`.

use std::collections::HashSet;
use std::path::Path;

use gotmpl::semver::Version;

use super::indexes::Indexes;
use super::{DependencyError, Manager, local, lock, replace};
use crate::remote::PathError;
use crate::remote::download::{DownloadOptions, Downloader};
use crate::remote::files;
use crate::remote::http::{BasicAuth, TlsOptions};
use crate::remote::notice::{Notify, Warning};
use crate::remote::oci::is_oci;
use crate::remote::repo::{RepositoryAccess, RepositoryFile};
use crate::remote::url::{resolve_reference, same};
use crate::{ApiVersion, Chart, Dependency};

impl Manager<'_> {
    /// Downloads what the lock settled. Without a lock, this is an [`update`](Self::update).
    pub async fn build(&self, notify: &mut dyn Notify) -> Result<(), DependencyError> {
        let chart = self.load()?;
        let Some(mut lock) = chart.lock.clone() else { return self.update(notify).await };
        let mut wanted = chart.metadata.dependencies.clone();
        let legacy = chart.api_version() == ApiVersion::V1;
        // Helm 2 took its digest before names of repositories were replaced by addresses.
        let of_helm2 = lock::digest_of_helm2(wanted.as_deref())?;
        self.name_repositories(wanted.as_deref_mut().unwrap_or_default(), notify)?;
        if lock::digest(wanted.as_deref(), &lock.dependencies)? != lock.digest {
            if !legacy {
                return Err(DependencyError::OutOfSync);
            }
            let message = "a valid Helm v3 hash was not found. Checking against Helm v2 hash...";
            notify.warn(Warning::new(message));
            if of_helm2 != lock.digest {
                return Err(DependencyError::OutOfSyncV1);
            }
        }
        self.check_configured(&lock.dependencies)?;
        if !self.skip_refresh {
            self.refresh_configured(notify).await?;
        }
        self.download_all(&mut lock.dependencies, &mut Indexes::default(), notify).await
    }

    /// Settles versions anew, downloads them, and writes the lock if it changed.
    pub async fn update(&self, notify: &mut dyn Notify) -> Result<(), DependencyError> {
        let chart = self.load()?;
        let Some(mut wanted) = chart.metadata.dependencies.clone() else { return Ok(()) };
        let mut names = self.name_repositories(&mut wanted, notify)?;
        self.fetch_unconfigured(&mut names, &wanted, notify).await?;
        if !self.skip_refresh {
            self.refresh_configured(notify).await?;
        }
        let mut indexes = Indexes::default();
        let mut lock = self.resolve(&wanted, &names, &mut indexes, notify).await?;
        self.download_all(&mut lock.dependencies, &mut indexes, notify).await?;
        // What lies in directories had its version settled just now.
        lock.digest = lock::digest(Some(&wanted), &lock.dependencies)?;
        if chart.lock.as_ref().is_some_and(|old| old.digest == lock.digest) {
            return Ok(());
        }
        lock::write(&self.chart, &lock, chart.api_version() == ApiVersion::V1)
    }

    fn load(&self) -> Result<Chart, DependencyError> {
        let about = std::fs::metadata(&self.chart).map_err(|error| DependencyError::NoChart {
            path: self.chart.display().to_string(),
            source: PathError::new("stat", &self.chart)(error),
        })?;
        if !about.is_dir() {
            return Err(DependencyError::Packed);
        }
        Ok(crate::load::load_dir(&self.chart)?.chart)
    }

    /// Gathers all archives beside `charts/`, then moves them in.
    async fn download_all(
        &self,
        dependencies: &mut [Dependency],
        indexes: &mut Indexes,
        notify: &mut dyn Notify,
    ) -> Result<(), DependencyError> {
        let list = self.configured()?;
        for entry in &list.repositories {
            let cached = self.remote.paths.cached_index(&entry.name);
            std::fs::metadata(&cached).map_err(PathError::new("open", &cached))?;
        }
        let charts = self.chart.join("charts");
        match std::fs::metadata(&charts) {
            Ok(about) if !about.is_dir() => {
                return Err(DependencyError::NotADirectory { path: charts.display().to_string() });
            }
            Ok(_) => {}
            Err(_) => files::make_dirs(&charts)?,
        }
        let gathered = tempfile::Builder::new()
            .prefix("tmpcharts-")
            .tempdir_in(&self.chart)
            .map_err(PathError::new("mkdir", &self.chart))?;
        notify.say(&format!("Saving {} charts\n", dependencies.len()));
        if let Err(error) = self.gather(dependencies, &list, indexes, gathered.path(), notify).await {
            if !matches!(error, DependencyError::Unloadable { .. } | DependencyError::LocalVersion { .. }) {
                notify.say(&format!("Save error occurred:  {error}\n"));
            }
            return Err(error);
        }
        replace::replace(dependencies, gathered.path(), &charts, notify)
    }

    async fn gather(
        &self,
        dependencies: &mut [Dependency],
        list: &RepositoryFile,
        indexes: &mut Indexes,
        into: &Path,
        notify: &mut dyn Notify,
    ) -> Result<(), DependencyError> {
        let mut fetched = HashSet::new();
        for dependency in dependencies {
            if dependency.repository.is_empty() {
                check_present(dependency, &self.chart.join("charts"), notify)?;
                continue;
            }
            if dependency.repository.starts_with("file://") {
                if self.debug {
                    let (name, repository) = (&dependency.name, &dependency.repository);
                    notify.say(&format!("Archiving {name} from repo {repository}\n"));
                }
                dependency.version = self.pack(dependency, into)?;
                continue;
            }
            let place = self.place(dependency, list, indexes, notify).await?;
            let (name, repository) = (&dependency.name, &dependency.repository);
            if fetched.contains(&place.address) {
                notify.say(&format!("Already downloaded {name} from repo {repository}\n"));
                continue;
            }
            notify.say(&format!("Downloading {name} from repo {repository}\n"));
            let address = place.address.clone();
            let version = if is_oci(&address) { dependency.version.clone() } else { String::new() };
            let downloader =
                Downloader { remote: self.remote, registry: self.registry, options: place.options(self) };
            downloader.to_directory(&address, &version, into, notify).await.map_err(|source| {
                DependencyError::Download { address: address.clone(), source: Box::new(source) }
            })?;
            if !is_oci(&address) {
                fetched.insert(address);
            }
        }
        Ok(())
    }

    /// Where a dependency's archive is, and how to get it.
    async fn place(
        &self,
        dependency: &Dependency,
        list: &RepositoryFile,
        indexes: &mut Indexes,
        notify: &mut dyn Notify,
    ) -> Result<Place, DependencyError> {
        let (name, version, repository) = (&dependency.name, &dependency.version, &dependency.repository);
        if is_oci(repository) {
            return Ok(Place { address: format!("{repository}/{name}"), ..Place::default() });
        }
        let not_found = |reason: String| DependencyError::NotFound { address: String::new(), reason };
        let Some(entry) = list.repositories.iter().find(|entry| same(repository, &entry.url)) else {
            let access = RepositoryAccess { url: repository.clone(), ..RepositoryAccess::default() };
            let found = self.remote.find_chart(&access, name, version, notify).await;
            let address = found
                .map_err(|error| not_found(format!("chart {name} not found in {repository}: {error}")))?;
            return Ok(Place { address, ..Place::default() });
        };
        let index = indexes.get(self.remote, &entry.name, notify)?;
        let versions = index.entries.get(name).ok_or_else(|| not_found("entry not found".to_owned()))?;
        let fits = |text: &str| version.is_empty() || same_version(version, text);
        let found = versions
            .iter()
            .find(|candidate| !candidate.urls.is_empty() && fits(&candidate.metadata.version))
            .ok_or_else(|| not_found("no matching version".to_owned()))?;
        let address = resolve_reference(repository, &found.urls[0])?;
        let own = entry.fetch_options();
        Ok(Place { address, auth: own.auth, pass_credentials_all: own.pass_credentials_all, tls: own.tls })
    }
}

#[derive(Default)]
struct Place {
    address: String,
    auth: BasicAuth,
    pass_credentials_all: bool,
    tls: TlsOptions,
}

impl Place {
    fn options(self, manager: &Manager<'_>) -> DownloadOptions {
        DownloadOptions {
            verify: manager.verify,
            keyring: manager.keyring.clone(),
            auth: self.auth,
            pass_credentials_all: self.pass_credentials_all,
            tls: self.tls,
        }
    }
}

/// A dependency without a repository lies in `charts/`; it must be there and fit.
fn check_present(
    dependency: &Dependency,
    charts: &Path,
    notify: &mut dyn Notify,
) -> Result<(), DependencyError> {
    let name = &dependency.name;
    notify.say(&format!(
        "Dependency {name} did not declare a repository. Assuming it exists in the charts directory\n"
    ));
    let path = charts.join(name);
    let chart = crate::load::load_dir(&path).map_err(|source| DependencyError::Unloadable {
        path: path.display().to_string(),
        source: Box::new(source),
    })?;
    let constraint = local::constraint(dependency, false)?;
    let version = chart.chart.metadata.version;
    let parsed = Version::parse(&version).map_err(|source| DependencyError::LocalVersion {
        version: dependency.version.clone(),
        name: name.clone(),
        source,
    })?;
    if constraint.check(&parsed) {
        return Ok(());
    }
    Err(DependencyError::Unsatisfied { name: name.clone(), version, constraint: dependency.version.clone() })
}

fn same_version(a: &str, b: &str) -> bool {
    match (Version::parse(a), Version::parse(b)) {
        (Ok(a), Ok(b)) => a.precedence(&b).is_eq(),
        (Err(_), _) => a == b,
        _ => false,
    }
}
