//! The data a YAML document holds, with Go's kinds of numbers kept apart.

mod convert;
mod serde_impls;

use std::collections::BTreeMap;

pub(crate) use serde_impls::{BINARY_TOKEN, BROKEN_TOKEN, NUMBER_TOKEN, TIMESTAMP_TOKEN};
pub use serde_impls::{Binary, Broken, Number, Timestamp};

/// How deep values may nest. Go goes to ten thousand; here every level costs stack in whoever walks the
/// value, and nobody nests even a hundred deep in earnest.
pub(crate) const MAX_DEPTH: usize = 1000;

/// A mapping with string keys in byte order, as Go's `map[string]interface{}` iterates when sorted.
pub type Mapping = BTreeMap<String, Value>;

/// One YAML or JSON value.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Value {
    /// `null`, `~`, or nothing at all.
    #[default]
    Null,
    /// A boolean.
    Bool(bool),
    /// An integer that fits Go's `int64`.
    Int(i64),
    /// An integer beyond `int64` that fits Go's `uint64`.
    Uint(u64),
    /// A `float64`.
    Float(f64),
    /// A `json.Number`: the digits as JSON wrote them, kept as text.
    Number(Box<str>),
    /// A string.
    String(String),
    /// A sequence.
    Sequence(Vec<Value>),
    /// A mapping.
    Mapping(Mapping),
}

impl Value {
    /// Whether this is `null`.
    pub fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    /// The boolean, if it is one.
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Self::Bool(value) => Some(*value),
            _ => None,
        }
    }

    /// The integer, if it is one and fits `i64`. Floats are not rounded.
    pub fn as_i64(&self) -> Option<i64> {
        match self {
            Self::Int(value) => Some(*value),
            Self::Uint(value) => i64::try_from(*value).ok(),
            Self::Number(text) => text.parse().ok(),
            _ => None,
        }
    }

    /// The integer, if it is one and fits `u64`. Floats are not rounded.
    pub fn as_u64(&self) -> Option<u64> {
        match self {
            Self::Int(value) => u64::try_from(*value).ok(),
            Self::Uint(value) => Some(*value),
            Self::Number(text) => text.parse().ok(),
            _ => None,
        }
    }

    /// The number as Go's `float64`, if it is a number of any kind.
    pub fn as_f64(&self) -> Option<f64> {
        match self {
            Self::Int(value) => Some(*value as f64),
            Self::Uint(value) => Some(*value as f64),
            Self::Float(value) => Some(*value),
            Self::Number(text) => text.parse().ok(),
            _ => None,
        }
    }

    /// The string, if it is one.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::String(text) => Some(text),
            _ => None,
        }
    }

    /// The sequence, if it is one.
    pub fn as_sequence(&self) -> Option<&[Value]> {
        match self {
            Self::Sequence(items) => Some(items),
            _ => None,
        }
    }

    /// The sequence for changing, if it is one.
    pub fn as_sequence_mut(&mut self) -> Option<&mut Vec<Value>> {
        match self {
            Self::Sequence(items) => Some(items),
            _ => None,
        }
    }

    /// The mapping, if it is one.
    pub fn as_mapping(&self) -> Option<&Mapping> {
        match self {
            Self::Mapping(entries) => Some(entries),
            _ => None,
        }
    }

    /// The mapping for changing, if it is one.
    pub fn as_mapping_mut(&mut self) -> Option<&mut Mapping> {
        match self {
            Self::Mapping(entries) => Some(entries),
            _ => None,
        }
    }

    /// The mapping itself, if it is one.
    pub fn into_mapping(self) -> Option<Mapping> {
        match self {
            Self::Mapping(entries) => Some(entries),
            _ => None,
        }
    }

    /// The value under `key`, if this is a mapping that has it.
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.as_mapping()?.get(key)
    }

    /// The value under `key` for changing, if this is a mapping that has it.
    pub fn get_mut(&mut self, key: &str) -> Option<&mut Value> {
        self.as_mapping_mut()?.get_mut(key)
    }

    /// The value reached by following `keys` through nested mappings.
    pub fn get_path<'a>(&self, keys: impl IntoIterator<Item = &'a str>) -> Option<&Value> {
        keys.into_iter().try_fold(self, |value, key| value.get(key))
    }

    /// Every number as `float64`, which is how `encoding/json` decodes into `interface{}`.
    #[must_use]
    pub fn numbers_as_float64(mut self) -> Self {
        self.change_numbers(&|number| {
            if let Some(value) = number.as_f64() {
                *number = Self::Float(value);
            }
        });
        self
    }

    /// Every number as `json.Number`, which is how a `json.Decoder` with `UseNumber` decodes.
    #[must_use]
    pub fn numbers_as_json_number(mut self) -> Self {
        self.change_numbers(&|number| {
            let digits = match number {
                Self::Int(value) => value.to_string(),
                Self::Uint(value) => value.to_string(),
                Self::Float(value) => crate::json::float_text(*value),
                _ => return,
            };
            *number = Self::Number(digits.into());
        });
        self
    }

    fn change_numbers(&mut self, change: &impl Fn(&mut Self)) {
        match self {
            Self::Int(_) | Self::Uint(_) | Self::Float(_) | Self::Number(_) => change(self),
            Self::Sequence(items) => items.iter_mut().for_each(|item| item.change_numbers(change)),
            Self::Mapping(entries) => entries.values_mut().for_each(|value| value.change_numbers(change)),
            Self::Null | Self::Bool(_) | Self::String(_) => {}
        }
    }
}
