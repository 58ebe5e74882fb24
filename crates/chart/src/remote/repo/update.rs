//! Downloading indexes into the cache.

use std::time::Duration;

use tokio::task::JoinSet;

use super::{Index, RepositoryEntry, RepositoryError};
use crate::remote::http::Limit;
use crate::remote::notice::{Notify, Transcript};
use crate::remote::url::{Url, resolve_reference};
use crate::remote::{Remote, files};

/// A repository's index as it was downloaded.
pub(crate) struct Downloaded {
    pub(crate) index: Index,
    pub(crate) bytes: Vec<u8>,
}

impl Remote {
    /// Downloads a repository's index without keeping it.
    pub(crate) async fn fetch_index(
        &self,
        entry: &RepositoryEntry,
        timeout: Option<Duration>,
        notify: &mut dyn Notify,
    ) -> Result<Downloaded, RepositoryError> {
        check_address(&entry.url)?;
        let address = resolve_reference(&entry.url, "index.yaml")?;
        let mut options = entry.fetch_options();
        options.timeout = timeout;
        let bytes = self.http.get(&address, &options, Limit::INDEX).await?;
        let index = Index::parse(&bytes, &entry.url, notify)?;
        Ok(Downloaded { index, bytes })
    }

    /// Downloads a repository's index into the cache.
    pub(crate) async fn download_index(
        &self,
        entry: &RepositoryEntry,
        timeout: Option<Duration>,
        notify: &mut dyn Notify,
    ) -> Result<(), RepositoryError> {
        let downloaded = self.fetch_index(entry, timeout, notify).await?;
        let names: String = downloaded.index.entries.keys().flat_map(|name| [name.as_str(), "\n"]).collect();
        files::make_dirs(&self.paths.repository_cache)?;
        files::write(&self.paths.cached_names(&entry.name), names.as_bytes(), 0o644)?;
        Ok(files::write(&self.paths.cached_index(&entry.name), &downloaded.bytes, 0o644)?)
    }

    /// Downloads many indexes at once, telling of each when it is there. Returns the addresses that failed.
    pub(crate) async fn download_indexes(
        &self,
        entries: Vec<RepositoryEntry>,
        timeout: Option<Duration>,
        notify: &mut dyn Notify,
        failed: impl Fn(&RepositoryEntry, &RepositoryError) -> String,
        updated: impl Fn(&RepositoryEntry) -> String,
    ) -> Result<Vec<String>, RepositoryError> {
        for entry in &entries {
            check_address(&entry.url)?;
        }
        let mut tasks = JoinSet::new();
        for entry in entries {
            let remote = self.clone();
            tasks.spawn(async move {
                let mut heard = Transcript::default();
                let result = remote.download_index(&entry, timeout, &mut heard).await;
                (entry, result, heard)
            });
        }
        let mut failures = Vec::new();
        while let Some(finished) = tasks.join_next().await {
            let Ok((entry, result, heard)) = finished else { continue };
            heard.warnings.into_iter().for_each(|warning| notify.warn(warning));
            match result {
                Ok(()) => notify.say(&updated(&entry)),
                Err(error) => {
                    notify.say(&failed(&entry, &error));
                    failures.push(entry.url);
                }
            }
        }
        Ok(failures)
    }
}

/// Refuses addresses that no repository can have.
pub(super) fn check_address(address: &str) -> Result<(), RepositoryError> {
    let url = Url::parse(address).map_err(|_| RepositoryError::BadUrl { url: address.to_owned() })?;
    match url.scheme.as_str() {
        "http" | "https" => Ok(()),
        _ => Err(RepositoryError::NoHandler { scheme: url.scheme }),
    }
}
