//! YAML, to and from.

use serde::ser::{Serialize, SerializeStruct, Serializer};

use super::dicts::nests_too_deeply;
use super::durations::DURATION;
use super::json::{list_or_error, map_or_error};
use super::{Args, Function, FunctionError};
use crate::gotime::Time;
use crate::value::types::{ANY, LIST_ANY, MAP_ANY, STRING};
use crate::value::{Value, base64};

pub(super) static TABLE: &[Function] = &[
    Function::new("toYaml", &[ANY], STRING, |context, args| {
        context.room_for_all_of(args.value(0))?;
        Ok(goyaml::to_string(args.value(0)).map(without_newline).unwrap_or_default().into())
    }),
    Function::new("mustToYaml", &[ANY], STRING, |context, args| {
        context.room_for_all_of(args.value(0))?;
        goyaml::to_string(args.value(0))
            .map(|text| Value::from(without_newline(text)))
            .map_err(|error| FunctionError::new(error.to_string()))
    }),
    Function::new("toYamlPretty", &[ANY], STRING, |context, args| {
        context.room_for_all_of(args.value(0))?;
        if nests_too_deeply(args.value(0), 0) {
            return Err(FunctionError::new("value nests too deeply to be written"));
        }
        if let Some(ty) = unwritable(args.value(0)) {
            return Err(FunctionError::new(format!("cannot marshal type: {ty}")));
        }
        Ok(goyaml::to_string_pretty(&Newer(args.value(0))).map(without_newline).unwrap_or_default().into())
    })
    .deep(),
    Function::new("fromYaml", &[STRING], MAP_ANY, |_, args| {
        let tree = read(args).map(|tree| or_empty(tree, goyaml::Value::Mapping(goyaml::Mapping::new())));
        Ok(map_or_error(tree, DECODING))
    })
    .deep(),
    Function::new("fromYamlArray", &[STRING], LIST_ANY, |_, args| {
        let tree = read(args).map(|tree| or_empty(tree, goyaml::Value::Sequence(Vec::new())));
        Ok(list_or_error(tree, DECODING))
    })
    .deep(),
];

/// A document without content leaves what it is read into as it is: empty.
fn or_empty(tree: goyaml::Value, empty: goyaml::Value) -> goyaml::Value {
    if tree.is_null() { empty } else { tree }
}

/// So many bytes become a line of base64.
const ON_ONE_LINE: usize = 51;

/// The value as the newer YAML library sees it, which does not go by way of JSON: durations are text, bytes
/// are numbers, lists and maps that are nil are empty, and structs keep the order of their fields.
struct Newer<'a>(&'a Value);

impl Serialize for Newer<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Value::Int(ty, nanoseconds) if *ty == &DURATION => {
                serializer.serialize_str(&crate::gotime::duration::format(*nanoseconds))
            }
            Value::List(list) => serializer.collect_seq(list.borrow().iter().map(Newer)),
            Value::Bytes(bytes) => serializer.collect_seq(bytes.iter()),
            // Longer ones are written on several lines, which nobody has asked for yet.
            Value::String(text) if text.as_str().is_none() && text.as_bytes().len() <= ON_ONE_LINE => {
                goyaml::Binary(&base64(text.as_bytes())).serialize(serializer)
            }
            Value::Map(map) => {
                let entries = map.borrow();
                serializer.collect_map(entries.iter().map(|(key, value)| (&**key, Newer(value))))
            }
            Value::Object(object) if object.as_any().is::<Time>() => {
                goyaml::Timestamp(&object.json_text().unwrap_or_default()).serialize(serializer)
            }
            Value::Object(object) if !object.is_nil() && object.json_text().is_none() => {
                let fields = object.yaml_fields();
                let mut structure = serializer.serialize_struct(object.go_type().name, fields.len())?;
                for (name, value) in &fields {
                    structure.serialize_field(name, &Newer(value))?;
                }
                structure.end()
            }
            other => other.serialize(serializer),
        }
    }
}

/// The type of the first value within that the newer library cannot write, and panics about.
fn unwritable(value: &Value) -> Option<&'static str> {
    match value {
        Value::Complex(_) | Value::Func(_) => Some(value.type_name()),
        Value::List(list) => list.borrow().iter().find_map(unwritable),
        Value::Map(map) => map.borrow().values().find_map(unwritable),
        _ => None,
    }
}

/// YAML is read by way of JSON, and its errors say so.
const DECODING: &str = "error unmarshaling JSON: while decoding JSON: ";

fn without_newline(mut text: String) -> String {
    if text.ends_with('\n') {
        text.pop();
    }
    text
}

fn read(args: Args<'_>) -> Result<goyaml::Value, String> {
    goyaml::from_slice(args.bytes(0))
        .map(goyaml::Value::numbers_as_float64)
        .map_err(|error| error.to_string())
}
