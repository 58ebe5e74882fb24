//! Durations as users write them: Go's, with `d` for days.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use goyaml::duration::{format, parse_with_days};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use thiserror::Error;

/// A span of time such as `1h30m`, `250ms` or `1d12h`. It may be negative; who needs one that is not, asks
/// [`GoDuration::to_std`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GoDuration(i64);

/// Why a text is not a duration, in Go's words: `time: invalid duration "x"`.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error(transparent)]
pub struct GoDurationError(#[from] goyaml::duration::DurationError);

impl GoDuration {
    /// No time at all.
    pub const ZERO: Self = Self(0);

    /// From whole nanoseconds.
    pub const fn from_nanoseconds(nanoseconds: i64) -> Self {
        Self(nanoseconds)
    }

    /// From whole seconds; what does not fit becomes the longest duration there is.
    pub const fn from_seconds(seconds: i64) -> Self {
        Self(seconds.saturating_mul(goyaml::duration::SECOND))
    }

    /// The whole of it in nanoseconds.
    pub const fn nanoseconds(self) -> i64 {
        self.0
    }

    /// Whether it points backwards.
    pub const fn is_negative(self) -> bool {
        self.0 < 0
    }

    /// As the standard library has it; `None` if it is negative.
    pub fn to_std(self) -> Option<Duration> {
        u64::try_from(self.0).ok().map(Duration::from_nanos)
    }
}

impl FromStr for GoDuration {
    type Err = GoDurationError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(Self(parse_with_days(text)?))
    }
}

/// What does not fit becomes the longest duration there is: 292 years.
impl From<Duration> for GoDuration {
    fn from(duration: Duration) -> Self {
        Self(i64::try_from(duration.as_nanos()).unwrap_or(i64::MAX))
    }
}

/// Prints as Go does: in hours, minutes and seconds, never in days.
impl fmt::Display for GoDuration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format(self.0))
    }
}

impl Serialize for GoDuration {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for GoDuration {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_users_write_and_prints_what_go_prints() {
        for (text, printed) in [
            ("1h30m", "1h30m0s"),
            ("250ms", "250ms"),
            ("1d12h", "36h0m0s"),
            (".5h", "30m0s"),
            ("-1s", "-1s"),
            ("0", "0s"),
            ("1.5us", "1.5µs"),
        ] {
            let duration: GoDuration = text.parse().expect(text);
            assert_eq!(duration.to_string(), printed, "{text}");
            assert_eq!(printed.parse(), Ok(duration), "{text}");
        }
    }

    #[test]
    fn refuses_in_the_words_of_go() {
        for (text, message) in [
            ("x", "time: invalid duration \"x\""),
            ("", "time: invalid duration \"\""),
            ("10", "time: missing unit in duration \"10\""),
            ("2w", "time: unknown unit \"w\" in duration \"2w\""),
        ] {
            assert_eq!(text.parse::<GoDuration>().expect_err(text).to_string(), message);
        }
    }

    #[test]
    fn a_negative_one_has_no_counterpart_in_the_standard_library() {
        assert_eq!(GoDuration::from_seconds(-1).to_std(), None);
        assert_eq!(GoDuration::from_seconds(90).to_std(), Some(Duration::from_secs(90)));
        assert_eq!(GoDuration::from(Duration::from_secs(90)), GoDuration::from_seconds(90));
        assert_eq!(GoDuration::from(Duration::MAX).nanoseconds(), i64::MAX);
        assert!(GoDuration::from_nanoseconds(-1).is_negative());
    }

    #[test]
    fn is_a_string_in_files() {
        let read = |text: &str| goyaml::json::from_str_as::<GoDuration>(text);
        assert_eq!(read(r#""1m""#).ok(), Some(GoDuration::from_seconds(60)));
        assert!(read(r#""1 minute""#).is_err());
        assert_eq!(goyaml::json::to_string(&GoDuration::from_seconds(60)).ok().as_deref(), Some(r#""1m0s""#));
    }
}
