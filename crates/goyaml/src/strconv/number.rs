//! `strconv.ParseInt`, `ParseUint`, `ParseFloat`, `ParseBool` and `Atoi`.

use super::{hex, quote};

/// Why a text is not the number it should be; prints as Go's `*strconv.NumError`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("strconv.{function}: parsing {}: {reason}", quote(input))]
pub struct NumError {
    /// The Go function, such as `ParseInt`.
    pub function: &'static str,
    /// The text it was given.
    pub input: String,
    /// What is wrong with it.
    pub reason: NumErrorReason,
}

/// What is wrong with a number's text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NumErrorReason {
    /// Not a number at all.
    #[error("invalid syntax")]
    Syntax,
    /// A number beyond what the type holds.
    #[error("value out of range")]
    Range,
    /// A base Go does not know.
    #[error("invalid base {0}")]
    Base(u32),
    /// A size Go does not know.
    #[error("invalid bit size {0}")]
    BitSize(u32),
}

fn failure(function: &'static str, input: &str, reason: NumErrorReason) -> NumError {
    NumError { function, input: input.to_owned(), reason }
}

/// `strconv.ParseInt`: base 0 reads Go's prefixes and underscores, 0 bits are 64.
pub fn parse_int(text: &str, base: u32, bits: u32) -> Result<i64, NumError> {
    int_value(text, base, bits).map_err(|reason| failure("ParseInt", text, reason))
}

/// `strconv.ParseInt` for those who do not show the error.
pub(crate) fn int_value(text: &str, base: u32, bits: u32) -> Result<i64, NumErrorReason> {
    if text.is_empty() {
        return Err(NumErrorReason::Syntax);
    }
    let (negative, digits) = match text.as_bytes()[0] {
        b'-' => (true, &text[1..]),
        b'+' => (false, &text[1..]),
        _ => (false, text),
    };
    let size = match uint_value(digits, base, bits) {
        Err(NumErrorReason::Range) => u64::MAX,
        size => size?,
    };
    let limit = 1u64 << (if bits == 0 { 64 } else { bits } - 1);
    match (negative, size) {
        (false, size) if size < limit => Ok(size as i64),
        (true, size) if size <= limit => Ok((size as i64).wrapping_neg()),
        _ => Err(NumErrorReason::Range),
    }
}

/// `strconv.ParseUint`: base 0 reads Go's prefixes and underscores, 0 bits are 64.
pub fn parse_uint(text: &str, base: u32, bits: u32) -> Result<u64, NumError> {
    uint_value(text, base, bits).map_err(|reason| failure("ParseUint", text, reason))
}

/// `strconv.ParseUint` for those who do not show the error.
pub(crate) fn uint_value(text: &str, base: u32, bits: u32) -> Result<u64, NumErrorReason> {
    let bytes = text.as_bytes();
    if bytes.is_empty() {
        return Err(NumErrorReason::Syntax);
    }
    let (base_value, digits) = match base {
        2..=36 => (base, bytes),
        0 if bytes[0] != b'0' => (10, bytes),
        0 => match bytes.get(1).map(u8::to_ascii_lowercase) {
            Some(b'b') if bytes.len() >= 3 => (2, &bytes[2..]),
            Some(b'o') if bytes.len() >= 3 => (8, &bytes[2..]),
            Some(b'x') if bytes.len() >= 3 => (16, &bytes[2..]),
            _ => (8, &bytes[1..]),
        },
        _ => return Err(NumErrorReason::Base(base)),
    };
    if bits > 64 {
        return Err(NumErrorReason::BitSize(bits));
    }
    let limit = if bits == 0 || bits == 64 { u64::MAX } else { (1 << bits) - 1 };
    let mut underscores = false;
    let mut value = 0u64;
    for &byte in digits {
        if byte == b'_' && base == 0 {
            underscores = true;
            continue;
        }
        let digit = char::from(byte).to_digit(base_value).ok_or(NumErrorReason::Syntax)?;
        value = value
            .checked_mul(u64::from(base_value))
            .and_then(|value| value.checked_add(u64::from(digit)))
            .filter(|&value| value <= limit)
            .ok_or(NumErrorReason::Range)?;
    }
    if underscores && !underscores_separate_digits(bytes) {
        return Err(NumErrorReason::Syntax);
    }
    Ok(value)
}

