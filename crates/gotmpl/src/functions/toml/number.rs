//! Numbers, dates and booleans of TOML.

use goyaml::strconv::{self, NumErrorReason, quote};

use super::scan::{Problem, Scanner, printed};
use crate::functions::{Context, Zone, dates};
use crate::gotime::{Location, Time};
use crate::value::Value;

type Result<T> = std::result::Result<T, Problem>;

/// Layouts of dates, with the name of the zone that those without one are in.
const DATES: [(&str, &str); 7] = [
    ("2006-01-02T15:04:05.999999999Z07:00", ""),
    ("2006-01-02T15:04:05.999999999", DATETIME_LOCAL),
    ("2006-01-02", DATE_LOCAL),
    ("15:04:05.999999999", TIME_LOCAL),
    ("2006-01-02T15:04Z07:00", ""),
    ("2006-01-02T15:04", DATETIME_LOCAL),
    ("15:04", TIME_LOCAL),
];

/// The zone of a date with a time but without an offset.
pub(super) const DATETIME_LOCAL: &str = "datetime-local";
/// The zone of a date without a time.
pub(super) const DATE_LOCAL: &str = "date-local";
/// The zone of a time without a date.
pub(super) const TIME_LOCAL: &str = "time-local";

/// Reads a number, a date or a boolean.
pub(super) fn scalar(scanner: &mut Scanner<'_>, context: &Context) -> Result<Value> {
    match scanner.peek() {
        Some('0'..='9') => number_or_date(scanner, context),
        Some('+' | '-') => signed(scanner),
        Some('.') => {
            scanner.next()?;
            scanner.problem("floats must start with a digit, not '.'")
        }
        _ if scanner.accept("inf") => Ok(f64::INFINITY.into()),
        _ if scanner.accept("nan") => Ok(f64::NAN.into()),
        Some(character) if character.is_alphabetic() => {
            let word = scanner.take_while(char::is_alphabetic);
            match word {
                "true" => Ok(true.into()),
                "false" => Ok(false.into()),
                _ => scanner.problem(format!("expected value but found {} instead", quote(word))),
            }
        }
        None => scanner.problem("unexpected EOF; expected value"),
        Some(_) => {
            let read = scanner.next()?;
            scanner.problem_with(read, format!("expected value but found {} instead", printed(read)))
        }
    }
}

fn signed(scanner: &mut Scanner<'_>) -> Result<Value> {
    let rest = scanner.rest();
    let negative = scanner.accept("-");
    if !negative {
        scanner.accept("+");
    }
    for (word, value) in [("inf", f64::INFINITY), ("nan", f64::NAN)] {
        if scanner.rest().starts_with(&word[..1]) {
            if scanner.accept(word) {
                return Ok(if negative { -value } else { value }.into());
            }
            let read = rest[1..].chars().zip(word.chars()).take_while(|(a, b)| a == b).count();
            return scanner.problem(format!("invalid float: '{}'", &rest[..=read]));
        }
    }
    if let Some(base) = ["0b", "0o", "0x"].into_iter().find(|base| scanner.rest().starts_with(base)) {
        return scanner.problem(format!("cannot use sign with non-decimal numbers: '{}{base}'", &rest[..1]));
    }
    match scanner.peek() {
        Some('.') => scanner.problem("floats must start with a digit, not '.'"),
        Some('0'..='9') => {
            let digits = scanner.take_while(|c| c.is_ascii_digit() || c == '_');
            let float = fraction(scanner);
            decimal(scanner, &rest[..=digits.len() + float], float > 0)
        }
        other => scanner.problem(format!("expected a digit but got {}", printed(other))),
    }
}

/// Reads what makes a number a float; gives its length.
fn fraction(scanner: &mut Scanner<'_>) -> usize {
    if scanner.peek().is_some_and(|c| matches!(c, '.' | 'e' | 'E')) {
        scanner.take_while(|c| c.is_ascii_digit() || matches!(c, '_' | '.' | '-' | '+' | 'e' | 'E')).len()
    } else {
        0
    }
}

