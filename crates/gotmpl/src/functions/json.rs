//! JSON, to and from.

use std::rc::Rc;

use super::{Args, Function, FunctionError};
use crate::value::types::{ANY, LIST_ANY, MAP_ANY, STRING};
use crate::value::{Entries, List, Map, Type, Value};

type Result = std::result::Result<Value, FunctionError>;

pub(super) static TABLE: &[Function] = &[
    Function::new("toJson", &[ANY], STRING, |context, args| {
        context.room_for_all_of(args.value(0))?;
        Ok(goyaml::json::to_string(args.value(0)).unwrap_or_default().into())
    }),
    Function::new("mustToJson", &[ANY], STRING, |context, args| {
        context.room_for_all_of(args.value(0))?;
        written(goyaml::json::to_string(args.value(0)))
    }),
    Function::new("toPrettyJson", &[ANY], STRING, |context, args| {
        context.room_for_all_of(args.value(0))?;
        Ok(goyaml::json::to_string_pretty(args.value(0)).unwrap_or_default().into())
    }),
    Function::new("mustToPrettyJson", &[ANY], STRING, |context, args| {
        context.room_for_all_of(args.value(0))?;
        written(goyaml::json::to_string_pretty(args.value(0)))
    }),
    Function::new("toRawJson", &[ANY], STRING, |context, args| {
        context.room_for_all_of(args.value(0))?;
        written(goyaml::json::to_string_raw(args.value(0)))
    }),
    Function::new("mustToRawJson", &[ANY], STRING, |context, args| {
        context.room_for_all_of(args.value(0))?;
        written(goyaml::json::to_string_raw(args.value(0)))
    }),
    Function::new("fromJson", &[STRING], MAP_ANY, |_, args| Ok(map_or_error(read(args), ""))).deep(),
    Function::new("fromJsonArray", &[STRING], LIST_ANY, |_, args| Ok(list_or_error(read(args), ""))).deep(),
    Function::new("mustFromJson", &[STRING], ANY, |_, args| {
        let tree = read(args).map_err(FunctionError::new)?;
        Ok(tree.into())
    })
    .deep(),
];

fn written(text: std::result::Result<String, goyaml::json::Error>) -> Result {
    text.map(Value::from).map_err(|error| FunctionError::new(error.to_string()))
}

fn read(args: Args<'_>) -> std::result::Result<goyaml::Value, String> {
    goyaml::json::from_str(&args.str(0))
        .map(goyaml::Value::numbers_as_float64)
        .map_err(|error| error.to_string())
}

/// What Go says when a tree does not fit the type it is read into.
fn misfit(tree: &goyaml::Value, ty: Type) -> String {
    let kind = match tree {
        goyaml::Value::Null => "null",
        goyaml::Value::Bool(_) => "bool",
        goyaml::Value::String(_) => "string",
        goyaml::Value::Sequence(_) => "array",
        goyaml::Value::Mapping(_) => "object",
        _ => "number",
    };
    format!("json: cannot unmarshal {kind} into Go value of type {ty}")
}

/// The tree as a map; an error, also that it is no map, under the key `Error`.
pub(super) fn map_or_error(tree: std::result::Result<goyaml::Value, String>, prefix: &str) -> Value {
    let message = match tree {
        Ok(tree @ goyaml::Value::Mapping(_)) => return tree.into(),
        Ok(goyaml::Value::Null) => return Value::Map(Rc::new(Map::nil(MAP_ANY))),
        Ok(other) => format!("{prefix}{}", misfit(&other, MAP_ANY)),
        Err(message) => message,
    };
    Value::map(Entries::from([(Rc::from("Error"), message.into())]))
}

/// The tree as a list; an error, also that it is no list, as its only element.
pub(super) fn list_or_error(tree: std::result::Result<goyaml::Value, String>, prefix: &str) -> Value {
    let message = match tree {
        Ok(tree @ goyaml::Value::Sequence(_)) => return tree.into(),
        Ok(goyaml::Value::Null) => return Value::List(Rc::new(List::nil(LIST_ANY))),
        Ok(other) => format!("{prefix}{}", misfit(&other, LIST_ANY)),
        Err(message) => message,
    };
    Value::list(vec![message.into()])
}
