//! What a scalar means: YAML 1.1's booleans, nulls, numbers and dates, as goyaml recognises them.

use crate::strconv;
use crate::timestamp;

/// The prefix of YAML's own tags.
const TAG_PREFIX: &str = "tag:yaml.org,2002:";

/// What a scalar resolves to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Resolved {
    Null,
    Bool(bool),
    Int(i64),
    Uint(u64),
    Float(f64),
    /// The text itself.
    Text,
    /// A date; goyaml hands it on as its text.
    Timestamp,
    /// Base64 of the value.
    Binary,
}

impl Resolved {
    fn tag(self) -> &'static str {
        match self {
            Self::Null => "!!null",
            Self::Bool(_) => "!!bool",
            Self::Int(_) | Self::Uint(_) => "!!int",
            Self::Float(_) => "!!float",
            Self::Text => "!!str",
            Self::Timestamp => "!!timestamp",
            Self::Binary => "!!binary",
        }
    }
}

/// Resolves a scalar that carries a tag; the error is goyaml's text.
pub(crate) fn resolve_tagged(tag: &str, text: &str) -> Result<Resolved, String> {
    let Some(short) = tag.strip_prefix(TAG_PREFIX) else { return Ok(Resolved::Text) };
    let resolved = match short {
        "binary" => return Ok(Resolved::Binary),
        "bool" | "int" | "float" | "null" => resolve_untyped(text, false),
        "timestamp" => resolve_untyped(text, true),
        _ => return Ok(Resolved::Text),
    };
    match resolved {
        Resolved::Int(value) if short == "float" => Ok(Resolved::Float(value as f64)),
        resolved if resolved.tag().strip_prefix("!!") == Some(short) => Ok(resolved),
        resolved => Err(format!("yaml: cannot decode {} `{text}` as a !!{short}", resolved.tag())),
    }
}

/// Resolves a plain scalar.
#[inline]
pub(crate) fn resolve(text: &str) -> Resolved {
    match text.as_bytes().first() {
        None
        | Some(
            b'0'..=b'9'
            | b'+'
            | b'-'
            | b'.'
            | b'~'
            | b'y'
            | b'Y'
            | b'n'
            | b'N'
            | b't'
            | b'T'
            | b'f'
            | b'F'
            | b'o'
            | b'O',
        ) => resolve_untyped(text, true),
        _ => Resolved::Text,
    }
}

fn resolve_untyped(text: &str, dates: bool) -> Resolved {
    let Some(&first) = text.as_bytes().first() else { return Resolved::Null };
    match first {
        b'~' | b'y' | b'Y' | b'n' | b'N' | b't' | b'T' | b'f' | b'F' | b'o' | b'O' => resolve_word(text),
        b'.' => match text {
            ".nan" | ".NaN" | ".NAN" => Resolved::Float(f64::NAN),
            ".inf" | ".Inf" | ".INF" => Resolved::Float(f64::INFINITY),
            _ => strconv::parse_float(text, 64).map_or(Resolved::Text, Resolved::Float),
        },
        b'+' | b'-' | b'0'..=b'9' => match text {
            "+.inf" | "+.Inf" | "+.INF" => Resolved::Float(f64::INFINITY),
            "-.inf" | "-.Inf" | "-.INF" => Resolved::Float(f64::NEG_INFINITY),
            _ if dates && timestamp::is_timestamp(text) => Resolved::Timestamp,
            _ => resolve_number(text),
        },
        _ => Resolved::Text,
    }
}

fn resolve_word(text: &str) -> Resolved {
    match text {
        "y" | "Y" | "yes" | "Yes" | "YES" | "true" | "True" | "TRUE" | "on" | "On" | "ON" => {
            Resolved::Bool(true)
        }
        "n" | "N" | "no" | "No" | "NO" | "false" | "False" | "FALSE" | "off" | "Off" | "OFF" => {
            Resolved::Bool(false)
        }
        "~" | "null" | "Null" | "NULL" => Resolved::Null,
        _ => Resolved::Text,
    }
}

