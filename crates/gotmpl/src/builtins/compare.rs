//! `eq`, `lt` and their kin: Go's rules for which values can be compared.

use crate::fmt;
use crate::functions::FunctionError;
use crate::value::{Kind, Value, float_equal};

/// The kinds that compare by value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Basic {
    Bool,
    Complex,
    Int,
    Float,
    String,
    Uint,
    None,
}

fn basic(value: &Value) -> Basic {
    match value {
        Value::Bool(_) => Basic::Bool,
        Value::Complex(_) => Basic::Complex,
        Value::Int(..) => Basic::Int,
        Value::Float(_) => Basic::Float,
        Value::String(_) | Value::Number(_) => Basic::String,
        Value::Uint(..) => Basic::Uint,
        _ => Basic::None,
    }
}

fn bytes(value: &Value) -> &[u8] {
    match value {
        Value::String(text) => text.as_bytes(),
        Value::Number(digits) => digits.as_bytes(),
        _ => &[],
    }
}

fn incompatible(a: &Value, b: &Value) -> FunctionError {
    let (a, b) = (a.type_name(), b.type_name());
    FunctionError::new(format!("incompatible types for comparison: {a} and {b}"))
}

fn bad_type() -> FunctionError {
    FunctionError::new("invalid type for comparison")
}

/// Whether the first equals any of the others.
pub(super) fn eq(first: &Value, others: &[Value]) -> Result<bool, FunctionError> {
    if others.is_empty() {
        return Err(FunctionError::new("missing argument for comparison"));
    }
    for other in others {
        if equal(first, other)? {
            return Ok(true);
        }
    }
    Ok(false)
}

fn equal(a: &Value, b: &Value) -> Result<bool, FunctionError> {
    Ok(match (a, b) {
        (Value::Bool(a), Value::Bool(b)) => a == b,
        (Value::Complex(a), Value::Complex(b)) => a == b,
        (Value::Int(_, a), Value::Int(_, b)) => a == b,
        (Value::Uint(_, a), Value::Uint(_, b)) => a == b,
        (Value::Float(a), Value::Float(b)) => float_equal(*a, *b),
        (Value::Int(_, a), Value::Uint(_, b)) | (Value::Uint(_, b), Value::Int(_, a)) => {
            u64::try_from(*a) == Ok(*b)
        }
        _ if basic(a) == Basic::String && basic(b) == Basic::String => bytes(a) == bytes(b),
        _ if basic(a) != basic(b) => {
            if !matches!(a, Value::Nil) && !matches!(b, Value::Nil) {
                return Err(incompatible(a, b));
            }
            false
        }
        _ => equal_other(a, b)?,
    })
}

/// Compares what has no basic kind: nil, slices, maps, structs, functions.
fn equal_other(a: &Value, b: &Value) -> Result<bool, FunctionError> {
    let shown = |value: &Value, format: &str| fmt::sprintf(&format.into(), std::slice::from_ref(value));
    if a.kind() != b.kind() && !matches!(a, Value::Nil) && !matches!(b, Value::Nil) {
        let (shown_a, shown_b) = (shown(a, "%s"), shown(b, "%v"));
        let (a, b) = (a.type_name(), b.type_name());
        let message = format!("non-comparable types {shown_a}: {a}, {b}: {shown_b}");
        return Err(FunctionError::new(message));
    }
    if a.is_nil() || b.is_nil() {
        return Ok(a.is_nil() == b.is_nil());
    }
    if let (Value::Object(a), Value::Object(b)) = (a, b) {
        return Ok(match a.go_type().kind {
            Kind::Pointer => std::rc::Rc::ptr_eq(a, b),
            _ => a.go_type() == b.go_type() && a.equals(b.as_ref()),
        });
    }
    let message = format!("non-comparable type {}: {}", shown(b, "%s"), b.type_name());
    Err(FunctionError::new(message))
}

/// Whether the first is less than the second.
pub(super) fn lt(a: &Value, b: &Value) -> Result<bool, FunctionError> {
    if basic(a) == Basic::None || basic(b) == Basic::None {
        return Err(bad_type());
    }
    Ok(match (a, b) {
        (Value::Int(_, a), Value::Int(_, b)) => a < b,
        (Value::Uint(_, a), Value::Uint(_, b)) => a < b,
        (Value::Float(a), Value::Float(b)) => a < b,
        (Value::Int(_, a), Value::Uint(_, b)) => u64::try_from(*a).map_or(true, |a| a < *b),
        (Value::Uint(_, a), Value::Int(_, b)) => u64::try_from(*b).is_ok_and(|b| *a < b),
        _ if basic(a) != basic(b) => return Err(incompatible(a, b)),
        _ if basic(a) == Basic::String => bytes(a) < bytes(b),
        _ => return Err(bad_type()),
    })
}

/// Whether the first is less than or equal to the second.
pub(super) fn le(a: &Value, b: &Value) -> Result<bool, FunctionError> {
    Ok(lt(a, b)? || equal(a, b)?)
}
