//! `format`: texts with clauses such as `%s` and `%.3f`.

use goyaml::strconv::{self, format_float};

use super::strings::go_quote;
use super::{LONGEST_TEXT, convert};
use crate::error::{EvalError, Outcome};
use crate::types::Type;
use crate::value::{List, Value};

/// How an argument is to be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Clause {
    String,
    Decimal,
    /// With that many digits behind the point.
    Fixed(usize),
    Scientific(usize),
    Binary,
    /// Whether the letters are large.
    Hex(bool),
    Octal,
}

/// A part of a format.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Piece<'f> {
    Text(&'f str),
    /// A percent sign with nothing behind it.
    End,
    Clause(Result<Clause, String>),
}

const DEFAULT_PRECISION: usize = 6;
/// More digits behind the point are zeros.
const MOST_DIGITS: usize = 1100;

/// The parts of a format, up to the first that cannot be read.
pub(crate) fn pieces(format: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let mut rest = format;
    while let Some(at) = rest.find('%') {
        if at > 0 {
            pieces.push(Piece::Text(&rest[..at]));
        }
        let behind = &rest[at + 1..];
        if behind.is_empty() {
            pieces.push(Piece::End);
            return pieces;
        }
        if let Some(next) = behind.strip_prefix('%') {
            pieces.push(Piece::Text("%"));
            rest = next;
            continue;
        }
        match clause(behind) {
            Ok((clause, length)) => {
                pieces.push(Piece::Clause(Ok(clause)));
                rest = &behind[length..];
            }
            Err(problem) => {
                pieces.push(Piece::Clause(Err(format!("could not parse formatting clause: {problem}"))));
                return pieces;
            }
        }
    }
    if !rest.is_empty() {
        pieces.push(Piece::Text(rest));
    }
    pieces
}

/// The clause at the start of a text, and how long it is.
fn clause(text: &str) -> Result<(Clause, usize), String> {
    let mut at = 0;
    let mut precision = DEFAULT_PRECISION;
    if let Some(behind) = text.strip_prefix('.') {
        let count = behind.bytes().take_while(u8::is_ascii_digit).count();
        if count == behind.len() {
            return Err("error while parsing precision: could not find end of precision specifier".into());
        }
        let number = strconv::atoi(&behind[..count]);
        let number = number.map_err(|error| {
            format!("error while parsing precision: error while converting precision to integer: {error}")
        })?;
        precision = usize::try_from(number).unwrap_or(MOST_DIGITS).min(MOST_DIGITS);
        at = 1 + count;
    }
    let letter = text.as_bytes()[at];
    let clause = match letter {
        b's' => Clause::String,
        b'd' => Clause::Decimal,
        b'f' => Clause::Fixed(precision),
        b'e' => Clause::Scientific(precision),
        b'b' => Clause::Binary,
        b'x' => Clause::Hex(false),
        b'X' => Clause::Hex(true),
        b'o' => Clause::Octal,
        other => return Err(format!("unrecognized formatting clause \"{}\"", char::from(other))),
    };
    Ok((clause, at + 1))
}

impl Clause {
    /// What is said of an argument that the clause does not take.
    pub(crate) fn refusal(self, type_name: &str) -> String {
        let rule = match self {
            Self::String => {
                "string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, \
                 durations, and timestamps"
            }
            Self::Decimal => "decimal clause can only be used on integers",
            Self::Fixed(_) => "fixed-point clause can only be used on doubles",
            Self::Scientific(_) => "scientific clause can only be used on doubles",
            Self::Binary => "only integers and bools can be formatted as binary",
            Self::Hex(_) => "only integers, byte buffers, and strings can be formatted as hex",
            Self::Octal => "octal clause can only be used on integers",
        };
        format!("{rule}, was given {type_name}")
    }

