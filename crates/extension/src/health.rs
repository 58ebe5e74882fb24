//! Who is ready, and who is alive.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Which parts of a process are ready. Clones share it.
#[derive(Debug, Clone, Default)]
pub struct Health(Arc<Mutex<BTreeMap<String, bool>>>);

impl Health {
    /// Says whether a part is ready. One that has not said so is not awaited.
    pub fn set(&self, part: &str, ready: bool) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(part.to_owned(), ready);
    }

    /// Those that are not ready.
    pub fn unready(&self) -> Vec<String> {
        let parts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        parts.iter().filter(|(_, ready)| !**ready).map(|(part, _)| part.clone()).collect()
    }
}
