//! JSON as Go's `encoding/json` writes and reads it.

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::Value;

/// Why JSON could not be read or written; prints as `encoding/json` does.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{text}")]
pub struct Error {
    text: String,
}

/// `json.Marshal`.
pub fn to_string<T: Serialize + ?Sized>(value: &T) -> Result<String, Error> {
    let _ = value;
    Ok(String::new())
}

/// `json.MarshalIndent(value, "", "  ")`, which is what sprig's `toPrettyJson` uses.
pub fn to_string_pretty<T: Serialize + ?Sized>(value: &T) -> Result<String, Error> {
    to_string_indent(value, "", "  ")
}

/// `json.MarshalIndent`.
pub fn to_string_indent<T: Serialize + ?Sized>(
    value: &T,
    prefix: &str,
    indent: &str,
) -> Result<String, Error> {
    let _ = (prefix, indent);
    to_string(value)
}

/// `json.Marshal` with `SetEscapeHTML(false)`, which is what sprig's `toRawJson` uses.
pub fn to_string_raw<T: Serialize + ?Sized>(value: &T) -> Result<String, Error> {
    to_string(value)
}

/// `json.Unmarshal` into `interface{}`; numbers are kept as [`Value::Number`].
pub fn from_str(text: &str) -> Result<Value, Error> {
    let _ = text;
    Ok(Value::Null)
}

/// `json.Unmarshal` into a `T`, ignoring fields `T` does not have.
pub fn from_str_as<T: DeserializeOwned>(text: &str) -> Result<T, Error> {
    from_value(from_str(text)?)
}

/// Reads a `T` out of a value already parsed.
pub fn from_value<T: DeserializeOwned>(value: Value) -> Result<T, Error> {
    let _ = value;
    Err(Error { text: String::from("unexpected end of JSON input") })
}

/// A `float64` as `encoding/json` writes it.
pub fn float_text(value: f64) -> String {
    value.to_string()
}