    /// Whether arguments of a type can be taken.
    pub(crate) fn takes(self, of: &Type) -> bool {
        if of.is_dyn() {
            return true;
        }
        let integer = matches!(of, Type::Int | Type::Uint);
        match self {
            Self::String => matches!(
                of,
                Type::List(_)
                    | Type::Map(..)
                    | Type::Int
                    | Type::Uint
                    | Type::Double
                    | Type::Bool
                    | Type::String
                    | Type::Timestamp
                    | Type::Bytes
                    | Type::Duration
                    | Type::Type(_)
                    | Type::Null
            ),
            Self::Decimal | Self::Octal => integer,
            Self::Fixed(_) | Self::Scientific(_) => matches!(of, Type::Double | Type::String),
            Self::Binary => integer || *of == Type::Bool,
            Self::Hex(_) => integer || matches!(of, Type::String | Type::Bytes),
        }
    }
}

/// Writes the arguments into the format.
pub(super) fn format(format: &str, args: &List<'_>) -> Outcome<String> {
    let mut out = String::new();
    let mut index = 0;
    for piece in pieces(format) {
        if let Piece::Text(text) = piece {
            out.push_str(text);
            continue;
        }
        let Some(arg) = args.get(index) else {
            return Err(EvalError::Function(format!("index {index} out of range")));
        };
        let arg = arg?;
        index += 1;
        let clause = match piece {
            Piece::Clause(clause) => clause.map_err(EvalError::Function)?,
            _ => return Err(EvalError::Function("unexpected end of string".into())),
        };
        let text = write(clause, &arg)
            .map_err(|error| EvalError::Function(format!("error during formatting: {error}")))?;
        out.push_str(&text);
        if out.len() > LONGEST_TEXT {
            return Err(EvalError::CostExceeded);
        }
    }
    Ok(out)
}

fn write(clause: Clause, value: &Value<'_>) -> Outcome<String> {
    let refused = || Err(EvalError::Function(clause.refusal(value.type_name())));
    Ok(match (clause, value) {
        (Clause::String, value) => return plain(value),
        (Clause::Decimal, Value::Int(number)) => number.to_string(),
        (Clause::Decimal, Value::Uint(number)) => number.to_string(),
        (Clause::Binary, Value::Int(number)) => signed(*number, format!("{:b}", number.unsigned_abs())),
        (Clause::Binary, Value::Uint(number)) => format!("{number:b}"),
        (Clause::Binary, Value::Bool(truth)) => u8::from(*truth).to_string(),
        (Clause::Octal, Value::Int(number)) => signed(*number, format!("{:o}", number.unsigned_abs())),
        (Clause::Octal, Value::Uint(number)) => format!("{number:o}"),
        (Clause::Hex(large), Value::Int(number)) => {
            cased(large, signed(*number, format!("{:x}", number.unsigned_abs())))
        }
        (Clause::Hex(large), Value::Uint(number)) => cased(large, format!("{number:x}")),
        (Clause::Hex(large), Value::String(text)) => cased(large, hex(text.as_bytes())),
        (Clause::Hex(large), Value::Bytes(bytes)) => cased(large, hex(bytes)),
        (Clause::Fixed(precision), value) => match double(value) {
            Some(number) => fixed(number, precision),
            None => return refused(),
        },
        (Clause::Scientific(width), value) => match double(value) {
            Some(number) => scientific(number, width),
            None => return refused(),
        },
        _ => return refused(),
    })
}

fn signed(number: i64, digits: String) -> String {
    if number < 0 { format!("-{digits}") } else { digits }
}

fn cased(large: bool, text: String) -> String {
    if large { text.to_ascii_uppercase() } else { text }
}

fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write;
    bytes.iter().fold(String::new(), |mut out, byte| {
        let _ = write!(out, "{byte:02x}");
        out
    })
}

/// Numbers, and the texts that stand for those that are none.
fn double(value: &Value<'_>) -> Option<f64> {
    match value {
        Value::Double(number) => Some(*number),
        Value::String(text) => match &**text {
            "NaN" => Some(f64::NAN),
            "Infinity" => Some(f64::INFINITY),
            "-Infinity" => Some(f64::NEG_INFINITY),
            _ => None,
        },
        _ => None,
    }
}

/// How numbers that are none are written in American English.
fn special(number: f64) -> Option<&'static str> {
    if number.is_nan() {
        Some("NaN")
    } else if number.is_infinite() {
        Some(if number > 0.0 { "∞" } else { "-∞" })
    } else {
        None
    }
}

