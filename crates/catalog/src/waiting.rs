//! Who waits for which other objects: woken when one of them changes, instead of asking again and again.
//!
//! This is in memory only. A process that begins looks at every object once, and those that still wait are here again.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use extension::ObjectKey;

/// After what time somebody who waits to be woken looks again all the same.
pub(crate) const FALLBACK: Duration = Duration::from_mins(10);

/// Those that wait, by the namespace in which something must change; the empty one is all of them.
#[derive(Debug, Clone, Default)]
pub(crate) struct Waiting(Arc<Mutex<BTreeMap<String, BTreeSet<ObjectKey>>>>);

impl Waiting {
    /// Waits from now on.
    pub(crate) fn add(&self, namespace: &str, key: &ObjectKey) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.entry(namespace.to_owned()).or_default().insert(key.clone());
    }

    /// Waits no more.
    pub(crate) fn remove(&self, namespace: &str, key: &ObjectKey) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(here) = all.get_mut(namespace) {
            here.remove(key);
            if here.is_empty() {
                all.remove(namespace);
            }
        }
    }

    /// Whom a change in a namespace concerns. Whoever has to wait on says so again.
    pub(crate) fn woken(&self, namespace: &str) -> Vec<ObjectKey> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        ["", namespace].iter().filter_map(|place| all.remove(*place)).flatten().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn those_who_wait_are_woken_once_by_a_change_in_their_namespace() {
        let waiting = Waiting::default();
        let (one, two) = (ObjectKey::namespaced("shop", "one"), ObjectKey::namespaced("shop", "two"));
        waiting.add("shop", &one);
        waiting.add("shop", &two);
        waiting.add("", &ObjectKey { namespace: None, name: "broker".to_owned() });
        waiting.remove("shop", &two);
        waiting.remove("nowhere", &two);
        let woken = waiting.woken("other");
        assert_eq!(woken.iter().map(ToString::to_string).collect::<Vec<_>>(), ["broker"]);
        assert_eq!(waiting.woken("shop"), [one]);
        assert_eq!(waiting.woken("shop"), []);
    }
}
