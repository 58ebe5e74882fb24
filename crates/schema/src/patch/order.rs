//! The order of a merged list: that of the patch for what the patch names, that of the object for the rest.

use std::collections::HashMap;

use serde_json::Value;

use super::items::{self, ItemKind, key_of};
use super::strategic::{DIRECTIVE, StrategicError};

/// Where each item stands in a list, by key or value; of several alike the first.
struct Positions<'a> {
    key: Option<&'a str>,
    known: HashMap<String, usize>,
}

impl<'a> Positions<'a> {
    fn new(list: &[Value], key: Option<&'a str>) -> Self {
        let mut known = HashMap::with_capacity(list.len());
        for (index, item) in list.iter().enumerate() {
            known.entry(identity(item, key)).or_insert(index);
        }
        Self { key, known }
    }

    fn of(&self, item: &Value) -> Option<usize> {
        self.known.get(&identity(item, self.key)).copied()
    }
}

fn identity(item: &Value, key: Option<&str>) -> String {
    key.map_or(item, |key| item.get(key).unwrap_or(&Value::Null)).to_string()
}

/// Parts a list into what another names, and the rest.
pub(super) fn partition(
    list: Vec<Value>,
    by: &[Value],
    key: Option<&str>,
) -> Result<(Vec<Value>, Vec<Value>), StrategicError> {
    let (mut named, mut others) = (Vec::new(), Vec::new());
    for item in list {
        let found = match key {
            None => by.contains(&item),
            Some(key) => items::find(by, key, key_of(&item, key)?)?.is_some(),
        };
        if found { named.push(item) } else { others.push(item) }
    }
    Ok((named, others))
}

/// Joins both parts: the named in the order given, the others in the order they had, and where both had a place
/// before, by that.
pub(super) fn arrange(
    named: Vec<Value>,
    others: Vec<Value>,
    order: &[Value],
    before: &[Value],
    key: Option<&str>,
    kind: ItemKind,
) -> Result<Vec<Value>, StrategicError> {
    let by = key.filter(|_| kind == ItemKind::Map);
    let named = sorted(named, order, by, kind)?;
    let others = sorted(others, before, by, kind)?;
    let positions = Positions::new(before, by);
    let (mut named, mut others) = (named.into_iter().peekable(), others.into_iter().peekable());
    let mut all = Vec::with_capacity(named.len() + others.len());
    loop {
        let other_first = match (others.peek(), named.peek()) {
            (Some(other), Some(name)) => match (positions.of(other), positions.of(name)) {
                (Some(other), Some(name)) => other < name,
                _ => false,
            },
            (Some(_), None) => true,
            (None, _) => false,
        };
        let next = if other_first { others.next() } else { named.next() };
        match next {
            Some(item) => all.push(item),
            None => return Ok(all),
        }
    }
}

/// Sorts items by their places in an order. Deletions come last.
fn sorted(
    items: Vec<Value>,
    order: &[Value],
    key: Option<&str>,
    kind: ItemKind,
) -> Result<Vec<Value>, StrategicError> {
    let mut deletions = Vec::new();
    let mut items = items;
    if kind == ItemKind::Map {
        let key = key.unwrap_or_default();
        for item in items.iter().chain(order) {
            key_of(item, key)?;
        }
        (deletions, items) =
            items.into_iter().partition(|item| item.get(DIRECTIVE).is_some_and(|it| it == "delete"));
    }
    let positions = Positions::new(order, key);
    let mut placed: Vec<(Option<usize>, Value)> =
        items.into_iter().map(|item| (positions.of(&item), item)).collect();
    if placed.iter().all(|(place, _)| place.is_some()) {
        placed.sort_by_key(|(place, _)| *place);
    } else {
        insert(&mut placed);
    }
    Ok(placed.into_iter().map(|(_, item)| item).chain(deletions).collect())
}

/// Sorts by insertion, where an item without a place goes before all others: what Go's sorting makes of that.
fn insert(items: &mut [(Option<usize>, Value)]) {
    for end in 1..items.len() {
        let mut at = end;
        while at > 0 {
            let before = match (items[at].0, items[at - 1].0) {
                (Some(here), Some(there)) => here < there,
                _ => true,
            };
            if !before {
                break;
            }
            items.swap(at, at - 1);
            at -= 1;
        }
    }
}