fn number_or_date(scanner: &mut Scanner<'_>, context: &Context) -> Result<Value> {
    let rest = scanner.rest();
    for (prefix, kind, radix) in [("0b", "a binary", 2), ("0o", "an octal", 8), ("0x", "a hexadecimal", 16)] {
        if scanner.accept(prefix) {
            let digits = scanner.take_while(|c| c.is_digit(radix) || c == '_');
            if !digits.starts_with(|c: char| c.is_digit(radix)) {
                let found = scanner.peek().unwrap_or('\0');
                return scanner.problem(format!("not {kind} number: '{prefix}{found}'"));
            }
            return decimal(scanner, &rest[..2 + digits.len()], false);
        }
    }
    let digits = scanner.take_while(|c| c.is_ascii_digit());
    if scanner.peek().is_some_and(|c| matches!(c, '-' | ':')) {
        let more = scanner.take_while(|c| {
            c.is_ascii_digit() || matches!(c, '-' | ':' | 'T' | 't' | ' ' | '.' | 'Z' | 'z' | '+')
        });
        return date(scanner, rest[..digits.len() + more.len()].trim(), context);
    }
    let more = scanner.take_while(|c| c.is_ascii_digit() || c == '_');
    let float = fraction(scanner);
    decimal(scanner, &rest[..digits.len() + more.len() + float], float > 0)
}

fn decimal(scanner: &Scanner<'_>, text: &str, float: bool) -> Result<Value> {
    let kind = if float { "float" } else { "integer" };
    let parts: Vec<&str> = if float {
        text.split(['.', 'e', 'E']).filter(|part| !part.is_empty()).collect()
    } else {
        vec![text]
    };
    let shown = quote(text);
    if !parts.iter().all(|part| underscores_fit(part)) {
        return scanner.problem(format!("Invalid {kind} {shown}: underscores must be surrounded by digits"));
    }
    if parts.first().is_some_and(|first| has_leading_zero(first)) {
        return scanner.problem(format!("Invalid {kind} {shown}: cannot have leading zeroes"));
    }
    let plain = text.replace('_', "");
    if !float {
        return match strconv::parse_int(&plain, 0, 64) {
            Ok(number) => Ok(Value::int64(number)),
            Err(_) => scanner.problem(format!("{text} is out of range for int64")),
        };
    }
    let digit_follows =
        |(index, _): (usize, &str)| text[index + 1..].starts_with(|c: char| c.is_ascii_digit());
    if !text.match_indices('.').all(digit_follows) {
        return scanner.problem(format!("Invalid float {shown}: '.' must be followed by one or more digits"));
    }
    match strconv::parse_float(&plain, 64) {
        Ok(number) => Ok(number.into()),
        Err(error) if error.reason == NumErrorReason::Range => {
            scanner.problem(format!("{text} is out of range for float64"))
        }
        Err(_) => scanner.problem(format!("Invalid float value: {shown}")),
    }
}

/// Whether every underscore stands between two digits.
fn underscores_fit(text: &str) -> bool {
    let mut after_digit = false;
    for character in text.chars() {
        if character == '_' && !after_digit {
            return false;
        }
        after_digit = character.is_ascii_hexdigit();
    }
    after_digit
}

fn has_leading_zero(text: &str) -> bool {
    let bytes = text.as_bytes();
    match bytes {
        [b'0', b'b' | b'o' | b'x', ..] => false,
        [b'0', _, ..] | [b'-' | b'+', b'0', _, ..] => true,
        _ => false,
    }
}

fn date(scanner: &Scanner<'_>, text: &str, context: &Context) -> Result<Value> {
    let environment = &*context.environment;
    let text = text.replace('z', "Z").replace(['t', ' '], "T");
    for (layout, zone) in DATES {
        let location = if zone.is_empty() {
            Location::Local
        } else {
            let offset = environment.local_zone(environment.now()).offset;
            Location::Fixed(Zone { offset, abbreviation: zone.into() })
        };
        if let Ok(time) = Time::parse_in(layout, &text, &location, environment) {
            let padded = layout
                .bytes()
                .zip(text.bytes())
                .take_while(|(expected, _)| !matches!(expected, b'.' | b'Z'))
                .all(|(expected, found)| expected.is_ascii_digit() || expected == found);
            if padded {
                return Ok(dates::value(time));
            }
            break;
        }
    }
    scanner.problem(format!("invalid datetime: {}", quote(&text)))
}
