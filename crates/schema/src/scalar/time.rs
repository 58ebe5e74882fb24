//! Moments as Go's `time.Parse` reads and refuses them.

use std::fmt::Write;

/// The layout of `metav1.Time`.
const SECONDS: &str = "2006-01-02T15:04:05Z07:00";
/// The layout of `metav1.MicroTime`.
const MICROSECONDS: &str = "2006-01-02T15:04:05.000000Z07:00";

/// A moment in UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Moment {
    /// Seconds since 1970.
    seconds: i64,
    nanoseconds: u32,
}

/// Why a text is no moment, in Go's words.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("parsing time {}{reason}", quote(.text))]
pub struct TimeError {
    text: String,
    reason: String,
}

struct Reader<'a> {
    layout: &'static str,
    text: &'a str,
    rest: &'a str,
}

impl Moment {
    /// Reads a time with seconds; fractions are accepted and dropped.
    pub fn parse(text: &str) -> Result<Self, TimeError> {
        Reader { layout: SECONDS, text, rest: text }.moment(false)
    }

    /// Reads a time with exactly six digits after the second.
    pub fn parse_micro(text: &str) -> Result<Self, TimeError> {
        Reader { layout: MICROSECONDS, text, rest: text }.moment(true)
    }

    /// Whether it is Go's zero time, which is written as null.
    pub fn is_zero(self) -> bool {
        self.seconds == days(1, 1, 1) * 86_400 && self.nanoseconds == 0
    }

    /// As `metav1.Time` writes it.
    pub fn to_text(self) -> String {
        format!("{}Z", self.date_and_time())
    }

    /// As `metav1.MicroTime` writes it.
    pub fn to_micro_text(self) -> String {
        format!("{}.{:06}Z", self.date_and_time(), self.nanoseconds / 1000)
    }

    fn date_and_time(self) -> String {
        let (year, month, day) = date(self.seconds.div_euclid(86_400));
        let second = self.seconds.rem_euclid(86_400);
        let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
        format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}")
    }
}

impl<'a> Reader<'a> {
    fn wrong(&self, value: &str, part: &str) -> TimeError {
        let reason = format!(" as {}: cannot parse {} as {}", quote(self.layout), quote(value), quote(part));
        TimeError { text: self.text.to_owned(), reason }
    }

    fn out_of_range(&self, part: &str) -> TimeError {
        TimeError { text: self.text.to_owned(), reason: format!(": {part} out of range") }
    }

    fn digit(&self, at: usize) -> Option<i64> {
        self.rest.as_bytes().get(at).filter(|byte| byte.is_ascii_digit()).map(|byte| i64::from(byte - b'0'))
    }

    fn take(&mut self, length: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at_checked(length).unwrap_or((self.rest, ""));
        self.rest = rest;
        taken
    }

    fn skip(&mut self, separator: &str) -> Result<(), TimeError> {
        self.rest = self.rest.strip_prefix(separator).ok_or_else(|| self.wrong(self.rest, separator))?;
        Ok(())
    }

    /// Two digits, or (where `fixed` is not asked for) one.
    fn number(&mut self, part: &str, fixed: bool) -> Result<i64, TimeError> {
        match (self.digit(0), self.digit(1)) {
            (Some(tens), Some(ones)) => {
                self.take(2);
                Ok(tens * 10 + ones)
            }
            (Some(ones), None) if !fixed => {
                self.take(1);
                Ok(ones)
            }
            _ => Err(self.wrong(self.rest, part)),
        }
    }

    fn in_range(&self, number: i64, range: std::ops::Range<i64>, part: &str) -> Result<i64, TimeError> {
        if range.contains(&number) { Ok(number) } else { Err(self.out_of_range(part)) }
    }

