//! Those that wait for something to be sold: a class, a plan, or the broker that sells them.

use extension::{ObjectKey, Waiting};
use kube::core::PartialObjectMeta;

/// Where what belongs to no namespace changes: no namespace is called so.
const CLUSTER: &str = "/";

/// Those that wait for a class, a plan or a broker, woken when one changes: of the cluster, or of their namespace.
#[derive(Debug, Clone)]
pub(crate) struct Offers {
    waiting: Waiting,
    /// Whether changes of what belongs to the cluster are heard of.
    of_cluster: bool,
}

impl Offers {
    pub(crate) fn new(of_cluster: bool) -> Self {
        Self { waiting: Waiting::default(), of_cluster }
    }

    /// Waits from now on. Says whether that is of use: what nobody tells has to be looked for.
    pub(crate) fn add(&self, cluster: bool, key: &ObjectKey) -> bool {
        let place = if cluster { CLUSTER } else { key.namespace.as_deref().unwrap_or_default() };
        self.waiting.add(place, key);
        !cluster || self.of_cluster
    }

    /// Waits no more.
    pub(crate) fn remove(&self, key: &ObjectKey) {
        self.waiting.remove(CLUSTER, key);
        self.waiting.remove(key.namespace.as_deref().unwrap_or_default(), key);
    }

    /// Whom a change concerns.
    pub(crate) fn woken(&self, changed: &PartialObjectMeta) -> Vec<ObjectKey> {
        self.waiting.woken(changed.metadata.namespace.as_deref().unwrap_or(CLUSTER))
    }
}
