//! Values as `encoding/json` sees them, so that `goyaml` can write them.

use std::cell::Cell;

use serde::ser::{Error, Serialize, SerializeMap, SerializeSeq, SerializeStruct, Serializer};

use super::base64;
use super::{Type, Value};

/// How deep values may nest before they are taken to hold themselves, as sprig's `set` can make them do.
const MAX_DEPTH: usize = 1000;

thread_local! {
    /// How deep the value that is being written lies.
    static DEPTH: Cell<usize> = const { Cell::new(0) };
}

/// Writes the contents of a list or map, unless it nests so deeply that it must hold itself.
fn nested<T, E: Error>(ty: Type, write: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
    let depth = DEPTH.get();
    if depth > MAX_DEPTH {
        return Err(E::custom(format_args!("json: unsupported value: encountered a cycle via {ty}")));
    }
    DEPTH.set(depth + 1);
    let written = stacker::maybe_grow(64 << 10, 1 << 20, write);
    DEPTH.set(depth);
    written
}

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Nil => serializer.serialize_unit(),
            Self::Bool(value) => serializer.serialize_bool(*value),
            Self::Int(_, number) => serializer.serialize_i64(*number),
            Self::Uint(_, number) => serializer.serialize_u64(*number),
            Self::Float(number) => serializer.serialize_f64(*number),
            Self::Number(digits) if digits.is_empty() => serializer.serialize_i64(0),
            Self::Number(digits) => goyaml::Number(digits).serialize(serializer),
            Self::String(text) => match text.as_str() {
                Some(text) => serializer.serialize_str(text),
                None => goyaml::Broken(&text.to_str()).serialize(serializer),
            },
            Self::Bytes(bytes) if bytes.is_nil() => serializer.serialize_unit(),
            Self::Bytes(bytes) => serializer.serialize_str(&base64(bytes)),
            Self::List(list) if list.is_nil() => serializer.serialize_unit(),
            Self::List(list) => nested(list.ty(), || {
                let items = list.borrow();
                let mut sequence = serializer.serialize_seq(Some(items.len()))?;
                for item in items.iter() {
                    sequence.serialize_element(item)?;
                }
                sequence.end()
            }),
            Self::Map(map) if map.is_nil() => serializer.serialize_unit(),
            Self::Map(map) => nested(map.ty(), || {
                let entries = map.borrow();
                let mut mapping = serializer.serialize_map(Some(entries.len()))?;
                for (key, value) in entries.iter() {
                    mapping.serialize_entry(&**key, value)?;
                }
                mapping.end()
            }),
            Self::Object(object) if object.is_nil() => serializer.serialize_unit(),
            Self::Object(object) => match object.json_text() {
                Some(text) => serializer.serialize_str(&text),
                None => nested(object.go_type(), || {
                    let fields = object.json_fields();
                    let mut structure = serializer.serialize_struct(object.go_type().name, fields.len())?;
                    for (name, value) in &fields {
                        structure.serialize_field(name, value)?;
                    }
                    structure.end()
                }),
            },
            Self::Complex(_) => Err(S::Error::custom("json: unsupported type: complex128")),
            Self::Func(_) => Err(S::Error::custom("json: unsupported type: func")),
        }
    }
}
