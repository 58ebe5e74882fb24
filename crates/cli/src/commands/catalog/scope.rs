//! Whose brokers, classes and plans are meant: those of the cluster, those of the namespace, or both.

use std::str::FromStr;

use clap::Args;

/// Whose brokers, classes and plans.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Scope {
    /// Both.
    #[default]
    All,
    /// Those of the whole cluster.
    Cluster,
    /// Those of the namespace.
    Namespace,
}

impl Scope {
    /// Whether those of the cluster are meant.
    pub(super) fn has_cluster(self) -> bool {
        self != Self::Namespace
    }

    /// Whether those of the namespace are meant.
    pub(super) fn has_namespace(self) -> bool {
        self != Self::Cluster
    }
}

impl FromStr for Scope {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "all" => Ok(Self::All),
            "cluster" => Ok(Self::Cluster),
            "namespace" => Ok(Self::Namespace),
            _ => Err("must be all, cluster or namespace"),
        }
    }
}

/// The flag of commands that look.
#[derive(Args, Clone, Copy, Debug, Default)]
pub(super) struct ScopeFlag {
    /// Look at what is of the cluster, of the namespace, or all
    #[arg(long, value_name = "SCOPE", default_value = "all")]
    pub(super) scope: Scope,
}
