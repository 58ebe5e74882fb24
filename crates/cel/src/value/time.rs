//! Moments and spans of time, with Go's way to read and write them.

use std::fmt;

use jiff::civil::DateTime;
use jiff::tz::{Offset, TimeZone};

use crate::error::{EvalError, Outcome};

/// A span of time in nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span(pub i64);

/// A moment between the years 1 and 9999, and the offset it was written with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timestamp {
    seconds: i64,
    nanoseconds: i32,
    /// Seconds east of Greenwich.
    offset: i32,
}

/// Why a text is no moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NoMoment {
    /// It is not written as one.
    Syntax,
    /// It is before the year 1 or after the year 9999.
    Range,
}

const FIRST: i64 = -62_135_596_800;
const LAST: i64 = 253_402_300_799;

impl Timestamp {
    /// A moment by the seconds since 1970, in UTC.
    pub fn from_seconds(seconds: i64) -> Option<Self> {
        (FIRST..=LAST).contains(&seconds).then_some(Self { seconds, nanoseconds: 0, offset: 0 })
    }

    /// Whole seconds since 1970, and the nanoseconds behind them.
    pub(crate) fn instant(self) -> (i64, i32) {
        (self.seconds, self.nanoseconds)
    }

    pub(super) fn is_zero(self) -> bool {
        self.instant() == (FIRST, 0)
    }

    /// RFC 3339 as Go's `time.Parse` reads it: the hour may have one digit, a comma may stand before the fraction.
    pub(crate) fn parse(text: &str) -> Result<Self, NoMoment> {
        let (date, offset) = Self::parts(text).ok_or(NoMoment::Syntax)?;
        Self::at(date, offset).ok_or(NoMoment::Range)
    }

    /// The date and time, and the offset in seconds.
    fn parts(text: &str) -> Option<(DateTime, i32)> {
        let (date, rest) = civil(text)?;
        let offset = if rest == "Z" {
            0
        } else {
            let bytes = rest.as_bytes();
            let sign = match bytes.first()? {
                b'+' => 1,
                b'-' => -1,
                _ => return None,
            };
            if bytes.len() != 6 || bytes[3] != b':' {
                return None;
            }
            let (hours, minutes) = (digits(rest.get(1..3)?)?, digits(rest.get(4..6)?)?);
            if hours > 24 || minutes >= 60 {
                return None;
            }
            sign * (hours * 3600 + minutes * 60)
        };
        Some((date, offset))
    }

    fn at(date: DateTime, offset: i32) -> Option<Self> {
        let epoch = jiff::civil::date(1970, 1, 1);
        let days = i64::from(date.date().duration_since(epoch).as_hours() as i32 / 24);
        let time = i64::from(date.hour()) * 3600 + i64::from(date.minute()) * 60 + i64::from(date.second());
        let seconds = days * 86_400 + time - i64::from(offset);
        let nanoseconds = date.subsec_nanosecond();
        (FIRST..=LAST).contains(&seconds).then_some(Self { seconds, nanoseconds, offset })
    }

    /// What `OpenAPI` calls a `date`.
    pub(super) fn parse_date(text: &str) -> Option<Self> {
        if text.len() != 10 {
            return None;
        }
        let text = format!("{text}T00:00:00");
        let (date, rest) = civil(&text)?;
        if rest.is_empty() { Self::at(date, 0) } else { None }
    }

    /// What `OpenAPI` calls a `date-time`; without an offset it is UTC.
    pub(super) fn parse_open_api(text: &str) -> Option<Self> {
        if text.is_empty() {
            return Some(Self { seconds: 0, nanoseconds: 0, offset: 0 });
        }
        match civil(text)? {
            (date, "") => Self::at(date, 0),
            _ => Self::parse(text).ok(),
        }
    }

    /// The moment after that span; nothing if it is beyond what can be told.
    pub(crate) fn add(self, span: Span) -> Option<Self> {
        let nanoseconds = i64::from(self.nanoseconds) + span.0 % 1_000_000_000;
        let seconds = self.seconds + span.0 / 1_000_000_000 + nanoseconds.div_euclid(1_000_000_000);
        let nanoseconds = nanoseconds.rem_euclid(1_000_000_000) as i32;
        (FIRST..=LAST).contains(&seconds).then_some(Self { seconds, nanoseconds, offset: self.offset })
    }

