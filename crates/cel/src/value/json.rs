//! JSON as values, as a schema describes it.

use std::sync::Arc;

use base64::Engine;
use serde_json::Value as Json;

use super::{List, Map, Span, Timestamp, Value};
use crate::error::{EvalError, Outcome};
use crate::schema::{Form, Schema};

impl<'a> Value<'a> {
    /// The value that JSON stands for. With a schema, texts may be moments, spans of time or bytes, and numbers may
    /// be floats; what the schema does not allow is an error.
    pub fn from_json(json: &'a Json, schema: Option<&'a Schema>) -> Outcome<Self> {
        let Some(schema) = schema else { return Ok(untyped(json)) };
        if json.is_null() {
            return if schema.nullable {
                Ok(Self::Null)
            } else {
                Err(invalid("got null for schema with nullable=false"))
            };
        }
        match &schema.form {
            Form::IntOrString => match json {
                Json::String(text) => Ok(text.as_str().into()),
                Json::Number(number) if number.is_i64() => Ok(untyped(json)),
                _ => Err(invalid("expected XIntOrString value to be either a string or integer")),
            },
            Form::Object { .. } | Form::Map(_) | Form::Opaque => match json {
                Json::Object(fields) => Ok(Self::Map(Map::from_json(fields, Some(schema)))),
                _ => Err(invalid("expected a map for the provided schema with type=object")),
            },
            Form::List { items, kind } => match json {
                Json::Array(elements) => Ok(Self::List(List::from_json(elements, Some((items, kind))))),
                _ => Err(invalid("expected an array for the provided schema with type=array")),
            },
            Form::String(format) => match json {
                Json::String(text) => formatted(text, format),
                _ => Err(invalid(&format!("expected string, got {}", go_type(json)))),
            },
            Form::Number => match json.as_f64() {
                Some(number) => Ok(Self::Double(number)),
                None => Err(invalid(&format!("expected float, got {}", go_type(json)))),
            },
            Form::Integer => match json.as_i64() {
                Some(number) => Ok(Self::Int(number)),
                None => Err(invalid(&format!("expected int, got {}", go_type(json)))),
            },
            Form::Boolean => match json {
                Json::Bool(truth) => Ok(Self::Bool(*truth)),
                _ => Err(invalid(&format!("expected bool, got {}", go_type(json)))),
            },
            Form::Preserved => Ok(Self::Preserved(json)),
            Form::Unknown(name) => Err(EvalError::Function(format!(
                "invalid type, expected object, array, number, integer, boolean or string, or no type with \
                 x-kubernetes-int-or-string or x-kubernetes-preserve-unknown-fields is true, got {name}"
            ))),
        }
    }
}

fn invalid(problem: &str) -> EvalError {
    EvalError::Function(format!("invalid data, {problem}"))
}

fn untyped(json: &Json) -> Value<'_> {
    match json {
        Json::Null => Value::Null,
        Json::Bool(truth) => Value::Bool(*truth),
        Json::Number(number) => match number.as_i64() {
            Some(number) => Value::Int(number),
            None => Value::Double(number.as_f64().unwrap_or(f64::NAN)),
        },
        Json::String(text) => text.as_str().into(),
        Json::Array(items) => Value::List(List::from_json(items, None)),
        Json::Object(fields) => Value::Map(Map::from_json(fields, None)),
    }
}

fn go_type(json: &Json) -> &'static str {
    match json {
        Json::Null => "<nil>",
        Json::Bool(_) => "bool",
        Json::Number(number) if number.is_i64() => "int64",
        Json::Number(_) => "float64",
        Json::String(_) => "string",
        Json::Array(_) => "[]interface {}",
        Json::Object(_) => "map[string]interface {}",
    }
}

fn formatted<'a>(text: &'a str, format: &str) -> Outcome<Value<'a>> {
    let wrong = |what: &str, problem: &str| EvalError::Function(format!("Invalid {what} {text}: {problem}"));
    Ok(match format {
        "duration" => {
            let span = Span::parse_open_api(text).map_err(|problem| wrong("duration", &problem))?;
            Value::Duration(span)
        }
        "date" => match Timestamp::parse_date(text) {
            Some(moment) => Value::Timestamp(moment),
            None => return Err(wrong("date formatted string", "not a date")),
        },
        "date-time" => match Timestamp::parse_open_api(text) {
            Some(moment) => Value::Timestamp(moment),
            None => return Err(wrong("date-time formatted string", "not a date-time")),
        },
        "byte" => {
            if let Ok(bytes) = base64::engine::general_purpose::STANDARD.decode(text) {
                Value::Bytes(Arc::from(bytes))
            } else {
                let place = text.bytes().position(|b| !(b.is_ascii_alphanumeric() || b"+/=".contains(&b)));
                let place = place.unwrap_or(text.len());
                return Err(wrong(
                    "byte formatted string",
                    &format!("illegal base64 data at input byte {place}"),
                ));
            }
        }
        _ => text.into(),
    })
}
