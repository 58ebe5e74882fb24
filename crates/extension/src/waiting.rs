//! Who waits for which other objects: woken when one of them changes, instead of asking again and again.
//!
//! Whoever waits says so first and looks then, so that no change is missed between the two. Beside it the reconciler
//! [watches](crate::Reconciler::watches) what is waited for, and asks here whom a change concerns.
//!
//! This is in memory only. A process that begins looks at every object once, and those that still wait are here again.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crate::ObjectKey;

/// Those that wait, by the place where something must change: a namespace, or one object. The empty one is all of them.
#[derive(Debug, Clone, Default)]
pub struct Waiting(Arc<Mutex<BTreeMap<String, BTreeSet<ObjectKey>>>>);

impl Waiting {
    /// After what time somebody who waits to be woken looks again all the same.
    pub const FALLBACK: Duration = Duration::from_mins(10);

    /// Waits from now on.
    pub fn add(&self, place: &str, key: &ObjectKey) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.entry(place.to_owned()).or_default().insert(key.clone());
    }

    /// Waits no more.
    pub fn remove(&self, place: &str, key: &ObjectKey) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(here) = all.get_mut(place) {
            here.remove(key);
            if here.is_empty() {
                all.remove(place);
            }
        }
    }

    /// Whom a change in a place concerns. Whoever has to wait on says so again.
    pub fn woken(&self, place: &str) -> Vec<ObjectKey> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        ["", place].iter().filter_map(|place| all.remove(*place)).flatten().collect()
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
