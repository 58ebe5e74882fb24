//! What was done last with an object.

use std::fmt;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What is done with an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub enum OperationType {
    /// It is brought up for the first time, until that has succeeded once.
    Create,
    /// It is brought to what its spec says.
    Reconcile,
    /// What it stands for is taken down.
    Delete,
    /// It is handed over: the state is exported, and nothing that exists is touched.
    Migrate,
    /// It is taken over from an exported state.
    Restore,
    /// It is let go, whatever becomes of what it stands for.
    ForceDelete,
}

impl OperationType {
    /// As it is written.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Create => "Create",
            Self::Reconcile => "Reconcile",
            Self::Delete => "Delete",
            Self::Migrate => "Migrate",
            Self::Restore => "Restore",
            Self::ForceDelete => "ForceDelete",
        }
    }
}

impl fmt::Display for OperationType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// How an operation goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub enum OperationState {
    /// It is under way.
    Processing,
    /// It is over, and all is well.
    Succeeded,
    /// It did not succeed, and will be tried again.
    Error,
    /// It did not succeed, and waits for somebody: a changed spec, or the operation `retry`.
    Failed,
    /// It waits for somebody before it begins.
    Pending,
    /// Somebody ended it.
    Aborted,
}

/// The last operation on an object.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LastOperation {
    /// What it was.
    #[serde(rename = "type")]
    pub operation: OperationType,
    /// How it goes.
    pub state: OperationState,
    /// How far it is, in percent.
    #[serde(default)]
    #[schemars(range(min = 0, max = 100))]
    pub progress: u8,
    /// What is going on, for people.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// When it came to this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_update_time: Option<Time>,
}
