//! Operators, `size`, `in`, `type` and `dyn`.

use std::cmp::Ordering;

use super::{Library, convert, failure};
use crate::error::{EvalError, Outcome};
use crate::types::Type;
use crate::value::{Span, Value};

pub(super) fn add(library: &mut Library) {
    let anything = |_: &Value<'_>| true;
    library.declare("_?_:_", "conditional", "bool, A, A -> A", None);
    library.declare("_&&_", "logical_and", "bool, bool -> bool", None);
    library.declare("_||_", "logical_or", "bool, bool -> bool", None);
    library.declare("@not_strictly_false", "not_strictly_false", "bool -> bool", None);
    library.declare("_==_", "equals", "A, A -> bool", None);
    library.declare("_!=_", "not_equals", "A, A -> bool", None);
    library.share("!_", anything, not, &[("logical_not", "bool -> bool")]);
    library.share(
        "_+_",
        is_adder,
        plus,
        &[
            ("add_bytes", "bytes, bytes -> bytes"),
            ("add_double", "double, double -> double"),
            ("add_duration_duration", "duration, duration -> duration"),
            ("add_duration_timestamp", "duration, timestamp -> timestamp"),
            ("add_timestamp_duration", "timestamp, duration -> timestamp"),
            ("add_int64", "int, int -> int"),
            ("add_list", "list(A), list(A) -> list(A)"),
            ("add_string", "string, string -> string"),
            ("add_uint64", "uint, uint -> uint"),
        ],
    );
    library.share(
        "_-_",
        is_subtractor,
        minus,
        &[
            ("subtract_double", "double, double -> double"),
            ("subtract_duration_duration", "duration, duration -> duration"),
            ("subtract_int64", "int, int -> int"),
            ("subtract_timestamp_duration", "timestamp, duration -> timestamp"),
            ("subtract_timestamp_timestamp", "timestamp, timestamp -> duration"),
            ("subtract_uint64", "uint, uint -> uint"),
        ],
    );
    library.share(
        "_*_",
        is_number,
        times,
        &[
            ("multiply_double", "double, double -> double"),
            ("multiply_int64", "int, int -> int"),
            ("multiply_uint64", "uint, uint -> uint"),
        ],
    );
    library.share(
        "_/_",
        is_number,
        divided,
        &[
            ("divide_double", "double, double -> double"),
            ("divide_int64", "int, int -> int"),
            ("divide_uint64", "uint, uint -> uint"),
        ],
    );
    library.share(
        "_%_",
        |value| matches!(value, Value::Int(_) | Value::Uint(_)),
        remainder,
        &[("modulo_int64", "int, int -> int"), ("modulo_uint64", "uint, uint -> uint")],
    );
    library.share(
        "-_",
        |value| matches!(value, Value::Bool(_) | Value::Int(_) | Value::Double(_) | Value::Duration(_)),
        negated,
        &[("negate_double", "double -> double"), ("negate_int64", "int -> int")],
    );
    comparisons(library);
    library.declare("_[_]", "index_list", "list(A), int -> A", None);
    library.declare("_[_]", "index_map", "map(A, B), A -> B", None);
    library.share(
        "@in",
        anything,
        within,
        &[("in_list", "A, list(A) -> bool"), ("in_map", "A, map(A, B) -> bool")],
    );
    library.share(
        "size",
        |value| matches!(value, Value::String(_) | Value::Bytes(_) | Value::List(_) | Value::Map(_)),
        |args| Ok(Value::Int(args[0].size().unwrap_or_default() as i64)),
        &[
            ("size_bytes", "bytes -> int"),
            ("bytes_size", "bytes . -> int"),
            ("size_list", "list(A) -> int"),
            ("list_size", "list(A) . -> int"),
            ("size_map", "map(A, B) -> int"),
            ("map_size", "map(A, B) . -> int"),
            ("size_string", "string -> int"),
            ("string_size", "string . -> int"),
        ],
    );
    library.share("type", anything, |args| convert(&args[0], &Type::Type(None)), &[("type", "A -> type(A)")]);
    library.share("dyn", anything, |args| Ok(args[0].clone()), &[("to_dyn", "A -> dyn")]);
}

