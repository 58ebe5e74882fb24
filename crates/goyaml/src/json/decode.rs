//! Reading a value into a Rust type as Go reads JSON into a struct.
//!
//! What Go forgives is forgiven: `null` leaves a field empty, unknown fields are skipped. From YAML,
//! numbers and booleans also become strings where a string is wanted.

use serde::de::value::StringDeserializer;
use serde::de::{self, DeserializeOwned, DeserializeSeed, Deserializer, IntoDeserializer, Visitor};

use super::probe;
use super::{Error, float_text};
use crate::strconv::{format_float, quote};
use crate::{Mapping, Value};

/// How much is forgiven.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Strictness {
    /// As `json.Unmarshal`.
    Json,
    /// As `sigs.k8s.io/yaml.Unmarshal`: scalars become strings.
    Yaml,
    /// As `UnmarshalStrict`: an unknown field is an error.
    YamlStrict,
}

pub(super) fn decode<T: DeserializeOwned>(value: Value, strictness: Strictness) -> Result<T, Error> {
    T::deserialize(Decoder { value, strictness, place: &Place::Root })
}

/// Where in the Go type the decoder is.
#[derive(Clone, Copy)]
pub(super) enum Place<'p> {
    Root,
    Field { within: &'p Place<'p>, structure: &'static str, name: &'p str },
}

impl Place<'_> {
    /// `value of type` at the root, `struct field A.b.c of type` below.
    fn describe(&self) -> String {
        let mut names = Vec::new();
        let mut innermost = None;
        let mut place = self;
        while let Place::Field { within, structure, name } = place {
            innermost.get_or_insert(*structure);
            names.push(*name);
            place = within;
        }
        let Some(structure) = innermost else { return "value of type".to_owned() };
        names.reverse();
        let bare = structure.rsplit('.').next().unwrap_or_default();
        format!("struct field {bare}.{} of type", names.join("."))
    }
}

struct Decoder<'p> {
    value: Value,
    strictness: Strictness,
    place: &'p Place<'p>,
}

impl Decoder<'_> {
    fn mismatch(&self, kind: &str) -> Error {
        let found = match &self.value {
            Value::Null => "null",
            Value::Bool(_) => "bool",
            Value::Int(_) | Value::Uint(_) | Value::Float(_) | Value::Number(_) => "number",
            Value::String(_) => "string",
            Value::Sequence(_) => "array",
            Value::Mapping(_) => "object",
        };
        Error::new(format!("json: cannot unmarshal {found} into Go {} {kind}", self.place.describe()))
    }

    /// A number that the Go type cannot hold is shown.
    fn out_of_range(&self, digits: &str, kind: &str) -> Error {
        let place = self.place.describe();
        Error::new(format!("json: cannot unmarshal number {digits} into Go {place} {kind}"))
    }

    /// The digits JSON would hold, if this is a number.
    fn digits(&self) -> Option<String> {
        match &self.value {
            Value::Int(value) => Some(value.to_string()),
            Value::Uint(value) => Some(value.to_string()),
            Value::Float(value) => Some(float_text(*value)),
            Value::Number(digits) => Some(digits.to_string()),
            _ => None,
        }
    }

    fn integer<T: std::str::FromStr + Default>(&self, kind: &str) -> Result<T, Error> {
        if self.value.is_null() {
            return Ok(T::default());
        }
        let digits = self.digits().ok_or_else(|| self.mismatch(kind))?;
        digits.parse().map_err(|_| self.out_of_range(&digits, kind))
    }

    fn text(self) -> Result<String, Error> {
        let coerced = match &self.value {
            Value::Null => Some(String::new()),
            _ if self.strictness == Strictness::Json => None,
            Value::Bool(value) => Some(value.to_string()),
            Value::Float(value) => Some(format_float(*value, b'g', -1, 32)),
            Value::Int(_) | Value::Uint(_) | Value::Number(_) => self.digits(),
            _ => None,
        };
        match (self.value, coerced) {
            (Value::String(text), _) | (_, Some(text)) => Ok(text),
            (value, None) => Err(Decoder { value, ..self }.mismatch("string")),
        }
    }
}

macro_rules! integers {
    ($($method:ident $visit:ident $kind:ty, $go:literal;)*) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
            visitor.$visit(self.integer::<$kind>($go)?)
        }
    )*};
}

