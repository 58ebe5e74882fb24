//! Go's `time.Duration`: nanoseconds in an `i64`, read and written as `1h2m3.5s`.

use crate::carried::bytes_of;

/// One microsecond.
pub const MICROSECOND: i64 = 1_000;
/// One millisecond.
pub const MILLISECOND: i64 = 1_000_000;
/// One second.
pub const SECOND: i64 = 1_000_000_000;
/// One minute.
pub const MINUTE: i64 = 60 * SECOND;
/// One hour.
pub const HOUR: i64 = 60 * MINUTE;
/// One day of 24 hours, which Go itself has no unit for.
pub const DAY: i64 = 24 * HOUR;

/// Why a text is not a duration; prints as Go's `time.ParseDuration` says it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("time: {problem} {}", quote(.text))]
pub struct DurationError {
    problem: String,
    text: String,
}

/// `time.ParseDuration`.
pub fn parse(text: &str) -> Result<i64, DurationError> {
    read(text, unit)
}

/// `time.ParseDuration`, with `d` for 24 hours.
pub fn parse_with_days(text: &str) -> Result<i64, DurationError> {
    read(text, |name| if name == "d" { Some(DAY as u64) } else { unit(name) })
}

fn read(text: &str, unit: impl Fn(&str) -> Option<u64>) -> Result<i64, DurationError> {
    let error = |problem: &str| DurationError { problem: problem.to_owned(), text: text.to_owned() };
    let invalid = || error("invalid duration");
    let (negative, mut rest) = match text.as_bytes().first() {
        Some(b'-') => (true, &text[1..]),
        Some(b'+') => (false, &text[1..]),
        _ => (false, text),
    };
    if rest == "0" {
        return Ok(0);
    }
    if rest.is_empty() {
        return Err(invalid());
    }
    let mut total: u64 = 0;
    while !rest.is_empty() {
        let (whole, after) = split_digits(rest);
        let (fraction, after) = match after.strip_prefix('.') {
            Some(after) => split_digits(after),
            None => ("", after),
        };
        if whole.is_empty() && fraction.is_empty() {
            return Err(invalid());
        }
        let end = after.find(|c: char| c == '.' || c.is_ascii_digit()).unwrap_or(after.len());
        let (name, after) = after.split_at(end);
        let whole_count = leading_integer(whole).ok_or_else(invalid)?;
        if name.is_empty() {
            return Err(error("missing unit in duration"));
        }
        let unit = unit(name).ok_or_else(|| error(&format!("unknown unit {} in duration", quote(name))))?;
        let mut nanoseconds = whole_count.checked_mul(unit).filter(|n| *n <= 1 << 63).ok_or_else(invalid)?;
        nanoseconds += fraction_of(fraction, unit);
        total = total.checked_add(nanoseconds).filter(|n| *n <= 1 << 63).ok_or_else(invalid)?;
        rest = after;
    }
    if negative {
        return Ok((total as i64).wrapping_neg());
    }
    i64::try_from(total).map_err(|_| invalid())
}

fn split_digits(text: &str) -> (&str, &str) {
    text.split_at(text.bytes().take_while(u8::is_ascii_digit).count())
}

fn leading_integer(digits: &str) -> Option<u64> {
    if digits.is_empty() { Some(0) } else { digits.parse().ok().filter(|n| *n <= 1 << 63) }
}

fn unit(name: &str) -> Option<u64> {
    Some(match name {
        "ns" => 1,
        "us" | "µs" | "μs" => MICROSECOND as u64,
        "ms" => MILLISECOND as u64,
        "s" => SECOND as u64,
        "m" => MINUTE as u64,
        "h" => HOUR as u64,
        _ => return None,
    })
}

/// The part of a unit that digits after the point stand for; digits beyond what fits are dropped.
fn fraction_of(digits: &str, unit: u64) -> u64 {
    let mut value: u64 = 0;
    let mut scale = 1.0;
    for digit in digits.bytes() {
        if value > (1 << 63) / 10 - 1 {
            break;
        }
        let next = value * 10 + u64::from(digit - b'0');
        if next > 1 << 63 {
            break;
        }
        value = next;
        scale *= 10.0;
    }
    (value as f64 * (unit as f64 / scale)) as u64
}

