//! Which archive a reference means, and how to get it.

use super::Downloader;
use crate::remote::RemoteError;
use crate::remote::http::FetchOptions;
use crate::remote::notice::Notify;
use crate::remote::oci::is_oci;
use crate::remote::repo::{Index, RepositoryEntry, RepositoryFile};
use crate::remote::url::{Url, resolve_reference, same};

/// Where an archive is.
#[derive(Debug, Clone)]
pub struct Resolved {
    /// Its address.
    pub address: String,
    /// Its SHA-256, if the repository's index says it: hexadecimal digits.
    pub digest: Option<String>,
    pub(super) fetch: FetchOptions,
}

impl Downloader<'_> {
    /// Settles which archive is meant by `repository/chart`, an address, or a name in a registry.
    pub async fn resolve(
        &self,
        reference: &str,
        version: &str,
        notify: &mut dyn Notify,
    ) -> Result<Resolved, RemoteError> {
        let bad = || RemoteError::BadReference { reference: reference.to_owned() };
        let url = Url::parse(reference).map_err(|_| bad())?;
        let mut fetch = FetchOptions {
            auth: self.options.auth.clone(),
            pass_credentials_all: self.options.pass_credentials_all,
            tls: self.options.tls.clone(),
            ..FetchOptions::default()
        };
        if is_oci(reference) {
            let located = self.registry.locate(reference, version).await?;
            return Ok(Resolved { address: located.address, digest: None, fetch });
        }
        let list = RepositoryFile::load_or_default(&self.remote.paths.repository_config)?;
        if url.is_absolute() && !url.host.is_empty() && !url.path.is_empty() {
            match self.owner(reference, &list, notify)? {
                Some(entry) => use_entry(&mut fetch, entry),
                None => reference.clone_into(&mut fetch.credentials_for),
            }
            return Ok(Resolved { address: reference.to_owned(), digest: None, fetch });
        }
        let Some((repository, chart)) = url.path.split_once('/') else {
            return Err(RemoteError::NoRepositoryName { reference: url.to_string() });
        };
        let entry = list
            .get(repository)
            .ok_or_else(|| RemoteError::UnknownRepository { name: repository.to_owned() })?;
        if entry.url.is_empty() {
            return Err(RemoteError::NoUrl { name: repository.to_owned() });
        }
        use_entry(&mut fetch, entry);
        let index = Index::load(&self.remote.paths.cached_index(repository), notify)
            .map_err(|error| RemoteError::NotCached(Box::new(error)))?;
        let found = index.get(chart, version, notify).map_err(|source| RemoteError::NotInIndex {
            chart: chart.to_owned(),
            version: version.to_owned(),
            repository: repository.to_owned(),
            source: Box::new(source),
        })?;
        let Some(place) = found.urls.first() else {
            return Err(RemoteError::NoUrls { reference: reference.to_owned() });
        };
        let address = resolve_reference(&entry.url, place).map_err(|_| bad())?;
        Ok(Resolved { address, digest: digest(&found.digest)?, fetch })
    }

    /// The configured repository that lists an archive: its certificates and credentials are the ones to use.
    fn owner<'l>(
        &self,
        address: &str,
        list: &'l RepositoryFile,
        notify: &mut dyn Notify,
    ) -> Result<Option<&'l RepositoryEntry>, RemoteError> {
        for entry in &list.repositories {
            let index = Index::load(&self.remote.paths.cached_index(&entry.name), notify)
                .map_err(|error| RemoteError::NotCached(Box::new(error)))?;
            let mut places = index.entries.values().flatten().flat_map(|version| &version.urls);
            if places.any(|place| same(address, place)) {
                return Ok(Some(entry));
            }
        }
        Ok(None)
    }
}

/// Fetches as a configured repository asks for.
fn use_entry(fetch: &mut FetchOptions, entry: &RepositoryEntry) {
    let own = entry.fetch_options();
    fetch.credentials_for = own.credentials_for;
    if !(entry.cert_file.is_empty() && entry.key_file.is_empty() && entry.ca_file.is_empty()) {
        let insecure = fetch.tls.insecure;
        fetch.tls = own.tls;
        fetch.tls.insecure = insecure;
    }
    if own.auth.is_complete() {
        fetch.auth = own.auth;
        fetch.pass_credentials_all = own.pass_credentials_all;
    }
}

/// The hexadecimal digits of a digest, whose algorithm may stand before it.
fn digest(text: &str) -> Result<Option<String>, RemoteError> {
    if text.is_empty() {
        return Ok(None);
    }
    let digits = text.split_once(':').map_or(text, |(_, digits)| digits).to_ascii_lowercase();
    let valid = digits.len() == 64 && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    if valid { Ok(Some(digits)) } else { Err(RemoteError::BadDigest { digest: text.to_owned() }) }
}
