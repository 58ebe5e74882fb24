//! How two values differ.

use std::cmp::Ordering;
use std::iter::Peekable;

use schema::{ListKind, View};
use serde_json::{Map, Value};

use super::item;
use super::place::{Entries, Place};
use crate::element::PathElement;
use crate::order::same;
use crate::set::{FieldSet, Node};

/// The fields in which two values differ; no field is in two of the sets.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Comparison<'a> {
    /// What only the second has.
    pub added: FieldSet<'a>,
    /// What both have, with different values.
    pub modified: FieldSet<'a>,
    /// What only the first has.
    pub removed: FieldSet<'a>,
}

/// How the second value differs from the first. Both must have the structure of the schema.
pub fn compare<'a>(old: &'a Value, new: &'a Value, view: View<'a>) -> Comparison<'a> {
    visit(old, new, view).below
}

impl Comparison<'_> {
    /// Whether there is no difference.
    pub fn is_same(&self) -> bool {
        self.added.is_empty() && self.modified.is_empty() && self.removed.is_empty()
    }

    /// Leaves out these fields, and all that is below them.
    pub fn exclude(&mut self, fields: &FieldSet<'_>) {
        self.added.subtract_all_below(fields);
        self.modified.subtract_all_below(fields);
        self.removed.subtract_all_below(fields);
    }
}

/// What became of a place, and of what is below it.
#[derive(Default)]
struct Change<'a> {
    added: bool,
    modified: bool,
    removed: bool,
    below: Comparison<'a>,
}

impl<'a> Change<'a> {
    fn leaf(old: &Value, new: &Value) -> Self {
        Self { modified: !same(old, new), ..Self::default() }
    }

    fn put(self, element: &PathElement<'a>, into: &mut Comparison<'a>) {
        let sets = [
            (&mut into.added, self.added, self.below.added),
            (&mut into.modified, self.modified, self.below.modified),
            (&mut into.removed, self.removed, self.below.removed),
        ];
        for (set, member, children) in sets {
            if member || !children.is_empty() {
                set.push(Node { element: element.clone(), member, children });
            }
        }
    }

    /// Takes in what the same place shows when it is seen as another kind.
    fn join(&mut self, other: Self) {
        self.added |= other.added;
        self.modified |= other.modified;
        self.removed |= other.removed;
        self.below.added.unite(other.below.added);
        self.below.modified.unite(other.below.modified);
        self.below.removed.unite(other.below.removed);
    }
}

fn visit<'a>(old: &'a Value, new: &'a Value, view: View<'a>) -> Change<'a> {
    // Equal parts differ in nothing, and are what most of two objects is.
    if old == new {
        return Change::default();
    }
    if !matches!(Place::of(view), Place::Any(_)) || same_kind(old, new) {
        return visit_as(Place::holding(view, new), old, new);
    }
    // A value that changed its kind is seen once as what it was, and once as what it is.
    let mut change = visit_as(Place::holding(view, old), old, new);
    change.join(visit_as(Place::holding(view, new), old, new));
    change
}

fn same_kind(old: &Value, new: &Value) -> bool {
    match (old, new) {
        (Value::Null, Value::Null)
        | (Value::Array(_), Value::Array(_))
        | (Value::Object(_), Value::Object(_)) => true,
        (Value::Null | Value::Array(_) | Value::Object(_), _)
        | (_, Value::Null | Value::Array(_) | Value::Object(_)) => false,
        _ => true,
    }
}

fn visit_as<'a>(place: Place<'a>, old: &'a Value, new: &'a Value) -> Change<'a> {
    match place {
        Place::Scalar(_) | Place::Any(_) => Change::leaf(old, new),
        Place::List { items, kind } => {
            let (before, after) = (items_of(old), items_of(new));
            if *kind == ListKind::Atomic || (before.is_empty() && after.is_empty()) {
                return Change::leaf(old, new);
            }
            Change { below: lists(kind, items, before, after), ..Change::default() }
        }
        Place::Map(entries) => {
            let (before, after) = (entries_of(old), entries_of(new));
            let hollow = before.is_none_or(Map::is_empty) && after.is_none_or(Map::is_empty);
            if entries.atomic || hollow {
                return Change::leaf(old, new);
            }
            Change { below: maps(entries, before, after), ..Change::default() }
        }
    }
}

/// Everything of a value that only one side has: each place, whether it holds others or not.
fn whole<'a>(value: &'a Value, view: View<'a>) -> FieldSet<'a> {
    let mut set = FieldSet::default();
    match (Place::holding(view, value), value) {
        (Place::List { items, kind }, Value::Array(list)) if *kind != ListKind::Atomic => {
            let mut steps = item::steps(kind, items, list).into_iter().peekable();
            while let Some((element, item)) = steps.next() {
                let mut alone = true;
                while steps.next_if(|(next, _)| *next == element).is_some() {
                    alone = false;
                }
                let children = if alone { whole(item, items) } else { FieldSet::default() };
                set.push(Node { element, member: true, children });
            }
        }
        (Place::Map(entries), Value::Object(fields)) if !entries.atomic => {
            for (name, value) in fields {
                let children = whole(value, entries.entry_or_untyped(name));
                set.push(Node { element: PathElement::field(name.as_str()), member: true, children });
            }
        }
        _ => {}
    }
    set
}

