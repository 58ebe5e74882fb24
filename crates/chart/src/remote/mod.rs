//! Where charts come from and go to: repositories, registries, the dependency lock, provenance.
//!
//! Everything in this crate that speaks to a network or keeps files of the user's is here; the rest only reads the
//! chart it is given. A [`Remote`] holds what all of it needs: the user's [`Paths`](paths::Paths), which are Helm's
//! own, and the [`Http`](http::Http) clients. Helm and Slipway can be used side by side on the same files.
//!
//! ```text
//!            "stable/app"  "oci://host/app"  "https://…/app-1.tgz"  "./app"
//!                  │               │                  │               │
//!   repo ──────────┤      oci ─────┤        http ─────┤               │
//!   repositories.yaml      Registry: pull, push,      │               │
//!   index.yaml, search     tags, login                │               │
//!                  └───────────────┴────────┬─────────┘               │
//!                                           ▼                         │
//!                     download: which version, from where, ───────────┤
//!                     into the cache or a directory                   ▼
//!                        │         │                          locate: a path to load
//!            provenance ─┘         └─ dependency: charts/ and Chart.lock
//! ```
//!
//! - [`repo`]: the list of repositories, their indexes, searching them, making one.
//! - [`oci`]: the client of registries, with Helm's and Docker's credentials.
//! - [`download`]: from a reference and a version to an archive; [`locate`] to a path that can be loaded;
//!   [`pull`] and [`push`] as the commands do it.
//! - [`dependency`]: what `Chart.yaml` wants, what `Chart.lock` settled, what lies in `charts/`.
//! - [`provenance`]: signatures over archives.
//!
//! The functions are asynchronous where they wait for a network, and want a Tokio runtime there. None prints: what
//! a user should see while they work goes to a [`Notify`]. Errors read as Helm's do. Passwords and
//! tokens appear in no message and no `Debug`. What is downloaded is bounded in size, checked against its
//! digest where one is known, written beside its place and renamed into it.

pub mod dependency;
pub mod download;
mod failure;
mod files;
pub mod http;
pub mod locate;
mod notice;
pub mod oci;
pub mod paths;
pub mod provenance;
pub mod pull;
pub mod push;
pub mod repo;
pub mod url;

use sha2::Digest as _;

pub use failure::RemoteError;
pub use files::PathError;
pub use notice::{Notify, Silent, Transcript, Warning};

/// The user's files and the clients that fetch for them.
#[derive(Debug, Clone)]
pub struct Remote {
    /// Where things are kept.
    pub paths: paths::Paths,
    /// What fetches.
    pub http: http::Http,
}

impl Remote {
    /// With these paths. Nothing is read or connected yet.
    pub fn new(paths: paths::Paths) -> Self {
        Self { paths, http: http::Http::new() }
    }

    /// A client of registries with the credentials of these paths. Certificates win over plain HTTP.
    pub fn registry(&self, auth: http::BasicAuth, tls: http::TlsOptions, plain_http: bool) -> oci::Registry {
        let plain_http = plain_http && tls.is_default();
        let options = oci::RegistryOptions::new(&self.paths);
        oci::Registry::new(self.http.clone(), oci::RegistryOptions { auth, tls, plain_http, ..options })
    }

    /// Reads a file by path or address, as `--values` and `--set-file` name them.
    pub async fn read_file(&self, name: &str) -> Result<Vec<u8>, RemoteError> {
        let scheme = url::Url::parse(name).map(|url| url.scheme).unwrap_or_default();
        if scheme != "http" && scheme != "https" {
            return Ok(files::read(std::path::Path::new(name))?);
        }
        let options =
            http::FetchOptions { credentials_for: name.to_owned(), ..http::FetchOptions::default() };
        Ok(self.http.get(name, &options, http::Limit::DOCUMENT).await?)
    }
}

/// The SHA-256 of some bytes, as lowercase hexadecimal digits.
pub(crate) fn sha256_hex(bytes: &[u8]) -> String {
    hex(&sha2::Sha256::digest(bytes))
}

/// Bytes as lowercase hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod testing;