fn comparisons(library: &mut Library) {
    let pairs = [
        ("bool", "bool", "bool"),
        ("int64", "int", "int"),
        ("int64_double", "int", "double"),
        ("int64_uint64", "int", "uint"),
        ("uint64", "uint", "uint"),
        ("uint64_double", "uint", "double"),
        ("uint64_int64", "uint", "int"),
        ("double", "double", "double"),
        ("double_int64", "double", "int"),
        ("double_uint64", "double", "uint"),
        ("string", "string", "string"),
        ("bytes", "bytes", "bytes"),
        ("timestamp", "timestamp", "timestamp"),
        ("duration", "duration", "duration"),
    ];
    for (name, word) in
        [("_<_", "less"), ("_<=_", "less_equals"), ("_>_", "greater"), ("_>=_", "greater_equals")]
    {
        for (id, first, second) in pairs {
            library.declare(name, format!("{word}_{id}"), &format!("{first}, {second} -> bool"), None);
        }
    }
    library.share("_<_", is_ordered, |args| compared(args, Ordering::is_lt), &[]);
    library.share("_<=_", is_ordered, |args| compared(args, Ordering::is_le), &[]);
    library.share("_>_", is_ordered, |args| compared(args, Ordering::is_gt), &[]);
    library.share("_>=_", is_ordered, |args| compared(args, Ordering::is_ge), &[]);
}

fn compared<'a>(args: &[Value<'a>], wanted: fn(Ordering) -> bool) -> Outcome<Value<'a>> {
    Ok(Value::Bool(wanted(args[0].compare(&args[1])?)))
}

fn is_ordered(value: &Value<'_>) -> bool {
    value.is_comparable()
}

fn is_number(value: &Value<'_>) -> bool {
    matches!(value, Value::Int(_) | Value::Uint(_) | Value::Double(_))
}

fn is_subtractor(value: &Value<'_>) -> bool {
    is_number(value) || matches!(value, Value::Duration(_) | Value::Timestamp(_))
}

fn is_adder(value: &Value<'_>) -> bool {
    is_subtractor(value) || matches!(value, Value::Bytes(_) | Value::List(_) | Value::String(_))
}

/// What a comprehension goes on with: anything but `false`, also what is not yet known to be true.
pub(crate) fn not_strictly_false(value: &Outcome<Value<'_>>) -> bool {
    !matches!(value, Ok(Value::Bool(false)))
}

fn not<'a>(args: &[Value<'a>]) -> Outcome<Value<'a>> {
    match &args[0] {
        Value::Bool(truth) => Ok(Value::Bool(!truth)),
        _ => Err(EvalError::no_overload()),
    }
}

const INTEGER: EvalError = EvalError::Overflow("integer");
const UNSIGNED: EvalError = EvalError::Overflow("unsigned integer");
const TIMESTAMP: EvalError = EvalError::Overflow("timestamp");

pub(super) fn plus<'a>(args: &[Value<'a>]) -> Outcome<Value<'a>> {
    Ok(match (&args[0], &args[1]) {
        (Value::Int(first), Value::Int(second)) => Value::Int(first.checked_add(*second).ok_or(INTEGER)?),
        (Value::Uint(first), Value::Uint(second)) => Value::Uint(first.checked_add(*second).ok_or(UNSIGNED)?),
        (Value::Double(first), Value::Double(second)) => Value::Double(first + second),
        (Value::String(first), Value::String(second)) => {
            let mut text = String::with_capacity(first.len() + second.len());
            text.push_str(first);
            text.push_str(second);
            Value::string(text)
        }
        (Value::Bytes(first), Value::Bytes(second)) => Value::Bytes([&**first, &**second].concat().into()),
        (Value::List(first), Value::List(second)) => Value::List(first.concat(second)?),
        (Value::Duration(first), Value::Duration(second)) => {
            Value::Duration(Span(first.0.checked_add(second.0).ok_or(INTEGER)?))
        }
        (Value::Duration(span), Value::Timestamp(moment))
        | (Value::Timestamp(moment), Value::Duration(span)) => {
            Value::Timestamp(moment.add(*span).ok_or(TIMESTAMP)?)
        }
        _ => return Err(EvalError::no_overload()),
    })
}

