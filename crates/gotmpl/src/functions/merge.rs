//! Merging dictionaries by the rules of the Go library `mergo`.
//!
//! Without overwriting, what is missing or empty in the destination is taken from the source; with overwriting,
//! whatever the source has wins, empty or not. Maps on both sides are merged in place, at every depth; a map that
//! only the source has is shared, not copied.

use std::rc::Rc;

use super::dicts::plain;
use super::{Args, Function, FunctionError};
use crate::value::types::{ANY, MAP_ANY};
use crate::value::{Entries, Kind, Map, Value};

type Result = std::result::Result<Value, FunctionError>;

pub(super) static TABLE: &[Function] = &[
    Function::variadic("merge", &[MAP_ANY, MAP_ANY], ANY, |_, args| swallow(merge(args, false))).deep(),
    Function::variadic("mustMerge", &[MAP_ANY, MAP_ANY], ANY, |_, args| Ok(merge(args, false)?)).deep(),
    Function::variadic("mergeOverwrite", &[MAP_ANY, MAP_ANY], ANY, |_, args| swallow(merge(args, true)))
        .deep(),
    Function::variadic("mustMergeOverwrite", &[MAP_ANY, MAP_ANY], ANY, |_, args| Ok(merge(args, true)?))
        .deep(),
];

/// Deeper than any values are; only a map that holds itself is deeper.
const MAX_DEPTH: usize = 1000;
/// How many pairs of maps are merged; maps that hold each other several times are many when each is followed.
const MAX_PAIRS: usize = 1_000_000;

/// Why two values do not merge.
enum Refusal {
    /// The library returns an error.
    Error(&'static str),
    /// The library panics.
    Panic(FunctionError),
}

impl From<Refusal> for FunctionError {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::Error(message) => Self::new(message),
            Refusal::Panic(error) => error,
        }
    }
}

/// The variants without `must` give an empty string instead of an error.
fn swallow(merged: std::result::Result<Value, Refusal>) -> Result {
    match merged {
        Err(Refusal::Error(_)) => Ok("".into()),
        merged => Ok(merged?),
    }
}

fn merge(args: Args<'_>, overwrite: bool) -> std::result::Result<Value, Refusal> {
    let mut destination = args.map(0);
    let mut pairs = MAX_PAIRS;
    for source in args.rest(1).iter().filter_map(Value::as_map).filter(|map| !map.is_nil()) {
        if destination.is_nil() {
            destination = Rc::new(Map::any(Entries::new()));
        }
        merge_into(&destination, source, overwrite, 0, &mut pairs)?;
    }
    Ok(plain(destination))
}