/// With commas between the thousands.
fn fixed(number: f64, precision: usize) -> String {
    if let Some(text) = special(number) {
        return text.to_owned();
    }
    let text = format_float(number.abs(), b'f', precision as i32, 64);
    let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
    let mut out = String::new();
    if number.is_sign_negative() {
        out.push('-');
    }
    for (index, digit) in whole.chars().enumerate() {
        if index > 0 && (whole.len() - index) % 3 == 0 {
            out.push(',');
        }
        out.push(digit);
    }
    if !fraction.is_empty() {
        out.push('.');
        out.push_str(fraction);
    }
    out
}

/// As a power of ten in raised digits. The precision is taken for a width, as in cel-go.
fn scientific(number: f64, width: usize) -> String {
    if let Some(text) = special(number) {
        return text.to_owned();
    }
    let text = format_float(number, b'e', DEFAULT_PRECISION as i32, 64);
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "+00"));
    let raised: String = exponent
        .chars()
        .filter_map(|character| match character {
            '-' => Some('⁻'),
            '0' => Some('⁰'),
            '1' => Some('¹'),
            '2' => Some('²'),
            '3' => Some('³'),
            '4'..='9' => char::from_u32(0x2070 + (character as u32 - '0' as u32)),
            _ => None,
        })
        .collect();
    let out = format!("{digits}×10{raised}");
    format!("{out:>width$}")
}

/// `%s`.
fn plain(value: &Value<'_>) -> Outcome<String> {
    match value {
        Value::List(list) => {
            let mut items = Vec::new();
            for item in list.iter() {
                items.push(within(&item?)?);
            }
            Ok(format!("[{}]", items.join(", ")))
        }
        Value::Map(map) => {
            let mut pairs = Vec::new();
            for key in map.keys() {
                if !matches!(key, Value::String(_) | Value::Bool(_) | Value::Int(_) | Value::Uint(_)) {
                    let message = format!("no formatting function for map key of type {}", key.type_name());
                    return Err(EvalError::Function(message));
                }
                let Some(value) = map.get(&key)? else { continue };
                pairs.push((within(&key)?, within(&value)?));
            }
            pairs.sort_by(|(first, _), (second, _)| first.cmp(second));
            let pairs: Vec<String> = pairs.into_iter().map(|(key, value)| format!("{key}:{value}")).collect();
            Ok(format!("{{{}}}", pairs.join(", ")))
        }
        Value::Null => Ok("null".into()),
        Value::Int(_)
        | Value::Uint(_)
        | Value::Double(_)
        | Value::Bool(_)
        | Value::String(_)
        | Value::Timestamp(_)
        | Value::Bytes(_)
        | Value::Duration(_)
        | Value::Type(_) => match convert(value, &Type::String) {
            Ok(Value::String(text)) => Ok(text.to_string()),
            Ok(_) => Err(EvalError::no_overload()),
            Err(error) => Err(EvalError::Function(format!(
                "could not convert argument {} to string",
                go_quote(&error.to_string())
            ))),
        },
        other => Err(EvalError::Function(Clause::String.refusal(other.type_name()))),
    }
}

/// A value within a list or map, with quotes where the language has them.
fn within(value: &Value<'_>) -> Outcome<String> {
    Ok(match value {
        Value::String(text) => go_quote(text),
        Value::Bytes(_) => format!("b{}", go_quote(&plain(value)?)),
        Value::Double(number) => {
            let text = format_float(*number, b'f', DEFAULT_PRECISION as i32, 64);
            if number.is_finite() { text } else { go_quote(&text) }
        }
        Value::Timestamp(_) => format!("timestamp({})", go_quote(&plain(value)?)),
        Value::Duration(_) => format!("duration({})", go_quote(&plain(value)?)),
        Value::Null
        | Value::Bool(_)
        | Value::Int(_)
        | Value::Uint(_)
        | Value::List(_)
        | Value::Map(_)
        | Value::Type(_) => plain(value)?,
        other => {
            return Err(EvalError::Function(format!("no formatting function for {}", other.type_name())));
        }
    })
}
