//! From a reference and a version to an archive.

mod cache;
mod resolve;

use std::path::{Path, PathBuf};

pub use cache::{ContentCache, ContentKind};
pub use resolve::Resolved;

use super::http::{BasicAuth, FetchOptions, Limit, TlsOptions};
use super::notice::{Notify, Warning};
use super::oci::{Registry, Wanted, is_oci};
use super::provenance::{self, Verification};
use super::url::{Url, base_name};
use super::{Remote, RemoteError, files, sha256_hex};

/// What is done about signatures.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verify {
    /// Nothing.
    #[default]
    Never,
    /// Check one if there is one.
    IfPossible,
    /// Insist on one.
    Always,
    /// Fetch it, and leave checking it to somebody else.
    Later,
}

/// How archives are downloaded.
#[derive(Debug, Clone, Default)]
pub struct DownloadOptions {
    /// What is done about signatures.
    pub verify: Verify,
    /// The keyring to check them with.
    pub keyring: PathBuf,
    /// Credentials for repositories; those of a configured repository win.
    pub auth: BasicAuth,
    /// Give them to any server.
    pub pass_credentials_all: bool,
    /// Certificates; those of a configured repository win.
    pub tls: TlsOptions,
}

/// Downloads archives.
#[derive(Debug)]
pub struct Downloader<'a> {
    /// The user's repositories and caches.
    pub remote: &'a Remote,
    /// For what is in registries.
    pub registry: &'a Registry,
    /// How.
    pub options: DownloadOptions,
}

/// An archive that was downloaded.
#[derive(Debug)]
pub struct Downloaded {
    /// Where it is.
    pub path: PathBuf,
    /// Who signed it, if that was checked.
    pub verification: Option<Verification>,
}

