//! Prints what a path has found: plain values as Go prints them, the rest as JSON.

use goyaml::Value;

use super::JsonPathError;
use super::evaluate::Found;
use crate::go_text;

/// Appends the results of one piece, separated by spaces.
pub(super) fn results(found: &Found<'_>, text: &mut String) -> Result<(), JsonPathError> {
    for (index, item) in found.iter().enumerate() {
        if index > 0 {
            text.push(' ');
        }
        match item.as_deref() {
            None => text.push_str("<no value>"),
            Some(Value::Null) => text.push_str("null"),
            Some(value @ (Value::Sequence(_) | Value::Mapping(_))) => {
                let json =
                    goyaml::json::to_string(value).map_err(|error| JsonPathError::new(error.to_string()))?;
                text.push_str(&json);
            }
            Some(scalar) => text.push_str(&go_text::text(scalar)),
        }
    }
    Ok(())
}
