//! Constants: numbers, characters and quoted strings, read as Go reads them.

use std::borrow::Cow;

use goyaml::carried::{byte_of, bytes_of};
use goyaml::strconv;

use super::tree::{Ideal, Number};
use crate::value::{Text, float_equal};

/// `strconv.Unquote` of a token that the lexer found well delimited.
pub(super) fn unquote(token: &str) -> Option<Text> {
    let quote = token.as_bytes().first()?;
    let inner = token.get(1..token.len() - 1)?;
    if *quote == b'`' {
        // A raw string drops carriage returns.
        return Some(if inner.contains('\r') {
            Text::landed(&inner.replace('\r', ""))
        } else {
            Text::landed(inner)
        });
    }
    if !inner.contains('\\') {
        return Some(match bytes_of(inner) {
            Cow::Borrowed(_) => inner.into(),
            // Unlike a raw one, this string is read by characters.
            Cow::Owned(bytes) => goyaml::text_of(&bytes).into(),
        });
    }
    let mut bytes = Vec::with_capacity(inner.len());
    let mut rest = inner;
    while !rest.is_empty() {
        let (unit, tail) = unquote_char(rest, *quote)?;
        match unit {
            Unit::Rune(rune) => {
                let rune = if byte_of(rune).is_some() { char::REPLACEMENT_CHARACTER } else { rune };
                bytes.extend_from_slice(rune.encode_utf8(&mut [0; 4]).as_bytes());
            }
            Unit::Byte(byte) => bytes.push(byte),
        }
        rest = tail;
    }
    Some(Text::from_bytes(bytes))
}

/// Whether a token that the lexer found well delimited can be unquoted.
pub(super) fn is_quoted(token: &str) -> bool {
    // Only an escape can be wrong.
    token.starts_with('`') || !token.contains('\\') || unquote(token).is_some()
}

/// What one escape stands for: a character, or a single byte (`\xff`).
enum Unit {
    Rune(char),
    Byte(u8),
}

/// `strconv.UnquoteChar`.
fn unquote_char(text: &str, quote: u8) -> Option<(Unit, &str)> {
    let mut chars = text.chars();
    let first = chars.next()?;
    if first != '\\' {
        return (u32::from(first) != u32::from(quote)).then_some((Unit::Rune(first), chars.as_str()));
    }
    let rune = |rune| Some(Unit::Rune(rune));
    let unit = match chars.next()? {
        'a' => rune('\x07'),
        'b' => rune('\x08'),
        'f' => rune('\x0c'),
        'n' => rune('\n'),
        'r' => rune('\r'),
        't' => rune('\t'),
        'v' => rune('\x0b'),
        '\\' => rune('\\'),
        '\'' if quote == b'\'' => rune('\''),
        '"' if quote == b'"' => rune('"'),
        'x' => take_digits(&mut chars, 2, 16).map(|code| Unit::Byte(code as u8)),
        'u' => take_digits(&mut chars, 4, 16).and_then(char::from_u32).map(Unit::Rune),
        'U' => take_digits(&mut chars, 8, 16).and_then(char::from_u32).map(Unit::Rune),
        digit @ '0'..='7' => {
            let tail = take_digits(&mut chars, 2, 8)?;
            let code = (u32::from(digit) - u32::from('0')) * 64 + tail;
            u8::try_from(code).ok().map(Unit::Byte)
        }
        _ => None,
    }?;
    Some((unit, chars.as_str()))
}

fn take_digits(chars: &mut std::str::Chars<'_>, count: usize, radix: u32) -> Option<u32> {
    (0..count).try_fold(0u32, |code, _| {
        let digit = chars.next()?.to_digit(radix)?;
        code.checked_mul(radix)?.checked_add(digit)
    })
}

/// A character constant such as `'a'`, which is a number.
pub(super) fn character(text: &str) -> Result<Number, String> {
    let (unit, tail) = unquote_char(&text[1..], b'\'').ok_or("invalid syntax")?;
    if tail != "'" {
        return Err(format!("malformed character constant: {text}"));
    }
    let code = match unit {
        Unit::Rune(rune) => i64::from(u32::from(rune)),
        Unit::Byte(byte) => i64::from(byte),
    };
    Ok(Number {
        int: Some(code),
        uint: Some(code as u64),
        float: Some(code as f64),
        complex: None,
        ideal: Ideal::Int(code),
    })
}