fn resolve_number(text: &str) -> Resolved {
    let removed;
    let plain = if text.contains('_') {
        removed = text.replace('_', "");
        removed.as_str()
    } else {
        text
    };
    let bytes = plain.as_bytes();
    if bytes.iter().all(u8::is_ascii_digit) && bytes.len() <= 18 && (bytes[0] != b'0' || bytes.len() == 1) {
        return Resolved::Int(bytes.iter().fold(0, |sum, digit| sum * 10 + i64::from(digit - b'0')));
    }
    if !bytes.iter().all(|byte| {
        byte.is_ascii_hexdigit() || matches!(byte, b'x' | b'X' | b'o' | b'O' | b'.' | b'+' | b'-')
    }) {
        return Resolved::Text;
    }
    if let Ok(value) = strconv::int_value(plain, 0, 64) {
        return Resolved::Int(value);
    }
    if let Ok(value) = strconv::uint_value(plain, 0, 64) {
        return Resolved::Uint(value);
    }
    if is_yaml_float(plain)
        && let Ok(value) = strconv::parse_float(plain, 64)
    {
        return Resolved::Float(value);
    }
    // What base 0 refused: digits after the prefix may carry a sign of their own.
    if let Some(digits) = plain.strip_prefix("0b") {
        if let Ok(value) = strconv::parse_int(digits, 2, 64) {
            return Resolved::Int(value);
        }
        if let Ok(value) = strconv::parse_uint(digits, 2, 64) {
            return Resolved::Uint(value);
        }
    } else if let Some(digits) = plain.strip_prefix("-0b")
        && let Ok(value) = strconv::parse_int(&format!("-{digits}"), 2, 64)
    {
        return Resolved::Int(value);
    }
    Resolved::Text
}

/// `[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?`
pub(crate) fn is_yaml_float(text: &str) -> bool {
    fn digits(rest: &mut &[u8]) -> usize {
        let count = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        *rest = &rest[count..];
        count
    }
    fn one_of(rest: &mut &[u8], set: &[u8]) -> bool {
        let found = rest.first().is_some_and(|byte| set.contains(byte));
        if found {
            *rest = &rest[1..];
        }
        found
    }
    let mut rest = text.as_bytes();
    one_of(&mut rest, b"+-");
    let whole = digits(&mut rest);
    let point = one_of(&mut rest, b".");
    let fraction = if point { digits(&mut rest) } else { 0 };
    if whole == 0 && fraction == 0 {
        return false;
    }
    if one_of(&mut rest, b"eE") {
        one_of(&mut rest, b"+-");
        if digits(&mut rest) == 0 {
            return false;
        }
    }
    rest.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_scalars() {
        let cases = [
            ("", Resolved::Null),
            ("~", Resolved::Null),
            ("nULL", Resolved::Text),
            ("yes", Resolved::Bool(true)),
            ("y", Resolved::Bool(true)),
            ("oN", Resolved::Text),
            ("Off", Resolved::Bool(false)),
            ("0", Resolved::Int(0)),
            ("-0", Resolved::Int(0)),
            ("0777", Resolved::Int(511)),
            ("0o17", Resolved::Int(15)),
            ("0b1", Resolved::Int(1)),
            ("-0b11", Resolved::Int(-3)),
            ("0b-11", Resolved::Int(-3)),
            ("0x_1F", Resolved::Int(31)),
            ("08", Resolved::Float(8.0)),
            ("1_000", Resolved::Int(1000)),
            ("+1", Resolved::Int(1)),
            ("9223372036854775807", Resolved::Int(i64::MAX)),
            ("9223372036854775808", Resolved::Uint(1 << 63)),
            ("18446744073709551616", Resolved::Float(18_446_744_073_709_551_616.0)),
            ("1e3", Resolved::Float(1000.0)),
            ("1e999", Resolved::Text),
            (".5", Resolved::Float(0.5)),
            (".", Resolved::Text),
            ("1.", Resolved::Float(1.0)),
            ("1.e1", Resolved::Float(10.0)),
            ("0x", Resolved::Text),
            ("0x1p-2", Resolved::Text),
            ("-.INF", Resolved::Float(f64::NEG_INFINITY)),
            ("12:30:45", Resolved::Text),
            ("2001-01-02", Resolved::Timestamp),
            ("2001-02-30", Resolved::Text),
            ("1.2.3", Resolved::Text),
            ("<<", Resolved::Text),
        ];
        for (text, expected) in cases {
            assert_eq!(resolve(text), expected, "{text:?}");
        }
    }
}
