//! Finding a chart in a repository that is only named by its address (`--repo`).

use super::{RepositoryEntry, RepositoryError};
use crate::remote::Remote;
use crate::remote::http::{BasicAuth, TlsOptions};
use crate::remote::notice::Notify;
use crate::remote::url::{quote, resolve_reference};

/// How to get at a repository.
#[derive(Debug, Clone, Default)]
pub struct RepositoryAccess {
    /// Its address.
    pub url: String,
    /// Credentials.
    pub auth: BasicAuth,
    /// Give them to any server.
    pub pass_credentials_all: bool,
    /// Certificates.
    pub tls: TlsOptions,
}

impl RepositoryAccess {
    fn entry(&self) -> RepositoryEntry {
        RepositoryEntry {
            url: self.url.clone(),
            username: self.auth.username.clone(),
            password: self.auth.password.clone(),
            cert_file: self.tls.cert_file.clone(),
            key_file: self.tls.key_file.clone(),
            ca_file: self.tls.ca_file.clone(),
            insecure_skip_tls_verify: self.tls.insecure,
            pass_credentials_all: self.pass_credentials_all,
            ..RepositoryEntry::default()
        }
    }
}

impl Remote {
    /// The address of a chart's archive in a repository.
    pub async fn find_chart(
        &self,
        access: &RepositoryAccess,
        name: &str,
        version: &str,
        notify: &mut dyn Notify,
    ) -> Result<String, RepositoryError> {
        super::update::check_address(&access.url)?;
        let downloaded = self.fetch_index(&access.entry(), None, notify).await.map_err(|error| {
            RepositoryError::Unreachable { url: access.url.clone(), source: Box::new(error) }
        })?;
        let mut chart = format!("chart {}", quote(name));
        if !version.is_empty() {
            chart = format!("{chart} version {}", quote(version));
        }
        let Ok(found) = downloaded.index.get(name, version, notify) else {
            return Err(RepositoryError::ChartNotFound { chart, url: access.url.clone() });
        };
        let Some(url) = found.urls.first() else { return Err(RepositoryError::NoUrls { chart }) };
        resolve_reference(&access.url, url).map_err(RepositoryError::ChartUrl)
    }
}