/// A complex constant such as `1+2i`.
pub(super) fn complex(text: &str) -> Result<Number, String> {
    let split = text
        .char_indices()
        .skip(1)
        .filter(|(index, c)| {
            matches!(c, '+' | '-') && !matches!(text.as_bytes()[index - 1], b'e' | b'E' | b'p' | b'P')
        })
        .last()
        .map_or(0, |(index, _)| index);
    let part = |text: &str| strconv::parse_float(text, 64).map_err(|error| error.to_string());
    let real = part(&text[..split])?;
    let imaginary = text[split..].trim_end_matches('i');
    if imaginary.len() < 2 {
        // Go's scanner takes the lone `i` for the start of `Inf`.
        return Err("syntax error scanning complex number".to_owned());
    }
    let imaginary = part(imaginary)?;
    Ok(simplified(real, imaginary))
}

fn simplified(real: f64, imaginary: f64) -> Number {
    let complex = Some((real, imaginary));
    let float = (imaginary == 0.0).then_some(real);
    Number {
        int: float.and_then(whole_int),
        uint: float.and_then(whole_uint),
        float,
        complex,
        ideal: Ideal::Complex,
    }
}

fn whole_int(float: f64) -> Option<i64> {
    let int = float as i64;
    // Go's conversion of what does not fit gives the smallest integer, Rust's the nearest.
    (float_equal(int as f64, float) && float < 9_223_372_036_854_775_808.0).then_some(int)
}

fn whole_uint(float: f64) -> Option<u64> {
    let uint = float as u64;
    (float >= 0.0 && float_equal(uint as f64, float) && float < 18_446_744_073_709_551_616.0).then_some(uint)
}

/// A number as nearly all are written: a few digits, of which the first says nothing about the base.
fn plain(text: &str) -> Option<i64> {
    let is_plain = text.len() == 1 || text.len() < 10 && !text.starts_with('0');
    (is_plain && text.bytes().all(|byte| byte.is_ascii_digit())).then(|| text.parse().ok())?
}

/// Any other number.
pub(super) fn number(text: &str) -> Result<Number, String> {
    if let Some(int) = plain(text) {
        let (uint, float) = (int as u64, int as f64);
        return Ok(Number {
            int: Some(int),
            uint: Some(uint),
            float: Some(float),
            complex: None,
            ideal: Ideal::Int(int),
        });
    }
    if let Some(imaginary) = text.strip_suffix('i').and_then(|digits| strconv::parse_float(digits, 64).ok()) {
        return Ok(simplified(0.0, imaginary));
    }
    let mut uint = strconv::parse_uint(text, 0, 64).ok();
    let mut int = strconv::parse_int(text, 0, 64).ok();
    if int == Some(0) && uint.is_none() {
        uint = Some(0);
    }
    let float = match (int, uint) {
        (Some(int), _) => Some(int as f64),
        (None, Some(uint)) => Some(uint as f64),
        (None, None) => match strconv::parse_float(text, 64).ok() {
            Some(_) if !text.contains(['.', 'e', 'E', 'p', 'P']) => {
                return Err(format!("integer overflow: {}", strconv::quote(text)));
            }
            Some(float) => {
                int = whole_int(float);
                uint = whole_uint(float);
                Some(float)
            }
            None => return Err(format!("illegal number syntax: {}", strconv::quote(text))),
        },
    };
    let hexadecimal =
        text.len() > 2 && (text.starts_with("0x") || text.starts_with("0X")) && !text.contains(['p', 'P']);
    let ideal = match (float, int) {
        (Some(float), _) if !hexadecimal && text.contains(['.', 'e', 'E', 'p', 'P']) => Ideal::Float(float),
        (_, Some(int)) => Ideal::Int(int),
        _ => Ideal::Overflow,
    };
    Ok(Number { int, uint, float, complex: None, ideal })
}
