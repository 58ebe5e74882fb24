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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::typed::sample;
    use schema::Types;
    use serde_json::json;

    #[test]
    fn what_has_nothing_left_is_null() {
        let (types, schema) = (Types::default(), sample::schema());
        let name = |name: &str| PathElement::key([("name", json!(name))]);
        let field = |name: &'static str| PathElement::field(name);
        for (value, path, left) in [
            (json!({"replicas": 1, "paused": true}), vec![field("paused")], json!({"replicas": 1})),
            (
                json!({"labels": {"a": "1", "b": "1"}}),
                vec![field("labels"), field("a")],
                json!({"labels": {"b": "1"}}),
            ),
            (json!({"labels": {"a": "1"}}), vec![field("labels"), field("a")], json!({"labels": null})),
            (json!({"labels": {"a": "1"}}), vec![field("labels")], json!(null)),
            (json!({"replicas": 1}), vec![field("labels")], json!({"replicas": 1})),
            (json!({"selector": {"a": "1"}}), vec![field("selector"), field("a")], json!({"selector": null})),
            (
                json!({"steps": [{"do": "x"}]}),
                vec![field("steps"), PathElement::Index(0)],
                json!({"steps": null}),
            ),
            (
                json!({"finalizers": ["a", "b"]}),
                vec![field("finalizers"), PathElement::value("a")],
                json!({"finalizers": ["b"]}),
            ),
            (
                json!({"containers": [{"name": "a"}, {"name": "b", "image": "x"}]}),
                vec![field("containers"), name("a")],
                json!({"containers": [{"name": "b", "image": "x"}]}),
            ),
            (
                json!({"containers": [{"name": "b", "image": "x"}]}),
                vec![field("containers"), name("b"), field("image")],
                json!({"containers": [{"name": "b"}]}),
            ),
            (
                json!({"free": {"a": {"b": 1, "c": 2}}}),
                vec![field("free"), field("a"), field("b")],
                json!({"free": {"a": {"c": 2}}}),
            ),
        ] {
            assert_eq!(remove(&value, &FieldSet::of([path]), types.view(&schema)), left, "{value}");
        }
    }
}
