//! How long a broker asks to be left alone: the header `Retry-After`, in either of its forms.

use std::time::Duration;

use jiff::Timestamp;

/// What the header said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RetryAfter {
    /// So many seconds from the answer on.
    In(Duration),
    /// Not before this moment.
    At(Timestamp),
}

impl RetryAfter {
    /// Reads the header; `None` for what is neither a number of seconds nor a date of HTTP.
    pub fn parse(header: &str) -> Option<Self> {
        let header = header.trim();
        if let Ok(seconds) = header.parse::<u32>() {
            return Some(Self::In(Duration::from_secs(seconds.into())));
        }
        let date = jiff::fmt::rfc2822::DateTimeParser::new().parse_zoned(header).ok()?;
        Some(Self::At(date.timestamp()))
    }

    /// How long that is, seen from a moment.
    pub fn from(self, now: Timestamp) -> Duration {
        match self {
            Self::In(duration) => duration,
            Self::At(moment) => moment.duration_since(now).try_into().unwrap_or_default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_are_read() {
        let now: Timestamp = "2026-01-02T03:04:05Z".parse().unwrap();
        let seconds = |header: &str| RetryAfter::parse(header).map(|after| after.from(now).as_secs());
        assert_eq!(seconds("7"), Some(7));
        assert_eq!(seconds(" 120 "), Some(120));
        assert_eq!(seconds("Fri, 02 Jan 2026 03:05:00 GMT"), Some(55));
        assert_eq!(seconds("Fri, 02 Jan 2026 03:00:00 GMT"), Some(0), "what is over is now");
        assert_eq!(seconds("soon"), None);
        assert_eq!(seconds("-1"), None);
        assert_eq!(seconds(""), None);
    }
}
