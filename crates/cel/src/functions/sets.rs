//! Lists as sets.

use super::Library;
use crate::error::{EvalError, Outcome};
use crate::value::{List, Value};

pub(super) fn add(library: &mut Library) {
    library.add(
        "sets.contains",
        &[("list_sets_contains_list", "list(T), list(T) -> bool", |args| {
            let (all, some) = lists(args)?;
            contains(all, some).map(Value::Bool)
        })],
    );
    library.add(
        "sets.equivalent",
        &[("list_sets_equivalent_list", "list(T), list(T) -> bool", |args| {
            let (first, second) = lists(args)?;
            Ok(Value::Bool(contains(first, second)? && contains(second, first)?))
        })],
    );
    library.add(
        "sets.intersects",
        &[("list_sets_intersects_list", "list(T), list(T) -> bool", |args| {
            let (first, second) = lists(args)?;
            for item in first.iter() {
                if second.contains(&item?) == Ok(true) {
                    return Ok(Value::Bool(true));
                }
            }
            Ok(Value::Bool(false))
        })],
    );
}

fn lists<'v, 'a>(args: &'v [Value<'a>]) -> Outcome<(&'v List<'a>, &'v List<'a>)> {
    match args {
        [Value::List(first), Value::List(second)] => Ok((first, second)),
        _ => Err(EvalError::no_overload()),
    }
}

fn contains<'a>(all: &List<'a>, some: &List<'a>) -> Outcome<bool> {
    for item in some.iter() {
        if !all.contains(&item?)? {
            return Ok(false);
        }
    }
    Ok(true)
}
