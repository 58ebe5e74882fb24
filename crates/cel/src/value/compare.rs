//! Which values are equal, and which comes first.

use std::cmp::Ordering;

use super::Value;
use crate::error::{EvalError, Outcome};

impl<'a> Value<'a> {
    /// Whether two values are equal. Values of most different types are not; some cannot be compared at all.
    pub(crate) fn equals(&self, other: &Value<'a>) -> Outcome<bool> {
        Ok(match (self, other) {
            (Self::Null, Self::Null) => true,
            (Self::Null, _) | (_, Self::Null) => false,
            (Self::Bool(first), Self::Bool(second)) => first == second,
            (
                Self::Int(_) | Self::Uint(_) | Self::Double(_),
                Self::Int(_) | Self::Uint(_) | Self::Double(_),
            ) => numbers(self, other) == Some(Ordering::Equal),
            (Self::String(first), Self::String(second)) => first == second,
            (Self::Bytes(first), Self::Bytes(second)) => first == second,
            (Self::Timestamp(first), Self::Timestamp(second)) => first.instant() == second.instant(),
            (Self::Duration(first), Self::Duration(second)) => first == second,
            (Self::List(first), Self::List(second)) => first.equals(second)?,
            (Self::Map(first), Self::Map(second)) => first.equals(second)?,
            (Self::List(first), _) if first.has_schema() => return Err(EvalError::no_overload()),
            (Self::Map(first), _) if first.has_schema() => return Err(EvalError::no_overload()),
            (Self::Type(first), Self::Type(second)) => first.name() == second.name(),
            (Self::Optional(Some(first)), Self::Optional(Some(second))) => first.equals(second)?,
            (Self::Optional(first), Self::Optional(second)) => first.is_none() && second.is_none(),
            (Self::Preserved(first), _) => same_json(first, other),
            (Self::Url(first), Self::Url(second)) => first.to_string() == second.to_string(),
            (Self::Quantity(first), Self::Quantity(second)) if !second.computed => first.value_eq(second),
            (Self::Ip(first), Self::Ip(second)) => first == second,
            (Self::Cidr(first), Self::Cidr(second)) => first == second,
            (Self::Semver(first), Self::Semver(second)) => first.precedence(second) == Ordering::Equal,
            (Self::Format(first), Self::Format(second)) => first.name == second.name,
            (
                Self::Url(_)
                | Self::Quantity(_)
                | Self::Ip(_)
                | Self::Cidr(_)
                | Self::Semver(_)
                | Self::Format(_)
                | Self::Authorizer(_)
                | Self::Authorization(_)
                | Self::Decision(_),
                _,
            ) => return Err(EvalError::no_overload()),
            _ => false,
        })
    }

    /// Which of two values comes first, if their types have an order.
    pub(crate) fn compare(&self, other: &Value<'a>) -> Outcome<Ordering> {
        let unordered = || EvalError::Function("NaN values cannot be ordered".into());
        Ok(match (self, other) {
            (Self::Double(first), _) if first.is_nan() => return Err(unordered()),
            (
                Self::Int(_) | Self::Uint(_) | Self::Double(_),
                Self::Int(_) | Self::Uint(_) | Self::Double(_),
            ) => {
                return numbers(self, other).ok_or_else(unordered);
            }
            (Self::Bool(first), Self::Bool(second)) => first.cmp(second),
            (Self::String(first), Self::String(second)) => first.cmp(second),
            (Self::Bytes(first), Self::Bytes(second)) => first.cmp(second),
            (Self::Timestamp(first), Self::Timestamp(second)) => first.instant().cmp(&second.instant()),
            (Self::Duration(first), Self::Duration(second)) => first.0.cmp(&second.0),
            _ => return Err(EvalError::no_overload()),
        })
    }

    /// Whether values of its type have an order.
    pub(crate) fn is_comparable(&self) -> bool {
        matches!(
            self,
            Self::Bool(_)
                | Self::Int(_)
                | Self::Uint(_)
                | Self::Double(_)
                | Self::String(_)
                | Self::Bytes(_)
                | Self::Timestamp(_)
                | Self::Duration(_)
        )
    }
}

/// Numbers of all types compare by their value; those too large for a float compare as cel-go rounds them.
fn numbers(first: &Value<'_>, second: &Value<'_>) -> Option<Ordering> {
    match (first, second) {
        (Value::Int(first), Value::Int(second)) => Some(first.cmp(second)),
        (Value::Uint(first), Value::Uint(second)) => Some(first.cmp(second)),
        (Value::Double(first), Value::Double(second)) => first.partial_cmp(second),
        (Value::Int(first), Value::Uint(second)) => Some(i128::from(*first).cmp(&i128::from(*second))),
        (Value::Double(first), Value::Int(second)) => {
            if *first < i64::MIN as f64 {
                Some(Ordering::Less)
            } else if *first > i64::MAX as f64 {
                Some(Ordering::Greater)
            } else {
                first.partial_cmp(&(*second as f64))
            }
        }
        (Value::Double(first), Value::Uint(second)) => {
            if *first < 0.0 {
                Some(Ordering::Less)
            } else {
                first.partial_cmp(&(*second as f64))
            }
        }
        _ => numbers(second, first).map(Ordering::reverse),
    }
}

/// Whether JSON without a schema is the same as a value.
fn same_json(json: &serde_json::Value, other: &Value<'_>) -> bool {
    match other {
        Value::Preserved(other) => json == *other,
        other => match Value::from_json(json, None) {
            Ok(value) => value.type_name() == other.type_name() && value.equals(other) == Ok(true),
            Err(_) => false,
        },
    }
}
