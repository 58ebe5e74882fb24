//! Spans of time in a serialised plan: Go durations, as everywhere else.

use std::time::Duration;

use serde::{Deserialize, Deserializer, Serializer};

pub(crate) fn parse(text: &str) -> Option<Duration> {
    text.strip_suffix('s')?.parse().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
}

pub(crate) fn text(span: Duration) -> String {
    format!("{}s", span.as_secs_f64())
}

pub(crate) fn serialize<S: Serializer>(span: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&text(*span))
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
