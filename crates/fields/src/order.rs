//! Equality and order of values, where numbers are compared as numbers however they are written.

use std::cmp::Ordering;

use serde_json::{Number, Value};

/// Whether two values are the same; `1` and `1.0` are.
pub(crate) fn same(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => numbers(left, right) == Ordering::Equal,
        (Value::Array(left), Value::Array(right)) => {
            left.len() == right.len() && left.iter().zip(right).all(|(left, right)| same(left, right))
        }
        (Value::Object(left), Value::Object(right)) => {
            left.len() == right.len()
                && left.iter().zip(right).all(|((l, left), (r, right))| l == r && same(left, right))
        }
        (left, right) => left == right,
    }
}

/// A total order over values of all kinds: numbers, strings, booleans, lists, maps, null.
pub(crate) fn compare(left: &Value, right: &Value) -> Ordering {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => numbers(left, right),
        (Value::String(left), Value::String(right)) => left.as_bytes().cmp(right.as_bytes()),
        (Value::Bool(left), Value::Bool(right)) => left.cmp(right),
        (Value::Array(left), Value::Array(right)) => left
            .iter()
            .zip(right)
            .map(|(left, right)| compare(left, right))
            .find(|order| order.is_ne())
            .unwrap_or_else(|| left.len().cmp(&right.len())),
        (Value::Object(left), Value::Object(right)) => {
            for ((l, left), (r, right)) in left.iter().zip(right) {
                // The map that has the smaller name where they part is the smaller one.
                let order = l.cmp(r).then_with(|| compare(left, right));
                if order.is_ne() {
                    return order;
                }
            }
            left.len().cmp(&right.len())
        }
        (left, right) => rank(left).cmp(&rank(right)),
    }
}

fn rank(value: &Value) -> u8 {
    match value {
        Value::Number(_) => 0,
        Value::String(_) => 1,
        Value::Bool(_) => 2,
        Value::Array(_) => 3,
        Value::Object(_) => 4,
        Value::Null => 5,
    }
}

fn numbers(left: &Number, right: &Number) -> Ordering {
    match (left.as_i64(), right.as_i64()) {
        (Some(left), Some(right)) => left.cmp(&right),
        _ => left.as_f64().partial_cmp(&right.as_f64()).unwrap_or(Ordering::Equal),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn values_of_all_kinds_have_one_order() {
        let sorted = [
            json!(-1),
            json!(1.5),
            json!(9),
            json!(10),
            json!("a"),
            json!("b"),
            json!(false),
            json!(true),
            json!([]),
            json!([1]),
            json!([1, 2]),
            json!([2]),
            json!({}),
            json!({"a": 1}),
            json!({"a": 1, "b": 0}),
            json!({"b": 0}),
            json!(null),
        ];
        for (i, left) in sorted.iter().enumerate() {
            for (j, right) in sorted.iter().enumerate() {
                assert_eq!(compare(left, right), i.cmp(&j), "{left} {right}");
                assert_eq!(same(left, right), i == j, "{left} {right}");
            }
        }
    }

    #[test]
    fn numbers_are_equal_however_written() {
        assert!(same(&json!({"a": [1]}), &json!({"a": [1.0]})));
        assert!(!same(&json!({"a": 1}), &json!({"b": 1})));
    }
}
