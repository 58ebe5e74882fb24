//! Lists: sums, extremes, order, places, parts.

use std::cmp::Ordering;

use super::operators::plus;
use super::{Library, failure, int};
use crate::ast::operator;
use crate::error::{EvalError, Outcome};
use crate::value::{List, Span, Value};

/// The longest list that `lists.range` makes: what it would cost exceeds every budget.
const LONGEST_RANGE: i64 = 2_000_000;

pub(super) fn add(library: &mut Library) {
    for of in ["int", "uint", "double", "bool", "duration", "timestamp", "string", "bytes"] {
        library.declare(
            "isSorted",
            format!("list_{of}_is_sorted_bool"),
            &format!("list({of}) . -> bool"),
            Some(is_sorted),
        );
        library.declare("max", format!("list_{of}_max_{of}"), &format!("list({of}) . -> {of}"), Some(max));
        library.declare("min", format!("list_{of}_min_{of}"), &format!("list({of}) . -> {of}"), Some(min));
    }
    library.add(
        "sum",
        &[
            ("list_int_sum_int", "list(int) . -> int", |args| sum(args, Value::Int(0))),
            ("list_uint_sum_uint", "list(uint) . -> uint", |args| sum(args, Value::Uint(0))),
            ("list_double_sum_double", "list(double) . -> double", |args| sum(args, Value::Double(0.0))),
            ("list_duration_sum_duration", "list(duration) . -> duration", |args| {
                sum(args, Value::Duration(Span(0)))
            }),
        ],
    );
    library.add("indexOf", &[("list_a_index_of_int", "list(A) . A -> int", index_of)]);
    library.add("lastIndexOf", &[("list_a_last_index_of_int", "list(A) . A -> int", last_index_of)]);
    library.add("slice", &[("list_slice", "list(T) . int, int -> list(T)", slice)]);
    library.declare("flatten", "list_flatten", "list(list(T)) . -> list(T)", Some(flatten)).unguarded = true;
    library.declare("flatten", "list_flatten_int", "list(dyn) . int -> list(dyn)", Some(flatten)).unguarded =
        true;
    let comparable = ["int", "uint", "double", "bool", "duration", "timestamp", "string", "bytes"];
    for of in comparable {
        library.declare("sort", format!("list_{of}_sort"), &format!("list({of}) . -> list({of})"), None);
        let id = format!("list_{of}_sortByAssociatedKeys");
        library.declare(operator::SORT_BY, id, &format!("list(T) . list({of}) -> list(T)"), None);
    }
    let is_list = |value: &Value<'_>| matches!(value, Value::List(_));
    library.share("sort", is_list, |args| sorted(list(args, 0)?, list(args, 0)?), &[]);
    library.share(operator::SORT_BY, is_list, |args| sorted(list(args, 0)?, list(args, 1)?), &[]);
    library.add(
        "lists.range",
        &[("lists_range", "int -> list(int)", |args| {
            let count = int(args, 0)?;
            if count > LONGEST_RANGE {
                return Err(EvalError::CostExceeded);
            }
            Ok(Value::list((0..count).map(Value::Int).collect()))
        })],
    );
    library.add(
        "reverse",
        &[("list_reverse", "list(T) . -> list(T)", |args| {
            let mut items = list(args, 0)?.values()?;
            items.reverse();
            Ok(Value::list(items))
        })],
    );
    library.add("distinct", &[("list_distinct", "list(T) . -> list(T)", distinct)]);
    library.add(
        operator::MAP_INSERT,
        &[
            ("@mapInsert_map_key_value", "map(K, V), K, V -> map(K, V)", |args| match &args[0] {
                Value::Map(map) => {
                    let mut map = map.clone();
                    map.insert(&args[1], args[2].clone())?;
                    Ok(Value::Map(map))
                }
                _ => Err(EvalError::no_overload()),
            }),
            ("@mapInsert_map_map", "map(K, V), map(K, V) -> map(K, V)", |args| match args {
                [Value::Map(into), Value::Map(from)] => {
                    let mut into = into.clone();
                    for key in from.keys() {
                        if let Some(value) = from.get(&key)? {
                            into.insert(&key, value)?;
                        }
                    }
                    Ok(Value::Map(into))
                }
                _ => Err(EvalError::no_overload()),
            }),
        ],
    );
}

fn list<'v, 'a>(args: &'v [Value<'a>], index: usize) -> Outcome<&'v List<'a>> {
    match args.get(index) {
        Some(Value::List(list)) => Ok(list),
        _ => Err(EvalError::no_overload()),
    }
}

fn is_sorted<'a>(args: &[Value<'a>]) -> Outcome<Value<'a>> {
    let mut previous: Option<Value<'a>> = None;
    for item in list(args, 0)?.iter() {
        let item = item?;
        if !item.is_comparable() {
            return Err(EvalError::no_overload());
        }
        if previous.is_some_and(|previous| previous.compare(&item) == Ok(Ordering::Greater)) {
            return Ok(Value::Bool(false));
        }
        previous = Some(item);
    }
    Ok(Value::Bool(true))
}

