//! Objects of other systems, made into ours.

use serde_json::Value;

use crate::{landscaper, smith};

/// Why an object of another system has no counterpart here.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MappingError {
    /// A field has no meaning here.
    #[error("{field} of {object} has no counterpart: {why}")]
    Unsupported {
        /// Which object.
        object: String,
        /// The path of the field.
        field: String,
        /// Why, and what to do instead.
        why: &'static str,
    },
    /// A field is not of the form that it has in its own system.
    #[error("{field} of {object}: expected {expected}")]
    Malformed {
        /// Which object.
        object: String,
        /// The path of the field.
        field: String,
        /// What it should be.
        expected: &'static str,
    },
}

/// The object as ours if it is one of a system that is known, and as it is otherwise.
pub fn mapped(object: Value) -> Result<Value, MappingError> {
    match (object["apiVersion"].as_str(), object["kind"].as_str()) {
        (Some(smith::API_VERSION), Some("Bundle")) => smith::bundle(object),
        (Some(landscaper::API_VERSION), Some("DeployItem")) => landscaper::deploy_item(object),
        _ => Ok(object),
    }
}

/// How an object is called in errors.
pub(crate) fn name_of(object: &Value) -> String {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    format!("{} {}", text(&object["kind"]), text(&object["metadata"]["name"]))
}
