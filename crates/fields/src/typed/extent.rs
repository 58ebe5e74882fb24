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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::typed::sample;
    use schema::Types;
    use serde_json::json;

    #[test]
    fn what_is_owned_by_whoever_applies() {
        let (types, schema) = (Types::default(), sample::schema());
        for (value, fields) in [
            (json!({"replicas": 1, "paused": null}), r#"{"f:paused":{},"f:replicas":{}}"#),
            (json!({"labels": {"a": "b"}}), r#"{"f:labels":{"f:a":{}}}"#),
            (json!({"labels": {}}), r#"{"f:labels":{}}"#),
            (
                json!({"selector": {"a": "b"}, "reference": {"name": "x"}}),
                r#"{"f:reference":{},"f:selector":{}}"#,
            ),
            (json!({"steps": [{"do": "x"}]}), r#"{"f:steps":{}}"#),
            (json!({"finalizers": ["b", "a"]}), r#"{"f:finalizers":{"v:\"a\"":{},"v:\"b\"":{}}}"#),
            (json!({"finalizers": []}), "{}"),
            (json!({"template": {"spec": {"node": "a"}}}), r#"{"f:template":{"f:spec":{"f:node":{}}}}"#),
            (json!({"template": {"spec": {}}}), r#"{"f:template":{"f:spec":{}}}"#),
            (
                json!({"containers": [{"name": "a", "ports": [{"port": 1}]}]}),
                r#"{"f:containers":{"k:{\"name\":\"a\"}":{".":{},"f:name":{},"f:ports":{"k:{\"port\":1,\"protocol\":\"TCP\"}":{".":{},"f:port":{}}}}}}"#,
            ),
            (
                json!({"containers": [{"name": "a", "image": "x"}, {"name": "a", "image": "y"}]}),
                r#"{"f:containers":{"k:{\"name\":\"a\"}":{}}}"#,
            ),
            (json!({"free": {"a": {"b": [1], "c": {}}}}), r#"{"f:free":{"f:a":{".":{},"f:b":{},"f:c":{}}}}"#),
            (
                json!({"open": {"known": "a", "x": {"y": 1}}}),
                r#"{"f:open":{"f:known":{},"f:x":{".":{},"f:y":{}}}}"#,
            ),
        ] {
            assert_eq!(fields_of(&value, types.view(&schema)).to_json(), fields, "{value}");
        }
    }
}
