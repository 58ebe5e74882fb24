//! `serde` for [`Value`], keeping the digits of a `json.Number` for this crate's own writers.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde::ser::{Serialize, Serializer};

use super::{Mapping, Value};

/// The newtype name by which this crate's serializers recognise a [`Number`].
pub(crate) const NUMBER_TOKEN: &str = "$goyaml::Number";

/// A `json.Number` for serializing: this crate's writers copy its digits as they are, any other
/// human-readable format gets the number they spell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Number<'a>(pub &'a str);

/// The newtype name by which this crate's serializers recognise a [`Timestamp`].
pub(crate) const TIMESTAMP_TOKEN: &str = "$goyaml::Timestamp";

/// A `time.Time` for serializing, in the form of RFC 3339: goyaml v3 writes it as it is, everybody else as a string.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timestamp<'a>(pub &'a str);

impl Serialize for Timestamp<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_newtype_struct(TIMESTAMP_TOKEN, self.0)
    }
}

/// The newtype name by which this crate's serializers recognise [`Broken`].
pub(crate) const BROKEN_TOKEN: &str = "$goyaml::Broken";

/// A Go string that is not UTF-8, for serializing, with U+FFFD for every byte that is no part of a character: JSON
/// writes those as `\ufffd`, everybody else as they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Broken<'a>(pub &'a str);

impl Serialize for Broken<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_newtype_struct(BROKEN_TOKEN, self.0)
    }
}

/// The newtype name by which this crate's serializers recognise [`Binary`].
pub(crate) const BINARY_TOKEN: &str = "$goyaml::Binary";

/// A Go string that is not UTF-8, for goyaml v3, which writes it in base64 and says so with a tag. This is its base64.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Binary<'a>(pub &'a str);

impl Serialize for Binary<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_newtype_struct(BINARY_TOKEN, self.0)
    }
}

/// What a [`Number`] holds. A format that is not human-readable gets the text, which is also how
/// this crate's own serializers ask for it.
struct Digits<'a>(&'a str);

impl Serialize for Number<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_newtype_struct(NUMBER_TOKEN, &Digits(self.0))
    }
}

impl Serialize for Digits<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if !serializer.is_human_readable() {
            return serializer.serialize_str(self.0);
        }
        if let Ok(value) = self.0.parse::<i64>() {
            serializer.serialize_i64(value)
        } else if let Ok(value) = self.0.parse::<u64>() {
            serializer.serialize_u64(value)
        } else if let Ok(value) = self.0.parse::<f64>() {
            serializer.serialize_f64(value)
        } else {
            serializer.serialize_str(self.0)
        }
    }
}

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => serializer.serialize_unit(),
            Self::Bool(value) => serializer.serialize_bool(*value),
            Self::Int(value) => serializer.serialize_i64(*value),
            Self::Uint(value) => serializer.serialize_u64(*value),
            Self::Float(value) => serializer.serialize_f64(*value),
            Self::Number(text) => Number(text).serialize(serializer),
            Self::String(text) => serializer.serialize_str(text),
            Self::Sequence(items) => serializer.collect_seq(items),
            Self::Mapping(entries) => serializer.collect_map(entries),
        }
    }
}

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AnyValue)
    }
}

struct AnyValue;

impl<'de> Visitor<'de> for AnyValue {
    type Value = Value;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("any value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_none<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        Value::deserialize(deserializer)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Int(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Value::Float(value))
    }

    fn visit_str<E>(self, text: &str) -> Result<Value, E> {
        Ok(Value::String(text.to_owned()))
    }

    fn visit_string<E>(self, text: String) -> Result<Value, E> {
        Ok(Value::String(text))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let mut items = Vec::with_capacity(access.size_hint().unwrap_or(0).min(1024));
        while let Some(item) = access.next_element()? {
            items.push(item);
        }
        Ok(Value::Sequence(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let mut entries = Mapping::new();
        while let Some((key, value)) = access.next_entry()? {
            entries.insert(key, value);
        }
        Ok(Value::Mapping(entries))
    }
}
