//! Cached indexes, read once for a whole run: they may be large, and several dependencies may need the same.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use crate::remote::Remote;
use crate::remote::notice::Notify;
use crate::remote::repo::{Index, IndexError};

#[derive(Default)]
pub(super) struct Indexes {
    loaded: HashMap<String, Index>,
}

impl Indexes {
    /// The index that is cached under a name.
    pub(super) fn get(
        &mut self,
        remote: &Remote,
        name: &str,
        notify: &mut dyn Notify,
    ) -> Result<&Index, IndexError> {
        match self.loaded.entry(name.to_owned()) {
            Entry::Occupied(loaded) => Ok(loaded.into_mut()),
            Entry::Vacant(place) => Ok(place.insert(Index::load(&remote.paths.cached_index(name), notify)?)),
        }
    }
}
