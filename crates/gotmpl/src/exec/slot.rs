//! A value with what Go's reflection knows about where it came from.

use crate::value::types::{ANY, REFLECT, Type};
use crate::value::{Kind, Value};

/// A value, and whether it sits in an `interface {}`, as the elements of most maps and lists do.
///
/// Untyped nil is an interface that holds nothing if `boxed`, else no value at all: Go tells them apart
/// (`nil pointer evaluating interface {}.x` against silence).
#[derive(Clone, Default)]
pub(crate) struct Slot {
    pub(crate) value: Value,
    pub(crate) boxed: bool,
}

impl Slot {
    /// No value.
    pub(crate) const INVALID: Self = Self { value: Value::Nil, boxed: false };

    /// A value of its own type.
    pub(crate) fn plain(value: Value) -> Self {
        Self { value, boxed: false }
    }

    /// A value in a place of type `ty`.
    pub(crate) fn of(value: Value, ty: Type) -> Self {
        Self { value, boxed: ty.kind == Kind::Interface }
    }

    /// The zero value of a type (`reflect.Zero`).
    pub(crate) fn zero(ty: Type) -> Self {
        if ty == REFLECT { Self::INVALID } else { Self::of(ty.zero(), ty) }
    }

    /// Whether there is nothing, not even a nil interface.
    pub(crate) fn is_invalid(&self) -> bool {
        !self.boxed && matches!(self.value, Value::Nil)
    }

    /// The name of the static type.
    pub(crate) fn type_name(&self) -> &'static str {
        if self.boxed { ANY.name } else { self.value.type_name() }
    }
}
