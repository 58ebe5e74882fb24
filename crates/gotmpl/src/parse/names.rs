//! Names that occur again and again in templates, each kept once.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use foldhash::fast::RandomState;

/// A hash map for short keys.
pub(crate) type Map<K, V> = HashMap<K, V, RandomState>;

/// The names of a set of templates: `Values`, `metadata`, `name` …
#[derive(Default)]
pub(crate) struct Names(RefCell<HashSet<Rc<str>, RandomState>>);

impl Names {
    /// The one copy of `name`.
    pub(crate) fn keep(&self, name: &str) -> Rc<str> {
        let mut names = self.0.borrow_mut();
        if let Some(name) = names.get(name) {
            return name.clone();
        }
        let name: Rc<str> = name.into();
        names.insert(name.clone());
        name
    }
}
