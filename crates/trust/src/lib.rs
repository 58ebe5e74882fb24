//! Whom a client of TLS believes to be the server: whom the system's authorities vouch for, some authorities alone, or
//! anybody.
//!
//! [`Trust::builder`] is where every client that is not Kubernetes' own begins: the one of charts adds a certificate of
//! its user, the one of brokers does not.

mod anybody;

use std::sync::{Arc, OnceLock};

use rustls::client::WantsClientCert;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use rustls::{ClientConfig, ConfigBuilder, RootCertStore};

use anybody::Anybody;

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
pub enum TrustError {
    /// There is no certificate in what was given.
    #[error("none of the authorities to trust is a certificate in PEM")]
    NoAuthority,
    /// TLS cannot be set up.
    #[error("TLS cannot be set up: {0}")]
    Setup(#[from] rustls::Error),
}

impl Trust {
    /// A client that believes these; whether it has a certificate of its own is still to be said.
    pub fn builder(&self) -> Result<ConfigBuilder<ClientConfig, WantsClientCert>, TrustError> {
        let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
        let builder = ClientConfig::builder_with_provider(Arc::clone(&provider))
            .with_safe_default_protocol_versions()?;
        Ok(match self {
            Self::System => builder.with_root_certificates(system()),
            Self::Authorities(pem) => builder.with_root_certificates(authorities(pem)?),
            Self::Anybody => {
                builder.dangerous().with_custom_certificate_verifier(Arc::new(Anybody::new(provider)))
            }
        })
    }
}

fn authorities(pem: &[u8]) -> Result<RootCertStore, TrustError> {
    let mut roots = RootCertStore::empty();
    let (added, _) = roots.add_parsable_certificates(CertificateDer::pem_slice_iter(pem).flatten());
    if added == 0 { Err(TrustError::NoAuthority) } else { Ok(roots) }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn authorities_without_a_certificate_are_refused() {
        let certificate = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
        let pem = certificate.cert.pem().into_bytes();
        assert!(Trust::Authorities(pem).builder().is_ok());
        for none in ["", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n", "words"] {
            let refused = Trust::Authorities(none.as_bytes().to_vec()).builder();
            assert!(matches!(refused, Err(TrustError::NoAuthority)), "{none:?}");
        }
    }
}
