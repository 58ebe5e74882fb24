//! The flags that say what order a plan keeps.

use std::time::Duration;

use clap::Args;
use plan::input::{Cascade, CrdsInstall, Hooks, Order, Policy, Rules, WaitStrategy};

use crate::go_flags::duration;
use crate::operation::ProgressFlag;
use crate::report::{self, Failure};

/// How objects are ordered.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Order")]
pub(crate) struct OrderFlags {
    /// Refuse what is warned of otherwise: layers that nobody is in, likely deadlocks
    #[arg(long)]
    pub(crate) strict: bool,

    /// Leave unannotated objects behind all layers, even if objects in layers need them
    #[arg(long)]
    pub(crate) no_hoist: bool,

    /// How long an object that others wait for may take to become ready; a minute if not given
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    pub(crate) readiness_timeout: Option<Duration>,
}

/// How a release is changed.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Operation")]
pub(crate) struct OperationFlags {
    /// With 'ordered', go by layers and subcharts; with 'watcher', await that everything is ready at the end
    #[arg(long, value_name = "STRATEGY", num_args = 0..=1, require_equals = true, default_missing_value = "watcher", value_parser = strategy)]
    pub(crate) wait: Option<WaitStrategy>,

    /// File with rules for the order of deletions
    #[arg(long, value_name = "FILE")]
    pub(crate) deletion_rules: Option<String>,

    /// What becomes of the definitions in crds/: create, update or skip them; delete them with the release
    #[arg(long, value_name = "ACTION", value_parser = crds)]
    pub(crate) crds: Option<Crds>,

    /// How deletes reach what objects own: foreground, background or orphan
    #[arg(long, value_name = "WAY", value_parser = cascade)]
    pub(crate) cascade: Option<Cascade>,

    /// Do not run hooks
    #[arg(long)]
    pub(crate) no_hooks: bool,

    /// How long each hook, the readiness wait and the deletion may take
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    pub(crate) timeout: Option<Duration>,
}

/// The flags of commands that run a plan: how progress is shown, how the release is changed, and in which order.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct RunFlags {
    #[command(flatten)]
    pub(crate) progress: ProgressFlag,

    #[command(flatten)]
    operation: OperationFlags,

    #[command(flatten)]
    order: OrderFlags,
}

impl RunFlags {
    /// These flags over the defaults.
    pub(crate) fn policy(&self) -> Result<Policy, Failure> {
        self.operation.policy(&self.order)
    }
}

/// What becomes of definitions in `crds/`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Crds {
    Install(CrdsInstall),
    Delete,
}

fn strategy(text: &str) -> Result<WaitStrategy, String> {
    match text {
        "watcher" | "legacy" | "true" => Ok(WaitStrategy::Watcher),
        "hookOnly" | "false" => Ok(WaitStrategy::HookOnly),
        "ordered" => Ok(WaitStrategy::Ordered),
        _ => Err("must be one of: watcher, hookOnly, legacy, ordered".to_owned()),
    }
}

fn crds(text: &str) -> Result<Crds, String> {
    match text {
        "create" => Ok(Crds::Install(CrdsInstall::Create)),
        "update" => Ok(Crds::Install(CrdsInstall::Update)),
        "skip" => Ok(Crds::Install(CrdsInstall::Skip)),
        "delete" => Ok(Crds::Delete),
        _ => Err("must be one of: create, update, skip, delete".to_owned()),
    }
}

fn cascade(text: &str) -> Result<Cascade, String> {
    match text {
        "foreground" => Ok(Cascade::Foreground),
        "background" => Ok(Cascade::Background),
        "orphan" => Ok(Cascade::Orphan),
        _ => Err("must be one of: foreground, background, orphan".to_owned()),
    }
}

impl OrderFlags {
    /// These flags over the defaults.
    pub(crate) fn policy(&self, order: Order) -> Policy {
        let defaults = Policy::default();
        Policy {
            order,
            strict: self.strict,
            hoist: !self.no_hoist,
            readiness_timeout: self.readiness_timeout.unwrap_or(defaults.readiness_timeout),
            ..defaults
        }
    }
}

impl OperationFlags {
    /// Whether layers and subcharts order what is done.
    pub(crate) fn is_ordered(&self) -> bool {
        self.wait == Some(WaitStrategy::Ordered)
    }

    /// These flags over those about order.
    pub(crate) fn policy(&self, order: &OrderFlags) -> Result<Policy, Failure> {
        let policy = order.policy(Order::Kinds).with_wait(self.wait.unwrap_or_default());
        Ok(Policy {
            rules: self.rules()?,
            crds: match self.crds {
                Some(Crds::Install(install)) => install,
                Some(Crds::Delete) | None => policy.crds,
            },
            delete_crds: self.crds == Some(Crds::Delete),
            cascade: self.cascade,
            hooks: if self.no_hooks { Hooks::Skip } else { Hooks::Run },
            timeout: self.timeout.unwrap_or(policy.timeout),
            ..policy
        })
    }

    fn rules(&self) -> Result<Rules, Failure> {
        let Some(file) = &self.deletion_rules else { return Ok(Rules::default()) };
        let text = std::fs::read_to_string(file).map_err(|error| Failure::new(format!("{file}: {error}")))?;
        Rules::parse(file, &text).map_err(|error| report::rules(&error, &text))
    }
}
