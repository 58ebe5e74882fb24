//! Go's maps with string keys: shared, typed, possibly nil, iterated in key order.

use std::cell::{Ref, RefCell, RefMut};
use std::collections::BTreeMap;
use std::rc::Rc;

use super::Value;
use super::types::{MAP_ANY, MAP_STRING, Type};

/// What a map holds.
pub type Entries = BTreeMap<Rc<str>, Value>;

/// A map that is shared by everyone who holds it, so that sprig's `set` is seen by all.
pub struct Map {
    ty: Type,
    nil: bool,
    entries: Rc<RefCell<Entries>>,
}

impl Map {
    /// A map of type `ty` (such as [`MAP_STRING`], or a named type of the caller's).
    pub fn new(ty: Type, entries: Entries) -> Self {
        Self { ty, nil: false, entries: Rc::new(RefCell::new(entries)) }
    }

    /// A `map[string]interface {}`.
    pub fn any(entries: Entries) -> Self {
        Self::new(MAP_ANY, entries)
    }

    /// A `map[string]string`.
    pub fn strings(entries: Entries) -> Self {
        Self::new(MAP_STRING, entries)
    }

    /// A nil map of type `ty`.
    pub fn nil(ty: Type) -> Self {
        Self { ty, nil: true, entries: Rc::default() }
    }

    /// The same entries seen as a map of another type, as a Go conversion between map types gives.
    #[must_use]
    pub fn converted_to(&self, ty: Type) -> Self {
        Self { ty, nil: self.nil, entries: Rc::clone(&self.entries) }
    }

    /// Whether both are the same map, whatever their types.
    pub fn is_same(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.entries, &other.entries)
    }

    /// The map's type.
    pub fn ty(&self) -> Type {
        self.ty
    }

    /// The type of the values.
    pub fn elem(&self) -> Type {
        self.ty.elem.unwrap_or(super::types::ANY)
    }

    /// Whether this is a nil map. Writing into one is a panic in Go: see [`Map::insert`].
    pub fn is_nil(&self) -> bool {
        self.nil
    }

    /// The number of entries.
    pub fn len(&self) -> usize {
        self.entries.borrow().len()
    }

    /// Whether there are no entries.
    pub fn is_empty(&self) -> bool {
        self.entries.borrow().is_empty()
    }

    /// The value of `key`.
    pub fn get(&self, key: &str) -> Option<Value> {
        self.entries.borrow().get(key).cloned()
    }

    /// Whether there is an entry for `key`.
    pub fn contains_key(&self, key: &str) -> bool {
        self.entries.borrow().contains_key(key)
    }

    /// Sets the value of `key`. A caller for whom [`Map::is_nil`] can hold gives Go's panic
    /// (`assignment to entry in nil map`) instead.
    pub fn insert(&self, key: impl Into<Rc<str>>, value: Value) {
        self.entries.borrow_mut().insert(key.into(), value);
    }

    /// Takes the entry of `key` out.
    pub fn remove(&self, key: &str) -> Option<Value> {
        self.entries.borrow_mut().remove(key)
    }

    /// Where the entries are, which tells one map from another.
    pub(crate) fn address(&self) -> usize {
        Rc::as_ptr(&self.entries).addr()
    }

    /// The entries, if nobody else holds them.
    pub(super) fn contents(&mut self) -> Option<&mut Entries> {
        Rc::get_mut(&mut self.entries).map(RefCell::get_mut)
    }

    /// The entries, to read.
    pub fn borrow(&self) -> Ref<'_, Entries> {
        self.entries.borrow()
    }

    /// The entries, to change in place; everyone who holds this map sees it.
    pub fn borrow_mut(&self) -> RefMut<'_, Entries> {
        self.entries.borrow_mut()
    }
}
