//! `index`, `slice` and `len`.

use std::rc::Rc;

use crate::functions::FunctionError;
use crate::value::types::{STRING, UINT8};
use crate::value::{Kind, List, Text, Value};

/// The item of a list, string or map at each of the indexes in turn.
pub(super) fn index(item: &Value, indexes: &[Value]) -> Result<Value, FunctionError> {
    if let Value::Nil = item {
        return Err(FunctionError::new("index of untyped nil"));
    }
    let mut item = item.clone();
    for index in indexes {
        item = match &item {
            Value::List(list) => {
                let at = position(index, list.len(), false)?;
                list.get(at).ok_or_else(|| FunctionError::new("reflect: slice index out of range"))?
            }
            Value::Bytes(bytes) => {
                let at = position(index, bytes.len(), false)?;
                let byte =
                    bytes.get(at).ok_or_else(|| FunctionError::new("reflect: slice index out of range"))?;
                Value::Uint(UINT8, u64::from(*byte))
            }
            Value::String(text) => byte_of(text.as_bytes(), index)?,
            Value::Number(digits) => byte_of(digits.as_bytes(), index)?,
            Value::Map(map) => {
                let key = match index {
                    Value::String(key) => key,
                    Value::Nil => {
                        return Err(FunctionError::new("value is nil; should be of type string"));
                    }
                    other => {
                        let message = format!("value has type {}; should be string", other.type_name());
                        return Err(FunctionError::new(message));
                    }
                };
                map.get(&key.carried()).unwrap_or_else(|| map.elem().zero())
            }
            Value::Nil => return Err(FunctionError::new("index of nil pointer")),
            Value::Object(object) if object.is_nil() => {
                return Err(FunctionError::new("index of nil pointer"));
            }
            other => {
                let message = format!("can't index item of type {}", struct_name(other));
                return Err(FunctionError::new(message));
            }
        };
    }
    Ok(item)
}

/// The name of the type behind a pointer.
fn struct_name(value: &Value) -> &'static str {
    match value.kind() {
        Kind::Pointer => value.type_name().trim_start_matches('*'),
        _ => value.type_name(),
    }
}

fn byte_of(bytes: &[u8], index: &Value) -> Result<Value, FunctionError> {
    let at = position(index, bytes.len(), false)?;
    match bytes.get(at) {
        Some(byte) => Ok(Value::Uint(UINT8, u64::from(*byte))),
        None => Err(FunctionError::new("reflect: string index out of range")),
    }
}

/// An index as a number that is at most `limit`.
fn position(index: &Value, limit: usize, boxed: bool) -> Result<usize, FunctionError> {
    let number = match index {
        Value::Nil if !boxed => return Err(FunctionError::new("cannot index slice/array with nil")),
        Value::Int(_, number) if !boxed => *number,
        Value::Uint(_, number) if !boxed => *number as i64,
        other => {
            let ty = if boxed { "interface {}" } else { other.type_name() };
            return Err(FunctionError::new(format!("cannot index slice/array with type {ty}")));
        }
    };
    match usize::try_from(number) {
        Ok(at) if at <= limit => Ok(at),
        _ => Err(FunctionError::new(format!("index out of range: {number}"))),
    }
}

/// Part of a list or string; `boxed` has a bit for each index that is in an interface, which Go refuses.
pub(super) fn slice(item: &Value, indexes: &[Value], boxed: u64) -> Result<Value, FunctionError> {
    let length = match item {
        Value::Nil => return Err(FunctionError::new("slice of untyped nil")),
        _ if indexes.len() > 3 => {
            return Err(FunctionError::new(format!("too many slice indexes: {}", indexes.len())));
        }
        Value::String(_) | Value::Number(_) if indexes.len() == 3 => {
            return Err(FunctionError::new("cannot 3-index slice a string"));
        }
        Value::String(text) => text.len(),
        Value::Number(digits) => digits.len(),
        Value::Bytes(bytes) => bytes.len(),
        Value::List(list) => list.len(),
        other => {
            return Err(FunctionError::new(format!("can't slice item of type {}", struct_name(other))));
        }
    };
    let mut bounds = [0, length, length];
    for (at, index) in indexes.iter().enumerate() {
        bounds[at] = position(index, length, boxed >> at & 1 == 1)?;
    }
    let [from, to, cap] = bounds;
    for (low, high) in [(from, to), (to, cap)] {
        if low > high {
            return Err(FunctionError::new(format!("invalid slice index: {low} > {high}")));
        }
    }
    Ok(match item {
        nil if nil.is_nil() => nil.clone(),
        Value::List(list) => {
            let items = list.borrow()[from..to].to_vec();
            Value::List(Rc::new(List::new(list.ty(), items)))
        }
        Value::Bytes(bytes) => Value::Bytes(Rc::new(bytes.slice(from..to).into())),
        Value::Number(digits) => Value::Number(Rc::from(&digits[from..to])),
        Value::String(text) => Value::String(Text::from_bytes(&text.as_bytes()[from..to])),
        _ => STRING.zero(),
    })
}

/// The length.
pub(super) fn len(item: &Value, boxed: bool) -> Result<Value, FunctionError> {
    let length = match item {
        Value::Nil if boxed => return Err(FunctionError::new("len of nil pointer")),
        Value::Nil => {
            return Err(FunctionError::new("reflect: call of reflect.Value.Type on zero Value"));
        }
        Value::Object(object) if object.is_nil() => {
            return Err(FunctionError::new("len of nil pointer"));
        }
        Value::String(text) => text.len(),
        Value::Number(digits) => digits.len(),
        Value::Bytes(bytes) => bytes.len(),
        Value::List(list) => list.len(),
        Value::Map(map) => map.len(),
        other => return Err(FunctionError::new(format!("len of type {}", struct_name(other)))),
    };
    Ok(Value::int(length as i64))
}
