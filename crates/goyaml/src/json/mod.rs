//! JSON as Go's `encoding/json` writes and reads it.

mod decode;
mod parse;
mod probe;
mod text;
mod write;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::Value;
pub(crate) use decode::Strictness;
pub use parse::{Build, build};
pub use text::{float_text, push_string};
use write::Writer;

/// Why JSON could not be read or written; prints as `encoding/json` does.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{text}")]
pub struct Error {
    text: String,
}

impl Error {
    pub(crate) fn new(text: impl Into<String>) -> Self {
        Self { text: text.into() }
    }
}

impl Error {
    /// What Go says of a value that contains itself, which is what nesting without end comes from.
    pub(crate) fn cycle() -> Self {
        Self::new("json: unsupported value: encountered a cycle via map[string]interface {}")
    }
}

impl serde::ser::Error for Error {
    fn custom<T: std::fmt::Display>(message: T) -> Self {
        Self::new(message.to_string())
    }
}

impl serde::de::Error for Error {
    fn custom<T: std::fmt::Display>(message: T) -> Self {
        Self::new(message.to_string())
    }
}

/// `json.Marshal`.
pub fn to_string<T: Serialize + ?Sized>(value: &T) -> Result<String, Error> {
    Writer::new(true, None).write(value)
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
    Writer::new(true, Some((prefix, indent))).write(value)
}

/// `json.Marshal` with `SetEscapeHTML(false)`, which is what sprig's `toRawJson` uses.
pub fn to_string_raw<T: Serialize + ?Sized>(value: &T) -> Result<String, Error> {
    Writer::new(false, None).write(value)
}

/// `json.Unmarshal` into `interface{}`; numbers are kept as [`Value::Number`].
pub fn from_str(text: &str) -> Result<Value, Error> {
    parse::parse(text)
}

/// `json.Unmarshal` into a `T`, ignoring fields `T` does not have.
pub fn from_str_as<T: DeserializeOwned>(text: &str) -> Result<T, Error> {
    from_value(from_str(text)?)
}

/// Reads a `T` out of a value already parsed.
pub fn from_value<T: DeserializeOwned>(value: Value) -> Result<T, Error> {
    decode::decode(value, Strictness::Json)
}

/// Fails as `json.Marshal` does on a `json.Number` that is not a number; an empty one is zero.
pub(crate) fn check_number(digits: &str) -> Result<(), Error> {
    if digits.is_empty() || parse::is_number(digits) {
        return Ok(());
    }
    let quoted = crate::strconv::quote(digits);
    Err(Error::new(format!("json: invalid number literal, trying to marshal {quoted}")))
}

pub(crate) fn from_value_with<T: DeserializeOwned>(value: Value, strictness: Strictness) -> Result<T, Error> {
    decode::decode(value, strictness)
}
