//! Certificates: the system's authorities, or the one that was named; a client's own; or none at all.

use std::path::Path;
use std::sync::{Arc, OnceLock};

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use rustls::{ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme};

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
        let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
        let builder = ClientConfig::builder_with_provider(Arc::clone(&provider))
            .with_safe_default_protocol_versions()
            .map_err(|error| TlsError::Client { cause: error.to_string() })?;
        let builder = if self.insecure {
            builder.dangerous().with_custom_certificate_verifier(Arc::new(TrustAnybody(provider)))
        } else if self.ca_file.is_empty() {
            builder.with_root_certificates(system_authorities())
        } else {
            builder.with_root_certificates(authorities(&self.ca_file)?)
        };
        if self.is_default() || (self.cert_file.is_empty() && self.key_file.is_empty()) {
            return Ok(builder.with_no_client_auth());
        }
        let (chain, key) = self.key_pair()?;
        builder
            .with_client_auth_cert(chain, key)
            .map_err(|error| TlsError::KeyPair { cause: error.to_string() })
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

fn authorities(path: &str) -> Result<RootCertStore, TlsError> {
    let pem =
        files::read(Path::new(path)).map_err(|source| TlsError::CaFile { path: path.to_owned(), source })?;
    let mut roots = RootCertStore::empty();
    let (added, _) = roots.add_parsable_certificates(CertificateDer::pem_slice_iter(&pem).flatten());
    if added == 0 { Err(TlsError::NoAuthority) } else { Ok(roots) }
}

fn system_authorities() -> Arc<RootCertStore> {
    static ROOTS: OnceLock<Arc<RootCertStore>> = OnceLock::new();
    let load = || {
        let mut roots = RootCertStore::empty();
        roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        Arc::new(roots)
    };
    Arc::clone(ROOTS.get_or_init(load))
}

/// The verifier behind `--insecure-skip-tls-verify`: the connection is encrypted, to whomever it is.
#[derive(Debug)]
struct TrustAnybody(Arc<CryptoProvider>);

impl ServerCertVerifier for TrustAnybody {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls12_signature(message, cert, signature, &self.0.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls13_signature(message, cert, signature, &self.0.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
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
