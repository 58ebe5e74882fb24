//! The steps to the items of a list.

use std::borrow::Cow;
use std::sync::Arc;

use schema::{ListKind, View};
use serde_json::Value;

use super::place::Place;
use crate::element::PathElement;

/// Why an item cannot be told from others.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum ItemError {
    /// Null in a list with keys.
    #[error("associative list with keys may not have a null element")]
    NullWithKeys,
    /// Not an object in a list with keys.
    #[error("associative list with keys may not have non-map elements")]
    NotAMap,
    /// An object without any of the keys.
    #[error(
        "associative list with keys has an element that omits all key fields {} (and doesn't have default values for any key fields)",
        quoted(.0)
    )]
    NoKeys(Vec<Arc<str>>),
    /// A default was needed, but items are not objects by the schema.
    #[error("couldn't find default value for {0}: associative list may not have non-map types")]
    NoDefault(Arc<str>),
    /// An object in a set.
    #[error("associative list without keys has an element that's a map type")]
    MapInSet,
    /// A list in a set.
    #[error("not supported: associative list with lists as elements")]
    ListInSet,
    /// Null in a set.
    #[error("associative list without keys has an element that's an explicit null")]
    NullInSet,
    /// Items of an atomic list have no steps.
    #[error("invalid indexing of non-associative list")]
    Atomic,
}

fn quoted(keys: &[Arc<str>]) -> String {
    let keys: Vec<String> = keys.iter().map(|key| crate::gotext::Quoted(key).to_string()).collect();
    format!("[{}]", keys.join(" "))
}

/// The step to an item of a list of this kind.
pub(crate) fn step<'a>(
    kind: &'a ListKind,
    items: View<'a>,
    item: &'a Value,
) -> Result<PathElement<'a>, ItemError> {
    match kind {
        ListKind::Atomic => Err(ItemError::Atomic),
        ListKind::Set => match item {
            Value::Object(_) => Err(ItemError::MapInSet),
            Value::Array(_) => Err(ItemError::ListInSet),
            Value::Null => Err(ItemError::NullInSet),
            _ => Ok(PathElement::Value(Cow::Borrowed(item))),
        },
        ListKind::Map(keys) => {
            let fields = match item {
                Value::Object(fields) => fields,
                Value::Null => return Err(ItemError::NullWithKeys),
                _ => return Err(ItemError::NotAMap),
            };
            let mut found: Vec<(Cow<'a, str>, Cow<'a, Value>)> = Vec::with_capacity(keys.len());
            for key in keys {
                let value = match fields.get(&**key) {
                    Some(value) => value,
                    None => match default(items, key)? {
                        Some(default) => default,
                        // An item without this key differs from one that has it.
                        None => continue,
                    },
                };
                found.push((Cow::Borrowed(&**key), Cow::Borrowed(value)));
            }
            if found.is_empty() && !keys.is_empty() {
                return Err(ItemError::NoKeys(keys.clone()));
            }
            if found.len() > 1 {
                found.sort_by(|(left, _), (right, _)| left.cmp(right));
            }
            Ok(PathElement::Key(found.into()))
        }
    }
}

/// Whether an item has a step.
pub(crate) fn check(kind: &ListKind, items: View<'_>, item: &Value) -> Result<(), ItemError> {
    match (kind, item) {
        // The most common cases need no step to be made.
        (ListKind::Set, Value::String(_)) => Ok(()),
        (ListKind::Map(keys), Value::Object(fields))
            if keys.iter().all(|key| fields.contains_key(&**key)) =>
        {
            Ok(())
        }
        _ => step(kind, items, item).map(drop),
    }
}

fn default<'a>(items: View<'a>, key: &Arc<str>) -> Result<Option<&'a Value>, ItemError> {
    match Place::of(items) {
        Place::Map(entries) if entries.names(key) => Ok(entries.entry(key).and_then(View::default)),
        Place::Map(_) | Place::Any(_) => Ok(None),
        Place::Scalar(_) | Place::List { .. } => Err(ItemError::NoDefault(Arc::clone(key))),
    }
}

/// The steps to all items, sorted, with the items that have the same step side by side in their order. Items without
/// a step are left out: they are refused before anything else is done with the list.
pub(crate) fn steps<'a>(
    kind: &'a ListKind,
    items: View<'a>,
    list: &'a [Value],
) -> Vec<(PathElement<'a>, &'a Value)> {
    let mut steps: Vec<_> =
        list.iter().filter_map(|item| step(kind, items, item).ok().map(|step| (step, item))).collect();
    if !steps.is_sorted_by(|(left, _), (right, _)| left <= right) {
        steps.sort_by(|(left, _), (right, _)| left.cmp(right));
    }
    steps
}
