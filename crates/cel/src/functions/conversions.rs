//! Conversions: `int(x)`, `string(x)` and their kin.

use std::sync::Arc;

use goyaml::strconv;

use super::Library;
use crate::error::{EvalError, Outcome};
use crate::types::Type;
use crate::value::{NoMoment, Span, Timestamp, Value};

pub(super) fn add(library: &mut Library) {
    library.add(
        "bool",
        &[("bool_to_bool", "bool -> bool", same), ("string_to_bool", "string -> bool", to_bool)],
    );
    library.add(
        "bytes",
        &[
            ("bytes_to_bytes", "bytes -> bytes", same),
            ("string_to_bytes", "string -> bytes", |args| convert(&args[0], &Type::Bytes)),
        ],
    );
    library.add(
        "double",
        &[
            ("double_to_double", "double -> double", same),
            ("int64_to_double", "int -> double", to_double),
            ("string_to_double", "string -> double", to_double),
            ("uint64_to_double", "uint -> double", to_double),
        ],
    );
    library.add(
        "duration",
        &[
            ("duration_to_duration", "duration -> duration", same),
            ("int64_to_duration", "int -> duration", to_duration),
            ("string_to_duration", "string -> duration", to_duration),
        ],
    );
    library.add(
        "int",
        &[
            ("int64_to_int64", "int -> int", same),
            ("double_to_int64", "double -> int", to_int),
            ("duration_to_int64", "duration -> int", to_int),
            ("string_to_int64", "string -> int", to_int),
            ("timestamp_to_int64", "timestamp -> int", to_int),
            ("uint64_to_int64", "uint -> int", to_int),
        ],
    );
    library.add(
        "string",
        &[
            ("string_to_string", "string -> string", same),
            ("bool_to_string", "bool -> string", to_string),
            ("bytes_to_string", "bytes -> string", to_string),
            ("double_to_string", "double -> string", to_string),
            ("duration_to_string", "duration -> string", to_string),
            ("int64_to_string", "int -> string", to_string),
            ("timestamp_to_string", "timestamp -> string", to_string),
            ("uint64_to_string", "uint -> string", to_string),
        ],
    );
    library.add(
        "timestamp",
        &[
            ("timestamp_to_timestamp", "timestamp -> timestamp", same),
            ("int64_to_timestamp", "int -> timestamp", to_timestamp),
            ("string_to_timestamp", "string -> timestamp", to_timestamp),
        ],
    );
    library.add(
        "uint",
        &[
            ("uint64_to_uint64", "uint -> uint", same),
            ("double_to_uint64", "double -> uint", to_uint),
            ("int64_to_uint64", "int -> uint", to_uint),
            ("string_to_uint64", "string -> uint", to_uint),
        ],
    );
}

#[expect(clippy::unnecessary_wraps, reason = "all implementations may fail")]
fn same<'a>(args: &[Value<'a>]) -> Outcome<Value<'a>> {
    Ok(args[0].clone())
}

fn to_bool<'a>(args: &[Value<'a>]) -> Outcome<Value<'a>> {
    convert(&args[0], &Type::Bool)
}

fn to_double<'a>(args: &[Value<'a>]) -> Outcome<Value<'a>> {
    convert(&args[0], &Type::Double)
}

fn to_duration<'a>(args: &[Value<'a>]) -> Outcome<Value<'a>> {
    convert(&args[0], &Type::Duration)
}

fn to_int<'a>(args: &[Value<'a>]) -> Outcome<Value<'a>> {
    convert(&args[0], &Type::Int)
}

fn to_string<'a>(args: &[Value<'a>]) -> Outcome<Value<'a>> {
    convert(&args[0], &Type::String)
}

fn to_timestamp<'a>(args: &[Value<'a>]) -> Outcome<Value<'a>> {
    convert(&args[0], &Type::Timestamp)
}

fn to_uint<'a>(args: &[Value<'a>]) -> Outcome<Value<'a>> {
    convert(&args[0], &Type::Uint)
}