    /// The span between two moments.
    pub(crate) fn since(self, other: Self) -> Option<Span> {
        let seconds = self.seconds.checked_sub(other.seconds)?.checked_mul(1_000_000_000)?;
        seconds.checked_add(i64::from(self.nanoseconds - other.nanoseconds)).map(Span)
    }

    /// The moment on the calendar and clock of a zone, by seconds east of Greenwich.
    pub(crate) fn civil(self, offset: i32) -> DateTime {
        let seconds = self.seconds + i64::from(offset);
        let (day, second) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400) as i32);
        let date = jiff::civil::date(1970, 1, 1)
            .checked_add(jiff::Span::new().days(day.clamp(-800_000, 3_000_000)))
            .unwrap_or(jiff::civil::Date::MIN);
        date.at((second / 3600) as i8, (second / 60 % 60) as i8, (second % 60) as i8, self.nanoseconds)
    }
}

/// As Go's `RFC3339Nano` writes it.
impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let date = self.civil(self.offset);
        write!(
            f,
            "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}",
            date.year(),
            date.month(),
            date.day(),
            date.hour(),
            date.minute(),
            date.second()
        )?;
        if self.nanoseconds != 0 {
            let fraction = format!("{:09}", self.nanoseconds);
            write!(f, ".{}", fraction.trim_end_matches('0'))?;
        }
        if self.offset == 0 {
            return f.write_str("Z");
        }
        let minutes = self.offset.abs() / 60;
        write!(f, "{}{:02}:{:02}", if self.offset < 0 { '-' } else { '+' }, minutes / 60, minutes % 60)
    }
}

/// The date and time at the start of a text, and what follows.
fn civil(text: &str) -> Option<(DateTime, &str)> {
    let bytes = text.as_bytes();
    if !text.is_ascii() || bytes.len() < 18 || bytes[4] != b'-' || bytes[7] != b'-' || bytes[10] != b'T' {
        return None;
    }
    let (year, month, day) = (digits(&text[..4])?, digits(&text[5..7])?, digits(&text[8..10])?);
    let time = &text[11..];
    let (hour, rest) = time.split_once(':')?;
    if hour.is_empty() || hour.len() > 2 {
        return None;
    }
    let minute = digits(rest.get(..2)?)?;
    let rest = rest.get(2..)?.strip_prefix(':')?;
    let second = digits(rest.get(..2)?)?;
    let mut rest = &rest[2..];
    let mut nanoseconds = 0;
    if let Some(fraction) = rest.strip_prefix(['.', ',']) {
        let count = fraction.bytes().take_while(u8::is_ascii_digit).count();
        if count == 0 {
            return None;
        }
        let kept = &fraction[..count.min(9)];
        nanoseconds = kept.parse::<i32>().ok()? * 10_i32.pow(9 - kept.len() as u32);
        rest = &fraction[count..];
    }
    let date = DateTime::new(
        year as i16,
        month as i8,
        day as i8,
        digits(hour)? as i8,
        minute as i8,
        second as i8,
        nanoseconds,
    );
    Some((date.ok()?, rest))
}

/// A number of digits only.
fn digits(text: &str) -> Option<i32> {
    if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    text.parse().ok()
}

impl Span {
    /// In seconds, as cel-go writes it.
    pub(crate) fn text(self) -> String {
        let (whole, rest) = (self.0 / 1_000_000_000, self.0 % 1_000_000_000);
        let seconds = whole as f64 + rest as f64 / 1e9;
        format!("{}s", goyaml::strconv::format_float(seconds, b'f', -1, 64))
    }

