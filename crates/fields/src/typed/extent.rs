//! The fields that a value has.

use schema::{ListKind, View};
use serde_json::{Map, Value};

use super::item;
use super::place::{Entries, Place};
use crate::element::PathElement;
use crate::set::{FieldSet, Node};

/// The fields that a value mentions: what its manager comes to own by applying it. Named fields that only hold others
/// are not members; entries of maps, items of lists, nulls and empty objects are.
pub fn fields_of<'a>(value: &'a Value, view: View<'a>) -> FieldSet<'a> {
    visit(value, view).1
}

/// Whether the place itself is a member, by what it holds, and the members below it.
fn visit<'a>(value: &'a Value, view: View<'a>) -> (bool, FieldSet<'a>) {
    match (Place::holding(view, value), value) {
        (Place::Scalar(_), _) => (true, FieldSet::default()),
        (Place::List { items, kind }, value) => match (kind, value) {
            (ListKind::Atomic, _) => (true, FieldSet::default()),
            (kind, Value::Array(list)) => (false, list_fields(kind, items, list)),
            _ => (false, FieldSet::default()),
        },
        (Place::Map(entries), _) if entries.atomic => (true, FieldSet::default()),
        (Place::Map(entries), Value::Object(fields)) => (false, map_fields(entries, fields)),
        (Place::Map(_) | Place::Any(_), _) => (false, FieldSet::default()),
    }
}

fn list_fields<'a>(kind: &'a ListKind, items: View<'a>, list: &'a [Value]) -> FieldSet<'a> {
    let mut set = FieldSet::default();
    let mut steps = item::steps(kind, items, list).into_iter().peekable();
    while let Some((element, item)) = steps.next() {
        let mut alone = true;
        while steps.next_if(|(next, _)| *next == element).is_some() {
            alone = false;
        }
        // Of items with the same step, nothing can be owned but all of them together.
        let children = if alone { visit(item, items).1 } else { FieldSet::default() };
        set.push(Node { element, member: true, children });
    }
    set
}

fn map_fields<'a>(entries: Entries<'a>, fields: &'a Map<String, Value>) -> FieldSet<'a> {
    let mut set = FieldSet::default();
    for (name, value) in fields {
        let (member, children) = visit(value, entries.entry_or_untyped(name));
        let hollow = match value {
            Value::Null => true,
            Value::Object(below) => below.is_empty(),
            _ => false,
        };
        let member = member || hollow || !entries.names(name);
        set.push(Node { element: PathElement::field(name.as_str()), member, children });
    }
    set
}
