//! Values as Go's `%#v` prints them inside error messages.

use std::cmp::Ordering;

use crate::Value;
use crate::strconv::{format_float, quote_bytes};

/// A value as goyaml decodes it into `interface{}`: the keys of its maps are values of any kind.
#[derive(Debug, Clone)]
pub(crate) enum GoValue {
    Nil,
    Bool(bool),
    Int(i64),
    Uint(u64),
    Float(f64),
    /// A Go string, which need not be UTF-8.
    Text(Vec<u8>),
    List(Vec<GoValue>),
    /// Entries in the order in which Go prints them.
    Map(Vec<(GoValue, GoValue)>),
}

impl GoValue {
    /// A map. Of several entries with the same key the last one stays, as Go compares keys: by their type first,
    /// and NaN is like no other.
    pub(crate) fn map(mut entries: Vec<(Self, Self)>) -> Self {
        entries.sort_by(|(one, _), (two, _)| one.print_order(two));
        let mut unique: Vec<(Self, Self)> = Vec::with_capacity(entries.len());
        for (key, value) in entries {
            match unique.last_mut() {
                Some(last) if last.0.print_order(&key).is_eq() && !key.is_nan() => *last = (key, value),
                _ => unique.push((key, value)),
            }
        }
        Self::Map(unique)
    }

    fn is_nan(&self) -> bool {
        matches!(self, Self::Float(value) if value.is_nan())
    }

    /// The order in which Go prints keys: by type, in the order in which the types lie in Helm's binary, then by
    /// value, NaN before all other numbers.
    fn print_order(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Bool(one), Self::Bool(two)) => one.cmp(two),
            (Self::Int(one), Self::Int(two)) => one.cmp(two),
            (Self::Uint(one), Self::Uint(two)) => one.cmp(two),
            (Self::Float(one), Self::Float(two)) => {
                one.partial_cmp(two).unwrap_or_else(|| two.is_nan().cmp(&one.is_nan()))
            }
            (Self::Text(one), Self::Text(two)) => one.cmp(two),
            _ => self.rank().cmp(&other.rank()),
        }
    }

    fn rank(&self) -> u8 {
        match self {
            Self::Nil => 0,
            Self::Text(_) => 1,
            Self::Uint(_) => 2,
            Self::Int(_) => 3,
            Self::Float(_) => 4,
            Self::Bool(_) => 5,
            Self::List(_) | Self::Map(_) => 6,
        }
    }
}

/// A key that is a scalar, in Go's syntax.
pub(crate) fn print_scalar(key: &Value) -> String {
    print(&match key {
        Value::Bool(value) => GoValue::Bool(*value),
        Value::Int(value) => GoValue::Int(*value),
        Value::Uint(value) => GoValue::Uint(*value),
        Value::Float(value) => GoValue::Float(*value),
        Value::String(text) => GoValue::Text(text.clone().into_bytes()),
        Value::Number(digits) => GoValue::Text(digits.to_string().into_bytes()),
        Value::Null | Value::Sequence(_) | Value::Mapping(_) => GoValue::Nil,
    })
}

/// The value in Go's syntax.
pub(crate) fn print(value: &GoValue) -> String {
    let mut text = String::new();
    write(&mut text, value, false);
    text
}

/// What `sigs.k8s.io/yaml` says of a key that JSON cannot have.
pub(crate) fn print_key(key: &GoValue, value: &GoValue) -> String {
    let kind = match key {
        GoValue::Uint(_) => "uint64",
        _ => "%!s(<nil>)",
    };
    format!("unsupported map key of type: {kind}, key: {}, value: {}", print(key), print(value))
}

fn write(text: &mut String, value: &GoValue, nested: bool) {
    match value {
        GoValue::Nil if nested => text.push_str("interface {}(nil)"),
        GoValue::Nil => text.push_str("<nil>"),
        GoValue::Bool(value) => text.push_str(if *value { "true" } else { "false" }),
        GoValue::Int(value) => text.push_str(&value.to_string()),
        GoValue::Uint(value) => text.extend(["0x", &format!("{value:x}")]),
        GoValue::Float(value) => text.push_str(&format_float(*value, b'g', -1, 64)),
        GoValue::Text(content) => text.push_str(&quote_bytes(content)),
        GoValue::List(items) => {
            text.push_str("[]interface {}{");
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    text.push_str(", ");
                }
                write(text, item, true);
            }
            text.push('}');
        }
        GoValue::Map(entries) => {
            text.push_str("map[interface {}]interface {}{");
            for (index, (key, item)) in entries.iter().enumerate() {
                if index > 0 {
                    text.push_str(", ");
                }
                write(text, key, true);
                text.push(':');
                write(text, item, true);
            }
            text.push('}');
        }
    }
}
