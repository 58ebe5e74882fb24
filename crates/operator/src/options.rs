//! How an operator is to run.

use std::net::SocketAddr;

use extension::Scope;

use crate::Features;
use crate::webhook::WebhookOptions;

/// What becomes of an object once what it stands for is gone although the object is not deleted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum AfterDeletion {
    /// It is deleted.
    #[default]
    Delete,
    /// It stays, with the condition `Deleted`.
    Retain,
}

/// What controllers are told about how to do their work.
#[derive(Debug, Clone, Default)]
pub struct Settings {
    /// Which features are on.
    pub features: Features,
    /// What becomes of objects whose backing is gone.
    pub after_deletion: AfterDeletion,
    /// As which `ServiceAccount` the trash of releases is swept, in the namespace of each; nobody's if not given.
    pub sweep_as: Option<String>,
    /// How many objects of a kind are worked on at once; each controller's own number if not given.
    pub concurrency: Option<usize>,
}

/// Who is the leader.
#[derive(Debug, Clone)]
pub struct Election {
    /// The namespace of the Lease.
    pub namespace: String,
    /// Its name: shards have one each.
    pub name: String,
    /// Under which name this process holds it.
    pub identity: String,
}

/// How an operator is to run.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// How controllers work.
    pub settings: Settings,
    /// Which objects are looked after.
    pub scope: Scope,
    /// Who is the leader; without, this is the only process.
    pub election: Option<Election>,
    /// Where probes and measurements are answered.
    pub listen: Option<SocketAddr>,
    /// How the webhook is reached.
    pub webhook: Option<WebhookOptions>,
    /// Whether the definitions of the kinds are installed first.
    pub install_definitions: bool,
    /// Whether the admission policies are installed first.
    pub install_policies: bool,
}
