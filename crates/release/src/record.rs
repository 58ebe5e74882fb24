//! One revision of a release, as Helm writes it down.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// One revision. What is not known here is kept as it was read.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// The name of the release.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// When and how it went.
    #[serde(default)]
    pub info: Info,
    /// The chart, with its templates and files.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub chart: Value,
    /// The values that the user gave.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub config: Map<String, Value>,
    /// What was rendered, without hooks.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub manifest: String,
    /// What ran around it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hooks: Vec<HookRecord>,
    /// The number of the revision, from one.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub version: u32,
    /// The namespace of the release.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub namespace: String,
    /// How objects were sent: `ssa` or `csa`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub apply_method: String,
    /// Labels of the user's; they are on the Secret and not in its contents.
    #[serde(skip)]
    pub labels: BTreeMap<String, String>,
    /// What other versions of Helm write.
    #[serde(flatten)]
    pub others: Map<String, Value>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature serde asks for")]
fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// When and how a revision went. Times are as Helm writes them: RFC 3339, or empty.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Info {
    /// When the first revision was deployed.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub first_deployed: String,
    /// When this one was.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub last_deployed: String,
    /// When the release was uninstalled.
    #[serde(default)]
    pub deleted: String,
    /// A sentence about it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// How it stands.
    #[serde(default)]
    pub status: Status,
    /// What the chart says to the user.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub notes: String,
    /// What other versions of Helm write.
    #[serde(flatten)]
    pub others: Map<String, Value>,
}

/// How a revision stands.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// Nobody knows.
    #[default]
    Unknown,
    /// It is what the cluster has.
    Deployed,
    /// It was taken out, and its record kept.
    Uninstalled,
    /// A later revision took its place.
    Superseded,
    /// It went wrong.
    Failed,
    /// It is being taken out.
    Uninstalling,
    /// It is being installed.
    PendingInstall,
    /// It is being upgraded to.
    PendingUpgrade,
    /// It is being rolled back to.
    PendingRollback,
}

impl Status {
    /// The word in labels and tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Unknown => "unknown",
            Self::Deployed => "deployed",
            Self::Uninstalled => "uninstalled",
            Self::Superseded => "superseded",
            Self::Failed => "failed",
            Self::Uninstalling => "uninstalling",
            Self::PendingInstall => "pending-install",
            Self::PendingUpgrade => "pending-upgrade",
            Self::PendingRollback => "pending-rollback",
        }
    }

    /// Whether somebody is at work on it, or was when the work ended.
    pub fn is_pending(self) -> bool {
        matches!(self, Self::PendingInstall | Self::PendingUpgrade | Self::PendingRollback)
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A hook of a revision.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct HookRecord {
    /// The name of its object.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// The kind of its object.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub kind: String,
    /// The template it comes from.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub path: String,
    /// Its text.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub manifest: String,
    /// When it runs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub events: Vec<String>,
    /// Its place among the hooks of one moment.
    #[serde(default, skip_serializing_if = "is_zero_weight")]
    pub weight: i64,
    /// When its object is deleted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub delete_policies: Vec<String>,
    /// What other versions of Helm write: its last run, its log policies.
    #[serde(flatten)]
    pub others: Map<String, Value>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature serde asks for")]
fn is_zero_weight(weight: &i64) -> bool {
    *weight == 0
}
