//! From protobuf to JSON, by the structure of the type and the numbers of its fields.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use jiff::Timestamp;
use schema::{Scalar, Shape, View};
use serde_json::{Map, Value};

use super::numbers::{self, Field, Form};
use super::{SCHEMA, type_name};

/// The bytes are not what the type says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(super) enum Malformed {
    /// The bytes end too early.
    #[error("unexpected EOF")]
    End,
    /// A number is longer than 64 bits.
    #[error("proto: integer overflow")]
    Overflow,
    /// A text is no text.
    #[error("proto: invalid UTF-8")]
    Text,
    /// A value is written in another way than its type is.
    #[error("proto: wrong wireType = {wire} for field {number}")]
    Wire {
        /// How it is written.
        wire: u8,
        /// The field's number.
        number: u32,
    },
    /// A value is written in a way that nobody knows.
    #[error("proto: illegal wireType {0}")]
    Illegal(u8),
    /// JSON inside is not JSON.
    #[error("json: invalid raw value")]
    Json,
}

/// A value as it is written.
#[derive(Debug, Clone, Copy)]
enum Wire<'a> {
    Number(u64),
    Eight([u8; 8]),
    Bytes(&'a [u8]),
    Four,
}

impl Wire<'_> {
    fn code(self) -> u8 {
        match self {
            Self::Number(_) => 0,
            Self::Eight(_) => 1,
            Self::Bytes(_) => 2,
            Self::Four => 5,
        }
    }
}

/// The fields of a message one by one, with their numbers.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, length: usize) -> Result<&'a [u8], Malformed> {
        let (taken, rest) = self.0.split_at_checked(length).ok_or(Malformed::End)?;
        self.0 = rest;
        Ok(taken)
    }

    fn varint(&mut self) -> Result<u64, Malformed> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.take(1)?[0];
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(value);
            }
        }
        Err(Malformed::Overflow)
    }
}

impl<'a> Iterator for Reader<'a> {
    type Item = Result<(u32, Wire<'a>), Malformed>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.0.is_empty() {
            return None;
        }
        let mut read = || {
            let tag = self.varint()?;
            let number = u32::try_from(tag >> 3).map_err(|_| Malformed::Overflow)?;
            let wire = match (tag & 7) as u8 {
                0 => Wire::Number(self.varint()?),
                1 => Wire::Eight(self.take(8)?.try_into().map_err(|_| Malformed::End)?),
                2 => {
                    let length = usize::try_from(self.varint()?).map_err(|_| Malformed::Overflow)?;
                    Wire::Bytes(self.take(length)?)
                }
                5 => self.take(4).map(|_| Wire::Four)?,
                other => return Err(Malformed::Illegal(other)),
            };
            Ok((number, wire))
        };
        let item = read();
        if item.is_err() {
            self.0 = &[];
        }
        Some(item)
    }
}

/// The parts of the envelope: the type and the bytes of the object.
pub(super) struct Envelope<'a> {
    pub api_version: &'a str,
    pub kind: &'a str,
    pub raw: &'a [u8],
}

/// Opens the envelope that says what is in it.
pub(super) fn envelope(bytes: &[u8]) -> Result<Envelope<'_>, Malformed> {
    let text = |bytes| std::str::from_utf8(bytes).map_err(|_| Malformed::Text);
    let mut envelope = Envelope { api_version: "", kind: "", raw: &[] };
    for field in Reader(bytes) {
        match field? {
            (1, Wire::Bytes(meta)) => {
                for field in Reader(meta) {
                    match field? {
                        (1, Wire::Bytes(bytes)) => envelope.api_version = text(bytes)?,
                        (2, Wire::Bytes(bytes)) => envelope.kind = text(bytes)?,
                        _ => {}
                    }
                }
            }
            (2, Wire::Bytes(bytes)) => envelope.raw = bytes,
            _ => {}
        }
    }
    Ok(envelope)
}