impl Downloader<'_> {
    /// Downloads a chart into a directory, under the name its address gives it.
    pub async fn to_directory(
        &self,
        reference: &str,
        version: &str,
        directory: &Path,
        notify: &mut dyn Notify,
    ) -> Result<Downloaded, RemoteError> {
        let resolved = self.resolve(reference, version, notify).await?;
        let cache = ContentCache::new(&self.remote.paths.content_cache);
        let cached = resolved.digest.as_deref().and_then(|digest| cache.get(digest, ContentKind::Chart));
        let archive = match cached {
            Some(archive) => archive,
            None => self.fetch(&resolved, notify).await?,
        };
        let path = directory.join(file_name(&resolved.address)?);
        files::write(&path, &archive, 0o644)?;
        if self.options.verify == Verify::Never {
            return Ok(Downloaded { path, verification: None });
        }
        let cached = resolved.digest.as_deref().and_then(|digest| cache.get(digest, ContentKind::Provenance));
        let provenance = match cached {
            Some(provenance) => provenance,
            None => match self.fetch_provenance(reference, &resolved, notify).await? {
                Some(provenance) => provenance,
                None => return Ok(Downloaded { path, verification: None }),
            },
        };
        let beside = provenance::provenance_path(&path);
        files::write(&beside, &provenance, 0o644)?;
        if self.options.verify == Verify::Later {
            return Ok(Downloaded { path, verification: None });
        }
        let verification = provenance::verify_file(&path, &beside, &self.options.keyring)?;
        Ok(Downloaded { path, verification: Some(verification) })
    }

    /// Downloads a chart into the cache, unless it is there.
    pub async fn to_cache(
        &self,
        reference: &str,
        version: &str,
        notify: &mut dyn Notify,
    ) -> Result<Downloaded, RemoteError> {
        let resolved = self.resolve(reference, version, notify).await?;
        let cache = ContentCache::new(&self.remote.paths.content_cache);
        let cached = resolved.digest.as_deref().and_then(|digest| {
            cache.get(digest, ContentKind::Chart).map(|archive| (digest.to_owned(), archive))
        });
        let (digest, archive) = if let Some(found) = cached {
            found
        } else {
            let archive = self.fetch(&resolved, notify).await?;
            let digest = sha256_hex(&archive);
            cache.put(&digest, &archive, ContentKind::Chart)?;
            (digest, archive)
        };
        let path = cache.path(&digest, ContentKind::Chart);
        if self.options.verify == Verify::Never {
            return Ok(Downloaded { path, verification: None });
        }
        let provenance = match cache.get(&digest, ContentKind::Provenance) {
            Some(provenance) => provenance,
            None => match self.fetch_provenance(reference, &resolved, notify).await? {
                Some(provenance) => {
                    cache.put(&digest, &provenance, ContentKind::Provenance)?;
                    provenance
                }
                None => return Ok(Downloaded { path, verification: None }),
            },
        };
        if self.options.verify == Verify::Later {
            return Ok(Downloaded { path, verification: None });
        }
        let keyring = provenance::Keyring::load(&self.options.keyring)
            .map_err(provenance::ProvenanceError::LoadKeyring)?;
        let name = file_name(&resolved.address)?;
        let verification = provenance::verify(&archive, &provenance, &name, &keyring)?;
        Ok(Downloaded { path, verification: Some(verification) })
    }

    /// Fetches the archive. One that is not what its index promised is used, as Helm uses it, but not silently.
    async fn fetch(&self, resolved: &Resolved, notify: &mut dyn Notify) -> Result<Vec<u8>, RemoteError> {
        let address = resolved.address.as_str();
        if is_oci(address) {
            return Ok(self.registry.pull(address, Wanted::Chart, notify).await?.chart);
        }
        let options = FetchOptions {
            accept: Some("application/gzip,application/octet-stream"),
            ..resolved.fetch.clone()
        };
        let archive = self.remote.http.get(address, &options, Limit::ARCHIVE).await?;
        if let Some(expected) = &resolved.digest {
            let actual = sha256_hex(&archive);
            if *expected != actual {
                let warning =
                    Warning::new("the archive is not the one that the index of its repository lists");
                notify.warn(warning.with("url", address).with("listed", expected).with("received", actual));
            }
        }
        Ok(archive)
    }

    /// Fetches the signature. `None` when there is none and none is required.
    async fn fetch_provenance(
        &self,
        reference: &str,
        resolved: &Resolved,
        notify: &mut dyn Notify,
    ) -> Result<Option<Vec<u8>>, RemoteError> {
        let address = format!("{}.prov", resolved.address);
        let fetched = if is_oci(&address) {
            let pulled = self.registry.pull(&resolved.address, Wanted::Provenance, notify).await;
            pulled.map(|pulled| pulled.provenance).map_err(RemoteError::from)
        } else {
            self.remote.http.get(&address, &resolved.fetch, Limit::DOCUMENT).await.map_err(RemoteError::from)
        };
        match fetched {
            Ok(provenance) => Ok(Some(provenance)),
            Err(_) if self.options.verify == Verify::Always => Err(RemoteError::NoProvenance { address }),
            Err(error) => {
                notify.say(&format!("WARNING: Verification not found for {reference}: {error}\n"));
                Ok(None)
            }
        }
    }
}

/// The name that an archive at an address has as a file: the last part of the path; for registries, with the
/// version joined by a dash.
fn file_name(address: &str) -> Result<String, RemoteError> {
    let none = || RemoteError::NoFileName { address: address.to_owned() };
    let url = Url::parse(address).map_err(|_| none())?;
    let name = base_name(&url.path);
    let name = if url.scheme == "oci" {
        let (name, version) = name.rsplit_once(':').ok_or_else(none)?;
        format!("{name}-{version}.tgz")
    } else {
        name.to_owned()
    };
    let unsafe_name = matches!(name.as_str(), "" | "." | ".." | "/") || name.contains(['/', '\\', '\0']);
    if unsafe_name { Err(none()) } else { Ok(name) }
}

#[cfg(test)]
mod tests;
