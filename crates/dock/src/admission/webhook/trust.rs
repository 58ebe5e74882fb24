//! Whom to believe that it is the webhook: the certificates that its configuration names.

use std::sync::Arc;

use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::verify_server_name;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::{CertificateError, ClientConfig, DigitallySignedStruct, Error, RootCertStore, SignatureScheme};

/// Believes servers whose certificate comes from those of a bundle, or is one of them.
#[derive(Debug)]
struct Bundle {
    certificates: Vec<CertificateDer<'static>>,
    by_path: Arc<WebPkiServerVerifier>,
}

/// How to speak with a server that has a certificate of a bundle in PEM.
pub(super) fn client_config(bundle: &[u8]) -> Result<ClientConfig, String> {
    let certificates: Vec<CertificateDer<'static>> =
        CertificateDer::pem_slice_iter(bundle).filter_map(Result::ok).collect();
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(certificates.iter().cloned());
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let builder = ClientConfig::builder_with_provider(provider.clone())
        .with_safe_default_protocol_versions()
        .map_err(|error| error.to_string())?;
    // Nobody is believed without a bundle: this server has no certificates of the system.
    if roots.is_empty() {
        return Ok(builder.with_root_certificates(roots).with_no_client_auth());
    }
    let by_path = WebPkiServerVerifier::builder_with_provider(Arc::new(roots), provider)
        .build()
        .map_err(|error| error.to_string())?;
    let verifier = Arc::new(Bundle { certificates, by_path });
    Ok(builder.dangerous().with_custom_certificate_verifier(verifier).with_no_client_auth())
}

impl ServerCertVerifier for Bundle {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let verified =
            self.by_path.verify_server_cert(end_entity, intermediates, server_name, ocsp_response, now);
        match verified {
            // Certificates that sign themselves are often marked as authorities; Go takes them as they are.
            Err(Error::InvalidCertificate(CertificateError::Other(_)))
                if self.certificates.iter().any(|trusted| trusted.as_ref() == end_entity.as_ref()) =>
            {
                verify_server_name(&ParsedCertificate::try_from(end_entity)?, server_name)?;
                Ok(ServerCertVerified::assertion())
            }
            verified => verified,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.by_path.verify_tls12_signature(message, cert, signature)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.by_path.verify_tls13_signature(message, cert, signature)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.by_path.supported_verify_schemes()
    }
}

/// What went wrong with a handshake, in the words of Go.
pub(super) fn problem(error: &std::io::Error, host: &str) -> String {
    let inner = error.get_ref().and_then(|inner| inner.downcast_ref::<Error>());
    let Some(Error::InvalidCertificate(why)) = inner else {
        return match inner {
            Some(Error::InvalidMessage(_)) => {
                "tls: first record does not look like a TLS handshake".to_owned()
            }
            _ => error.to_string(),
        };
    };
    let why = match why {
        // An authority that is not in the bundle is refused as such by one library, as unknown by the other.
        CertificateError::UnknownIssuer | CertificateError::BadSignature | CertificateError::Other(_) => {
            "certificate signed by unknown authority".to_owned()
        }
        CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
            let mut presented: Vec<String> = Vec::new();
            if let CertificateError::NotValidForNameContext { presented: names, .. } = why {
                presented.clone_from(names);
            }
            names(&presented, host)
        }
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => {
            "certificate has expired or is not yet valid".to_owned()
        }
        other => other.to_string(),
    };
    format!("tls: failed to verify certificate: x509: {why}")
}

/// The names that a certificate has instead of the one that was called.
fn names(presented: &[String], host: &str) -> String {
    let of = |kind: &str| -> Vec<&str> {
        presented
            .iter()
            .filter_map(|name| name.strip_prefix(kind)?.strip_prefix('(')?.strip_suffix(')'))
            .map(|name| name.trim_matches('"'))
            .collect()
    };
    let (addresses, domains) = (of("IpAddress"), of("DnsName"));
    if host.parse::<std::net::IpAddr>().is_ok() {
        if addresses.is_empty() {
            return format!("cannot validate certificate for {host} because it doesn't contain any IP SANs");
        }
        return format!("certificate is valid for {}, not {host}", addresses.join(", "));
    }
    if domains.is_empty() {
        return format!("certificate is not valid for any names, but wanted to match {host}");
    }
    format!("certificate is valid for {}, not {host}", domains.join(", "))
}
