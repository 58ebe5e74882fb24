//! From text to values.

use serde::de::DeserializeOwned;

use crate::compose::compose;
use crate::json::{self, Strictness};
use crate::scan::Input;
use crate::utf16;
use crate::{Error, Value};

/// Reads the first document of `text`, as `sigs.k8s.io/yaml.Unmarshal` into `interface{}` does.
///
/// Integers keep their kind; [`Value::numbers_as_float64`] gives what Go's `interface{}` would hold.
pub fn from_str(text: &str) -> Result<Value, Error> {
    compose(Input::new(text), false).map_err(Error::Yaml)
}

/// Like [`from_str`], for bytes in UTF-8 or, with a byte order mark, in UTF-16.
pub fn from_slice(bytes: &[u8]) -> Result<Value, Error> {
    if let Some(text) = utf16::decode(bytes) {
        return from_str(&text.map_err(Error::Yaml)?);
    }
    match std::str::from_utf8(bytes) {
        Ok(text) => from_str(text),
        Err(error) => {
            let (valid, rest) = bytes.split_at(error.valid_up_to());
            let valid = std::str::from_utf8(valid).unwrap_or_default();
            compose(Input::broken(valid, utf8_problem(rest)), false).map_err(Error::Yaml)
        }
    }
}

/// What Go's reader says of bytes that do not begin with a UTF-8 character.
fn utf8_problem(bytes: &[u8]) -> &'static str {
    let width = match bytes.first() {
        Some(0xc0..0xe0) => 2,
        Some(0xe0..0xf0) => 3,
        Some(0xf0..0xf8) => 4,
        _ => return "invalid leading UTF-8 octet",
    };
    if bytes.len() < width {
        return "incomplete UTF-8 octet sequence";
    }
    if bytes[1..width].iter().any(|byte| byte & 0xc0 != 0x80) {
        return "invalid trailing UTF-8 octet";
    }
    match (bytes[0], bytes[1]) {
        (0xc0 | 0xc1, _) | (0xe0, ..0xa0) | (0xf0, ..0x90) => "invalid length of a UTF-8 sequence",
        _ => "invalid Unicode character",
    }
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