/// A value as one of another type.
pub(crate) fn convert<'a>(value: &Value<'a>, to: &Type) -> Outcome<Value<'a>> {
    let converted = match (value, to) {
        (_, Type::Type(_)) => {
            if let Value::Preserved(_) = value {
                return Err(EvalError::Function(
                    "type conversion to 'type' not supported for values preserved by \
                     x-kubernetes-preserve-unknown-fields"
                        .into(),
                ));
            }
            Some(Value::Type(value.type_value()))
        }
        (Value::String(text), to) => from_text(text, to)?,
        (value, Type::String) => text_of(value)?.map(Value::string),
        (Value::Int(number), Type::Uint) => {
            Some(Value::Uint(u64::try_from(*number).map_err(|_| EvalError::Overflow("unsigned integer"))?))
        }
        (Value::Int(number), Type::Double) => Some(Value::Double(*number as f64)),
        (Value::Int(number), Type::Timestamp) => {
            let moment = Timestamp::from_seconds(*number).ok_or(EvalError::Overflow("timestamp"))?;
            Some(Value::Timestamp(moment))
        }
        (Value::Uint(number), Type::Int) => {
            Some(Value::Int(i64::try_from(*number).map_err(|_| EvalError::Overflow("integer"))?))
        }
        (Value::Uint(number), Type::Double) => Some(Value::Double(*number as f64)),
        (Value::Double(number), Type::Int) => {
            if number.is_nan() || *number <= i64::MIN as f64 || *number >= i64::MAX as f64 {
                return Err(EvalError::Overflow("integer"));
            }
            Some(Value::Int(*number as i64))
        }
        (Value::Double(number), Type::Uint) => {
            if number.is_nan() || *number < 0.0 || *number >= 18_446_744_073_709_551_616.0 {
                return Err(EvalError::Overflow("unsigned integer"));
            }
            Some(Value::Uint(*number as u64))
        }
        (Value::Duration(span), Type::Int) => Some(Value::Int(span.0)),
        (Value::Timestamp(moment), Type::Int) => Some(Value::Int(moment.instant().0)),
        _ => None,
    };
    converted.ok_or_else(|| EvalError::Conversion { from: value.type_name().to_owned(), to: target_name(to) })
}

fn target_name(of: &Type) -> &'static str {
    match of {
        Type::Bool => "bool",
        Type::Bytes => "bytes",
        Type::Double => "double",
        Type::Duration => "google.protobuf.Duration",
        Type::Int => "int",
        Type::String => "string",
        Type::Timestamp => "google.protobuf.Timestamp",
        Type::Uint => "uint",
        _ => "type",
    }
}

fn from_text<'a>(text: &crate::value::Text<'a>, to: &Type) -> Outcome<Option<Value<'a>>> {
    Ok(match to {
        Type::String => Some(Value::String(text.clone())),
        Type::Int => strconv::parse_int(text, 10, 64).ok().map(Value::Int),
        Type::Uint => strconv::parse_uint(text, 10, 64).ok().map(Value::Uint),
        Type::Double => strconv::parse_float(text, 64).ok().map(Value::Double),
        Type::Bool => strconv::parse_bool(text).ok().map(Value::Bool),
        Type::Bytes => Some(Value::Bytes(Arc::from(text.as_bytes()))),
        Type::Duration => goyaml::duration::parse(text).ok().map(|span| Value::Duration(Span(span))),
        Type::Timestamp => match Timestamp::parse(text) {
            Ok(moment) => Some(Value::Timestamp(moment)),
            Err(NoMoment::Syntax) => None,
            Err(NoMoment::Range) => return Err(EvalError::Overflow("timestamp")),
        },
        _ => None,
    })
}

/// The text of a value, if values of its type have one.
fn text_of(value: &Value<'_>) -> Outcome<Option<String>> {
    Ok(Some(match value {
        Value::Null => "null".to_owned(),
        Value::Bool(truth) => truth.to_string(),
        Value::Int(number) => number.to_string(),
        Value::Uint(number) => number.to_string(),
        Value::Double(number) => strconv::format_float(*number, b'g', -1, 64),
        Value::Bytes(bytes) => {
            let problem = |_| EvalError::Function("invalid UTF-8 in bytes, cannot convert to string".into());
            std::str::from_utf8(bytes).map_err(problem)?.to_owned()
        }
        Value::Duration(span) => span.text(),
        Value::Timestamp(moment) => moment.to_string(),
        Value::Type(of) => of.name().to_owned(),
        Value::Ip(address) => address.to_string(),
        Value::Cidr(range) => range.to_string(),
        _ => return Ok(None),
    }))
}
