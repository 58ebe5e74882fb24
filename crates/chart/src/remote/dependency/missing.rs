//! The repositories that dependencies name: by address, or by the name they are configured under.

use std::collections::HashMap;

use super::{DependencyError, Manager, local};
use crate::Dependency;
use crate::remote::notice::Notify;
use crate::remote::oci::is_oci;
use crate::remote::repo::{RepositoryEntry, RepositoryFile};
use crate::remote::sha256_hex;
use crate::remote::url::{Url, quote, same};

/// For a dependency's name, the name its repository's index is cached under.
pub(super) type RepositoryNames = HashMap<String, String>;

/// Names of indexes that are cached for repositories that nobody configured.
const GENERATED: &str = "helm-manager-";

const NOTE: &str = "
Note that repositories must be URLs or aliases. For example, to refer to the \"example\"
repository, use \"https://charts.example.com/\" or \"@example\" instead of
\"example\". Don't forget to add the repo, too ('helm repo add').";

impl Manager<'_> {
    pub(super) fn configured(&self) -> Result<RepositoryFile, DependencyError> {
        Ok(RepositoryFile::load_or_default(&self.remote.paths.repository_config)?)
    }

    /// Finds the repositories of dependencies among the configured ones, and writes addresses in place of
    /// `@name` and `alias:name`.
    pub(super) fn name_repositories(
        &self,
        dependencies: &mut [Dependency],
        notify: &mut dyn Notify,
    ) -> Result<RepositoryNames, DependencyError> {
        let list = self.configured()?;
        let mut names = RepositoryNames::new();
        let mut missing = Vec::new();
        for dependency in dependencies {
            let repository = dependency.repository.clone();
            if repository.is_empty() {
                continue;
            }
            if repository.starts_with("file://") {
                local::directory(&repository, &self.chart)?;
                if self.debug {
                    notify.say(&format!("Repository from local path: {repository}\n"));
                }
                names.insert(dependency.name.clone(), repository);
                continue;
            }
            if is_oci(&repository) {
                names.insert(dependency.name.clone(), repository);
                continue;
            }
            let alias = repository.strip_prefix('@').or_else(|| repository.strip_prefix("alias:"));
            let known = list
                .repositories
                .iter()
                .find(|entry| alias == Some(entry.name.as_str()) || same(&entry.url, &repository));
            match known {
                Some(entry) => {
                    if alias == Some(entry.name.as_str()) {
                        dependency.repository.clone_from(&entry.url);
                    }
                    names.insert(dependency.name.clone(), entry.name.clone());
                }
                None if Url::parse_request_uri(&repository).is_ok() => {}
                None => missing.push(repository),
            }
        }
        if missing.is_empty() {
            return Ok(names);
        }
        let bare =
            |name: &String| !name.contains("//") && !name.starts_with('@') && !name.starts_with("alias:");
        let note = if missing.iter().any(bare) { NOTE } else { "" };
        Err(DependencyError::Undefined { repositories: missing, note })
    }

    /// Caches the indexes of repositories that are not configured, under generated names.
    pub(super) async fn fetch_unconfigured(
        &self,
        names: &mut RepositoryNames,
        dependencies: &[Dependency],
        notify: &mut dyn Notify,
    ) -> Result<(), DependencyError> {
        let mut entries = Vec::new();
        for dependency in dependencies {
            if dependency.repository.is_empty() || names.contains_key(&dependency.name) {
                continue;
            }
            let name = format!("{GENERATED}{}", sha256_hex(dependency.repository.as_bytes()));
            names.insert(dependency.name.clone(), name.clone());
            entries.push(RepositoryEntry {
                name,
                url: dependency.repository.clone(),
                ..RepositoryEntry::default()
            });
        }
        if self.skip_refresh || entries.is_empty() {
            return Ok(());
        }
        notify.say("Getting updates for unmanaged Helm repositories...\n");
        self.refresh(entries, notify).await
    }

    /// Downloads the indexes of all configured repositories.
    pub(super) async fn refresh_configured(&self, notify: &mut dyn Notify) -> Result<(), DependencyError> {
        let list = self.configured()?;
        if list.repositories.is_empty() {
            return Ok(());
        }
        notify.say(crate::remote::repo::GREETING);
        self.refresh(list.repositories, notify).await?;
        notify.say(crate::remote::repo::FAREWELL);
        Ok(())
    }

    /// Downloads indexes, once for each address. What fails is told, and found out again when it is needed.
    async fn refresh(
        &self,
        entries: Vec<RepositoryEntry>,
        notify: &mut dyn Notify,
    ) -> Result<(), DependencyError> {
        let mut unique: Vec<RepositoryEntry> = Vec::new();
        let address = |entry: &RepositoryEntry| entry.url.strip_suffix('/').unwrap_or(&entry.url).to_owned();
        for entry in entries {
            match unique.iter_mut().find(|other| address(other) == address(&entry)) {
                Some(other) => *other = entry,
                None => unique.push(entry),
            }
        }
        let generated = |entry: &RepositoryEntry| entry.name.starts_with(GENERATED);
        self.remote
            .download_indexes(
                unique,
                None,
                notify,
                |entry, error| {
                    if generated(entry) {
                        let url = quote(&entry.url);
                        return format!(
                            "...Unable to get an update from the {url} chart repository:\n\t{error}\n"
                        );
                    }
                    crate::remote::repo::failure_words(entry, error)
                },
                |entry| {
                    let name = if generated(entry) { &entry.url } else { &entry.name };
                    format!("...Successfully got an update from the {} chart repository\n", quote(name))
                },
            )
            .await?;
        Ok(())
    }

    /// Refuses a lock that names repositories which are not configured.
    pub(super) fn check_configured(&self, locked: &[Dependency]) -> Result<(), DependencyError> {
        let list = self.configured()?;
        let known = |repository: &str| {
            repository.is_empty()
                || repository.starts_with("file://")
                || is_oci(repository)
                || list
                    .repositories
                    .iter()
                    .any(|entry| same(&entry.url, repository.strip_suffix('/').unwrap_or(repository)))
        };
        let missing = locked.iter().map(|dependency| dependency.repository.clone());
        let repositories: Vec<String> = missing.filter(|repository| !known(repository)).collect();
        if repositories.is_empty() { Ok(()) } else { Err(DependencyError::NotConfigured { repositories }) }
    }
}
