//! Which templates can be seen: those of the set, and those that the texts given to `tpl` define.

use std::rc::Rc;

use crate::parse::Map;
use crate::parse::tree::Tree;

/// Templates by name, over those of an outer scope.
pub(crate) struct Scope {
    name: Rc<str>,
    trees: Map<Rc<str>, Rc<Tree>>,
    outer: Option<Rc<Scope>>,
}

impl Scope {
    /// An empty scope; `name` is what errors call the set.
    pub(crate) fn new(name: Rc<str>) -> Self {
        Self { name, trees: Map::default(), outer: None }
    }

    /// A scope over `outer`, in which definitions hide the outer ones and do not leak.
    pub(crate) fn within(outer: &Rc<Self>) -> Self {
        Self { name: outer.name.clone(), trees: Map::default(), outer: Some(outer.clone()) }
    }

    pub(crate) fn name(&self) -> &Rc<str> {
        &self.name
    }

    pub(crate) fn get(&self, name: &str) -> Option<Rc<Tree>> {
        let mut scope = self;
        loop {
            if let Some(tree) = scope.trees.get(name) {
                return Some(tree.clone());
            }
            scope = scope.outer.as_deref()?;
        }
    }

    /// Adds a definition; one that is empty does not replace another.
    pub(crate) fn define(&mut self, tree: &Rc<Tree>) {
        if !tree.is_empty() || self.get(&tree.name).is_none() {
            self.trees.insert(tree.name.clone(), tree.clone());
        }
    }

    /// Adds a definition whatever was there.
    pub(crate) fn replace(&mut self, tree: &Rc<Tree>) {
        self.trees.insert(tree.name.clone(), tree.clone());
    }

    /// The names of all templates, those of this scope only.
    pub(crate) fn names(&self) -> impl Iterator<Item = &Rc<str>> {
        self.trees.keys()
    }
}
