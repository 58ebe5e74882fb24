//! Lists: taking apart, putting together, searching.

use std::rc::Rc;

use super::cast::{to_int64, truncate};
use super::{Args, Context, Function, FunctionError};
use crate::value::types::{ANY, BOOL, INT, LIST_ANY, LIST_LIST_ANY};
use crate::value::{List, Value};

type Result = std::result::Result<Value, FunctionError>;

pub(super) static TABLE: &[Function] = &[
    Function::variadic("list", &[ANY], LIST_ANY, list),
    Function::variadic("tuple", &[ANY], LIST_ANY, list),
    Function::new("append", &[ANY, ANY], LIST_ANY, append),
    Function::new("push", &[ANY, ANY], LIST_ANY, append),
    Function::new("mustAppend", &[ANY, ANY], LIST_ANY, append),
    Function::new("mustPush", &[ANY, ANY], LIST_ANY, append),
    Function::new("prepend", &[ANY, ANY], LIST_ANY, prepend),
    Function::new("mustPrepend", &[ANY, ANY], LIST_ANY, prepend),
    Function::new("first", &[ANY], ANY, first),
    Function::new("mustFirst", &[ANY], ANY, first),
    Function::new("rest", &[ANY], LIST_ANY, rest),
    Function::new("mustRest", &[ANY], LIST_ANY, rest),
    Function::new("last", &[ANY], ANY, last),
    Function::new("mustLast", &[ANY], ANY, last),
    Function::new("initial", &[ANY], LIST_ANY, initial),
    Function::new("mustInitial", &[ANY], LIST_ANY, initial),
    Function::new("reverse", &[ANY], LIST_ANY, reverse),
    Function::new("mustReverse", &[ANY], LIST_ANY, reverse),
    Function::new("compact", &[ANY], LIST_ANY, compact),
    Function::new("mustCompact", &[ANY], LIST_ANY, compact),
    Function::new("uniq", &[ANY], LIST_ANY, uniq),
    Function::new("mustUniq", &[ANY], LIST_ANY, uniq),
    Function::variadic("without", &[ANY, ANY], LIST_ANY, without),
    Function::variadic("mustWithout", &[ANY, ANY], LIST_ANY, without),
    Function::new("has", &[ANY, ANY], BOOL, has),
    Function::new("mustHas", &[ANY, ANY], BOOL, has),
    Function::variadic("slice", &[ANY, ANY], ANY, slice),
    Function::variadic("mustSlice", &[ANY, ANY], ANY, slice),
    Function::variadic("concat", &[ANY], ANY, concat),
    Function::new("chunk", &[INT, ANY], LIST_LIST_ANY, chunk),
    Function::new("mustChunk", &[INT, ANY], LIST_LIST_ANY, chunk),
];

/// The panic of asking nothing for its type.
pub(super) const NIL_POINTER: &str = "runtime error: invalid memory address or nil pointer dereference";

/// Runs on the elements of a list; anything else is an error that says what could not be done.
fn with_items<T>(
    value: &Value,
    complaint: &str,
    run: impl FnOnce(&[Value]) -> T,
) -> std::result::Result<T, FunctionError> {
    match value {
        Value::Nil => Err(FunctionError::new(NIL_POINTER)),
        Value::List(list) => Ok(run(&list.borrow())),
        Value::Bytes(_) => Ok(run(&value.to_items().unwrap_or_default())),
        other => Err(FunctionError::new(format!("{complaint} {}", other.kind().name()))),
    }
}

fn nil_list() -> Value {
    Value::List(Rc::new(List::nil(LIST_ANY)))
}

fn list(_: &Context, args: Args<'_>) -> Result {
    Ok(Value::list(args.rest(0).to_vec()))
}

fn append(_: &Context, args: Args<'_>) -> Result {
    with_items(args.value(0), "Cannot push on type", |items| {
        let mut all = Vec::with_capacity(items.len() + 1);
        all.extend_from_slice(items);
        all.push(args.value(1).clone());
        Value::list(all)
    })
}

fn prepend(_: &Context, args: Args<'_>) -> Result {
    with_items(args.value(0), "Cannot prepend on type", |items| {
        let mut all = Vec::with_capacity(items.len() + 1);
        all.push(args.value(1).clone());
        all.extend_from_slice(items);
        Value::list(all)
    })
}

fn first(_: &Context, args: Args<'_>) -> Result {
    with_items(args.value(0), "Cannot find first on type", |items| items.first().cloned().unwrap_or_default())
}

fn last(_: &Context, args: Args<'_>) -> Result {
    with_items(args.value(0), "Cannot find last on type", |items| items.last().cloned().unwrap_or_default())
}

