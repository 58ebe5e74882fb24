//! Spans of time in a serialised plan: Go durations, as everywhere else.

use std::time::Duration;

use objects::GoDuration;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A span that does not point backwards.
pub(crate) fn parse(text: &str) -> Option<Duration> {
    text.parse::<GoDuration>().ok()?.to_std()
}

pub(crate) fn serialize<S: Serializer>(span: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    GoDuration::from(*span).serialize(serializer)
}

pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
    let text = String::deserialize(deserializer)?;
    parse(&text).ok_or_else(|| serde::de::Error::custom(format!("expected a duration, found {text:?}")))
}

/// Spans that may be absent.
pub(crate) mod optional {
    use super::{Deserializer, Duration, Serializer};

    #[expect(clippy::ref_option, reason = "the signature serde asks for")]
    pub(crate) fn serialize<S: Serializer>(
        span: &Option<Duration>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        match span {
            Some(span) => super::serialize(span, serializer),
            None => serializer.serialize_none(),
        }
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<Duration>, D::Error> {
        super::deserialize(deserializer).map(Some)
    }
}
