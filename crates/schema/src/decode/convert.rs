//! The complaints of the way from maps to Go's types, which the result of a strategic merge takes.

use std::fmt::Write;

use goyaml::json::to_string;
use serde_json::Value;

use super::own::{Fault, Open, SCHEMA_TYPE, scalar};
use super::{DecodeError, resolve};
use crate::json::Tree;
use crate::scalar::decode_base64;
use crate::structure::{Scalar, Schema, Shape, Types, View};

struct Converter<'a> {
    types: &'a Types,
    path: String,
    unknown: Option<Vec<String>>,
}

pub(super) fn check(view: View<'_>, value: &Value, strict: bool) -> Result<Vec<String>, DecodeError> {
    let unknown = strict.then(Vec::new);
    let mut converter = Converter { types: view.types(), path: String::new(), unknown };
    converter.value(view.schema(), value).map_err(DecodeError)?;
    let mut complaints = converter.unknown.unwrap_or_default();
    complaints.sort();
    Ok(complaints)
}

/// The name of a value's kind in Go's reflection.
fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "invalid",
        Value::Bool(_) => "bool",
        Value::Number(number) if number.is_f64() => "float64",
        Value::Number(_) => "int64",
        Value::String(_) => "string",
        Value::Array(_) => "slice",
        Value::Object(_) => "map",
    }
}

impl Converter<'_> {
    fn value(&mut self, schema: &Schema, value: &Value) -> Result<(), String> {
        if value.is_null() {
            return Ok(());
        }
        let target = resolve(self.types, schema);
        match (&target.shape, value) {
            (Shape::Object { fields, open, .. }, Value::Object(entries)) => {
                for (name, field) in fields.iter() {
                    if let Some(value) = entries.get(&**name) {
                        let length = self.path.len();
                        if length > 0 {
                            self.path.push('.');
                        }
                        self.path.push_str(name);
                        self.value(field, value)?;
                        self.path.truncate(length);
                    }
                }
                if let (Some(unknown), false) = (&mut self.unknown, open) {
                    let dot = if self.path.is_empty() { "" } else { "." };
                    let names = entries.keys().filter(|name| !fields.contains_key(name.as_str()));
                    // Names are not escaped here, unlike those that the decoder complains of.
                    unknown.extend(names.map(|name| format!("unknown field \"{}{dot}{name}\"", self.path)));
                }
                Ok(())
            }
            (Shape::Map { values, .. }, Value::Object(entries)) => {
                entries.values().try_for_each(|value| self.value(values, value))
            }
            (Shape::List { items, .. }, Value::Array(list)) => {
                for (index, item) in list.iter().enumerate() {
                    let length = self.path.len();
                    let _ = write!(self.path, "[{index}]");
                    self.value(items, item)?;
                    self.path.truncate(length);
                }
                Ok(())
            }
            (Shape::Object { .. }, value) => Err(format!("cannot restore struct from: {}", kind(value))),
            (Shape::Map { .. }, value) => Err(format!("cannot restore map from {}", kind(value))),
            (Shape::List { .. }, value) => Err(format!("cannot restore slice from {}", kind(value))),
            (Shape::Scalar(scalar), value) => {
                let go_type = schema.encoding.go_type.as_deref().unwrap_or_default();
                single(*scalar, value, go_type)
            }
            (Shape::Untyped, value) => {
                let go_type = schema.encoding.go_type.as_deref().or(target.encoding.go_type.as_deref());
                self.open(Open::of(go_type), value)
            }
            (Shape::Named(_), _) => Ok(()),
        }
    }

    /// Types that read themselves get JSON, and a decoder of their own.
    fn open(&self, open: Open, value: &Value) -> Result<(), String> {
        let Some(schema) = self.types.get(SCHEMA_TYPE) else { return Ok(()) };
        let schemas = |trees: &[Value]| {
            trees.iter().try_for_each(|tree| {
                let view = self.types.view(schema);
                super::check::check(view, &tree.clone().into(), false).map(|_| ()).map_err(|error| error.0)
            })
        };
        match (open, value) {
            (Open::Raw | Open::Interface, _) | (Open::SchemaOrBool, Value::Bool(_)) => Ok(()),
            (_, Value::Object(_)) => schemas(std::slice::from_ref(value)),
            (Open::SchemaOrBool, _) => Err("boolean or JSON schema expected".to_owned()),
            (Open::SchemaOrSchemas, Value::Array(items)) => schemas(items),
            (Open::SchemaOrNames, Value::Array(items)) => items
                .iter()
                .find(|item| !item.is_string() && !item.is_null())
                .map_or(Ok(()), |item| Err(unmarshal(&Fault::of(&Tree::from(item.clone()), "string")))),
            _ => Ok(()),
        }
    }
}

fn unmarshal(fault: &Fault) -> String {
    match fault {
        Fault::Type { value, go_type, .. } => {
            format!("json: cannot unmarshal {value} into Go value of type {go_type}")
        }
        Fault::Other(text) => text.clone(),
    }
}

fn single(kind_of: Scalar, value: &Value, go_type: &str) -> Result<(), String> {
    let named = || match kind_of {
        Scalar::Int32 => "int32",
        Scalar::Int64 => "int64",
        Scalar::Float => "float64",
        Scalar::Boolean => "bool",
        _ => "string",
    };
    match (kind_of, value) {
        (Scalar::Time | Scalar::MicroTime | Scalar::Quantity | Scalar::IntOrString, value) => {
            let text = to_string(value).unwrap_or_default();
            let tree = Tree::parse(&text).unwrap_or(Tree::Null);
            scalar(kind_of, tree).map(|_| ()).map_err(|fault| unmarshal(&fault))
        }
        (Scalar::Bytes, Value::String(text)) => {
            decode_base64(text).map(|_| ()).map_err(|error| format!("error decoding from json: {error}"))
        }
        (Scalar::Bytes, Value::Array(_))
        | (Scalar::String, Value::String(_))
        | (Scalar::Boolean, Value::Bool(_)) => Ok(()),
        (Scalar::Bytes, value) => Err(format!("cannot restore slice from {}", kind(value))),
        (Scalar::Int32 | Scalar::Int64 | Scalar::Float, Value::Number(number)) => {
            let fractional = number.is_f64() && number.as_f64().is_some_and(|float| float.fract() != 0.0);
            if fractional && kind_of != Scalar::Float {
                return Err(format!("cannot convert float64 to {go_type}"));
            }
            Ok(())
        }
        (Scalar::String, Value::Number(number)) if !number.is_f64() => {
            Err(format!("cannot convert int64 to {go_type}"))
        }
        _ => Err(format!("unrecognized type: {}", named())),
    }
}
