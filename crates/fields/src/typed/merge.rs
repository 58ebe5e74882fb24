//! One value over another.

use schema::{ListKind, View};
use serde_json::Value;

use super::item;
use super::place::Place;
use crate::element::PathElement;

/// What an applied value makes of a live one: it wins where both speak, and nothing is removed. Both must have the
/// structure of the schema.
pub fn merge(live: Value, applied: &Value, view: View<'_>) -> Value {
    match (Place::holding(view, applied), live, applied) {
        (Place::Map(entries), Value::Object(mut fields), applied)
            if !entries.atomic && !fields.is_empty() =>
        {
            // Null or nothing over a map leaves it as it is.
            for (name, value) in applied.as_object().into_iter().flatten() {
                let merged = match fields.remove(name) {
                    Some(live) => merge(live, value, entries.entry_or_untyped(name)),
                    None => value.clone(),
                };
                fields.insert(name.clone(), merged);
            }
            Value::Object(fields)
        }
        (Place::List { items, kind }, Value::Array(list), applied)
            if *kind != ListKind::Atomic && !list.is_empty() =>
        {
            match applied {
                Value::Array(applied) if !applied.is_empty() => {
                    Value::Array(lists(list, applied, kind, items))
                }
                _ => Value::Array(list),
            }
        }
        (_, _, applied) => applied.clone(),
    }
}

