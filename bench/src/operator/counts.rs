//! What a server was asked, by what and about what.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use dock::requests::Call;

/// The requests of the operator. Clones count together.
#[derive(Debug, Clone, Default)]
pub(super) struct Counts(Arc<Mutex<BTreeMap<String, u64>>>);

impl Counts {
    /// Counts a request, unless it is one that only this program makes.
    pub(super) fn add(&self, line: &str, call: &Call) {
        let method = line.split(' ').next().unwrap_or_default();
        let resource = &*call.resource.key.resource;
        let is_own = matches!((method, resource), ("DELETE", "bundles") | (_, "namespaces"))
            || line.contains("fieldManager=bench")
            || line.contains("/bundles?&limit=1");
        if is_own || line.contains("watch=") {
            return;
        }
        let part = if call.subresource.is_empty() { String::new() } else { format!("/{}", call.subresource) };
        let what = format!("{method} {resource}{part}");
        *self.counts().entry(what).or_default() += 1;
    }

    /// What was counted so far, which begins anew.
    pub(super) fn take(&self) -> BTreeMap<String, u64> {
        std::mem::take(&mut self.counts())
    }

    fn counts(&self) -> std::sync::MutexGuard<'_, BTreeMap<String, u64>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