    fn moment(mut self, micro: bool) -> Result<Moment, TimeError> {
        let year = match self.rest.get(..4).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()))
        {
            Some(digits) => digits.parse::<i64>().map_err(|_| self.wrong(self.rest, "2006"))?,
            None => return Err(self.wrong(self.rest, "2006")),
        };
        self.take(4);
        self.skip("-")?;
        let month = self.number("01", true)?;
        let month = self.in_range(month, 1..13, "month")?;
        self.skip("-")?;
        let day = self.number("02", true)?;
        self.skip("T")?;
        let hour = self.number("15", false)?;
        let hour = self.in_range(hour, 0..24, "hour")?;
        self.skip(":")?;
        let minute = self.number("04", true)?;
        let minute = self.in_range(minute, 0..60, "minute")?;
        self.skip(":")?;
        let second = self.number("05", true)?;
        let second = self.in_range(second, 0..60, "second")?;
        let nanoseconds = if micro { self.six_digits()? } else { self.fraction() };
        let offset = self.zone()?;
        if !self.rest.is_empty() {
            let reason = format!(": extra text: {}", quote(self.rest));
            return Err(TimeError { text: self.text.to_owned(), reason });
        }
        let length = days(year + i64::from(month == 12), month % 12 + 1, 1) - days(year, month, 1);
        self.in_range(day, 1..length + 1, "day")?;
        let seconds = days(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second - offset;
        Ok(Moment { seconds, nanoseconds })
    }

    /// Digits after a point or comma, which the layout does not ask for.
    fn fraction(&mut self) -> u32 {
        if !self.rest.starts_with(['.', ',']) || self.digit(1).is_none() {
            return 0;
        }
        let end = self.rest[1..].find(|c: char| !c.is_ascii_digit()).map_or(self.rest.len(), |end| end + 1);
        let digits = &self.take(end)[1..];
        let nine: String = digits.chars().chain(std::iter::repeat('0')).take(9).collect();
        nine.parse().unwrap_or_default()
    }

    fn six_digits(&mut self) -> Result<u32, TimeError> {
        let digits = self.rest.get(..7).filter(|text| text.starts_with(['.', ','])).map(|text| &text[1..]);
        let digits = digits.filter(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()));
        let micro: u32 =
            digits.and_then(|digits| digits.parse().ok()).ok_or_else(|| self.wrong(self.rest, ".000000"))?;
        self.take(7);
        Ok(micro * 1000)
    }

    fn zone(&mut self) -> Result<i64, TimeError> {
        if let Some(rest) = self.rest.strip_prefix('Z') {
            self.rest = rest;
            return Ok(0);
        }
        let wrong = self.wrong(self.rest, "Z07:00");
        let bytes = self.rest.as_bytes();
        if bytes.len() < 6 || bytes[3] != b':' {
            return Err(wrong);
        }
        let pair = |at: usize| match (self.digit(at), self.digit(at + 1)) {
            (Some(tens), Some(ones)) => Ok(tens * 10 + ones),
            _ => Err(wrong.clone()),
        };
        let (hours, minutes) = (pair(1)?, pair(4)?);
        let sign = bytes[0];
        self.take(6);
        if minutes > 60 {
            return Err(self.out_of_range("time zone offset minute"));
        }
        if hours > 24 {
            return Err(self.out_of_range("time zone offset hour"));
        }
        match sign {
            b'+' => Ok((hours * 60 + minutes) * 60),
            b'-' => Ok(-(hours * 60 + minutes) * 60),
            _ => Err(wrong),
        }
    }
}

/// Text in the quotes of Go's package `time`, which shows all but ASCII as bytes.
fn quote(text: &str) -> String {
    let mut quoted = String::from("\"");
    for byte in text.bytes() {
        match byte {
            b'"' | b'\\' => quoted.extend(['\\', char::from(byte)]),
            b' '..0x80 => quoted.push(char::from(byte)),
            _ => {
                let _ = write!(quoted, "\\x{byte:02x}");
            }
        }
    }
    quoted.push('"');
    quoted
}

/// The days from 1970 to a date.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let of_era = year.rem_euclid(400);
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

/// The date that many days from 1970.
fn date(days: i64) -> (i64, i64, i64) {
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let of_era = shifted.rem_euclid(146_097);
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (year + era * 400 + i64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_written_in_utc() {
        let cases = [
            ("2026-11-16T10:00:00Z", "2026-11-16T10:00:00Z"),
            ("2026-11-16T10:00:00.123456789Z", "2026-11-16T10:00:00Z"),
            ("2026-03-01T00:30:00+01:00", "2026-02-28T23:30:00Z"),
            ("2024-02-29T23:59:59-00:30", "2024-03-01T00:29:59Z"),
            ("1969-12-31T9:00:00Z", "1969-12-31T09:00:00Z"),
        ];
        for (text, expected) in cases {
            assert_eq!(Moment::parse(text).unwrap().to_text(), expected, "{text}");
        }
        assert!(Moment::parse("0001-01-01T00:00:00Z").unwrap().is_zero());
        let micro = Moment::parse_micro("2026-11-16T10:00:00.120000+02:00").unwrap();
        assert_eq!(micro.to_micro_text(), "2026-11-16T08:00:00.120000Z");
    }

    #[test]
    fn refusals_are_gos() {
        let said = |text: &str| Moment::parse(text).unwrap_err().to_string();
        assert_eq!(said(""), r#"parsing time "" as "2006-01-02T15:04:05Z07:00": cannot parse "" as "2006""#);
        assert_eq!(
            said("2026-13-01T00:00:00Z"),
            r#"parsing time "2026-13-01T00:00:00Z": month out of range"#
        );
        assert_eq!(said("2026-02-30T00:00:00Z"), r#"parsing time "2026-02-30T00:00:00Z": day out of range"#);
        assert_eq!(
            said("2026-02-03 00:00:00Z"),
            r#"parsing time "2026-02-03 00:00:00Z" as "2006-01-02T15:04:05Z07:00": cannot parse " 00:00:00Z" as "T""#
        );
        assert_eq!(said("2026-02-03T00:00:00Zx"), r#"parsing time "2026-02-03T00:00:00Zx": extra text: "x""#);
        assert_eq!(
            Moment::parse_micro("2026-02-03T00:00:00Z").unwrap_err().to_string(),
            r#"parsing time "2026-02-03T00:00:00Z" as "2006-01-02T15:04:05.000000Z07:00": cannot parse "Z" as ".000000""#
        );
    }
}