/// Merges the items of two lists. Items of both keep the order of the applied list; the live ones between them stay
/// where they are as far as that order lets them.
fn lists(live: Vec<Value>, applied: &[Value], kind: &ListKind, items: View<'_>) -> Vec<Value> {
    let keys: Vec<Option<PathElement<'static>>> =
        live.iter().map(|item| item::step(kind, items, item).ok().map(PathElement::into_owned)).collect();
    let mut live: Vec<Option<Value>> = live.into_iter().map(Some).collect();
    let mut wanted: Vec<(PathElement<'_>, usize)> = applied
        .iter()
        .enumerate()
        .filter_map(|(at, item)| item::step(kind, items, item).ok().map(|step| (step, at)))
        .collect();
    wanted.sort();
    let at_of = |step: &PathElement<'_>| {
        wanted.binary_search_by(|(other, _)| other.cmp(step)).ok().map(|i| wanted[i].1)
    };
    // For each live item, the applied one it is merged with; for each applied one, the live items with its step.
    let partner: Vec<Option<usize>> = keys.iter().map(|key| key.as_ref().and_then(at_of)).collect();
    let mut twins: Vec<Vec<usize>> = vec![Vec::new(); applied.len()];
    for (at, partner) in partner.iter().enumerate() {
        if let Some(partner) = partner {
            twins[*partner].push(at);
        }
    }
    let mut shared = (0..applied.len()).filter(|at| !twins[*at].is_empty());
    let mut next_shared = shared.next();
    let mut done = vec![false; applied.len()];
    let mut out = Vec::with_capacity(live.len().max(applied.len()));
    let take = |at: usize, live: &mut Vec<Option<Value>>| match twins[at][..] {
        [] => applied[at].clone(),
        [one] => merge(live[one].take().unwrap_or_default(), &applied[at], items),
        // Live items that cannot be told apart are all replaced.
        _ => merge(Value::Null, &applied[at], items),
    };
    let (mut l, mut r) = (0, 0);
    while l < live.len() || r < applied.len() {
        if l < live.len() && r < applied.len() {
            if partner[l] == Some(r) {
                done[r] = true;
                out.push(take(r, &mut live));
                l += 1;
                r += 1;
                next_shared = shared.next();
                continue;
            }
            if partner[l].is_some() && next_shared.is_some() && partner[l] != next_shared {
                l += 1;
                continue;
            }
        }
        if l < live.len() {
            match partner[l] {
                None => {
                    out.extend(live[l].take());
                    l += 1;
                    continue;
                }
                Some(at) if done[at] => l += 1,
                Some(_) => {}
            }
        }
        if r < applied.len() {
            done[r] = true;
            out.push(take(r, &mut live));
            if next_shared == Some(r) {
                next_shared = shared.next();
            }
            r += 1;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::typed::sample;
    use schema::Types;
    use serde_json::json;

    fn check(live: &Value, applied: &Value, merged: &Value) {
        let (types, schema) = (Types::default(), sample::schema());
        assert_eq!(merge(live.clone(), applied, types.view(&schema)), *merged, "{live} {applied}");
    }

    #[test]
    fn the_applied_value_wins_and_nothing_goes() {
        check(
            &json!({"replicas": 1, "labels": {"a": "1", "b": "1"}}),
            &json!({"replicas": 2, "labels": {"b": "2", "c": "2"}}),
            &json!({"replicas": 2, "labels": {"a": "1", "b": "2", "c": "2"}}),
        );
        check(
            &json!({"containers": [{"name": "a", "image": "1", "env": [{"name": "x"}]}]}),
            &json!({"containers": [{"name": "a", "image": "2", "env": [{"name": "y"}]}]}),
            &json!({"containers": [{"name": "a", "image": "2", "env": [{"name": "x"}, {"name": "y"}]}]}),
        );
    }

    #[test]
    fn what_is_atomic_is_replaced() {
        check(
            &json!({"selector": {"a": "1"}}),
            &json!({"selector": {"b": "1"}}),
            &json!({"selector": {"b": "1"}}),
        );
        check(&json!({"steps": [{"do": "a"}]}), &json!({"steps": []}), &json!({"steps": []}));
        check(&json!({"free": {"l": [1, 2]}}), &json!({"free": {"l": [3]}}), &json!({"free": {"l": [3]}}));
    }

    #[test]
    fn null_and_nothing_leave_what_has_parts() {
        for applied in [json!({"labels": null, "containers": null}), json!({"labels": {}, "containers": []})]
        {
            let live = json!({"labels": {"a": "1"}, "containers": [{"name": "a"}]});
            check(&live, &applied, &live);
        }
        check(
            &json!({"replicas": 1, "labels": {}}),
            &json!({"replicas": null, "labels": null}),
            &json!({"replicas": null, "labels": null}),
        );
        check(&json!({"free": {"a": 1}}), &json!({"free": null}), &json!({"free": {"a": 1}}));
        check(&json!({"free": [1]}), &json!({"free": null}), &json!({"free": null}));
    }

    #[test]
    fn kinds_of_untyped_values_may_change() {
        check(&json!({"free": {"a": 1}}), &json!({"free": "x"}), &json!({"free": "x"}));
        check(&json!({"free": "x"}), &json!({"free": {"a": 1}}), &json!({"free": {"a": 1}}));
    }

    #[test]
    fn items_keep_the_applied_order_and_the_live_ones_their_place() {
        for (live, applied, merged) in [
            ("abc", "b", "abc"),
            ("abc", "d", "abcd"),
            ("abc", "da", "dabc"),
            ("abc", "cb", "acb"),
            ("abc", "cba", "cba"),
            ("abcd", "dxa", "bcdxa"),
            ("ab", "xbya", "xbya"),
            ("", "ba", "ba"),
            ("aabb", "b", "aab"),
            ("aab", "ca", "cab"),
        ] {
            let list =
                |letters: &str| json!({"finalizers": letters.chars().map(String::from).collect::<Vec<_>>()});
            check(&list(live), &list(applied), &list(merged));
        }
    }

    #[test]
    fn duplicates_of_an_applied_item_are_replaced_by_it() {
        check(
            &json!({"containers": [{"name": "a", "image": "1"}, {"name": "b"}, {"name": "a", "args": ["x"]}]}),
            &json!({"containers": [{"name": "a", "image": "2"}]}),
            &json!({"containers": [{"name": "a", "image": "2"}, {"name": "b"}]}),
        );
    }
}
