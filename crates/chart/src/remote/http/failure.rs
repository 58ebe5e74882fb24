//! What goes wrong on the wire, said in the few words that help.

use std::error::Error;
use std::io;

/// The innermost cause of a failed request: reqwest's own layers only repeat the address.
pub(crate) fn transport_words(error: &reqwest::Error) -> String {
    if error.is_timeout() {
        return "context deadline exceeded (Client.Timeout exceeded while awaiting headers)".to_owned();
    }
    if error.is_redirect() {
        return "stopped after 10 redirects".to_owned();
    }
    let mut deepest: &dyn Error = error;
    let mut system = None;
    while let Some(source) = deepest.source() {
        if let Some(io) = source.downcast_ref::<io::Error>() {
            system = Some(io);
        }
        deepest = source;
    }
    match system {
        Some(io) if io.kind() == io::ErrorKind::ConnectionRefused => "connect: connection refused".to_owned(),
        Some(io) if io.raw_os_error().is_some() => crate::remote::files::system_words(io),
        _ => deepest.to_string(),
    }
}