fn merge_into(
    destination: &Map,
    source: &Map,
    overwrite: bool,
    depth: usize,
    pairs: &mut usize,
) -> std::result::Result<(), Refusal> {
    if depth > MAX_DEPTH {
        return Err(Refusal::Panic(FunctionError::new("maps nest too deeply to be merged")));
    }
    let exceeded = || FunctionError::new(format!("exceeded the limit of {MAX_PAIRS} maps to be merged"));
    *pairs = pairs.checked_sub(1).ok_or_else(|| Refusal::Panic(exceeded()))?;
    if destination.ty() != source.ty() && destination.elem() != ANY && !source.is_empty() {
        let (from, to) = (source.elem(), destination.elem());
        let message =
            format!("reflect.Value.SetMapIndex: value of type {from} is not assignable to type {to}");
        return Err(Refusal::Panic(FunctionError::new(message)));
    }
    // The source may be the destination, or lie within it: no borrow is held while either changes.
    let entries: Vec<_> =
        source.borrow().iter().map(|(key, value)| (Rc::clone(key), value.clone())).collect();
    for (key, value) in entries {
        let present = destination.get(&key);
        let set = match &value {
            Value::Nil => overwrite,
            Value::List(_) | Value::Bytes(_) if value.is_nil() && source.elem() != ANY => overwrite,
            Value::List(_) | Value::Bytes(_) => overwrite || !present.is_some_and(|value| value.truth()),
            Value::Map(inner) => match present {
                Some(Value::Map(own)) if !own.is_nil() => {
                    merge_into(&own, inner, overwrite, depth + 1, pairs)?;
                    own.is_empty()
                }
                Some(Value::Object(object)) if !overwrite && object.go_type().kind == Kind::Pointer => {
                    return Err(Refusal::Error("src and dst must be of same type"));
                }
                present => overwrite || !present.is_some_and(|value| value.truth()),
            },
            _ => overwrite || !present.is_some_and(|value| value.truth()),
        };
        if set {
            destination.insert(key, value);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn yaml(text: &str) -> Value {
        goyaml::json::from_str(text).unwrap().numbers_as_float64().into()
    }

    fn merged(destination: &str, source: &str, overwrite: bool) -> String {
        let arguments = [yaml(destination), yaml(source)];
        let Ok(merged) = merge(Args::new(&arguments), overwrite) else { panic!("{destination} {source}") };
        goyaml::json::to_string(&merged).unwrap()
    }

    #[test]
    fn only_what_is_empty_is_filled() {
        for (destination, source, result) in [
            (r#"{"a":1}"#, r#"{"a":2,"b":3}"#, r#"{"a":1,"b":3}"#),
            (
                r#"{"a":"","b":0,"c":false,"d":null,"e":[]}"#,
                r#"{"a":"x","b":1,"c":true,"d":2,"e":[3]}"#,
                r#"{"a":"x","b":1,"c":true,"d":2,"e":[3]}"#,
            ),
            (r#"{"a":{"x":1}}"#, r#"{"a":{"x":2,"y":3}}"#, r#"{"a":{"x":1,"y":3}}"#),
            (r#"{"a":"text"}"#, r#"{"a":{"x":1}}"#, r#"{"a":"text"}"#),
            ("{}", r#"{"a":null}"#, "{}"),
            (r#"{"a":[1]}"#, r#"{"a":[2]}"#, r#"{"a":[1]}"#),
        ] {
            assert_eq!(merged(destination, source, false), result, "{destination} {source}");
        }
    }

    #[test]
    fn overwriting_takes_everything() {
        for (destination, source, result) in [
            (r#"{"a":1}"#, r#"{"a":0}"#, r#"{"a":0}"#),
            (r#"{"a":1}"#, r#"{"a":null,"b":null}"#, r#"{"a":null,"b":null}"#),
            (r#"{"a":[1]}"#, r#"{"a":[]}"#, r#"{"a":[]}"#),
            (r#"{"a":{"x":1}}"#, r#"{"a":{}}"#, r#"{"a":{"x":1}}"#),
            (r#"{"a":{"x":1}}"#, r#"{"a":"text"}"#, r#"{"a":"text"}"#),
            (r#"{"a":{"x":1,"z":4}}"#, r#"{"a":{"x":2,"y":3}}"#, r#"{"a":{"x":2,"y":3,"z":4}}"#),
        ] {
            assert_eq!(merged(destination, source, true), result, "{destination} {source}");
        }
    }

    #[test]
    fn maps_of_the_source_are_shared() {
        let source = yaml(r#"{"a":{"x":1}}"#);
        let destination = yaml("{}");
        assert!(merge(Args::new(&[destination.clone(), source.clone()]), false).is_ok());
        let inner = |value: &Value| value.as_map().and_then(|map| map.get("a")).unwrap();
        inner(&destination).as_map().unwrap().insert("y", Value::Bool(true));
        assert!(inner(&source).as_map().unwrap().contains_key("y"));
    }

    #[test]
    fn a_map_can_be_merged_into_itself() {
        let map = yaml(r#"{"a":{"b":1}}"#);
        assert!(merge(Args::new(&[map.clone(), map]), true).is_ok());
    }
}
