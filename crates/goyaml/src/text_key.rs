//! Map keys as text: JSON and YAML from JSON have no others.

use serde::ser::{Impossible, Serialize, Serializer};

use crate::json::Error;

/// A serializer whose result is the key's text. It claims not to be human-readable, which is how a
/// [`Number`](crate::Number) is asked for its digits.
pub(crate) struct TextKey;

fn unsupported<T>() -> Result<T, Error> {
    Err(Error::new("json: unsupported type: map key that is not a string or a number"))
}

macro_rules! as_text {
    ($($method:ident: $kind:ty),*) => {$(
        fn $method(self, value: $kind) -> Result<String, Error> {
            Ok(value.to_string())
        }
    )*};
}

impl Serializer for TextKey {
    type Ok = String;
    type Error = Error;
    type SerializeSeq = Impossible<String, Error>;
    type SerializeTuple = Impossible<String, Error>;
    type SerializeTupleStruct = Impossible<String, Error>;
    type SerializeTupleVariant = Impossible<String, Error>;
    type SerializeMap = Impossible<String, Error>;
    type SerializeStruct = Impossible<String, Error>;
    type SerializeStructVariant = Impossible<String, Error>;

    as_text! {
        serialize_bool: bool,
        serialize_i8: i8,
        serialize_i16: i16,
        serialize_i32: i32,
        serialize_i64: i64,
        serialize_u8: u8,
        serialize_u16: u16,
        serialize_u32: u32,
        serialize_u64: u64,
        serialize_char: char,
        serialize_str: &str
    }

    fn is_human_readable(&self) -> bool {
        false
    }

    fn serialize_f32(self, _: f32) -> Result<String, Error> {
        unsupported()
    }

    fn serialize_f64(self, _: f64) -> Result<String, Error> {
        unsupported()
    }

    fn serialize_bytes(self, _: &[u8]) -> Result<String, Error> {
        unsupported()
    }

    fn serialize_none(self) -> Result<String, Error> {
        unsupported()
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<String, Error> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<String, Error> {
        unsupported()
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<String, Error> {
        unsupported()
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Result<String, Error> {
        Ok(variant.to_owned())
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        value: &T,
    ) -> Result<String, Error> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: &T,
    ) -> Result<String, Error> {
        unsupported()
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Self::SerializeSeq, Error> {
        unsupported()
    }

    fn serialize_tuple(self, _: usize) -> Result<Self::SerializeTuple, Error> {
        unsupported()
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Self::SerializeTupleStruct, Error> {
        unsupported()
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeTupleVariant, Error> {
        unsupported()
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Self::SerializeMap, Error> {
        unsupported()
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Self::SerializeStruct, Error> {
        unsupported()
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeStructVariant, Error> {
        unsupported()
    }
}
