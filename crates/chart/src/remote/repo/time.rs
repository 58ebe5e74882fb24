//! Points in time as Go writes them into index and lock files.

use std::fmt;

use serde::{Serialize, Serializer};

use crate::remote::url::quote;

/// A point in time, in RFC 3339 with as many digits of a second as it has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Timestamp(String);

/// A text that is not a point in time.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("parsing time {} as \"2006-01-02T15:04:05Z07:00\": cannot parse it", quote(text))]
pub struct TimeError {
    /// The text.
    pub text: String,
}

impl Default for Timestamp {
    /// Go's zero time, which it writes where no time was given.
    fn default() -> Self {
        Self("0001-01-01T00:00:00Z".to_owned())
    }
}

impl Timestamp {
    /// This moment, with the offset of this machine.
    pub fn now() -> Self {
        let now = jiff::Zoned::now();
        Self::written(&now.datetime().strftime("%Y-%m-%dT%H:%M:%S.%9f").to_string(), now.offset().seconds())
    }

    /// A moment to the second, with the offset of this machine.
    pub fn seconds_of(time: std::time::SystemTime) -> Self {
        let time = jiff::Timestamp::try_from(time).unwrap_or_default();
        let zoned = time.to_zoned(jiff::tz::TimeZone::system());
        Self::written(&zoned.datetime().strftime("%Y-%m-%dT%H:%M:%S").to_string(), zoned.offset().seconds())
    }

    /// Reads RFC 3339, strictly as Go's JSON decoder does.
    pub fn parse(text: &str) -> Result<Self, TimeError> {
        let fail = || TimeError { text: text.to_owned() };
        let shape = b"dddd-dd-ddTdd:dd:dd";
        let fits =
            |(byte, shape): (&u8, &u8)| if *shape == b'd' { byte.is_ascii_digit() } else { byte == shape };
        let (date, rest) = text.split_at_checked(shape.len()).ok_or_else(fail)?;
        if !date.as_bytes().iter().zip(shape).all(fits) {
            return Err(fail());
        }
        date.parse::<jiff::civil::DateTime>().map_err(|_| fail())?;
        let (fraction, zone) = match rest.strip_prefix('.') {
            Some(after) => {
                let digits = after.bytes().take_while(u8::is_ascii_digit).count();
                if digits == 0 {
                    return Err(fail());
                }
                after.split_at(digits)
            }
            None => ("", rest),
        };
        let fraction = &fraction[..fraction.len().min(9)];
        let moment = if fraction.is_empty() { date.to_owned() } else { format!("{date}.{fraction}") };
        Ok(Self::written(&moment, offset(zone).ok_or_else(fail)?))
    }

    fn written(moment: &str, offset: i32) -> Self {
        let moment = match moment.split_once('.') {
            Some((seconds, fraction)) => match fraction.trim_end_matches('0') {
                "" => seconds.to_owned(),
                fraction => format!("{seconds}.{fraction}"),
            },
            None => moment.to_owned(),
        };
        let minutes = offset.abs() / 60;
        let sign = if offset < 0 { '-' } else { '+' };
        Self(match minutes {
            0 => format!("{moment}Z"),
            minutes => format!("{moment}{sign}{:02}:{:02}", minutes / 60, minutes % 60),
        })
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

fn offset(zone: &str) -> Option<i32> {
    if zone == "Z" {
        return Some(0);
    }
    let sign = match zone.as_bytes() {
        [b'+', ..] => 1,
        [b'-', ..] => -1,
        _ => return None,
    };
    let (hours, minutes) = zone.get(1..)?.split_once(':')?;
    let two = |digits: &str| digits.parse::<i32>().ok().filter(|_| digits.len() == 2);
    let (hours, minutes) = (two(hours)?, two(minutes)?);
    (hours < 24 && minutes < 60).then_some(sign * (hours * 3600 + minutes * 60))
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_written_as_go_writes_them() {
        for (text, expected) in [
            ("2016-10-06T16:23:20.499814565-06:00", "2016-10-06T16:23:20.499814565-06:00"),
            ("2016-10-06T16:23:20.500+00:00", "2016-10-06T16:23:20.5Z"),
            ("2016-10-06T16:23:20.000Z", "2016-10-06T16:23:20Z"),
            ("2016-10-06T16:23:20+05:30", "2016-10-06T16:23:20+05:30"),
        ] {
            assert_eq!(Timestamp::parse(text).unwrap().as_str(), expected);
        }
        for text in [
            "",
            "2016-10-06",
            "2016-13-06T16:23:20Z",
            "2016-10-06 16:23:20Z",
            "2016-10-06T16:23:20",
            "2016-10-06T16:23:20.Z",
            "2016-10-06T16:23:20+5:30",
            "²016-10-06T16:23:20Z",
        ] {
            assert!(Timestamp::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn now_reads_back() {
        let now = Timestamp::now();
        assert_eq!(Timestamp::parse(now.as_str()), Ok(now));
    }
}
