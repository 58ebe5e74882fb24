//! What can go wrong with a registry, in the words of Helm's client.

use serde::Deserialize;
use serde_json::Value;

use super::credentials::CredentialError;
use crate::LoadError;
use crate::remote::http::TlsError;
use crate::remote::url::{UrlError, quote};

/// Why a registry gave or took nothing.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OciError {
    /// The text does not name anything in a registry.
    #[error("invalid reference: {reason}")]
    Reference {
        /// What is wrong with it.
        reason: String,
    },
    /// The address cannot be read.
    #[error(transparent)]
    Url(#[from] UrlError),
    /// The certificates cannot be used.
    #[error("can't create TLS config for client: {0}")]
    Tls(#[from] TlsError),
    /// Credentials cannot be read or kept.
    #[error(transparent)]
    Credentials(#[from] CredentialError),
    /// The registry could not be spoken with.
    #[error("{} \"{url}\": {cause}", title(method))]
    Transport {
        /// The method.
        method: String,
        /// The address.
        url: String,
        /// What went wrong.
        cause: String,
    },
    /// The registry, or its token server, refused.
    #[error("{method} \"{url}\": response status code {code}: {message}")]
    Status {
        /// The method.
        method: String,
        /// The address.
        url: String,
        /// The status.
        code: u16,
        /// What the answer says about it.
        message: String,
    },
    /// The exchange went wrong in another way.
    #[error("{method} \"{url}\": {reason}")]
    Exchange {
        /// The method.
        method: String,
        /// The address.
        url: String,
        /// What is wrong.
        reason: String,
    },
    /// There is no such manifest or blob.
    #[error("{what}: not found")]
    NotFound {
        /// What was asked for.
        what: String,
    },
    /// What arrived is not what its digest or size promise.
    #[error("{what}: {reason}")]
    Content {
        /// The digest that was asked for.
        what: String,
        /// What is wrong with what arrived.
        reason: String,
    },
    /// A step of a transfer went wrong.
    #[error("failed to perform {} on {side}: {source}", quote(step))]
    Copy {
        /// The step.
        step: &'static str,
        /// `source` or `destination`.
        side: &'static str,
        /// Why.
        source: Box<OciError>,
    },
    /// The manifest is not that of a chart, or there is no version that fits.
    #[error("{reason}")]
    Unfit {
        /// What is missing.
        reason: String,
    },
    /// The archive that is to be pushed is not a chart.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// A manifest or a config cannot be read or written.
    #[error("{0}")]
    Json(String),
    /// A range of versions cannot be read.
    #[error(transparent)]
    Constraint(#[from] gotmpl::semver::ConstraintError),
    /// The credentials are not accepted.
    #[error("authenticating to {}: {source}", quote(host))]
    Login {
        /// The registry.
        host: String,
        /// What it said.
        source: Box<OciError>,
    },
}

impl OciError {
    pub(super) fn on_source(step: &'static str) -> impl FnOnce(Self) -> Self {
        move |source| Self::Copy { step, side: "source", source: Box::new(source) }
    }

    pub(super) fn on_destination(step: &'static str) -> impl FnOnce(Self) -> Self {
        move |source| Self::Copy { step, side: "destination", source: Box::new(source) }
    }

    /// The status of the answer behind this error, if an answer there was.
    pub fn status(&self) -> Option<u16> {
        match self {
            Self::Status { code, .. } => Some(*code),
            Self::NotFound { .. } => Some(404),
            Self::Copy { source, .. } | Self::Login { source, .. } => source.status(),
            _ => None,
        }
    }
}

/// Go's client writes the method with one capital when the request never arrived.
fn title(method: &str) -> String {
    let (first, rest) = method.split_at(method.len().min(1));
    format!("{first}{}", rest.to_ascii_lowercase())
}

#[derive(Deserialize)]
struct ErrorBody {
    #[serde(default)]
    errors: Vec<ErrorEntry>,
}

#[derive(Deserialize)]
struct ErrorEntry {
    #[serde(default)]
    code: String,
    #[serde(default)]
    message: String,
    #[serde(default)]
    detail: Value,
}

/// What a registry's answer says is wrong; the status's name if it says nothing.
pub(super) fn answer_words(body: &[u8], status: reqwest::StatusCode) -> String {
    let entries = serde_json::from_slice::<ErrorBody>(body).map(|body| body.errors).unwrap_or_default();
    if entries.is_empty() {
        return status.canonical_reason().unwrap_or_default().to_owned();
    }
    entries.iter().map(entry_words).collect::<Vec<_>>().join("; ")
}

fn entry_words(entry: &ErrorEntry) -> String {
    let code = entry.code.replace('_', " ").to_lowercase();
    if entry.message.is_empty() {
        return code;
    }
    if entry.detail.is_null() {
        return format!("{code}: {}", entry.message);
    }
    format!("{code}: {}: {}", entry.message, go_words(&entry.detail))
}

/// A JSON value as Go's `%v` prints it.
fn go_words(value: &Value) -> String {
    match value {
        Value::Null => "<nil>".to_owned(),
        Value::String(text) => text.clone(),
        Value::Array(items) => format!("[{}]", items.iter().map(go_words).collect::<Vec<_>>().join(" ")),
        Value::Object(map) => {
            let pairs = map.iter().map(|(key, value)| format!("{key}:{}", go_words(value)));
            format!("map[{}]", pairs.collect::<Vec<_>>().join(" "))
        }
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_told_in_words() {
        let words = |body: &str| answer_words(body.as_bytes(), reqwest::StatusCode::NOT_FOUND);
        assert_eq!(words("<html>"), "Not Found");
        assert_eq!(words(r#"{"errors":[]}"#), "Not Found");
        assert_eq!(
            words(r#"{"errors":[{"code":"NAME_UNKNOWN","message":"not known","detail":{"name":"a/b"}}]}"#),
            "name unknown: not known: map[name:a/b]"
        );
        assert_eq!(
            words(
                r#"{"errors":[{"code":"DENIED"},{"code":"UNAUTHORIZED","message":"m","detail":[{"Type":"r"},1]}]}"#
            ),
            "denied; unauthorized: m: [map[Type:r] 1]"
        );
    }
}
