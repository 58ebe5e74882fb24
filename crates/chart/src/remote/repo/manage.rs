//! What `repo add`, `repo update` and `repo remove` do.

use std::time::Duration;

use super::{RepositoryEntry, RepositoryError, RepositoryFile};
use crate::remote::Remote;
use crate::remote::files::{self, FileLock, PathError};
use crate::remote::notice::Notify;
use crate::remote::url::quote;

/// Repositories that were closed for good, and where their charts went.
const CLOSED: [(&str, &str); 2] = [
    ("//kubernetes-charts.storage.googleapis.com", "https://charts.helm.sh/stable"),
    ("//kubernetes-charts-incubator.storage.googleapis.com", "https://charts.helm.sh/incubator"),
];

pub(crate) const GREETING: &str = "Hang tight while we grab the latest from your chart repositories...\n";
pub(crate) const FAREWELL: &str = "Update Complete. ⎈Happy Helming!⎈\n";

/// How a repository is added.
#[derive(Debug, Clone, Copy, Default)]
pub struct AddOptions {
    /// Put it in place of one of the same name.
    pub force_update: bool,
    /// Permit repositories that were closed for good.
    pub allow_deprecated: bool,
    /// How long the download of the index may take.
    pub timeout: Option<Duration>,
}

impl Remote {
    /// Adds a repository: downloads its index, and puts it on the list.
    pub async fn add_repository(
        &self,
        entry: RepositoryEntry,
        options: AddOptions,
        notify: &mut dyn Notify,
    ) -> Result<(), RepositoryError> {
        let closed = CLOSED.iter().find(|(closed, _)| entry.url.contains(closed));
        if let Some((_, instead)) = closed.filter(|_| !options.allow_deprecated) {
            return Err(RepositoryError::Closed { url: entry.url, instead });
        }
        let path = &self.paths.repository_config;
        let _lock = FileLock::for_file(path).await?;
        let mut list = RepositoryFile::load_or_default(path)?;
        if entry.name.contains('/') {
            return Err(RepositoryError::Slash { name: entry.name });
        }
        if let Some(existing) = list.get(&entry.name).filter(|_| !options.force_update) {
            if *existing != entry {
                return Err(RepositoryError::Taken { name: entry.name });
            }
            let name = quote(&entry.name);
            notify.say(&format!("{name} already exists with the same configuration, skipping\n"));
            return Ok(());
        }
        super::update::check_address(&entry.url)?;
        self.download_index(&entry, options.timeout, notify).await.map_err(|error| {
            RepositoryError::Unreachable { url: entry.url.clone(), source: Box::new(error) }
        })?;
        let added = format!("{} has been added to your repositories\n", quote(&entry.name));
        list.put(entry);
        list.write(path)?;
        notify.say(&added);
        Ok(())
    }

    /// Downloads the indexes of the named repositories, or of all.
    pub async fn update_repositories(
        &self,
        names: &[String],
        timeout: Option<Duration>,
        notify: &mut dyn Notify,
    ) -> Result<(), RepositoryError> {
        let path = &self.paths.repository_config;
        let list = match RepositoryFile::load(path) {
            Err(RepositoryError::Config { source, .. }) if source.kind() == std::io::ErrorKind::NotFound => {
                return Err(RepositoryError::NothingToUpdate);
            }
            Err(source) => {
                return Err(RepositoryError::Loading { path: path.clone(), source: Box::new(source) });
            }
            Ok(list) if list.repositories.is_empty() => return Err(RepositoryError::NothingToUpdate),
            Ok(list) => list,
        };
        if let Some(name) = names.iter().find(|name| list.get(name).is_none()) {
            return Err(RepositoryError::NotListed { name: name.clone() });
        }
        let wanted = |entry: &RepositoryEntry| names.is_empty() || names.contains(&entry.name);
        let entries: Vec<_> = list.repositories.into_iter().filter(wanted).collect();
        notify.say(GREETING);
        let failed = self.download_indexes(entries, timeout, notify, failure_words, success_words).await?;
        if !failed.is_empty() {
            return Err(RepositoryError::NotUpdated { urls: failed });
        }
        notify.say(FAREWELL);
        Ok(())
    }

    /// Takes repositories off the list, and their indexes out of the cache.
    pub async fn remove_repositories(
        &self,
        names: &[String],
        notify: &mut dyn Notify,
    ) -> Result<(), RepositoryError> {
        let path = &self.paths.repository_config;
        let _lock = FileLock::for_file(path).await?;
        let mut list = RepositoryFile::load_or_default(path)?;
        if list.repositories.is_empty() {
            return Err(RepositoryError::NoRepositories);
        }
        for name in names {
            if !list.remove(name) {
                return Err(RepositoryError::NoSuch { name: name.clone() });
            }
            list.write(path)?;
            for cached in [self.paths.cached_names(name), self.paths.cached_index(name)] {
                match std::fs::remove_file(&cached) {
                    Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                        return Err(PathError::new("remove", &cached)(error).into());
                    }
                    _ => {}
                }
            }
            notify.say(&format!("{} has been removed from your repositories\n", quote(name)));
        }
        Ok(())
    }

    /// The names of a repository's charts, for completion: from the list that is cached for that, else the index.
    pub fn chart_names(&self, repository: &str, notify: &mut dyn Notify) -> Vec<String> {
        if let Ok(names) = files::read(&self.paths.cached_names(repository)) {
            return String::from_utf8_lossy(&names).lines().map(str::to_owned).collect();
        }
        let index = super::Index::load(&self.paths.cached_index(repository), notify);
        index.map(|index| index.entries.into_keys().collect()).unwrap_or_default()
    }
}

pub(crate) fn failure_words(entry: &RepositoryEntry, error: &RepositoryError) -> String {
    let (name, url) = (quote(&entry.name), &entry.url);
    format!("...Unable to get an update from the {name} chart repository ({url}):\n\t{error}\n")
}

pub(crate) fn success_words(entry: &RepositoryEntry) -> String {
    format!("...Successfully got an update from the {} chart repository\n", quote(&entry.name))
}
