//! Dictionaries: making, reading, changing, copying.

use std::rc::Rc;

use super::print::strval;
use super::{Args, Context, Function, FunctionError};
use crate::value::types::{ANY, BOOL, LIST_ANY, LIST_STRING, MAP_ANY, STRING};
use crate::value::{Entries, List, Map, Text, Value};

type Result = std::result::Result<Value, FunctionError>;

pub(super) static TABLE: &[Function] = &[
    Function::variadic("dict", &[ANY], MAP_ANY, dict),
    Function::new("get", &[MAP_ANY, STRING], ANY, |_, args| {
        Ok(lookup(args, 0, 1).unwrap_or_else(|| "".into()))
    }),
    Function::new("set", &[MAP_ANY, STRING, ANY], MAP_ANY, set),
    Function::new("unset", &[MAP_ANY, STRING], MAP_ANY, |_, args| {
        let map = args.map(0);
        map.remove(&args.carried(1));
        Ok(plain(map))
    }),
    Function::new("hasKey", &[MAP_ANY, STRING], BOOL, |_, args| {
        let present = |map: &Rc<Map>| map.contains_key(&args.carried(1));
        Ok(args.value(0).as_map().is_some_and(present).into())
    }),
    Function::variadic("pluck", &[STRING, MAP_ANY], LIST_ANY, |_, args| {
        let found = (1..args.len()).filter_map(|index| lookup(args, index, 0)).collect();
        Ok(Value::list(found))
    }),
    Function::variadic("keys", &[MAP_ANY], LIST_STRING, |_, args| {
        let mut keys = Vec::new();
        for map in args.rest(0).iter().filter_map(Value::as_map) {
            keys.extend(map.borrow().keys().map(|key| Value::String(Text::of_key(key))));
        }
        Ok(Value::List(Rc::new(List::new(LIST_STRING, keys))))
    }),
    Function::new("values", &[MAP_ANY], LIST_ANY, |_, args| {
        Ok(Value::list(args.map(0).borrow().values().cloned().collect()))
    }),
    Function::variadic("pick", &[MAP_ANY, STRING], MAP_ANY, |_, args| {
        let map = args.map(0);
        let wanted = args.rest(1).iter().filter_map(Value::as_text).map(Text::to_shared);
        let kept: Entries = wanted.filter_map(|key| Some((Rc::clone(&key), map.get(&key)?))).collect();
        Ok(kept.into())
    }),
    Function::variadic("omit", &[MAP_ANY, STRING], MAP_ANY, |_, args| {
        let map = args.map(0);
        let mut kept = map.borrow().clone();
        for key in args.rest(1).iter().filter_map(Value::as_text) {
            kept.remove(&*key.carried());
        }
        Ok(kept.into())
    }),
    Function::variadic("dig", &[ANY], ANY, dig),
    Function::new("deepCopy", &[ANY], ANY, deep_copied).deep(),
    Function::new("mustDeepCopy", &[ANY], ANY, deep_copied).deep(),
];

/// A map as the `map[string]interface {}` that the function's signature says it returns.
pub(super) fn plain(map: Rc<Map>) -> Value {
    if map.ty() == MAP_ANY { Value::Map(map) } else { Value::Map(Rc::new(map.converted_to(MAP_ANY))) }
}

fn lookup(args: Args<'_>, map: usize, key: usize) -> Option<Value> {
    args.value(map).as_map()?.get(&args.carried(key))
}

fn dict(_: &Context, args: Args<'_>) -> Result {
    let mut entries = Entries::new();
    for pair in args.rest(0).chunks(2) {
        let value = pair.get(1).cloned().unwrap_or_else(|| "".into());
        entries.insert(strval(&pair[0]).to_shared(), value);
    }
    Ok(entries.into())
}

fn set(_: &Context, args: Args<'_>) -> Result {
    let map = args.map(0);
    if map.is_nil() {
        return Err(FunctionError::new("assignment to entry in nil map"));
    }
    let key = args.value(1).as_text().map(Text::to_shared).unwrap_or_default();
    map.insert(key, args.value(2).clone());
    Ok(plain(map))
}

/// The panic of taking an interface for a type that it does not hold.
fn conversion(value: &Value, wanted: &str) -> FunctionError {
    let held = match value {
        Value::Nil => "nil",
        other => other.type_name(),
    };
    FunctionError::new(format!("interface conversion: interface {{}} is {held}, not {wanted}"))
}

fn as_plain_map(value: &Value) -> std::result::Result<Rc<Map>, FunctionError> {
    match value {
        Value::Map(map) if map.ty() == MAP_ANY => Ok(Rc::clone(map)),
        other => Err(conversion(other, "map[string]interface {}")),
    }
}

fn dig(_: &Context, args: Args<'_>) -> Result {
    let [path @ .., otherwise, root] = args.rest(0) else {
        return Err(FunctionError::new("dig needs at least three arguments"));
    };
    if path.is_empty() {
        return Err(FunctionError::new("dig needs at least three arguments"));
    }
    let mut map = as_plain_map(root)?;
    let keys = path
        .iter()
        .map(|key| key.as_text().map(Text::carried).ok_or_else(|| conversion(key, "string")))
        .collect::<std::result::Result<Vec<_>, _>>()?;
    let Some((last, steps)) = keys.split_last() else {
        return Ok(otherwise.clone());
    };
    for key in steps {
        match map.get(key) {
            None => return Ok(otherwise.clone()),
            Some(step) => map = as_plain_map(&step)?,
        }
    }
    Ok(map.get(last).unwrap_or_else(|| otherwise.clone()))
}

fn deep_copied(context: &Context, args: Args<'_>) -> Result {
    context.room_for_all_of(args.value(0))?;
    match args.value(0) {
        Value::Nil => Err(FunctionError::new("reflect: call of reflect.Value.Type on zero Value")),
        value if nests_too_deeply(value, 0) => Err(FunctionError::new("value nests too deeply to be copied")),
        value => Ok(deep_copy(value)),
    }
}

/// Whether a value nests so deeply that it must hold itself, as `set` can make it do.
pub(super) fn nests_too_deeply(value: &Value, depth: usize) -> bool {
    const MAX_DEPTH: usize = 1000;
    depth > MAX_DEPTH
        || match value {
            Value::List(list) => list.borrow().iter().any(|item| nests_too_deeply(item, depth + 1)),
            Value::Map(map) => map.borrow().values().any(|value| nests_too_deeply(value, depth + 1)),
            _ => false,
        }
}

/// A copy that shares no list and no map with the original.
fn deep_copy(value: &Value) -> Value {
    match value {
        Value::List(list) if list.is_nil() => value.clone(),
        Value::List(list) => {
            let items = list.borrow().iter().map(deep_copy).collect();
            Value::List(Rc::new(List::new(list.ty(), items)))
        }
        Value::Map(map) if map.is_nil() => value.clone(),
        Value::Map(map) => {
            let entries = map.borrow();
            let copies = entries.iter().map(|(key, value)| (Rc::clone(key), deep_copy(value)));
            Value::map_of(map.ty(), copies.collect())
        }
        Value::Object(object) => object.copied().unwrap_or_else(|| value.clone()),
        other => other.clone(),
    }
}
