//! Tables of values: copying, merging one under another, and finding what a path names.

use std::rc::Rc;

use gotmpl::Value;
use gotmpl::value::Map;
use goyaml::Mapping;

use crate::load::Warnings;

/// A shared table.
pub(crate) type Table = Rc<Map>;

pub(crate) fn new_table() -> Table {
    Rc::new(Map::any(gotmpl::value::Entries::new()))
}

pub(crate) fn from_mapping(mapping: &Mapping) -> Table {
    Rc::new(Map::any(mapping.iter().map(|(key, value)| (Rc::from(key.as_str()), value.into())).collect()))
}

/// Copies tables and lists all the way down.
pub(crate) fn deep_copy(value: &Value) -> Value {
    match value {
        Value::Map(map) => Value::Map(deep_copy_table(map)),
        Value::List(list) => Value::list(list.borrow().iter().map(deep_copy).collect()),
        scalar => scalar.clone(),
    }
}

pub(crate) fn deep_copy_table(table: &Table) -> Table {
    // A sorted tree is cloned as it stands, which is quicker than collecting its entries anew.
    let mut entries = table.borrow().clone();
    for value in entries.values_mut() {
        if let Value::Map(_) | Value::List(_) = value {
            *value = deep_copy(value);
        }
    }
    Rc::new(Map::any(entries))
}

pub(crate) fn shallow_copy(table: &Table) -> Table {
    Rc::new(Map::any(table.borrow().clone()))
}

/// The entries as they are now, for walking a table while it or another alias of it is changed.
pub(crate) fn snapshot(table: &Table) -> Vec<(Rc<str>, Value)> {
    table.borrow().iter().map(|(key, value)| (Rc::clone(key), value.clone())).collect()
}

/// Takes out every null, in inner tables too.
pub(crate) fn clean_nulls(table: &Table) {
    table.borrow_mut().retain(|_, value| !matches!(value, Value::Nil));
    for value in table.borrow().values() {
        if let Value::Map(inner) = value {
            clean_nulls(inner);
        }
    }
}

/// `a.b` below `a`, or `b` at the top.
pub(crate) fn join_path(prefix: &str, key: &str) -> String {
    if prefix.is_empty() { key.to_owned() } else { format!("{prefix}.{key}") }
}

/// Lays `source` under `target`: what the target has wins, tables are merged.
///
/// With `keep_nulls` a null of the target stays; without, it deletes what the source has at that key.
pub(crate) fn merge_under(
    target: &Table,
    source: &Table,
    prefix: &str,
    keep_nulls: bool,
    warnings: &mut Warnings,
) {
    let original = snapshot(source);
    let nulls: Vec<_> =
        snapshot(target).into_iter().filter(|(_, value)| matches!(value, Value::Nil)).collect();
    for (key, _) in &nulls {
        source.insert(Rc::clone(key), Value::Nil);
    }
    let was_set = |key: &str| {
        original
            .binary_search_by(|(other, _)| other.as_ref().cmp(key))
            .is_ok_and(|index| !matches!(original[index].1, Value::Nil))
    };
    for (key, value) in snapshot(source) {
        match (target.get(&key), &value) {
            (Some(Value::Nil), _) if !keep_nulls && was_set(&key) => {
                target.remove(&key);
            }
            (None, _) => target.insert(key, value),
            (Some(Value::Map(inner)), Value::Map(below)) => {
                merge_under(&inner, below, &join_path(prefix, &key), keep_nulls, warnings);
            }
            (Some(_), Value::Map(_)) => warnings.push(format!(
                "warning: cannot overwrite table with non table for {} ({})",
                join_path(prefix, &key),
                shown(&value)
            )),
            (Some(Value::Map(_)), other) if !matches!(other, Value::Nil) => warnings.push(format!(
                "warning: destination for {} is a table. Ignoring non-table value ({})",
                join_path(prefix, &key),
                shown(&value)
            )),
            _ => {}
        }
    }
}

/// A value as Go's `%v` prints it.
pub(crate) fn shown(value: &Value) -> String {
    gotmpl::fmt::sprint(std::slice::from_ref(value)).to_string()
}

/// The table a dotted path leads to.
pub(crate) fn lookup(table: &Table, path: &str) -> Option<Table> {
    let mut current = Rc::clone(table);
    for part in path.split('.') {
        let Some(Value::Map(next)) = current.get(part) else { return None };
        current = next;
    }
    Some(current)
}

/// The value a dotted path leads to, unless it is a table.
pub(crate) fn lookup_value(table: &Table, path: &str) -> Option<Value> {
    let (parent, key) = match path.rsplit_once('.') {
        Some((tables, key)) => (lookup(table, tables)?, key),
        None => (Rc::clone(table), path),
    };
    parent.get(key).filter(|value| !matches!(value, Value::Map(_)))
}