fn sum<'a>(args: &[Value<'a>], zero: Value<'a>) -> Outcome<Value<'a>> {
    let mut total = zero;
    for item in list(args, 0)?.iter() {
        total = plus(&[total, item?])?;
    }
    Ok(total)
}

fn min<'a>(args: &[Value<'a>]) -> Outcome<Value<'a>> {
    extreme(list(args, 0)?, "min", Ordering::Greater)
}

fn max<'a>(args: &[Value<'a>]) -> Outcome<Value<'a>> {
    extreme(list(args, 0)?, "max", Ordering::Less)
}

/// Takes the next item whenever the best so far compares to it in that way.
fn extreme<'a>(list: &List<'a>, name: &str, replace: Ordering) -> Outcome<Value<'a>> {
    let mut best: Option<Value<'a>> = None;
    for item in list.iter() {
        let item = item?;
        if !item.is_comparable() {
            return Err(EvalError::no_overload());
        }
        best = Some(match best {
            Some(best) if best.compare(&item) != Ok(replace) => best,
            _ => item,
        });
    }
    best.ok_or_else(|| EvalError::Function(format!("{name} called on empty list")))
}

fn position<'a>(args: &[Value<'a>], indices: impl Iterator<Item = usize>) -> Outcome<Value<'a>> {
    let list = list(args, 0)?;
    for index in indices {
        if let Some(item) = list.get(index).transpose()?
            && item.equals(&args[1]) == Ok(true)
        {
            return Ok(Value::Int(index as i64));
        }
    }
    Ok(Value::Int(-1))
}

fn index_of<'a>(args: &[Value<'a>]) -> Outcome<Value<'a>> {
    position(args, 0..list(args, 0)?.len())
}

fn last_index_of<'a>(args: &[Value<'a>]) -> Outcome<Value<'a>> {
    position(args, (0..list(args, 0)?.len()).rev())
}

fn slice<'a>(args: &[Value<'a>]) -> Outcome<Value<'a>> {
    let list = list(args, 0)?;
    let (start, end, length) = (int(args, 1)?, int(args, 2)?, list.len() as i64);
    if start < 0 || end < 0 {
        return failure(format!("cannot slice({start}, {end}), negative indexes not supported"));
    }
    if start > end {
        let rule = "start index must be less than or equal to end index";
        return failure(format!("cannot slice({start}, {end}), {rule}"));
    }
    if length < end {
        return failure(format!("cannot slice({start}, {end}), list is length {length}"));
    }
    let items: Outcome<Vec<Value<'a>>> =
        (start as usize..end as usize).filter_map(|index| list.get(index)).collect();
    Ok(Value::list(items?))
}

fn flatten<'a>(args: &[Value<'a>]) -> Outcome<Value<'a>> {
    let Value::List(list) = &args[0] else {
        let types: Vec<&str> = args[1..].iter().map(Value::type_name).collect();
        return failure(format!("no such overload: {}.flatten({})", args[0].type_name(), types.join(", ")));
    };
    let depth = if args.len() > 1 { int(args, 1)? } else { 1 };
    if depth < 0 {
        return failure("level must be non-negative");
    }
    let mut items = Vec::new();
    flatten_into(list, depth, &mut items)?;
    Ok(Value::list(items))
}

fn flatten_into<'a>(list: &List<'a>, depth: i64, items: &mut Vec<Value<'a>>) -> Outcome<()> {
    for item in list.iter() {
        match item? {
            Value::List(inner) if depth > 0 => flatten_into(&inner, depth - 1, items)?,
            other => items.push(other),
        }
    }
    Ok(())
}

fn sorted<'a>(list: &List<'a>, keys: &List<'a>) -> Outcome<Value<'a>> {
    let (items, keys) = (list.values()?, keys.values()?);
    if items.len() != keys.len() {
        return failure(format!(
            "@sortByAssociatedKeys() expected a list of the same size as the associated keys list, but got {} and {} \
             elements respectively",
            items.len(),
            keys.len()
        ));
    }
    let Some(first) = keys.first() else { return Ok(Value::List(list.clone())) };
    if !first.is_comparable() {
        return failure("list elements must be comparable");
    }
    if keys.iter().any(|key| key.type_name() != first.type_name()) {
        return failure("list elements must have the same type");
    }
    let mut pairs: Vec<(Value<'a>, Value<'a>)> = keys.into_iter().zip(items).collect();
    pairs.sort_by(|(first, _), (second, _)| first.compare(second).unwrap_or(Ordering::Equal));
    Ok(Value::list(pairs.into_iter().map(|(_, item)| item).collect()))
}

fn distinct<'a>(args: &[Value<'a>]) -> Outcome<Value<'a>> {
    let mut unique: Vec<Value<'a>> = Vec::new();
    for item in list(args, 0)?.iter() {
        let item = item?;
        if !unique.iter().any(|known| item.equals(known) == Ok(true)) {
            unique.push(item);
        }
    }
    Ok(Value::list(unique))
}
