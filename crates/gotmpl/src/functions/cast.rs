//! Conversions between kinds as the Go library `spf13/cast` makes them: what cannot be converted is zero.

use goyaml::strconv;

use super::dates::{MONTH, WEEKDAY};
use crate::value::{Type, Value};

/// `cast.ToInt64`, which is also `cast.ToInt`.
pub(super) fn to_int64(value: &Value) -> i64 {
    match value {
        Value::Int(ty, number) if is_plain_integer(ty) => *number,
        Value::Uint(ty, number) if ty.underlying.is_none() => *number as i64,
        Value::Float(number) => truncate(*number),
        Value::String(text) => parse_integer(&text.to_str()),
        Value::Number(digits) => parse_integer(digits),
        Value::Bool(true) => 1,
        _ => 0,
    }
}

/// `cast.ToFloat64`.
pub(super) fn to_float64(value: &Value) -> f64 {
    match value {
        Value::Int(ty, number) if is_plain_integer(ty) => *number as f64,
        Value::Uint(ty, number) if ty.underlying.is_none() => *number as f64,
        Value::Float(number) => *number,
        Value::String(text) => strconv::parse_float(&text.to_str(), 64).unwrap_or(0.0),
        Value::Number(digits) => strconv::parse_float(digits, 64).unwrap_or(0.0),
        Value::Bool(true) => 1.0,
        _ => 0.0,
    }
}

/// Named integers are not converted, but for the two that the library knows.
fn is_plain_integer(ty: Type) -> bool {
    ty.underlying.is_none() || ty == MONTH || ty == WEEKDAY
}

/// Go's conversion of a `float64` to `int64`: what does not fit becomes the least integer.
pub(super) fn truncate(number: f64) -> i64 {
    const LIMIT: f64 = 9_223_372_036_854_775_808.0;
    if (-LIMIT..LIMIT).contains(&number) { number as i64 } else { i64::MIN }
}

/// What `strconv.ParseInt` returns beside its error: the nearest number if the text is out of range.
pub(super) fn nearest(error: &strconv::NumError) -> i64 {
    match error.reason {
        strconv::NumErrorReason::Range if error.input.starts_with('-') => i64::MIN,
        strconv::NumErrorReason::Range => i64::MAX,
        _ => 0,
    }
}

fn parse_integer(text: &str) -> i64 {
    strconv::parse_int(without_zero_fraction(text), 0, 64).unwrap_or(0)
}

/// Cuts off `.0`, `.00` and so on.
fn without_zero_fraction(text: &str) -> &str {
    let trimmed = text.trim_end_matches('0');
    match trimmed.strip_suffix('.') {
        Some(whole) if trimmed.len() < text.len() => whole,
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_are_read_from_anything() {
        for (value, expected) in [
            (Value::Nil, 0),
            (Value::Bool(true), 1),
            (Value::Float(-1.9), -1),
            (Value::Float(1e300), i64::MIN),
            (Value::Float(f64::NAN), i64::MIN),
            (Value::from("0x1f"), 31),
            (Value::from("010"), 8),
            (Value::from("1_000"), 1000),
            (Value::from("12.00"), 12),
            (Value::from("12."), 0),
            (Value::from("1.5"), 0),
            (Value::from("1e3"), 0),
            (Value::Number("7.0".into()), 7),
            (Value::uint64(u64::MAX), -1),
            (Value::list(vec![]), 0),
        ] {
            assert_eq!(to_int64(&value), expected, "{value:?}");
        }
    }
}