/// `Duration.String`.
pub fn format(duration: i64) -> String {
    let sign = if duration < 0 { "-" } else { "" };
    let nanoseconds = duration.unsigned_abs();
    match nanoseconds {
        0 => "0s".to_owned(),
        1..1_000 => format!("{sign}{nanoseconds}ns"),
        1_000..1_000_000 => format!("{sign}{}µs", decimal(nanoseconds, 3)),
        1_000_000..1_000_000_000 => format!("{sign}{}ms", decimal(nanoseconds, 6)),
        _ => {
            let minutes = nanoseconds / MINUTE as u64;
            let seconds = decimal(nanoseconds % MINUTE as u64, 9);
            match (minutes / 60, minutes % 60) {
                (0, 0) => format!("{sign}{seconds}s"),
                (0, minutes) => format!("{sign}{minutes}m{seconds}s"),
                (hours, minutes) => format!("{sign}{hours}h{minutes}m{seconds}s"),
            }
        }
    }
}

/// A number with the point moved left by `places`, without zeros at the end.
fn decimal(number: u64, places: u32) -> String {
    let unit = 10u64.pow(places);
    let (whole, fraction) = (number / unit, number % unit);
    if fraction == 0 {
        return whole.to_string();
    }
    let digits = format!("{fraction:0width$}", width = places as usize);
    format!("{whole}.{}", digits.trim_end_matches('0'))
}

/// Quotes as package `time` does in its errors: what is not printable ASCII byte by byte.
pub fn quote(text: &str) -> String {
    use std::fmt::Write as _;
    let mut quoted = String::from("\"");
    for character in text.chars() {
        match character {
            '"' | '\\' => {
                quoted.push('\\');
                quoted.push(character);
            }
            ' '..='\x7f' => quoted.push(character),
            _ => {
                let mut bytes = [0; 4];
                for byte in bytes_of(character.encode_utf8(&mut bytes)).iter() {
                    let _ = write!(quoted, "\\x{byte:02x}");
                }
            }
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_print_as_go_prints_them() {
        for (duration, text) in [
            (0, "0s"),
            (1, "1ns"),
            (1_100, "1.1µs"),
            (2_200_000, "2.2ms"),
            (3_300 * MILLISECOND, "3.3s"),
            (4 * MINUTE + 5 * SECOND + 1, "4m5.000000001s"),
            (-5 * HOUR - 5 * SECOND, "-5h0m5s"),
            (i64::MIN, "-2562047h47m16.854775808s"),
        ] {
            assert_eq!(format(duration), text);
            assert_eq!(parse(text), Ok(duration), "{text}");
        }
    }

    #[test]
    fn what_is_not_a_duration_says_why() {
        for (text, message) in [
            ("", "time: invalid duration \"\""),
            ("3", "time: missing unit in duration \"3\""),
            ("-", "time: invalid duration \"-\""),
            ("1d", "time: unknown unit \"d\" in duration \"1d\""),
            (".s", "time: invalid duration \".s\""),
            ("9223372036854775808ns", "time: invalid duration \"9223372036854775808ns\""),
            ("1é", "time: unknown unit \"\\xc3\\xa9\" in duration \"1\\xc3\\xa9\""),
        ] {
            assert_eq!(parse(text).unwrap_err().to_string(), message);
        }
    }

    #[test]
    fn days_are_a_unit_only_where_they_are_asked_for() {
        for (text, duration) in
            [("1d", DAY), ("1d12h", DAY + 12 * HOUR), ("-.5d", -12 * HOUR), ("1h30m", 90 * MINUTE), ("0", 0)]
        {
            assert_eq!(parse_with_days(text), Ok(duration), "{text}");
        }
        for (text, message) in [
            ("1D", "time: unknown unit \"D\" in duration \"1D\""),
            ("106752d", "time: invalid duration \"106752d\""),
            ("soon", "time: invalid duration \"soon\""),
        ] {
            assert_eq!(parse_with_days(text).unwrap_err().to_string(), message);
        }
    }

    proptest::proptest! {
        #[test]
        fn what_is_printed_is_read_back(duration: i64) {
            proptest::prop_assert_eq!(parse(&format(duration)), Ok(duration));
        }
    }
}
