//! Sets of fields and the schema: what a change of the schema means for them, and which parents they imply.

use schema::{ListKind, View};

use super::place::Place;
use crate::element::PathElement;
use crate::set::FieldSet;

/// Follows the schema where it has become atomic since the set was written: whoever owned a part now owns the whole.
/// Whether anything had to be done.
pub fn reconcile(set: &mut FieldSet<'_>, view: View<'_>) -> bool {
    let mut changed = false;
    for node in set.nodes_mut() {
        // A member without members below is what ownership of an atomic place looks like.
        if node.children.is_empty() {
            continue;
        }
        let Some(place) = below(view, &node.element) else { continue };
        let atomic = match Place::of(place) {
            Place::List { kind, .. } => *kind == ListKind::Atomic,
            Place::Map(entries) if entries.is_free() => continue,
            Place::Map(entries) => entries.atomic,
            Place::Scalar(_) | Place::Any(_) => continue,
        };
        if atomic {
            node.member = true;
            node.children = FieldSet::default();
            changed = true;
        } else {
            changed |= reconcile(&mut node.children, place);
        }
    }
    changed
}

fn below<'a>(view: View<'a>, element: &PathElement<'_>) -> Option<View<'a>> {
    match Place::of(view) {
        Place::Map(entries) => match element {
            PathElement::Field(name) => entries.entry(name),
            _ => entries.unnamed(),
        },
        Place::List { items, .. } => Some(items),
        Place::Scalar(_) | Place::Any(_) => None,
    }
}

/// Makes members of the named fields that lead to members, as if each had been set together with what it holds.
#[must_use]
pub fn with_named_fields<'a>(mut set: FieldSet<'a>, view: View<'_>) -> FieldSet<'a> {
    name(&mut set, view);
    set
}

fn name(set: &mut FieldSet<'_>, view: View<'_>) {
    let place = Place::of(view);
    for node in set.nodes_mut() {
        if node.children.is_empty() {
            continue;
        }
        match (&node.element, place) {
            (PathElement::Field(field), Place::Map(entries)) => {
                if entries.names(field) {
                    node.member = true;
                }
                name(&mut node.children, entries.entry_or_untyped(field));
            }
            (PathElement::Key(_), Place::List { items, .. }) => name(&mut node.children, items),
            // Nothing is named where nothing is known.
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::typed::sample;
    use schema::Types;
    use serde_json::json;

    #[test]
    fn parts_of_what_has_become_atomic_are_the_whole() {
        let (types, schema) = (Types::default(), sample::schema());
        for (before, after) in [
            (json!({"f:selector": {"f:a": {}}}), r#"{"f:selector":{}}"#),
            (
                json!({"f:selector": {".": {}, "f:a": {}}, "f:replicas": {}}),
                r#"{"f:replicas":{},"f:selector":{}}"#,
            ),
            (json!({"f:steps": {"k:{\"do\":\"x\"}": {"f:do": {}}}}), r#"{"f:steps":{}}"#),
            (
                json!({"f:selector": {}, "f:labels": {"f:a": {}}}),
                r#"{"f:labels":{"f:a":{}},"f:selector":{}}"#,
            ),
            (
                json!({"f:containers": {"k:{\"name\":\"a\"}": {"f:args": {"v:\"x\"": {}}}}}),
                r#"{"f:containers":{"k:{\"name\":\"a\"}":{"f:args":{}}}}"#,
            ),
            (json!({"f:free": {"f:a": {"f:b": {}}}}), r#"{"f:free":{"f:a":{"f:b":{}}}}"#),
            (json!({"f:gone": {"f:a": {}}}), r#"{"f:gone":{"f:a":{}}}"#),
        ] {
            let mut set = FieldSet::from_fields(&before).unwrap();
            let same = set.to_json() == after;
            assert_eq!(reconcile(&mut set, types.view(&schema)), !same);
            assert_eq!(set.to_json(), after);
        }
    }

    #[test]
    fn named_fields_are_set_with_what_they_hold() {
        let (types, schema) = (Types::default(), sample::schema());
        for (before, after) in [
            (
                json!({"f:template": {"f:spec": {"f:node": {}}}}),
                r#"{"f:template":{".":{},"f:spec":{".":{},"f:node":{}}}}"#,
            ),
            (json!({"f:labels": {"f:a": {}}}), r#"{"f:labels":{".":{},"f:a":{}}}"#),
            (json!({"f:free": {"f:a": {"f:b": {}}}}), r#"{"f:free":{".":{},"f:a":{"f:b":{}}}}"#),
            (
                json!({"f:containers": {"k:{\"name\":\"a\"}": {"f:env": {"k:{\"name\":\"b\"}": {"f:value": {}}}}}}),
                r#"{"f:containers":{".":{},"k:{\"name\":\"a\"}":{"f:env":{".":{},"k:{\"name\":\"b\"}":{"f:value":{}}}}}}"#,
            ),
        ] {
            let set = FieldSet::from_fields(&before).unwrap();
            assert_eq!(with_named_fields(set, types.view(&schema)).to_json(), after);
        }
    }
}
