//! Finding out what a Rust collection would be called in Go, for the message that something else was found.

use std::cell::RefCell;

use serde::de::{self, DeserializeSeed, Deserializer, Visitor};

use super::Error;

/// The Go name of the sequence `visitor` builds, such as `[]string`.
pub(super) fn sequence_type<'de, V: Visitor<'de>>(visitor: V) -> String {
    let seen = RefCell::new(String::new());
    // Always an error: the probe has no elements to give.
    let _ = visitor.visit_seq(Probe { seen: &seen });
    format!("[]{}", or_any(seen.into_inner()))
}

/// The Go name of the map `visitor` builds, such as `map[string]string`.
pub(super) fn map_type<'de, V: Visitor<'de>>(visitor: V) -> String {
    let seen = RefCell::new(String::new());
    let _ = visitor.visit_map(Probe { seen: &seen });
    format!("map[string]{}", or_any(seen.into_inner()))
}

fn or_any(name: String) -> String {
    if name.is_empty() { "interface {}".to_owned() } else { name }
}

/// Notes which type is asked for, then fails.
struct Probe<'s> {
    seen: &'s RefCell<String>,
}

impl Probe<'_> {
    fn note<T>(&self, name: &str) -> Result<T, Error> {
        self.seen.borrow_mut().push_str(name);
        Err(Error::new(""))
    }

    fn inner(&self) -> Probe<'_> {
        Probe { seen: self.seen }
    }
}

impl<'de> de::SeqAccess<'de> for Probe<'_> {
    type Error = Error;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Error> {
        seed.deserialize(self.inner()).map(Some)
    }
}

impl<'de> de::MapAccess<'de> for Probe<'_> {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Error> {
        let key: de::value::StrDeserializer<'_, Error> = de::IntoDeserializer::into_deserializer("");
        seed.deserialize(key).map(Some)
    }

    fn next_value_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<T::Value, Error> {
        seed.deserialize(self.inner())
    }
}

macro_rules! named {
    ($($method:ident $name:literal;)*) => {$(
        fn $method<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Error> {
            self.note($name)
        }
    )*};
}

impl<'de> Deserializer<'de> for Probe<'_> {
    type Error = Error;

    named! {
        deserialize_any "interface {}";
        deserialize_bool "bool";
        deserialize_i8 "int8";
        deserialize_i16 "int16";
        deserialize_i32 "int32";
        deserialize_i64 "int";
        deserialize_u8 "uint8";
        deserialize_u16 "uint16";
        deserialize_u32 "uint32";
        deserialize_u64 "uint64";
        deserialize_f32 "float32";
        deserialize_f64 "float64";
        deserialize_char "string";
        deserialize_str "string";
        deserialize_string "string";
        deserialize_bytes "string";
        deserialize_byte_buf "string";
        deserialize_unit "interface {}";
        deserialize_identifier "string";
        deserialize_ignored_any "interface {}";
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.seen.borrow_mut().push('*');
        visitor.visit_some(self)
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(self, name: &'static str, _: V) -> Result<V::Value, Error> {
        self.note(name)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        _: V,
    ) -> Result<V::Value, Error> {
        self.note(name)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.seen.borrow_mut().push_str("[]");
        visitor.visit_seq(self)
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        _: usize,
        _: V,
    ) -> Result<V::Value, Error> {
        self.note(name)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.seen.borrow_mut().push_str("map[string]");
        visitor.visit_map(self)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        _: &'static [&'static str],
        _: V,
    ) -> Result<V::Value, Error> {
        self.note(name)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        _: &'static [&'static str],
        _: V,
    ) -> Result<V::Value, Error> {
        self.note(name)
    }
}