fn rest(_: &Context, args: Args<'_>) -> Result {
    with_items(args.value(0), "Cannot find rest on type", |items| {
        items.split_first().map_or_else(nil_list, |(_, rest)| Value::list(rest.to_vec()))
    })
}

fn initial(_: &Context, args: Args<'_>) -> Result {
    with_items(args.value(0), "Cannot find initial on type", |items| {
        items.split_last().map_or_else(nil_list, |(_, initial)| Value::list(initial.to_vec()))
    })
}

fn reverse(_: &Context, args: Args<'_>) -> Result {
    with_items(args.value(0), "Cannot find reverse on type", |items| {
        Value::list(items.iter().rev().cloned().collect())
    })
}

fn compact(_: &Context, args: Args<'_>) -> Result {
    with_items(args.value(0), "Cannot compact on type", |items| {
        Value::list(items.iter().filter(|item| item.truth()).cloned().collect())
    })
}

fn contains(items: &[Value], wanted: &Value) -> bool {
    items.iter().any(|item| wanted.deep_equal(item))
}

fn uniq(context: &Context, args: Args<'_>) -> Result {
    with_items(args.value(0), "Cannot find uniq on type", |items| {
        let mut distinct = Vec::new();
        let mut comparisons = 0_usize;
        for item in items {
            // The square of the length: one comparison takes about as long as making a byte.
            comparisons += distinct.len();
            if comparisons > context.value_bytes {
                return Err(FunctionError::new("list is too long to look for what is in it twice"));
            }
            if !contains(&distinct, item) {
                distinct.push(item.clone());
            }
        }
        Ok(Value::list(distinct))
    })?
}

fn without(_: &Context, args: Args<'_>) -> Result {
    with_items(args.value(0), "Cannot find without on type", |items| {
        Value::list(items.iter().filter(|item| !contains(args.rest(1), item)).cloned().collect())
    })
}

fn has(_: &Context, args: Args<'_>) -> Result {
    if matches!(args.value(1), Value::Nil) {
        return Ok(false.into());
    }
    with_items(args.value(1), "Cannot find has on type", |items| contains(items, args.value(0)).into())
}

fn slice(_: &Context, args: Args<'_>) -> Result {
    let value = args.value(0);
    let sliced = with_items(value, "list should be type of slice or array but", |items| {
        if items.is_empty() {
            return Some(Value::Nil);
        }
        let bound = |index: usize, otherwise: i64| {
            if args.len() > index { to_int64(args.value(index)) } else { otherwise }
        };
        let start = usize::try_from(bound(1, 0)).ok()?;
        let end = usize::try_from(bound(2, items.len() as i64)).ok()?;
        let kept = items.get(start..end)?;
        Some(match value {
            Value::List(list) => Value::List(Rc::new(List::new(list.ty(), kept.to_vec()))),
            Value::Bytes(bytes) => Value::Bytes(Rc::new(bytes.slice(start..end).into())),
            _ => Value::Nil,
        })
    })?;
    sliced.ok_or_else(|| FunctionError::new("reflect.Value.Slice: slice index out of bounds"))
}

fn concat(_: &Context, args: Args<'_>) -> Result {
    let mut all = Vec::new();
    for list in args.rest(0) {
        match list {
            Value::Nil => return Err(FunctionError::new(NIL_POINTER)),
            Value::List(_) | Value::Bytes(_) => with_items(list, "", |items| all.extend_from_slice(items))?,
            other => {
                let kind = other.kind().name();
                return Err(FunctionError::new(format!("Cannot concat type {kind} as list")));
            }
        }
    }
    Ok(if all.is_empty() { nil_list() } else { Value::list(all) })
}

fn chunk(_: &Context, args: Args<'_>) -> Result {
    let size = args.int(0) as f64;
    with_items(args.value(1), "Cannot chunk type", |items| {
        let length = items.len() as f64;
        let out_of_range = || FunctionError::new("runtime error: makeslice: len out of range");
        let count = truncate(((length - 1.0) / size).floor() + 1.0);
        let count = usize::try_from(count).map_err(|_| out_of_range())?;
        let mut chunks = Vec::with_capacity(count.min(items.len()));
        for index in 0..count {
            let mut width = size;
            if index + 1 == count {
                width = (length % size).floor();
                if width == 0.0 {
                    width = size;
                }
            }
            let width = usize::try_from(truncate(width)).map_err(|_| out_of_range())?;
            let start = (index as f64 * size) as usize;
            let part = items.get(start..start + width).ok_or_else(out_of_range)?;
            chunks.push(Value::list(part.to_vec()));
        }
        Ok(Value::List(Rc::new(List::new(LIST_LIST_ANY, chunks))))
    })?
}