/// The fields of a message of a type, added to those that are already there.
pub(super) fn fields(
    bytes: &[u8],
    type_name: &str,
    view: View<'_>,
    object: &mut Map<String, Value>,
) -> Result<(), Malformed> {
    let known = numbers::fields(type_name).unwrap_or_default();
    for field in Reader(bytes) {
        let (number, wire) = field?;
        let Ok(index) = known.binary_search_by_key(&number, |field| field.number) else { continue };
        one(&known[index], wire, view, object)?;
    }
    Ok(())
}

fn one(
    field: &Field,
    wire: Wire<'_>,
    view: View<'_>,
    object: &mut Map<String, Value>,
) -> Result<(), Malformed> {
    let number = field.number;
    let name = match &field.form {
        Form::Named(name) => *name,
        Form::Embedded(embedded) => return fields(bytes(wire, number)?, embedded, view, object),
    };
    let Some(place) = view.field(name) else { return Ok(()) };
    let present = object.entry(name).or_insert(Value::Null);
    match place.shape() {
        Shape::List { .. } => {
            let item = value(place.items().unwrap_or(place), wire, number)?;
            match present {
                Value::Array(items) => items.push(item),
                other => *other = Value::Array(vec![item]),
            }
        }
        Shape::Map { .. } => {
            let (key, item) = entry(bytes(wire, number)?)?;
            let item = value(place.field(&key).unwrap_or(place), item, number)?;
            match present {
                Value::Object(entries) => drop(entries.insert(key, item)),
                other => *other = Value::Object(Map::from_iter([(key, item)])),
            }
        }
        Shape::Object { .. } => {
            if !present.is_object() {
                *present = Value::Object(Map::new());
            }
            if let Some(present) = present.as_object_mut() {
                fields(bytes(wire, number)?, type_name(place), place, present)?;
            }
        }
        Shape::Scalar(_) | Shape::Untyped | Shape::Named(_) => *present = value(place, wire, number)?,
    }
    Ok(())
}

fn bytes(wire: Wire<'_>, number: u32) -> Result<&[u8], Malformed> {
    match wire {
        Wire::Bytes(bytes) => Ok(bytes),
        other => Err(Malformed::Wire { wire: other.code(), number }),
    }
}

/// An entry of a map: a message of key and value.
fn entry(bytes: &[u8]) -> Result<(String, Wire<'_>), Malformed> {
    let mut key = String::new();
    let mut value = Wire::Bytes(&[]);
    for field in Reader(bytes) {
        match field? {
            (1, Wire::Bytes(bytes)) => key = text(bytes)?,
            (2, wire) => value = wire,
            _ => {}
        }
    }
    Ok((key, value))
}

fn text(bytes: &[u8]) -> Result<String, Malformed> {
    String::from_utf8(bytes.to_vec()).map_err(|_| Malformed::Text)
}

/// A single value.
fn value(view: View<'_>, wire: Wire<'_>, number: u32) -> Result<Value, Malformed> {
    Ok(match (view.shape(), wire) {
        (Shape::Scalar(scalar), wire) => return scalar_value(*scalar, wire, number),
        (Shape::Object { .. }, Wire::Bytes(bytes)) => {
            let mut object = Map::new();
            fields(bytes, type_name(view), view, &mut object)?;
            Value::Object(object)
        }
        // A list that is the value of a map is a message of its items.
        (Shape::List { .. }, Wire::Bytes(bytes)) => {
            let items = Reader(bytes).map(|item| {
                let (number, wire) = item?;
                value(view.items().unwrap_or(view), wire, number)
            });
            Value::Array(items.collect::<Result<_, Malformed>>()?)
        }
        (Shape::Untyped, Wire::Bytes(bytes)) => match view.go_name() {
            "v1.JSONSchemaPropsOrArray" | "v1.JSONSchemaPropsOrBool" | "v1.JSONSchemaPropsOrStringArray" => {
                either(bytes, view.go_name())?
            }
            _ => raw(bytes)?,
        },
        (_, other) => return Err(Malformed::Wire { wire: other.code(), number }),
    })
}

