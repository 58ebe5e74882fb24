//! The structure of all resources, for clients that want to know it.

use serde_json::{Value, json};

use crate::http::answer::Answer;
use crate::registry::Registry;
use crate::status::Status;

/// Which documents there are.
pub fn index(_registry: &Registry) -> Value {
    json!({"paths": {}})
}

/// The document of a group and version.
pub fn document(_registry: &Registry, _group: &str, _version: &str) -> Result<Answer, Status> {
    Ok(Answer::page_not_found())
}
