//! Prints what a path has found: plain values as Go prints them, the rest as JSON.

use goyaml::Value;

use super::JsonPathError;
use super::evaluate::Found;

/// Appends the results of one piece, separated by spaces.
pub(super) fn results(found: &Found<'_>, text: &mut String) -> Result<(), JsonPathError> {
    for (index, value) in found.iter().enumerate() {
        if index > 0 {
            text.push(' ');
        }
        match value.as_ref() {
            Value::Null => text.push_str("null"),
            Value::Bool(value) => text.push_str(if *value { "true" } else { "false" }),
            Value::Int(value) => text.push_str(&value.to_string()),
            Value::Uint(value) => text.push_str(&value.to_string()),
            Value::Float(value) => text.push_str(&goyaml::strconv::format_float(*value, b'g', -1, 64)),
            Value::Number(value) => text.push_str(value),
            Value::String(value) => text.push_str(value),
            value @ (Value::Sequence(_) | Value::Mapping(_)) => {
                let json =
                    goyaml::json::to_string(value).map_err(|error| JsonPathError(error.to_string()))?;
                text.push_str(&json);
            }
        }
    }
    Ok(())
}
