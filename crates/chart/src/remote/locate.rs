//! From what a user names a chart by to a path that can be loaded.

use std::path::{Path, PathBuf};

use super::download::{DownloadOptions, Downloader, Verify};
use super::http::{BasicAuth, TlsOptions};
use super::notice::Notify;
use super::oci::Registry;
use super::repo::RepositoryAccess;
use super::url::Url;
use super::{PathError, Remote, RemoteError, files, provenance};

/// Where a chart is looked for, and how it is got: the flags that many commands share.
#[derive(Debug, Clone, Default)]
pub struct SourceOptions {
    /// `--version`: exact, or a range; empty for the newest stable one.
    pub version: String,
    /// `--repo`: the address of a repository that need not be configured.
    pub repository: String,
    /// `--username`, `--password`.
    pub auth: BasicAuth,
    /// `--pass-credentials`.
    pub pass_credentials_all: bool,
    /// `--ca-file`, `--cert-file`, `--key-file`, `--insecure-skip-tls-verify`.
    pub tls: TlsOptions,
    /// `--plain-http`.
    pub plain_http: bool,
    /// `--verify`.
    pub verify: bool,
    /// `--keyring`.
    pub keyring: PathBuf,
}

impl SourceOptions {
    /// The repository that `--repo` names.
    pub(super) fn access(&self) -> RepositoryAccess {
        RepositoryAccess {
            url: self.repository.clone(),
            auth: self.auth.clone(),
            pass_credentials_all: self.pass_credentials_all,
            tls: self.tls.clone(),
        }
    }

    pub(super) fn download(&self, verify: Verify) -> DownloadOptions {
        DownloadOptions {
            verify,
            keyring: self.keyring.clone(),
            auth: self.auth.clone(),
            pass_credentials_all: self.pass_credentials_all,
            tls: self.tls.clone(),
        }
    }
}

impl Remote {
    /// The path of the chart that a user names: one on this machine, or one downloaded into the cache.
    pub async fn locate_chart(
        &self,
        name: &str,
        options: &SourceOptions,
        notify: &mut dyn Notify,
    ) -> Result<PathBuf, RemoteError> {
        let name = name.trim();
        let version = options.version.trim();
        if options.repository.is_empty() {
            if Path::new(name).exists() {
                let path = std::path::absolute(name).map_err(PathError::new("getwd", Path::new(name)))?;
                if options.verify {
                    provenance::verify_file(&path, &provenance::provenance_path(&path), &options.keyring)?;
                }
                return Ok(path);
            }
            if Path::new(name).is_absolute() || name.starts_with('.') {
                return Err(RemoteError::PathNotFound { path: name.to_owned() });
            }
        }
        let registry = self.registry(options.auth.clone(), options.tls.clone(), options.plain_http);
        let verify = if options.verify { Verify::Always } else { Verify::Never };
        let mut download = options.download(verify);
        let mut reference = name.to_owned();
        if !options.repository.is_empty() {
            reference = self.find_chart(&options.access(), name, version, notify).await?;
            if !options.pass_credentials_all && !same_server(&options.repository, &reference) {
                download.auth = BasicAuth::default();
            }
        }
        files::make_dirs(&self.paths.repository_cache)?;
        self.download_to_cache(&reference, version, download, &registry, notify).await
    }

    async fn download_to_cache(
        &self,
        reference: &str,
        version: &str,
        options: DownloadOptions,
        registry: &Registry,
        notify: &mut dyn Notify,
    ) -> Result<PathBuf, RemoteError> {
        let downloader = Downloader { remote: self, registry, options };
        let path = downloader.to_cache(reference, version, notify).await?.path;
        std::path::absolute(&path).map_err(|error| PathError::new("getwd", &path)(error).into())
    }
}

fn same_server(a: &str, b: &str) -> bool {
    match (Url::parse(a), Url::parse(b)) {
        (Ok(a), Ok(b)) => a.scheme == b.scheme && a.host == b.host,
        _ => false,
    }
}
