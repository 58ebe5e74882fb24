//! From text to values.

use serde::de::DeserializeOwned;

use crate::compose::compose;
use crate::json::{self, Strictness};
use crate::scan::Input;
use crate::{Error, Value};

/// Reads the first document of `text`, as `sigs.k8s.io/yaml.Unmarshal` into `interface{}` does.
///
/// Integers keep their kind; [`Value::numbers_as_float64`] gives what Go's `interface{}` would hold.
pub fn from_str(text: &str) -> Result<Value, Error> {
    compose(Input::new(text), false).map_err(Error::Yaml)
}

/// Like [`from_str`], but a key that appears twice in one mapping is an error.
pub fn from_str_strict(text: &str) -> Result<Value, Error> {
    compose(Input::new(text), true).map_err(Error::Yaml)
}

/// Reads the first document of `text` into `T`, ignoring fields `T` does not have.
pub fn from_str_as<T: DeserializeOwned>(text: &str) -> Result<T, Error> {
    json::from_value_with(from_str(text)?, Strictness::Yaml).map_err(Error::Decode)
}

/// Like [`from_str_as`], but unknown and duplicate fields are errors, as `UnmarshalStrict` has it.
pub fn from_str_as_strict<T: DeserializeOwned>(text: &str) -> Result<T, Error> {
    json::from_value_with(from_str_strict(text)?, Strictness::YamlStrict).map_err(Error::Decode)
}