/// Whether every `_` stands between two digits, or between a base prefix and a digit.
fn underscores_separate_digits(text: &[u8]) -> bool {
    let text = match text {
        [b'+' | b'-', rest @ ..] => rest,
        text => text,
    };
    let prefixed = text.len() >= 2 && text[0] == b'0' && matches!(text[1] | 0x20, b'b' | b'o' | b'x');
    let hexadecimal = prefixed && text[1] | 0x20 == b'x';
    let is_digit = |byte: u8| byte.is_ascii_digit() || hexadecimal && byte.is_ascii_hexdigit();
    let mut after_digit = prefixed;
    let mut after_underscore = false;
    for &byte in &text[if prefixed { 2 } else { 0 }..] {
        if byte == b'_' {
            if !after_digit {
                return false;
            }
        } else if after_underscore && !is_digit(byte) {
            return false;
        }
        after_digit = is_digit(byte);
        after_underscore = byte == b'_';
    }
    !after_underscore
}

/// `strconv.ParseFloat`; with 32 bits the result is a `float32` widened.
pub fn parse_float(text: &str, bits: u32) -> Result<f64, NumError> {
    let fail = |reason| failure("ParseFloat", text, reason);
    if let Some(value) = special(text) {
        return Ok(value);
    }
    let read = Written::read(text).ok_or_else(|| fail(NumErrorReason::Syntax))?;
    let value = if read.hexadecimal {
        hex::value(&read, bits)
    } else if bits == 32 {
        read.decimal(text).parse::<f32>().map_or(f64::INFINITY, f64::from)
    } else {
        read.decimal(text).parse().unwrap_or(f64::INFINITY)
    };
    if value.is_infinite() { Err(fail(NumErrorReason::Range)) } else { Ok(value) }
}

/// Infinity and NaN, in any case.
fn special(text: &str) -> Option<f64> {
    let lower = text.to_ascii_lowercase();
    match lower.as_str() {
        "nan" => Some(f64::NAN),
        "inf" | "+inf" | "infinity" | "+infinity" => Some(f64::INFINITY),
        "-inf" | "-infinity" => Some(f64::NEG_INFINITY),
        _ => None,
    }
}

/// A floating-point number as it is written.
#[expect(clippy::struct_excessive_bools, reason = "four facts that do not depend on each other")]
pub(super) struct Written {
    pub(super) negative: bool,
    pub(super) hexadecimal: bool,
    /// The first sixteen significant hexadecimal digits.
    pub(super) mantissa: u64,
    /// Whether digits that are not zero were left out of the mantissa.
    pub(super) truncated: bool,
    /// The power of two, if hexadecimal.
    pub(super) exponent: i64,
    underscores: bool,
}

impl Written {
    /// `None` if the whole text is not a number.
    fn read(text: &str) -> Option<Self> {
        let bytes = text.as_bytes();
        let mut at = 0;
        let negative = bytes.first() == Some(&b'-');
        if matches!(bytes.first(), Some(b'+' | b'-')) {
            at = 1;
        }
        let hexadecimal = bytes.len() > at + 2 && bytes[at] == b'0' && bytes[at + 1] | 0x20 == b'x';
        if hexadecimal {
            at += 2;
        }
        let (mut mantissa, mut digits, mut kept) = (0u64, 0i64, 0i64);
        let (mut truncated, mut underscores, mut any) = (false, false, false);
        let mut point = None;
        while let Some(&byte) = bytes.get(at) {
            let digit = char::from(byte).to_digit(if hexadecimal { 16 } else { 10 });
            match (byte, digit) {
                (b'_', _) => underscores = true,
                (b'.', _) if point.is_some() => break,
                (b'.', _) => point = Some(digits),
                (_, Some(digit)) => {
                    any = true;
                    if digit == 0 && digits == 0 {
                        // A leading zero only moves the point.
                        point = point.map(|point| point - 1);
                    } else {
                        digits += 1;
                        if kept < 16 {
                            mantissa = mantissa.wrapping_mul(16) + u64::from(digit);
                            kept += 1;
                        } else if digit != 0 {
                            truncated = true;
                        }
                    }
                }
                _ => break,
            }
            at += 1;
        }
        if !any {
            return None;
        }
        let mut exponent = (point.unwrap_or(digits) - kept) * 4;
        let mark = if hexadecimal { b'p' } else { b'e' };
        if bytes.get(at).is_some_and(|byte| byte | 0x20 == mark) {
            at += 1;
            let sign = if bytes.get(at) == Some(&b'-') { -1 } else { 1 };
            if matches!(bytes.get(at), Some(b'+' | b'-')) {
                at += 1;
            }
            if !bytes.get(at).is_some_and(u8::is_ascii_digit) {
                return None;
            }
            let mut size = 0;
            while let Some(&byte) = bytes.get(at) {
                match byte {
                    b'_' => underscores = true,
                    b'0'..=b'9' if size < 10_000 => size = size * 10 + i64::from(byte - b'0'),
                    b'0'..=b'9' => {}
                    _ => break,
                }
                at += 1;
            }
            exponent += sign * size;
        } else if hexadecimal {
            return None;
        }
        if at < bytes.len() || underscores && !underscores_separate_digits(bytes) {
            return None;
        }
        Some(Self { negative, hexadecimal, mantissa, truncated, exponent, underscores })
    }

