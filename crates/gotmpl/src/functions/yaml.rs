//! YAML, to and from.

use super::json::{list_or_error_in, map_or_error_in};
use super::{Args, Function, FunctionError};
use crate::value::Value;
use crate::value::types::{ANY, LIST_ANY, MAP_ANY, STRING};

pub(super) static TABLE: &[Function] = &[
    Function::new("toYaml", &[ANY], STRING, |_, args| {
        Ok(goyaml::to_string(args.value(0)).map(without_newline).unwrap_or_default().into())
    }),
    Function::new("mustToYaml", &[ANY], STRING, |_, args| {
        goyaml::to_string(args.value(0))
            .map(|text| Value::from(without_newline(text)))
            .map_err(|error| FunctionError::new(error.to_string()))
    }),
    Function::new("toYamlPretty", &[ANY], STRING, |_, args| {
        Ok(goyaml::to_string_pretty(args.value(0)).map(without_newline).unwrap_or_default().into())
    }),
    Function::new("fromYaml", &[STRING], MAP_ANY, |_, args| Ok(map_or_error_in(read(args), DECODING))),
    Function::new("fromYamlArray", &[STRING], LIST_ANY, |_, args| Ok(list_or_error_in(read(args), DECODING))),
];

/// YAML is read by way of JSON, and its errors say so.
const DECODING: &str = "error unmarshaling JSON: while decoding JSON: ";

fn without_newline(mut text: String) -> String {
    if text.ends_with('\n') {
        text.pop();
    }
    text
}

fn read(args: Args<'_>) -> Result<goyaml::Value, String> {
    goyaml::from_str(&args.str(0)).map(goyaml::Value::numbers_as_float64).map_err(|error| error.to_string())
}