fn minus<'a>(args: &[Value<'a>]) -> Outcome<Value<'a>> {
    Ok(match (&args[0], &args[1]) {
        (Value::Int(first), Value::Int(second)) => Value::Int(first.checked_sub(*second).ok_or(INTEGER)?),
        (Value::Uint(first), Value::Uint(second)) => Value::Uint(first.checked_sub(*second).ok_or(UNSIGNED)?),
        (Value::Double(first), Value::Double(second)) => Value::Double(first - second),
        (Value::Duration(first), Value::Duration(second)) => {
            Value::Duration(Span(first.0.checked_sub(second.0).ok_or(INTEGER)?))
        }
        (Value::Timestamp(moment), Value::Duration(span)) => {
            let back = Span(span.0.checked_neg().ok_or(INTEGER)?);
            Value::Timestamp(moment.add(back).ok_or(TIMESTAMP)?)
        }
        (Value::Timestamp(first), Value::Timestamp(second)) => {
            Value::Duration(first.since(*second).ok_or(INTEGER)?)
        }
        _ => return Err(EvalError::no_overload()),
    })
}

fn times<'a>(args: &[Value<'a>]) -> Outcome<Value<'a>> {
    Ok(match (&args[0], &args[1]) {
        (Value::Int(first), Value::Int(second)) => Value::Int(first.checked_mul(*second).ok_or(INTEGER)?),
        (Value::Uint(first), Value::Uint(second)) => Value::Uint(first.checked_mul(*second).ok_or(UNSIGNED)?),
        (Value::Double(first), Value::Double(second)) => Value::Double(first * second),
        _ => return Err(EvalError::no_overload()),
    })
}

fn divided<'a>(args: &[Value<'a>]) -> Outcome<Value<'a>> {
    const ZERO: EvalError = EvalError::ByZero("division");
    Ok(match (&args[0], &args[1]) {
        (Value::Int(_), Value::Int(0)) | (Value::Uint(_), Value::Uint(0)) => return Err(ZERO),
        (Value::Int(first), Value::Int(second)) => Value::Int(first.checked_div(*second).ok_or(INTEGER)?),
        (Value::Uint(first), Value::Uint(second)) => Value::Uint(first / second),
        (Value::Double(first), Value::Double(second)) => Value::Double(first / second),
        _ => return Err(EvalError::no_overload()),
    })
}

fn remainder<'a>(args: &[Value<'a>]) -> Outcome<Value<'a>> {
    const ZERO: EvalError = EvalError::ByZero("modulus");
    Ok(match (&args[0], &args[1]) {
        (Value::Int(_), Value::Int(0)) | (Value::Uint(_), Value::Uint(0)) => return Err(ZERO),
        (Value::Int(first), Value::Int(second)) => Value::Int(first.checked_rem(*second).ok_or(INTEGER)?),
        (Value::Uint(first), Value::Uint(second)) => Value::Uint(first % second),
        _ => return Err(EvalError::no_overload()),
    })
}

fn negated<'a>(args: &[Value<'a>]) -> Outcome<Value<'a>> {
    Ok(match &args[0] {
        Value::Int(number) => Value::Int(number.checked_neg().ok_or(INTEGER)?),
        Value::Double(number) => Value::Double(-number),
        Value::Duration(span) => Value::Duration(Span(span.0.checked_neg().ok_or(INTEGER)?)),
        _ => return Err(EvalError::no_overload()),
    })
}

fn within<'a>(args: &[Value<'a>]) -> Outcome<Value<'a>> {
    match &args[1] {
        Value::List(list) => list.contains(&args[0]).map(Value::Bool),
        Value::Map(map) => Ok(Value::Bool(map.get(&args[0])?.is_some())),
        _ => failure("no such overload"),
    }
}
