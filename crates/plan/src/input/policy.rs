//! What the user decides about a run.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::rules::Rules;

/// How a run behaves. [`Policy::default`] is an unsequenced run as Helm does it.
#[derive(Debug, Clone, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line of its own")]
pub struct Policy {
    /// In which order objects are applied.
    pub order: Order,
    /// Whether an unsequenced run awaits readiness. A sequenced one always does.
    pub wait: bool,
    /// Whether a Job that nothing comes after is awaited until it has completed, too.
    pub wait_for_jobs: bool,
    /// Whether doubtful things are refused instead of warned of.
    pub strict: bool,
    /// Whether unannotated objects move before those that need them.
    pub hoist: bool,
    /// The rules of deletion.
    pub rules: Rules,
    /// What happens to definitions in `crds/` before objects are applied.
    pub crds: CrdsInstall,
    /// Whether definitions from `crds/` are deleted with the release.
    pub delete_crds: bool,
    /// How deletes reach what an object owns; `None` leaves it to the kind.
    pub cascade: Option<Cascade>,
    /// Whether definitions and namespaces go although others have objects there.
    pub delete_foreign: bool,
    /// Whether objects of others are taken over.
    pub take_ownership: bool,
    /// Whether delays are ignored: `purge`.
    pub purge: bool,
    /// Whether the owner is Ready, without which nothing is pruned.
    pub ready: bool,
    /// What becomes of hooks.
    pub hooks: Hooks,
    /// How long each hook, the readiness wait and the deletion may take.
    pub timeout: Duration,
    /// How long an object that others wait for may take to become ready.
    pub readiness_timeout: Duration,
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            order: Order::Kinds,
            wait: false,
            wait_for_jobs: false,
            strict: false,
            hoist: true,
            rules: Rules::default(),
            crds: CrdsInstall::Create,
            delete_crds: false,
            cascade: None,
            delete_foreign: false,
            take_ownership: false,
            purge: false,
            ready: true,
            hooks: Hooks::Run,
            timeout: Duration::from_mins(5),
            readiness_timeout: Duration::from_mins(1),
        }
    }
}

/// What a run waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum WaitStrategy {
    /// Hooks, and nothing else.
    #[default]
    HookOnly,
    /// That everything is ready at the end.
    Watcher,
    /// Layer by layer and subchart by subchart, that each is ready before what needs it begins.
    Ordered,
}

impl Policy {
    /// The defaults, with a way to wait.
    pub fn waiting(strategy: WaitStrategy) -> Self {
        Self::default().with_wait(strategy)
    }

    /// Waits in another way.
    #[must_use]
    pub fn with_wait(self, strategy: WaitStrategy) -> Self {
        let order = if strategy == WaitStrategy::Ordered { Order::Ordered } else { Order::Kinds };
        Self { order, wait: strategy != WaitStrategy::HookOnly, ..self }
    }
}

/// In which order objects are applied.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Order {
    /// By layers and subcharts: `--wait=ordered`.
    Ordered,
    /// All at once, in Helm's order of kinds: charts.
    Kinds,
    /// Definitions, then objects of the whole cluster, then those in namespaces: plain manifests.
    Phases,
}

/// What happens to definitions in `crds/`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CrdsInstall {
    /// They are created if they are not there.
    Create,
    /// They are created or updated.
    Update,
    /// They are left alone.
    Skip,
}

/// How a delete reaches what the object owns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Cascade {
    /// The object goes when what it owns is gone.
    Foreground,
    /// What it owns is collected afterwards.
    Background,
    /// What it owns stays.
    Orphan,
}

/// What becomes of hooks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Hooks {
    /// They run at Helm's points.
    Run,
    /// They do not run.
    Skip,
    /// Install and upgrade hooks are plain objects, others are left out.
    Plain,
}