fn scalar_value(scalar: Scalar, wire: Wire<'_>, number: u32) -> Result<Value, Malformed> {
    Ok(match (scalar, wire) {
        (Scalar::String, Wire::Bytes(bytes)) => text(bytes)?.into(),
        (Scalar::Bytes, Wire::Bytes(bytes)) => BASE64_STANDARD.encode(bytes).into(),
        (Scalar::Int32 | Scalar::Int64, Wire::Number(value)) => value.cast_signed().into(),
        (Scalar::Boolean, Wire::Number(value)) => (value != 0).into(),
        (Scalar::Float, Wire::Eight(bytes)) => f64::from_le_bytes(bytes).into(),
        (Scalar::Time | Scalar::MicroTime, Wire::Bytes(bytes)) => time(bytes, scalar)?,
        (Scalar::Quantity, Wire::Bytes(bytes)) => {
            // The only field is a text, as the key of an entry is.
            entry(bytes)?.0.into()
        }
        (Scalar::IntOrString, Wire::Bytes(bytes)) => {
            let (mut is_text, mut integer, mut words) = (false, 0, String::new());
            for field in Reader(bytes) {
                match field? {
                    (1, Wire::Number(kind)) => is_text = kind == 1,
                    (2, Wire::Number(value)) => integer = value.cast_signed(),
                    (3, Wire::Bytes(bytes)) => words = text(bytes)?,
                    _ => {}
                }
            }
            if is_text { words.into() } else { integer.into() }
        }
        (_, other) => return Err(Malformed::Wire { wire: other.code(), number }),
    })
}

fn time(bytes: &[u8], scalar: Scalar) -> Result<Value, Malformed> {
    if bytes.is_empty() {
        return Ok(Value::Null);
    }
    let (mut seconds, mut nanos) = (0, 0);
    for field in Reader(bytes) {
        match field? {
            (1, Wire::Number(value)) => seconds = value.cast_signed(),
            (2, Wire::Number(value)) => nanos = i32::try_from(value.cast_signed()).unwrap_or_default(),
            _ => {}
        }
    }
    let Ok(moment) = Timestamp::new(seconds, nanos) else { return Ok(Value::Null) };
    Ok(match scalar {
        Scalar::MicroTime => moment.strftime("%Y-%m-%dT%H:%M:%S.%6fZ").to_string().into(),
        _ => moment.strftime("%Y-%m-%dT%H:%M:%SZ").to_string().into(),
    })
}

/// JSON as it is.
fn raw(bytes: &[u8]) -> Result<Value, Malformed> {
    for field in Reader(bytes) {
        if let (1, Wire::Bytes(raw @ [_, ..])) = field? {
            return serde_json::from_slice(raw).map_err(|_| Malformed::Json);
        }
    }
    Ok(Value::Null)
}

/// A structure of which JSON shows the one field or the other.
fn either(bytes: &[u8], go_name: &str) -> Result<Value, Malformed> {
    let Some(view) = schema::types().named(SCHEMA) else { return Ok(Value::Null) };
    let schema = |bytes| {
        let mut object = Map::new();
        fields(bytes, SCHEMA, view, &mut object).map(|()| Value::Object(object))
    };
    let mut one = Value::Null;
    let mut many = Vec::new();
    for field in Reader(bytes) {
        match (go_name, field?) {
            (_, (1, Wire::Number(allowed))) if one.is_null() => one = (allowed != 0).into(),
            (_, (1, Wire::Bytes(bytes))) | ("v1.JSONSchemaPropsOrBool", (2, Wire::Bytes(bytes))) => {
                one = schema(bytes)?;
            }
            ("v1.JSONSchemaPropsOrStringArray", (2, Wire::Bytes(bytes))) => many.push(text(bytes)?.into()),
            (_, (2, Wire::Bytes(bytes))) => many.push(schema(bytes)?),
            _ => {}
        }
    }
    Ok(if many.is_empty() { one } else { many.into() })
}