    /// The decimal number in the form Rust parses.
    fn decimal(&self, text: &str) -> String {
        if self.underscores { text.replace('_', "") } else { text.to_owned() }
    }
}

/// `strconv.ParseBool`.
pub fn parse_bool(text: &str) -> Result<bool, NumError> {
    match text {
        "1" | "t" | "T" | "TRUE" | "true" | "True" => Ok(true),
        "0" | "f" | "F" | "FALSE" | "false" | "False" => Ok(false),
        _ => Err(failure("ParseBool", text, NumErrorReason::Syntax)),
    }
}

/// `strconv.Atoi`.
pub fn atoi(text: &str) -> Result<i64, NumError> {
    parse_int(text, 10, 64).map_err(|error| NumError { function: "Atoi", ..error })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers() {
        let cases = [
            ("0x1F", 0, Ok(31)),
            ("-0b101", 0, Ok(-5)),
            ("017", 0, Ok(15)),
            ("1_000", 0, Ok(1000)),
            ("0x_1", 0, Ok(1)),
            ("-9223372036854775808", 10, Ok(i64::MIN)),
            ("z", 36, Ok(35)),
            ("1_000", 10, Err(r#"strconv.ParseInt: parsing "1_000": invalid syntax"#)),
            ("_1", 0, Err(r#"strconv.ParseInt: parsing "_1": invalid syntax"#)),
            ("08", 0, Err(r#"strconv.ParseInt: parsing "08": invalid syntax"#)),
            ("", 10, Err(r#"strconv.ParseInt: parsing "": invalid syntax"#)),
            (
                "9223372036854775808",
                10,
                Err(r#"strconv.ParseInt: parsing "9223372036854775808": value out of range"#),
            ),
        ];
        for (text, base, expected) in cases {
            let result = parse_int(text, base, 64).map_err(|error| error.to_string());
            assert_eq!(result, expected.map_err(str::to_owned), "{text:?}");
        }
        assert_eq!(atoi("x").unwrap_err().to_string(), r#"strconv.Atoi: parsing "x": invalid syntax"#);
        assert_eq!(parse_int("128", 10, 8).unwrap_err().reason, NumErrorReason::Range);
        assert_eq!(parse_int("1", 1, 8).unwrap_err().reason, NumErrorReason::Base(1));
    }

    #[test]
    fn floats() {
        let cases = [
            ("1.5", Some(1.5)),
            ("1_0.5", Some(10.5)),
            ("0x1p-2", Some(0.25)),
            ("0x1.8p1", Some(3.0)),
            ("+Inf", Some(f64::INFINITY)),
            ("-infinity", Some(f64::NEG_INFINITY)),
            (".5e1", Some(5.0)),
            ("5.", Some(5.0)),
            ("1e", None),
            ("0x1", None),
            ("1e999", None),
            ("infi", None),
            ("", None),
        ];
        for (text, expected) in cases {
            assert_eq!(parse_float(text, 64).ok(), expected, "{text:?}");
        }
    }
}