fn added<'a>(value: &'a Value, view: View<'a>) -> Change<'a> {
    let below = Comparison { added: whole(value, view), ..Comparison::default() };
    Change { added: true, below, ..Change::default() }
}

fn removed<'a>(value: &'a Value, view: View<'a>) -> Change<'a> {
    let below = Comparison { removed: whole(value, view), ..Comparison::default() };
    Change { removed: true, below, ..Change::default() }
}

fn maps<'a>(
    entries: Entries<'a>,
    old: Option<&'a Map<String, Value>>,
    new: Option<&'a Map<String, Value>>,
) -> Comparison<'a> {
    let mut comparison = Comparison::default();
    for (name, before) in old.into_iter().flatten() {
        let after = new.and_then(|new| new.get(name));
        if after == Some(before) {
            continue;
        }
        let view = entries.entry_or_untyped(name);
        let change = match after {
            Some(after) => visit(before, after, view),
            None => removed(before, view),
        };
        change.put(&PathElement::field(name.as_str()), &mut comparison);
    }
    for (name, after) in new.into_iter().flatten() {
        if old.is_none_or(|old| !old.contains_key(name)) {
            added(after, entries.entry_or_untyped(name))
                .put(&PathElement::field(name.as_str()), &mut comparison);
        }
    }
    comparison
}

fn lists<'a>(kind: &'a ListKind, items: View<'a>, old: &'a [Value], new: &'a [Value]) -> Comparison<'a> {
    let mut comparison = Comparison::default();
    let mut before = item::steps(kind, items, old).into_iter().peekable();
    let mut after = item::steps(kind, items, new).into_iter().peekable();
    loop {
        let order = match (before.peek(), after.peek()) {
            (Some((left, _)), Some((right, _))) => left.cmp(right),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (None, None) => break,
        };
        let left = if order.is_le() { before.next() } else { None };
        let right = if order.is_ge() { after.next() } else { None };
        let (element, left, right) = match (left, right) {
            (Some((element, left)), right) => (element, Some(left), right.map(|(_, right)| right)),
            (None, Some((element, right))) => (element, None, Some(right)),
            (None, None) => break,
        };
        let twins = |items: &mut Peekable<_>| -> Vec<&'a Value> {
            std::iter::from_fn(|| items.next_if(|(step, _): &(PathElement<'a>, &'a Value)| *step == element))
                .map(|(_, item)| item)
                .collect()
        };
        let (more, others) = (twins(&mut before), twins(&mut after));
        same_steps((left, &more), (right, &others), items).put(&element, &mut comparison);
    }
    comparison
}

/// What became of items with one step: the first on each side, and further ones.
fn same_steps<'a>(
    (old, more): (Option<&'a Value>, &[&'a Value]),
    (new, others): (Option<&'a Value>, &[&'a Value]),
    view: View<'a>,
) -> Change<'a> {
    match (old, new) {
        (Some(old), Some(new)) if more.is_empty() && others.is_empty() => visit(old, new, view),
        (Some(old), None) if more.is_empty() => removed(old, view),
        (None, Some(new)) if others.is_empty() => added(new, view),
        // Items that cannot be told apart are one value; its coming and going is noted at their common step.
        (Some(old), Some(new)) if !more.is_empty() && !others.is_empty() => {
            let equal = same(old, new)
                && more.len() == others.len()
                && more.iter().zip(others).all(|(old, new)| same(old, new));
            Change { modified: !equal, ..Change::default() }
        }
        (_, new) if !more.is_empty() => {
            let mut change = new.map_or_else(Change::default, |new| added(new, view));
            change.removed = true;
            change
        }
        (old, _) => {
            let mut change = old.map_or_else(Change::default, |old| removed(old, view));
            change.added = true;
            change
        }
    }
}

