//! Values that may be missing.

use super::{Library, failure};
use crate::error::{EvalError, Outcome};
use crate::value::{List, Value};

pub(super) fn add(library: &mut Library) {
    library.add(
        "optional.of",
        &[("optional_of", "V -> optional_type(V)", |args| Ok(Value::some(args[0].clone())))],
    );
    library.add(
        "optional.ofNonZeroValue",
        &[("optional_ofNonZeroValue", "V -> optional_type(V)", |args| {
            Ok(if args[0].is_zero() { Value::Optional(None) } else { Value::some(args[0].clone()) })
        })],
    );
    library.add("optional.none", &[("optional_none", "-> optional_type(V)", |_| Ok(Value::Optional(None)))]);
    library.add(
        "value",
        &[("optional_value", "optional_type(V) . -> V", |args| match &args[0] {
            Value::Optional(Some(value)) => Ok((**value).clone()),
            _ => failure("optional.none() dereference"),
        })],
    );
    library.add(
        "hasValue",
        &[("optional_hasValue", "optional_type(V) . -> bool", |args| {
            Ok(Value::Bool(matches!(&args[0], Value::Optional(Some(_)))))
        })],
    );
    library.declare(
        "or",
        "optional_or_optional",
        "optional_type(V) . optional_type(V) -> optional_type(V)",
        None,
    );
    library.declare("orValue", "optional_orValue_value", "optional_type(V) . V -> V", None);
    for (id, signature) in [
        ("list_optindex_optional_int", "list(V), int -> optional_type(V)"),
        ("optional_list_optindex_optional_int", "optional_type(list(V)), int -> optional_type(V)"),
        ("map_optindex_optional_value", "map(K, V), K -> optional_type(V)"),
        ("optional_map_optindex_optional_value", "optional_type(map(K, V)), K -> optional_type(V)"),
    ] {
        library.declare("_[?_]", id, signature, None);
    }
    library.declare(
        "_[_]",
        "optional_list_index_int",
        "optional_type(list(V)), int -> optional_type(V)",
        None,
    );
    library.declare(
        "_[_]",
        "optional_map_index_value",
        "optional_type(map(K, V)), K -> optional_type(V)",
        None,
    );
    library.add(
        "last",
        &[("list_last", "list(V) . -> optional_type(V)", |args| {
            let list = list(args)?;
            item(list, list.len().wrapping_sub(1))
        })],
    );
    library.add("first", &[("list_first", "list(V) . -> optional_type(V)", |args| item(list(args)?, 0))]);
    library.add("optional.unwrap", &[("optional_unwrap", "list(optional_type(V)) -> list(V)", unwrap)]);
    library.add("unwrapOpt", &[("optional_unwrapOpt", "list(optional_type(V)) . -> list(V)", unwrap)]);
}

fn list<'v, 'a>(args: &'v [Value<'a>]) -> Outcome<&'v List<'a>> {
    match &args[0] {
        Value::List(list) => Ok(list),
        _ => Err(EvalError::no_overload()),
    }
}

fn item<'a>(list: &List<'a>, index: usize) -> Outcome<Value<'a>> {
    Ok(list.get(index).transpose()?.map_or(Value::Optional(None), Value::some))
}

fn unwrap<'a>(args: &[Value<'a>]) -> Outcome<Value<'a>> {
    let mut values = Vec::new();
    for item in list(args)?.iter() {
        match item? {
            Value::Optional(Some(value)) => values.push((*value).clone()),
            Value::Optional(None) => {}
            other => return failure(format!("value {other} is not optional")),
        }
    }
    Ok(Value::list(values))
}
