//! Go's slices: shared, typed, possibly nil.

use std::cell::{Ref, RefCell, RefMut};

use super::Value;
use super::types::{LIST_ANY, LIST_STRING, Type};

/// The contents of a slice that is shared by everyone who holds it.
pub struct List {
    ty: Type,
    nil: bool,
    items: RefCell<Vec<Value>>,
}

impl List {
    /// A slice of type `ty` (such as [`LIST_STRING`]).
    pub fn new(ty: Type, items: Vec<Value>) -> Self {
        Self { ty, nil: false, items: RefCell::new(items) }
    }

    /// A `[]interface {}`.
    pub fn any(items: Vec<Value>) -> Self {
        Self::new(LIST_ANY, items)
    }

    /// A `[]string`.
    pub fn strings<T: Into<Value>>(items: impl IntoIterator<Item = T>) -> Self {
        Self::new(LIST_STRING, items.into_iter().map(Into::into).collect())
    }

    /// A nil slice of type `ty`.
    pub fn nil(ty: Type) -> Self {
        Self { ty, nil: true, items: RefCell::default() }
    }

    /// The slice's type.
    pub fn ty(&self) -> Type {
        self.ty
    }

    /// The type of the elements.
    pub fn elem(&self) -> Type {
        self.ty.elem.unwrap_or(super::types::ANY)
    }

    /// Whether this is a nil slice.
    pub fn is_nil(&self) -> bool {
        self.nil
    }

    /// The number of elements.
    pub fn len(&self) -> usize {
        self.items.borrow().len()
    }

    /// Whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.items.borrow().is_empty()
    }

    /// The element at `index`.
    pub fn get(&self, index: usize) -> Option<Value> {
        self.items.borrow().get(index).cloned()
    }

    /// The elements, to read.
    pub fn borrow(&self) -> Ref<'_, Vec<Value>> {
        self.items.borrow()
    }

    /// The elements, to change in place; everyone who holds this slice sees it.
    pub fn borrow_mut(&self) -> RefMut<'_, Vec<Value>> {
        self.items.borrow_mut()
    }

    /// Where the elements are, which tells one list from another.
    pub(crate) fn address(&self) -> usize {
        std::ptr::from_ref(&self.items).addr()
    }

    /// The elements, to whoever holds the list alone.
    pub(super) fn contents(&mut self) -> &mut Vec<Value> {
        self.items.get_mut()
    }

    /// A copy of the elements as they are now.
    pub fn to_vec(&self) -> Vec<Value> {
        self.items.borrow().clone()
    }
}
