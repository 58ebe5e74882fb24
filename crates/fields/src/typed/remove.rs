//! Taking fields out of a value.

use schema::{ListKind, View};
use serde_json::{Map, Value};

use super::item;
use super::place::{Entries, Place};
use crate::element::PathElement;
use crate::set::FieldSet;

/// The value without these fields. What has nothing left, and atomic parts with a field in them, become null.
pub fn remove(value: &Value, fields: &FieldSet<'_>, view: View<'_>) -> Value {
    match (Place::holding(view, value), value) {
        (Place::Scalar(_), value) => value.clone(),
        (Place::List { items, kind }, Value::Array(list)) if *kind != ListKind::Atomic => {
            from_list(list, fields, kind, items)
        }
        (Place::Map(entries), Value::Object(object)) if !entries.atomic => from_map(object, fields, entries),
        _ => Value::Null,
    }
}

fn from_list(list: &[Value], fields: &FieldSet<'_>, kind: &ListKind, items: View<'_>) -> Value {
    let mut left = Vec::with_capacity(list.len());
    for item in list {
        match item::step(kind, items, item).ok().and_then(|step| fields.node(&step)) {
            Some(node) if node.member => {}
            Some(node) => left.push(remove(item, &node.children, items)),
            None => left.push(item.clone()),
        }
    }
    if left.is_empty() { Value::Null } else { Value::Array(left) }
}

fn from_map(object: &Map<String, Value>, fields: &FieldSet<'_>, entries: Entries<'_>) -> Value {
    let mut left = Map::new();
    for (name, value) in object {
        let kept = match fields.node(&PathElement::field(name.as_str())) {
            Some(node) if node.member => continue,
            Some(node) => remove(value, &node.children, entries.entry_or_untyped(name)),
            None => value.clone(),
        };
        left.insert(name.clone(), kept);
    }
    if left.is_empty() { Value::Null } else { Value::Object(left) }
}
