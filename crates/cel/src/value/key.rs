//! The keys of maps.

use super::{Text, Value};
use crate::error::{EvalError, Outcome};

/// A key of a map. Numbers of different types are different keys, though a lookup finds one by the other.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Key<'a> {
    /// `null`.
    Null,
    /// True or false.
    Bool(bool),
    /// A signed integer.
    Int(i64),
    /// An unsigned integer.
    Uint(u64),
    /// A floating point number, as its bits.
    Double(u64),
    /// Text.
    String(Text<'a>),
}

impl<'a> Key<'a> {
    /// The key that a value is, if it can be one.
    pub(crate) fn new(value: &Value<'a>) -> Outcome<Self> {
        Ok(match value {
            Value::Null => Self::Null,
            Value::Bool(truth) => Self::Bool(*truth),
            Value::Int(number) => Self::Int(*number),
            Value::Uint(number) => Self::Uint(*number),
            Value::Double(number) => Self::Double(number.to_bits()),
            Value::String(text) => Self::String(text.clone()),
            other => return Err(EvalError::Function(format!("unsupported key type: {}", other.type_name()))),
        })
    }

    /// The key as a value.
    pub(crate) fn value(&self) -> Value<'a> {
        match self {
            Self::Null => Value::Null,
            Self::Bool(truth) => Value::Bool(*truth),
            Self::Int(number) => Value::Int(*number),
            Self::Uint(number) => Value::Uint(*number),
            Self::Double(bits) => Value::Double(f64::from_bits(*bits)),
            Self::String(text) => Value::String(text.clone()),
        }
    }

    /// The other keys that a lookup tries: the same number in another type.
    pub(crate) fn alternatives(&self) -> Vec<Self> {
        match self {
            Self::Int(number) => u64::try_from(*number).map(Self::Uint).into_iter().collect(),
            Self::Uint(number) => i64::try_from(*number).map(Self::Int).into_iter().collect(),
            Self::Double(bits) => {
                let number = f64::from_bits(*bits);
                let int = lossless_int(number).map(Self::Int);
                let uint = lossless_uint(number).map(Self::Uint);
                int.into_iter().chain(uint).collect()
            }
            _ => Vec::new(),
        }
    }
}

/// The integer that a floating point number is, if it is one.
#[expect(clippy::float_cmp, reason = "exactly that number is asked for")]
pub(crate) fn lossless_int(number: f64) -> Option<i64> {
    let within = number > i64::MIN as f64 && number < i64::MAX as f64;
    (within && (number as i64) as f64 == number).then_some(number as i64)
}

#[expect(clippy::float_cmp, reason = "exactly that number is asked for")]
fn lossless_uint(number: f64) -> Option<u64> {
    let within = (0.0..18_446_744_073_709_551_616.0).contains(&number);
    (within && (number as u64) as f64 == number).then_some(number as u64)
}
