//! Where the parts of a parsed source lie: each sort in one array, so that a template of a thousand nodes takes a
//! handful of allocations, and can be read on one thread and used on another.

use std::marker::PhantomData;
use std::ops::Index;

use super::tree::{Branch, Call, Chain, Command, Node, Number, Operand, Pipe, Span, Variable};

/// The parts of one source.
#[derive(Default)]
pub(crate) struct Arena {
    nodes: Vec<Node>,
    branches: Vec<Branch>,
    calls: Vec<Call>,
    pipes: Vec<Pipe>,
    commands: Vec<Command>,
    operands: Vec<Operand>,
    chains: Vec<Chain>,
    names: Vec<Span>,
    variables: Vec<Variable>,
    numbers: Vec<Number>,
}

/// One part of an arena.
pub(crate) struct Id<T>(u32, PhantomData<fn() -> T>);

/// Parts of an arena that follow each other.
pub(crate) struct Slice<T> {
    start: u32,
    end: u32,
    of: PhantomData<fn() -> T>,
}

impl<T> Clone for Id<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Id<T> {}

impl<T> Clone for Slice<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Slice<T> {}

impl<T> Slice<T> {
    pub(crate) const EMPTY: Self = Self { start: 0, end: 0, of: PhantomData };

    pub(crate) fn len(self) -> usize {
        (self.end - self.start) as usize
    }

    pub(crate) fn is_empty(self) -> bool {
        self.start == self.end
    }
}

/// A sort of parts that arenas hold.
pub(crate) trait Part: Sized {
    fn all(arena: &Arena) -> &[Self];
    fn all_mut(arena: &mut Arena) -> &mut Vec<Self>;
}

macro_rules! parts {
    ($($part:ty: $field:ident),*) => {
        $(impl Part for $part {
            fn all(arena: &Arena) -> &[Self] {
                &arena.$field
            }

            fn all_mut(arena: &mut Arena) -> &mut Vec<Self> {
                &mut arena.$field
            }
        })*

        impl Arena {
            /// A copy that takes no more room than it needs; this one keeps its room, and nothing in it.
            pub(crate) fn take(&mut self) -> Self {
                Self { $($field: self.$field.drain(..).collect()),* }
            }

            /// Forgets everything.
            pub(crate) fn clear(&mut self) {
                $(self.$field.clear();)*
            }
        }
    };
}

parts! {
    Node: nodes, Branch: branches, Call: calls, Pipe: pipes, Command: commands, Operand: operands, Chain: chains,
    Span: names, Variable: variables, Number: numbers
}

impl Arena {
    /// Keeps one part.
    pub(crate) fn keep<T: Part>(&mut self, part: T) -> Id<T> {
        let parts = T::all_mut(self);
        parts.push(part);
        Id(parts.len() as u32 - 1, PhantomData)
    }

    /// Keeps parts side by side.
    pub(crate) fn keep_all<T: Part>(&mut self, kept: impl IntoIterator<Item = T>) -> Slice<T> {
        let parts = T::all_mut(self);
        let start = parts.len() as u32;
        parts.extend(kept);
        Slice { start, end: parts.len() as u32, of: PhantomData }
    }
}

impl<T: Part> Index<Id<T>> for Arena {
    type Output = T;

    fn index(&self, id: Id<T>) -> &T {
        &T::all(self)[id.0 as usize]
    }
}

impl<T: Part> Index<Slice<T>> for Arena {
    type Output = [T];

    fn index(&self, slice: Slice<T>) -> &[T] {
        &T::all(self)[slice.start as usize..slice.end as usize]
    }
}
