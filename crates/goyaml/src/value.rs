//! The data a YAML document holds, with Go's kinds of numbers kept apart.

use std::collections::BTreeMap;

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