impl<'de> Deserializer<'de> for Decoder<'_> {
    type Error = Error;

    integers! {
        deserialize_i8 visit_i8 i8, "int8";
        deserialize_i16 visit_i16 i16, "int16";
        deserialize_i32 visit_i32 i32, "int32";
        deserialize_i64 visit_i64 i64, "int";
        deserialize_u8 visit_u8 u8, "uint8";
        deserialize_u16 visit_u16 u16, "uint16";
        deserialize_u32 visit_u32 u32, "uint32";
        deserialize_u64 visit_u64 u64, "uint64";
    }

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.value {
            Value::Null => visitor.visit_unit(),
            Value::Bool(value) => visitor.visit_bool(value),
            Value::Int(value) => visitor.visit_i64(value),
            Value::Uint(value) => visitor.visit_u64(value),
            Value::Float(value) => visitor.visit_f64(value),
            Value::Number(digits) => match digits.parse::<i64>() {
                Ok(value) => visitor.visit_i64(value),
                Err(_) => visitor.visit_f64(digits.parse().map_err(|_| Error::new("invalid number"))?),
            },
            Value::String(text) => visitor.visit_string(text),
            Value::Sequence(items) => visitor.visit_seq(Elements {
                items: items.into_iter(),
                strictness: self.strictness,
                place: self.place,
            }),
            Value::Mapping(entries) => visitor.visit_map(Pairs {
                entries: entries.into_iter(),
                value: None,
                strictness: self.strictness,
                place: self.place,
            }),
        }
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.value {
            Value::Bool(value) => visitor.visit_bool(value),
            Value::Null => visitor.visit_bool(false),
            _ => Err(self.mismatch("bool")),
        }
    }

    fn deserialize_f32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.value.as_f64() {
            Some(value) => visitor.visit_f32(value as f32),
            None if self.value.is_null() => visitor.visit_f32(0.0),
            None => Err(self.mismatch("float32")),
        }
    }

    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.value.as_f64() {
            Some(value) => visitor.visit_f64(value),
            None if self.value.is_null() => visitor.visit_f64(0.0),
            None => Err(self.mismatch("float64")),
        }
    }

    fn deserialize_char<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_string(self.text()?)
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_string(self.text()?)
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_string(self.text()?)
    }

    fn deserialize_bytes<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_string(self.text()?)
    }

    fn deserialize_byte_buf<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_string(self.text()?)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        if self.value.is_null() { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_unit()
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_unit()
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let (strictness, place) = (self.strictness, self.place);
        match self.value {
            Value::Sequence(items) => {
                visitor.visit_seq(Elements { items: items.into_iter(), strictness, place })
            }
            Value::Null => visitor.visit_seq(Elements { items: Vec::new().into_iter(), strictness, place }),
            _ => Err(self.mismatch(&probe::sequence_type(visitor))),
        }
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: usize,
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let (strictness, place) = (self.strictness, self.place);
        let entries = match self.value {
            Value::Mapping(entries) => entries,
            Value::Null => Mapping::new(),
            _ => return Err(self.mismatch(&probe::map_type(visitor))),
        };
        visitor.visit_map(Pairs { entries: entries.into_iter(), value: None, strictness, place })
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        let (strictness, place) = (self.strictness, self.place);
        let entries = match self.value {
            Value::Mapping(entries) => entries,
            Value::Null => Mapping::new(),
            _ => return Err(self.mismatch(name)),
        };
        let entries = entries.into_iter();
        visitor.visit_map(Members { entries, current: None, name, fields, strictness, place })
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_enum(self.text()?.into_deserializer())
    }

    fn deserialize_identifier<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_string(self.text()?)
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_unit()
    }
}

struct Elements<'p> {
    items: std::vec::IntoIter<Value>,
    strictness: Strictness,
    place: &'p Place<'p>,
}

impl<'de> de::SeqAccess<'de> for Elements<'_> {
    type Error = Error;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Error> {
        let Some(value) = self.items.next() else { return Ok(None) };
        seed.deserialize(Decoder { value, strictness: self.strictness, place: self.place }).map(Some)
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.items.len())
    }
}

struct Pairs<'p> {
    entries: std::collections::btree_map::IntoIter<String, Value>,
    value: Option<Value>,
    strictness: Strictness,
    place: &'p Place<'p>,
}

impl<'de> de::MapAccess<'de> for Pairs<'_> {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Error> {
        let Some((key, value)) = self.entries.next() else { return Ok(None) };
        self.value = Some(value);
        let key: StringDeserializer<Error> = key.into_deserializer();
        seed.deserialize(key).map(Some)
    }

    fn next_value_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<T::Value, Error> {
        let value = self.value.take().unwrap_or_default();
        seed.deserialize(Decoder { value, strictness: self.strictness, place: self.place })
    }
}

struct Members<'p> {
    entries: std::collections::btree_map::IntoIter<String, Value>,
    current: Option<(String, Value)>,
    name: &'static str,
    fields: &'static [&'static str],
    strictness: Strictness,
    place: &'p Place<'p>,
}

impl<'de> de::MapAccess<'de> for Members<'_> {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Error> {
        let Some((key, value)) = self.entries.next() else { return Ok(None) };
        if self.strictness == Strictness::YamlStrict && !self.fields.contains(&key.as_str()) {
            return Err(Error::new(format!("json: unknown field {}", quote(&key))));
        }
        let name: StringDeserializer<Error> = key.clone().into_deserializer();
        self.current = Some((key, value));
        seed.deserialize(name).map(Some)
    }

    fn next_value_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<T::Value, Error> {
        let (name, value) = self.current.take().unwrap_or_default();
        let place = Place::Field { within: self.place, structure: self.name, name: &name };
        seed.deserialize(Decoder { value, strictness: self.strictness, place: &place })
    }
}
