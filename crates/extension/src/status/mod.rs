//! What the reconciler writes into the status of an object: a part of the object's own, flattened into it.
//!
//! ```
//! use extension::ExtensionStatus;
//! use schemars::JsonSchema;
//! use serde::{Deserialize, Serialize};
//!
//! #[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
//! struct FountainStatus {
//!     #[serde(flatten)]
//!     extension: ExtensionStatus,
//!     /// How much water runs.
//!     litres: Option<u32>,
//! }
//! ```

mod condition;
mod error;
mod operation;
mod stripped;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use condition::{ConditionStatus, set_condition};
pub use error::{ErrorCode, LastError};
pub use operation::{LastOperation, OperationState, OperationType};
pub use stripped::Stripped;

/// The part of a status that every extension has.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ExtensionStatus {
    /// The generation of the spec that the last finished operation has seen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observed_generation: Option<i64>,
    /// What was done last, and how it went.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_operation: Option<LastOperation>,
    /// Why it does not succeed. Empty once it did.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub last_errors: Vec<LastError>,
    /// What holds of the object.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(schema_with = "conditions")]
    pub conditions: Vec<Condition>,
    /// What another controller needs to take over: written by migrate, read by restore.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "open")]
    pub state: Option<Value>,
    /// The finalizers that force deletion has taken off objects, written before they were.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stripped: Vec<Stripped>,
}

impl ExtensionStatus {
    /// The condition of a type.
    pub fn condition(&self, kind: &str) -> Option<&Condition> {
        self.conditions.iter().find(|condition| condition.type_ == kind)
    }

    /// Whether the last operation was of that type and in that state.
    pub fn is(&self, operation: OperationType, state: OperationState) -> bool {
        self.last_operation.as_ref().is_some_and(|last| last.operation == operation && last.state == state)
    }
}

/// Conditions are a map by type, so that several can write them.
fn conditions(generator: &mut SchemaGenerator) -> Schema {
    json_schema!({
        "type": "array",
        "items": generator.subschema_for::<Condition>(),
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["type"],
    })
}

/// Anything, which the server is to keep as it is.
fn open(_: &mut SchemaGenerator) -> Schema {
    json_schema!({"x-kubernetes-preserve-unknown-fields": true})
}
