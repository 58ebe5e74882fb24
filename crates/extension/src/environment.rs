//! What the controllers of one process share.

use std::fmt;

use kube::Client;

use crate::kinds::Kinds;
use crate::{Clock, Health, Metrics};

/// What the controllers of one process share: a client, the time, measurements, and which objects are theirs.
#[derive(Clone)]
pub struct Environment {
    /// A client of the cluster that the custom resources are in.
    pub client: Client,
    /// The time.
    pub clock: Clock,
    /// What is measured.
    pub metrics: Metrics,
    /// Who is ready.
    pub health: Health,
    /// Which objects are looked after.
    pub scope: Scope,
    /// Under which name Events are written and fields are owned.
    pub name: String,
    pub(crate) kinds: Kinds,
}

/// Which objects a process looks after. Several processes can share the work by namespaces or by labels.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Scope {
    /// Only those in these namespaces; all if empty.
    pub namespaces: Vec<String>,
    /// Only those that this selector selects.
    pub labels: Option<String>,
}

impl Environment {
    /// All objects, by the time of this machine.
    pub fn new(client: Client, name: impl Into<String>) -> Self {
        Self {
            client,
            clock: Clock::real(),
            metrics: Metrics::default(),
            health: Health::default(),
            scope: Scope::default(),
            name: name.into(),
            kinds: Kinds::default(),
        }
    }

    /// By another time.
    #[must_use]
    pub fn clock(self, clock: Clock) -> Self {
        Self { clock, ..self }
    }

    /// Only these objects.
    #[must_use]
    pub fn scope(self, scope: Scope) -> Self {
        Self { scope, ..self }
    }
}

impl fmt::Debug for Environment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Environment")
            .field("name", &self.name)
            .field("scope", &self.scope)
            .finish_non_exhaustive()
    }
}
