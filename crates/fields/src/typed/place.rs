//! What the rules of ownership see of a place in the schema.

use schema::{ListKind, MapKind, Scalar, Shape, View};
use serde_json::Value;

/// A place, as ownership sees it.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Place<'a> {
    /// A single value.
    Scalar(Single),
    /// A list.
    List {
        /// The structure of its items.
        items: View<'a>,
        /// What identifies an item.
        kind: &'a ListKind,
    },
    /// An object or map.
    Map(Entries<'a>),
    /// Any of the three, as the value shows.
    Any(View<'a>),
}

/// Which single values are accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Single {
    Numeric,
    String,
    Boolean,
    Untyped,
}

/// The entries of an object or map.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Entries<'a> {
    view: View<'a>,
    /// Whether the whole is one value.
    pub(crate) atomic: bool,
}

static ATOMIC: ListKind = ListKind::Atomic;

impl<'a> Place<'a> {
    /// The place of a view, before any value is known.
    pub(crate) fn of(view: View<'a>) -> Self {
        match view.shape() {
            Shape::Scalar(scalar) => match scalar {
                Scalar::String | Scalar::Bytes => Self::Scalar(Single::String),
                Scalar::Int32 | Scalar::Int64 | Scalar::Float => Self::Scalar(Single::Numeric),
                Scalar::Boolean => Self::Scalar(Single::Boolean),
                // Formatted text is untyped for the real server; so is whatever may be a number or text.
                Scalar::Time | Scalar::MicroTime | Scalar::Quantity => Self::Scalar(Single::Untyped),
                Scalar::IntOrString => Self::Any(view.untyped()),
            },
            Shape::Object { kind, .. } | Shape::Map { kind, .. } => {
                Self::Map(Entries { view, atomic: *kind == MapKind::Atomic })
            }
            Shape::List { kind, .. } => Self::List { items: view.items().unwrap_or(view.untyped()), kind },
            Shape::Untyped | Shape::Named(_) => Self::Any(view.untyped()),
        }
    }

    /// The place of a view that holds a value. Null can be anything, and is then taken for a map.
    pub(crate) fn holding(view: View<'a>, value: &Value) -> Self {
        match Self::of(view) {
            Self::Any(untyped) => match value {
                Value::Null | Value::Object(_) => Self::Map(Entries { view: untyped, atomic: false }),
                Value::Array(_) => Self::List { items: untyped, kind: &ATOMIC },
                Value::Bool(_) | Value::Number(_) | Value::String(_) => Self::Scalar(Single::Untyped),
            },
            place => place,
        }
    }
}

impl<'a> Entries<'a> {
    /// The structure of an entry; nothing if no such field may be there.
    pub(crate) fn entry(self, name: &str) -> Option<View<'a>> {
        match self.view.shape() {
            // An object of which no field is known accepts all.
            Shape::Object { fields, .. } if fields.is_empty() => Some(self.view.untyped()),
            _ => self.view.field(name),
        }
    }

    /// The structure of an entry that may be there; untyped if it may not.
    pub(crate) fn entry_or_untyped(self, name: &str) -> View<'a> {
        self.entry(name).unwrap_or(self.view.untyped())
    }

    /// Whether the entry is a field that the schema names.
    pub(crate) fn names(self, name: &str) -> bool {
        matches!(self.view.shape(), Shape::Object { fields, .. } if fields.contains_key(name))
    }

    /// The structure of entries that are not named.
    pub(crate) fn unnamed(self) -> Option<View<'a>> {
        match self.view.shape() {
            Shape::Object { fields, open, .. } if *open || fields.is_empty() => Some(self.view.untyped()),
            Shape::Untyped => Some(self.view.untyped()),
            // Any name that is not a field's stands for all of them.
            Shape::Map { .. } => self.view.field(""),
            _ => None,
        }
    }

    /// Whether no field is named and anything may stand in every entry.
    pub(crate) fn is_free(self) -> bool {
        match self.view.shape() {
            Shape::Object { fields, .. } => fields.is_empty(),
            Shape::Map { .. } => self.unnamed().is_some_and(|values| {
                matches!(Place::of(values), Place::Any(_) | Place::Scalar(Single::Untyped))
            }),
            _ => true,
        }
    }
}
