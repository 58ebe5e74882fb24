//! Certificates: the system's authorities, or the one that was named; a client's own; or none at all.

use std::path::Path;

use rustls::ClientConfig;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use trust::{Trust, TrustError};

use crate::remote::files::{self, PathError};
use crate::remote::url::quote;

/// The certificate files of a connection; empty for none.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct TlsOptions {
    /// The client's certificate.
    pub cert_file: String,
    /// Its key.
    pub key_file: String,
    /// The authority to trust in place of the system's.
    pub ca_file: String,
    /// Trust any server.
    pub insecure: bool,
}

/// Why certificates cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TlsError {
    /// The client's certificate cannot be read.
    #[error("unable to read cert file: {}: {source}", quote(path))]
    CertFile {
        /// The file.
        path: String,
        /// Why.
        source: PathError,
    },
    /// The client's key cannot be read.
    #[error("unable to read key file: {}: {source}", quote(path))]
    KeyFile {
        /// The file.
        path: String,
        /// Why.
        source: PathError,
    },
    /// The authority cannot be read.
    #[error("can't read CA file: {}: {source}", quote(path))]
    CaFile {
        /// The file.
        path: String,
        /// Why.
        source: PathError,
    },
    /// The client's certificate and key do not make a pair.
    #[error("unable to load cert from key pair: {cause}")]
    KeyPair {
        /// What rustls says of them.
        cause: String,
    },
    /// There is no certificate in the authority's file.
    #[error("failed to append certificates from pem block")]
    NoAuthority,
    /// The client could not be made from them.
    #[error("{cause}")]
    Client {
        /// What is wrong.
        cause: String,
    },
}

impl TlsOptions {
    /// The same options without files that are not complete: a certificate without its key counts for nothing.
    pub fn is_default(&self) -> bool {
        (self.cert_file.is_empty() || self.key_file.is_empty()) && self.ca_file.is_empty() && !self.insecure
    }

    pub(crate) fn client_config(&self) -> Result<ClientConfig, TlsError> {
        let builder = self.trust()?.builder().map_err(|error| match error {
            TrustError::NoAuthority => TlsError::NoAuthority,
            other => TlsError::Client { cause: other.to_string() },
        })?;
        if self.is_default() || (self.cert_file.is_empty() && self.key_file.is_empty()) {
            return Ok(builder.with_no_client_auth());
        }
        let (chain, key) = self.key_pair()?;
        builder
            .with_client_auth_cert(chain, key)
            .map_err(|error| TlsError::KeyPair { cause: error.to_string() })
    }

    fn trust(&self) -> Result<Trust, TlsError> {
        if self.insecure {
            return Ok(Trust::Anybody);
        }
        if self.ca_file.is_empty() {
            return Ok(Trust::System);
        }
        let unreadable = |source| TlsError::CaFile { path: self.ca_file.clone(), source };
        Ok(Trust::Authorities(files::read(Path::new(&self.ca_file)).map_err(unreadable)?))
    }

    fn key_pair(&self) -> Result<(Vec<CertificateDer<'static>>, PrivateKeyDer<'static>), TlsError> {
        let cert = files::read(Path::new(&self.cert_file))
            .map_err(|source| TlsError::CertFile { path: self.cert_file.clone(), source })?;
        let key = files::read(Path::new(&self.key_file))
            .map_err(|source| TlsError::KeyFile { path: self.key_file.clone(), source })?;
        let bad = |cause: rustls::pki_types::pem::Error| TlsError::KeyPair { cause: cause.to_string() };
        let chain = CertificateDer::pem_slice_iter(&cert).collect::<Result<Vec<_>, _>>().map_err(bad)?;
        Ok((chain, PrivateKeyDer::from_pem_slice(&key).map_err(bad)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_in_files_are_named() {
        let config = |cert: &str, key: &str, ca: &str| {
            let options = TlsOptions {
                cert_file: cert.into(),
                key_file: key.into(),
                ca_file: ca.into(),
                insecure: false,
            };
            options.client_config().map(|_| ()).unwrap_err().to_string()
        };
        assert_eq!(
            config("/no/cert", "/no/key", ""),
            "unable to read cert file: \"/no/cert\": open /no/cert: no such file or directory"
        );
        assert_eq!(
            config("", "", "/no/ca"),
            "can't read CA file: \"/no/ca\": open /no/ca: no such file or directory"
        );
        let empty = tempfile::NamedTempFile::new().unwrap();
        let path = empty.path().to_str().unwrap();
        assert_eq!(config("", "", path), "failed to append certificates from pem block");
        assert_eq!(config(path, path, ""), "unable to load cert from key pair: no items found");
    }
}
