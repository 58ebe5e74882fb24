//! Hooks: objects that run at a moment of a release's life and are no part of it.

use serde::{Deserialize, Serialize};

use super::member::Member;

/// The moment a hook runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum HookEvent {
    /// Before anything is installed.
    PreInstall,
    /// After everything is installed.
    PostInstall,
    /// Before anything is deleted.
    PreDelete,
    /// After everything is deleted.
    PostDelete,
    /// Before anything is upgraded.
    PreUpgrade,
    /// After everything is upgraded.
    PostUpgrade,
    /// Before anything is rolled back.
    PreRollback,
    /// After everything is rolled back.
    PostRollback,
    /// When the user asks for tests.
    Test,
}

impl HookEvent {
    /// The name in the annotation.
    pub fn name(self) -> &'static str {
        match self {
            Self::PreInstall => "pre-install",
            Self::PostInstall => "post-install",
            Self::PreDelete => "pre-delete",
            Self::PostDelete => "post-delete",
            Self::PreUpgrade => "pre-upgrade",
            Self::PostUpgrade => "post-upgrade",
            Self::PreRollback => "pre-rollback",
            Self::PostRollback => "post-rollback",
            Self::Test => "test",
        }
    }

    /// The event of that name.
    pub fn named(name: &str) -> Option<Self> {
        [
            Self::PreInstall,
            Self::PostInstall,
            Self::PreDelete,
            Self::PostDelete,
            Self::PreUpgrade,
            Self::PostUpgrade,
            Self::PreRollback,
            Self::PostRollback,
            Self::Test,
        ]
        .into_iter()
        .find(|event| event.name() == name)
    }
}

impl std::fmt::Display for HookEvent {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// When a hook's object is deleted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum HookDeletion {
    /// Before it is created anew.
    BeforeHookCreation,
    /// When it has succeeded.
    HookSucceeded,
    /// When it has failed.
    HookFailed,
}

impl HookDeletion {
    /// The policy of that name in the annotation.
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "before-hook-creation" => Some(Self::BeforeHookCreation),
            "hook-succeeded" => Some(Self::HookSucceeded),
            "hook-failed" => Some(Self::HookFailed),
            _ => None,
        }
    }
}

/// A hook of the wanted set.
#[derive(Debug, Clone, PartialEq)]
pub struct Hook {
    /// Its object.
    pub member: Member,
    /// When it runs.
    pub events: Vec<HookEvent>,
    /// Its place among the hooks of one moment; lower runs earlier.
    pub weight: i64,
    /// When it is deleted; none means before it is created anew.
    pub deletions: Vec<HookDeletion>,
}
