//! From JSON to protobuf, by the structure of the type and the numbers of its fields.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use jiff::Timestamp;
use schema::{Scalar, Shape, View};
use serde_json::{Map, Value};

use super::numbers::{self, Form};
use super::{SCHEMA, type_name};

/// A message as it grows.
#[derive(Debug, Default)]
pub(super) struct Message(Vec<u8>);

impl Message {
    /// A message of texts.
    pub(super) fn of_texts<'a>(fields: impl IntoIterator<Item = (u32, &'a str)>) -> Self {
        let mut message = Self::default();
        for (number, text) in fields {
            message.bytes(number, text.as_bytes());
        }
        message
    }

    /// Its bytes.
    pub(super) fn into_bytes(self) -> Vec<u8> {
        self.0
    }

    /// Adds a field of bytes.
    pub(super) fn bytes(&mut self, number: u32, bytes: &[u8]) {
        self.varint(u64::from(number) << 3 | 2);
        self.varint(bytes.len() as u64);
        self.0.extend_from_slice(bytes);
    }

    fn number(&mut self, number: u32, value: u64) {
        self.varint(u64::from(number) << 3);
        self.varint(value);
    }

    fn varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.0.push((value & 0x7f) as u8 | 0x80);
            value >>= 7;
        }
        self.0.push(value as u8);
    }

    /// Adds the fields of an object of a type.
    pub(super) fn fields(&mut self, object: &Map<String, Value>, type_name: &str, view: View<'_>) {
        for field in numbers::fields(type_name).unwrap_or_default() {
            match &field.form {
                Form::Embedded(embedded) => {
                    let mut inner = Self::default();
                    inner.fields(object, embedded, view);
                    self.bytes(field.number, &inner.0);
                }
                Form::Named(name) => {
                    if let (Some(value), Some(place)) = (object.get(*name), view.field(name)) {
                        self.field(field.number, value, place);
                    }
                }
            }
        }
    }

    fn field(&mut self, number: u32, value: &Value, place: View<'_>) {
        match (place.shape(), value) {
            (_, Value::Null) => {}
            (Shape::List { .. }, Value::Array(items)) => {
                let place = place.items().unwrap_or(place);
                for item in items {
                    self.value(number, item, place);
                }
            }
            (Shape::Map { .. }, Value::Object(entries)) => {
                for (key, value) in entries {
                    let mut entry = Self::of_texts([(1, key.as_str())]);
                    entry.value(2, value, place.field(key).unwrap_or(place));
                    self.bytes(number, &entry.0);
                }
            }
            _ => self.value(number, value, place),
        }
    }

    fn value(&mut self, number: u32, value: &Value, place: View<'_>) {
        match (place.shape(), value) {
            (Shape::Scalar(scalar), _) => self.scalar(number, value, *scalar),
            (Shape::Object { .. }, Value::Object(object)) => {
                let mut inner = Self::default();
                inner.fields(object, type_name(place), place);
                self.bytes(number, &inner.0);
            }
            // A list that is the value of a map is a message of its items.
            (Shape::List { .. }, Value::Array(items)) => {
                let mut inner = Self::default();
                for item in items {
                    inner.value(1, item, place.items().unwrap_or(place));
                }
                self.bytes(number, &inner.0);
            }
            (Shape::Untyped, _) => {
                let inner = match place.go_name() {
                    name @ ("v1.JSONSchemaPropsOrArray"
                    | "v1.JSONSchemaPropsOrBool"
                    | "v1.JSONSchemaPropsOrStringArray") => either(value, name),
                    _ => Self::of_texts([(1, value.to_string().as_str())]),
                };
                self.bytes(number, &inner.0);
            }
            _ => {}
        }
    }

    fn schema(&mut self, number: u32, value: &Value) {
        if let (Some(view), Value::Object(object)) = (schema::types().named(SCHEMA), value) {
            let mut inner = Self::default();
            inner.fields(object, SCHEMA, view);
            self.bytes(number, &inner.0);
        }
    }

    fn scalar(&mut self, number: u32, value: &Value, scalar: Scalar) {
        let text = value.as_str().unwrap_or_default();
        match scalar {
            Scalar::String => self.bytes(number, text.as_bytes()),
            Scalar::Bytes => self.bytes(number, &BASE64_STANDARD.decode(text).unwrap_or_default()),
            Scalar::Int32 | Scalar::Int64 => {
                self.number(number, value.as_i64().unwrap_or_default().cast_unsigned());
            }
            Scalar::Boolean => self.number(number, u64::from(value.as_bool().unwrap_or_default())),
            Scalar::Float => {
                self.varint(u64::from(number) << 3 | 1);
                self.0.extend_from_slice(&value.as_f64().unwrap_or_default().to_le_bytes());
            }
            Scalar::Time | Scalar::MicroTime => {
                let mut time = Self::default();
                if let Ok(moment) = text.parse::<Timestamp>() {
                    time.number(1, moment.as_second().cast_unsigned());
                    time.number(2, i64::from(moment.subsec_nanosecond()).cast_unsigned());
                }
                self.bytes(number, &time.0);
            }
            Scalar::Quantity => self.bytes(number, &Self::of_texts([(1, text)]).0),
            Scalar::IntOrString => {
                let mut either = Self::default();
                either.number(1, u64::from(value.is_string()));
                either.number(2, value.as_i64().unwrap_or_default().cast_unsigned());
                either.bytes(3, text.as_bytes());
                self.bytes(number, &either.0);
            }
        }
    }
}

/// A structure of which JSON shows the one field or the other.
fn either(value: &Value, go_name: &str) -> Message {
    let mut message = Message::default();
    match value {
        Value::Object(_) if go_name == "v1.JSONSchemaPropsOrBool" => {
            message.number(1, 1);
            message.schema(2, value);
        }
        Value::Object(_) => message.schema(1, value),
        Value::Bool(allowed) => message.number(1, u64::from(*allowed)),
        Value::Array(items) => {
            for item in items {
                match item {
                    Value::String(name) => message.bytes(2, name.as_bytes()),
                    _ => message.schema(2, item),
                }
            }
        }
        _ => {}
    }
    message
}
