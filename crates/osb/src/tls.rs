//! Whom to believe to be the broker: whom the system's authorities vouch for, one authority alone, or anybody.

use std::sync::{Arc, OnceLock};

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme};

/// Whom to believe.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Trust {
    /// Whom the authorities of this system vouch for.
    #[default]
    System,
    /// Whom these authorities, in PEM, vouch for.
    Authorities(Vec<u8>),
    /// Anybody.
    Anybody,
}

/// Why nobody can be believed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TlsError {
    /// There is no certificate in what was given.
    #[error("caBundle has no certificate in PEM")]
    NoAuthority,
    /// TLS cannot be set up.
    #[error("TLS cannot be set up: {0}")]
    Setup(#[from] rustls::Error),
}

impl Trust {
    pub(crate) fn config(&self) -> Result<ClientConfig, TlsError> {
        let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
        let builder = ClientConfig::builder_with_provider(Arc::clone(&provider))
            .with_safe_default_protocol_versions()?;
        let builder = match self {
            Self::System => builder.with_root_certificates(system()),
            Self::Authorities(pem) => builder.with_root_certificates(authorities(pem)?),
            Self::Anybody => {
                builder.dangerous().with_custom_certificate_verifier(Arc::new(TrustAnybody(provider)))
            }
        };
        Ok(builder.with_no_client_auth())
    }
}

fn authorities(pem: &[u8]) -> Result<RootCertStore, TlsError> {
    let mut roots = RootCertStore::empty();
    let (added, _) = roots.add_parsable_certificates(CertificateDer::pem_slice_iter(pem).flatten());
    if added == 0 { Err(TlsError::NoAuthority) } else { Ok(roots) }
}

fn system() -> Arc<RootCertStore> {
    static ROOTS: OnceLock<Arc<RootCertStore>> = OnceLock::new();
    let load = || {
        let mut roots = RootCertStore::empty();
        roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        Arc::new(roots)
    };
    Arc::clone(ROOTS.get_or_init(load))
}

/// The verifier behind `insecureSkipTLSVerify`: the connection is encrypted, to whomever it is.
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
