//! The items of lists that are merged, as Go compares them.

use serde_json::Value;

use super::strategic::{DIRECTIVE, StrategicError};

/// What the items of a list are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ItemKind {
    Map,
    Scalar,
}

/// The name of a value's type in Go.
pub(super) fn go_type(value: &Value) -> &'static str {
    match value {
        Value::Null => "<nil>",
        Value::Bool(_) => "bool",
        Value::Number(number) if number.is_f64() => "float64",
        Value::Number(_) => "int64",
        Value::String(_) => "string",
        Value::Array(_) => "[]interface {}",
        Value::Object(_) => "map[string]interface {}",
    }
}

pub(super) fn same_type(a: &Value, b: &Value) -> bool {
    go_type(a) == go_type(b)
}

/// What all items of two lists are.
pub(super) fn kind(first: &[Value], second: &[Value]) -> Result<ItemKind, StrategicError> {
    let mut all = first.iter().chain(second);
    let Some(model) = all.next() else { return Err(StrategicError::NoItems) };
    let kind = match model {
        Value::Null => return Err(StrategicError::Panic),
        Value::Array(_) => return Err(StrategicError::ListOfLists),
        Value::Object(_) => ItemKind::Map,
        _ => ItemKind::Scalar,
    };
    if all.any(|item| !same_type(model, item)) {
        let lists = [first, second].map(|list| Value::Array(list.to_vec()));
        return Err(StrategicError::MixedItems(lists.to_vec()));
    }
    Ok(kind)
}

pub(super) fn has_directive(item: &Value) -> bool {
    item.get(DIRECTIVE).is_some()
}

/// Whether two items are the same one: by their key, or without one by their value.
pub(super) fn same_key(a: &Value, b: &Value, key: Option<&str>) -> Result<bool, StrategicError> {
    let Some(key) = key else { return Ok(a == b) };
    Ok(key_of(a, key)? == key_of(b, key)?)
}

/// The key of an item, which must have one.
pub(super) fn key_of<'a>(item: &'a Value, key: &str) -> Result<&'a Value, StrategicError> {
    let Value::Object(fields) = item else {
        return Err(StrategicError::WrongType { expected: "map[string]interface {}", actual: item.clone() });
    };
    fields.get(key).ok_or_else(|| StrategicError::NoMergeKey { item: item.clone(), key: key.to_owned() })
}

/// Where the item with a key stands.
pub(super) fn find(items: &[Value], key: &str, wanted: &Value) -> Result<Option<usize>, StrategicError> {
    for (index, item) in items.iter().enumerate() {
        let Value::Object(fields) = item else { return Err(StrategicError::NotAMap(index)) };
        if fields.get(key) == Some(wanted) {
            return Ok(Some(index));
        }
    }
    Ok(None)
}

/// Each value once. The place of one that goes is taken by the last, as Kubernetes does it.
pub(super) fn without_doubles(mut items: Vec<Value>) -> Vec<Value> {
    let mut first = 0;
    while first + 1 < items.len() {
        let mut other = first + 1;
        while other < items.len() {
            if items[first] == items[other] {
                items.swap_remove(other);
            } else {
                other += 1;
            }
        }
        first += 1;
    }
    items
}
