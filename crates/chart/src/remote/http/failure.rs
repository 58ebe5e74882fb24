//! What goes wrong on the wire, said as Go's client says it where it is one of the common things.

use std::error::Error;
use std::io;
use std::net::IpAddr;

use rustls::CertificateError;

use crate::remote::files::system_words;

/// The cause of a failed request. Of the layers around it, none says more than the address.
pub(crate) fn transport_words(error: &reqwest::Error) -> String {
    if error.is_timeout() {
        return "context deadline exceeded (Client.Timeout exceeded while awaiting headers)".to_owned();
    }
    if error.is_redirect() {
        return "stopped after 10 redirects".to_owned();
    }
    let mut deepest: &dyn Error = error;
    let mut system = None;
    let mut tls = None;
    while let Some(source) = deepest.source() {
        system = source.downcast_ref::<io::Error>().or(system);
        tls = tls_cause(source).or(tls);
        deepest = source;
    }
    if let Some(tls) = tls {
        return tls_words(tls);
    }
    let Some(system) = system else { return deepest.to_string() };
    let host = error.url().and_then(|url| Some((url.host_str()?, url.port_or_known_default()?)));
    let literal = host.filter(|(host, _)| host.trim_matches(['[', ']']).parse::<IpAddr>().is_ok());
    let to = literal.map_or_else(String::new, |(host, port)| format!("dial tcp {host}:{port}: "));
    match (system.kind(), host) {
        (io::ErrorKind::ConnectionRefused, _) => format!("{to}connect: connection refused"),
        (_, Some((host, _))) if system.to_string().starts_with("failed to lookup address") => {
            format!("dial tcp: lookup {host}: no such host")
        }
        _ if system.raw_os_error().is_some() => format!("{to}{}", system_words(system)),
        _ => deepest.to_string(),
    }
}

/// What TLS says, whether it is the source itself or lies in I/O errors.
fn tls_cause<'a>(source: &'a (dyn Error + 'static)) -> Option<&'a rustls::Error> {
    let inner = || tls_cause(source.downcast_ref::<io::Error>()?.get_ref()?);
    source.downcast_ref::<rustls::Error>().or_else(inner)
}

fn tls_words(error: &rustls::Error) -> String {
    let reason = match error {
        rustls::Error::InvalidMessage(rustls::InvalidMessage::InvalidContentType) => {
            return "http: server gave HTTP response to HTTPS client".to_owned();
        }
        rustls::Error::InvalidCertificate(CertificateError::UnknownIssuer) => {
            "certificate signed by unknown authority".to_owned()
        }
        rustls::Error::InvalidCertificate(
            CertificateError::Expired | CertificateError::ExpiredContext { .. },
        ) => "certificate has expired or is not yet valid".to_owned(),
        rustls::Error::InvalidCertificate(other) => other.to_string(),
        other => return format!("tls: {other}"),
    };
    format!("tls: failed to verify certificate: x509: {reason}")
}