    /// What `OpenAPI` calls a `duration`: Go's, or words such as `3 weeks`.
    pub(super) fn parse_open_api(text: &str) -> Result<Self, String> {
        if let Ok(span) = goyaml::duration::parse(text) {
            return Ok(Self(span));
        }
        let failure = || format!("unable to parse {text} as duration");
        let mut total = 0_i64;
        let mut rest = text.trim_start();
        if rest.is_empty() {
            return Err(failure());
        }
        while !rest.is_empty() {
            let count = rest.bytes().take_while(u8::is_ascii_digit).count();
            let number: i64 = rest[..count].parse().map_err(|_| failure())?;
            rest = rest[count..].trim_start();
            let length = rest.find(|c: char| c.is_ascii_digit() || c.is_whitespace()).unwrap_or(rest.len());
            let unit = match &rest[..length] {
                "ns" | "nano" | "nanosecond" | "nanoseconds" => 1,
                "us" | "µs" | "micro" | "microsecond" | "microseconds" => 1_000,
                "ms" | "milli" | "millisecond" | "milliseconds" => 1_000_000,
                "s" | "sec" | "second" | "seconds" => 1_000_000_000,
                "m" | "min" | "minute" | "minutes" => 60_000_000_000,
                "h" | "hr" | "hour" | "hours" => 3_600_000_000_000,
                "d" | "day" | "days" => 86_400_000_000_000,
                "w" | "week" | "weeks" => 604_800_000_000_000,
                _ => return Err(failure()),
            };
            total = number.checked_mul(unit).and_then(|part| total.checked_add(part)).ok_or_else(failure)?;
            rest = rest[length..].trim_start();
        }
        Ok(Self(total))
    }
}

/// How far a time zone is east of Greenwich at a moment: a name of the time zone database, or `+01:30`.
pub(crate) fn zone_offset(name: &str, at: Timestamp) -> Outcome<i32> {
    if let Some((hours, minutes)) = name.split_once(':') {
        let number =
            |text: &str| goyaml::strconv::atoi(text).map_err(|error| EvalError::Function(error.to_string()));
        let (hours, minutes) = (number(hours)?, number(minutes)?);
        let total = if name.starts_with('-') { hours * 60 - minutes } else { hours * 60 + minutes };
        return Ok((total * 60).clamp(-1_000_000, 1_000_000) as i32);
    }
    if matches!(name, "" | "UTC" | "Local") {
        return Ok(0);
    }
    let unknown = || EvalError::Function(format!("unknown time zone {name}"));
    if name.contains("..") || name.starts_with(['/', '\\']) {
        return Err(EvalError::Function("time: invalid location name".into()));
    }
    let zone = TimeZone::get(name).map_err(|_| unknown())?;
    // The last day of the year 9999 is beyond what jiff tells, but no zone changes then.
    let seconds = at.seconds.clamp(FIRST, LAST - 200_000);
    let moment = jiff::Timestamp::new(seconds, at.nanoseconds).map_err(|_| unknown())?;
    let offset: Offset = zone.to_offset(moment);
    Ok(offset.seconds())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_read_and_written_as_go_does() {
        for (text, written) in [
            ("2020-01-02T03:04:05Z", Some("2020-01-02T03:04:05Z")),
            ("2020-01-02T3:04:05.120+01:30", Some("2020-01-02T03:04:05.12+01:30")),
            ("1960-01-02T03:04:05,5Z", Some("1960-01-02T03:04:05.5Z")),
            ("0001-01-01T00:00:00Z", Some("0001-01-01T00:00:00Z")),
            ("2020-02-30T00:00:00Z", None),
            ("2020-02-03 00:00:00Z", None),
            ("2020-02-03T00:00:00", None),
        ] {
            let moment = Timestamp::parse(text).ok().map(|moment| moment.to_string());
            assert_eq!(moment.as_deref(), written, "{text}");
        }
        assert_eq!(Timestamp::parse("0001-01-01T00:00:00+01:00"), Err(NoMoment::Range));
    }

    #[test]
    fn a_moment_before_1970_has_its_parts_right() {
        let moment = Timestamp::parse("1969-12-31T23:59:59.25Z").unwrap();
        assert_eq!(moment.instant(), (-1, 250_000_000));
        assert_eq!(moment.add(Span(750_000_000)).unwrap().instant(), (0, 0));
    }
}