fn items_of(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn entries_of(value: &Value) -> Option<&Map<String, Value>> {
    value.as_object()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::typed::sample;
    use schema::Types;
    use serde_json::json;

    fn check(old: &Value, new: &Value, added: &str, modified: &str, removed: &str) {
        let (types, schema) = (Types::default(), sample::schema());
        let comparison = compare(old, new, types.view(&schema));
        let found = (comparison.added.to_json(), comparison.modified.to_json(), comparison.removed.to_json());
        assert_eq!(found, (added.into(), modified.into(), removed.into()), "{old} {new}");
        let back = compare(new, old, types.view(&schema));
        assert_eq!((&back.added, &back.removed), (&comparison.removed, &comparison.added), "{old} {new}");
        assert_eq!(comparison.is_same(), added == "{}" && modified == "{}" && removed == "{}");
    }

    #[test]
    fn equal_values_do_not_differ() {
        for value in [
            json!({"replicas": 1, "containers": [{"name": "a"}, {"name": "a"}], "free": {"a": null}}),
            json!({"labels": null, "steps": [], "template": {"spec": {}}}),
        ] {
            check(&value, &value, "{}", "{}", "{}");
        }
        check(&json!({"replicas": 1}), &json!({"replicas": 1.0}), "{}", "{}", "{}");
    }

    #[test]
    fn scalars_and_what_is_atomic_change_as_a_whole() {
        check(&json!({"replicas": 1}), &json!({"replicas": 2}), "{}", r#"{"f:replicas":{}}"#, "{}");
        check(&json!({}), &json!({"replicas": 2}), r#"{"f:replicas":{}}"#, "{}", "{}");
        check(
            &json!({"selector": {"a": "b"}}),
            &json!({"selector": {"a": "c"}}),
            "{}",
            r#"{"f:selector":{}}"#,
            "{}",
        );
        check(&json!({"steps": [{"do": "a"}]}), &json!({"steps": []}), "{}", r#"{"f:steps":{}}"#, "{}");
    }

    #[test]
    fn whatever_comes_or_goes_is_noted_with_all_it_holds() {
        check(
            &json!({"labels": {"a": "1"}}),
            &json!({"labels": {"b": "1"}, "template": {"spec": {"node": "x"}}}),
            r#"{"f:labels":{"f:b":{}},"f:template":{".":{},"f:spec":{".":{},"f:node":{}}}}"#,
            "{}",
            r#"{"f:labels":{"f:a":{}}}"#,
        );
        check(
            &json!({"containers": [{"name": "a", "image": "1"}]}),
            &json!({"containers": [{"name": "b"}, {"name": "a", "image": "2"}]}),
            r#"{"f:containers":{"k:{\"name\":\"b\"}":{".":{},"f:name":{}}}}"#,
            r#"{"f:containers":{"k:{\"name\":\"a\"}":{"f:image":{}}}}"#,
            "{}",
        );
    }

    #[test]
    fn order_of_items_is_no_difference() {
        check(&json!({"finalizers": ["a", "b"]}), &json!({"finalizers": ["b", "a"]}), "{}", "{}", "{}");
    }

    #[test]
    fn null_and_nothing_differ() {
        check(&json!({"labels": null}), &json!({"labels": {}}), "{}", r#"{"f:labels":{}}"#, "{}");
        check(
            &json!({"labels": null}),
            &json!({"labels": {"a": "1"}}),
            r#"{"f:labels":{"f:a":{}}}"#,
            "{}",
            "{}",
        );
        check(&json!({"containers": null}), &json!({"containers": []}), "{}", r#"{"f:containers":{}}"#, "{}");
    }

    #[test]
    fn duplicates_are_one_value() {
        let two = json!({"containers": [{"name": "a", "image": "1"}, {"name": "a", "image": "2"}]});
        let other = json!({"containers": [{"name": "a", "image": "2"}, {"name": "a", "image": "1"}]});
        let one = json!({"containers": [{"name": "a"}]});
        let (step, whole) = (
            r#"{"f:containers":{"k:{\"name\":\"a\"}":{}}}"#,
            r#"{"f:containers":{"k:{\"name\":\"a\"}":{".":{},"f:name":{}}}}"#,
        );
        check(&two, &other, "{}", step, "{}");
        check(&two, &one, whole, "{}", step);
        check(&two, &json!({"containers": []}), "{}", "{}", step);
    }

    #[test]
    fn untyped_values_that_change_their_kind_are_seen_as_both() {
        check(
            &json!({"free": {"a": 1}}),
            &json!({"free": "x"}),
            "{}",
            r#"{"f:free":{}}"#,
            r#"{"f:free":{"f:a":{}}}"#,
        );
        check(
            &json!({"free": [1]}),
            &json!({"free": {"a": 1}}),
            r#"{"f:free":{"f:a":{}}}"#,
            r#"{"f:free":{}}"#,
            "{}",
        );
        check(&json!({"target": 1}), &json!({"target": "1"}), "{}", r#"{"f:target":{}}"#, "{}");
        check(&json!({"free": null}), &json!({"free": {"a": 1}}), r#"{"f:free":{"f:a":{}}}"#, "{}", "{}");
    }

    #[test]
    fn fields_can_be_left_out() {
        let (types, schema) = (Types::default(), sample::schema());
        let (old, new) = (json!({"status": {"ready": 1}}), json!({"status": {"ready": 2}, "replicas": 1}));
        let mut comparison = compare(&old, &new, types.view(&schema));
        comparison.exclude(&FieldSet::of_fields(["status"]));
        assert_eq!(comparison.modified.to_json(), "{}");
        assert_eq!(comparison.added.to_json(), r#"{"f:replicas":{}}"#);
    }
}
