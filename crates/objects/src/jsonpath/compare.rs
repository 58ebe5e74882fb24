//! Compares the two sides of a filter, as Go's templates compare: only values of one kind.

use std::cmp::Ordering;

use goyaml::Value;

use super::JsonPathError;
use crate::go_text::plain;

/// Whether the operator holds between two values.
pub(super) fn compare(left: &Value, operator: &str, right: &Value) -> Result<bool, JsonPathError> {
    if !matches!(operator, "==" | "!=" | "<" | "<=" | ">" | ">=") {
        return Err(JsonPathError::new(format!("unrecognized filter operator {operator}")));
    }
    for side in [left, right] {
        if matches!(side, Value::Null | Value::Sequence(_) | Value::Mapping(_)) {
            return Err(JsonPathError::new("invalid type for comparison"));
        }
    }
    let ordering = match (plain(left).as_ref(), plain(right).as_ref()) {
        (Value::Bool(left), Value::Bool(right)) => {
            if !matches!(operator, "==" | "!=") {
                return Err(JsonPathError::new("invalid type for comparison"));
            }
            Some(left.cmp(right))
        }
        (Value::Int(left), Value::Int(right)) => Some(left.cmp(right)),
        (Value::Uint(left), Value::Uint(right)) => Some(left.cmp(right)),
        (Value::Int(left), Value::Uint(right)) => Some(i128::from(*left).cmp(&i128::from(*right))),
        (Value::Uint(left), Value::Int(right)) => Some(i128::from(*left).cmp(&i128::from(*right))),
        (Value::Float(left), Value::Float(right)) => left.partial_cmp(right),
        (Value::String(left), Value::String(right)) => Some(left.cmp(right)),
        _ => return Err(JsonPathError::new("incompatible types for comparison")),
    };
    Ok(match operator {
        "==" => ordering == Some(Ordering::Equal),
        "!=" => ordering != Some(Ordering::Equal),
        "<" => ordering == Some(Ordering::Less),
        "<=" => ordering.is_some_and(Ordering::is_le),
        // Go has these two as the opposites of the two above, also for what has no order.
        ">" => !ordering.is_some_and(Ordering::is_le),
        _ => ordering != Some(Ordering::Less),
    })
}
