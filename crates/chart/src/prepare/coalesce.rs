//! Laying a user's values over the defaults of a chart and all its subcharts.

use std::rc::Rc;

use gotmpl::Value;

use super::ChartTree;
use super::table::{
    Table, clean_nulls, deep_copy_table, join_path, merge_under, new_table, shallow_copy, snapshot,
};
use crate::load::Warnings;

/// Values and charts that do not fit together.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CoalesceError {
    /// Something other than a table stands where a subchart's values should.
    #[error("type mismatch on {subchart}: {found}")]
    NotATable {
        /// The subchart's name.
        subchart: String,
        /// What is there, as Go prints it.
        found: String,
    },
}

/// The key that all charts of a tree share.
const GLOBAL: &str = "global";

/// The values of a chart under those given. Nulls delete defaults, or with `keep_nulls` stay.
pub(crate) fn coalesce(
    chart: &ChartTree,
    values: &Table,
    keep_nulls: bool,
    warnings: &mut Warnings,
) -> Result<Table, CoalesceError> {
    let values = deep_copy_table(values);
    into_table(chart, &values, "", keep_nulls, warnings)?;
    Ok(values)
}

fn into_table(
    chart: &ChartTree,
    target: &Table,
    prefix: &str,
    keep_nulls: bool,
    warnings: &mut Warnings,
) -> Result<(), CoalesceError> {
    let path = join_path(prefix, &chart.metadata.borrow().name);
    defaults(chart, target, &path, keep_nulls, warnings);
    for subchart in &chart.dependencies {
        let name = subchart.name();
        let inner = match target.get(&name) {
            None => {
                let inner = new_table();
                target.insert(name.as_str(), Value::Map(Rc::clone(&inner)));
                inner
            }
            Some(Value::Map(inner)) => inner,
            Some(other) => {
                return Err(CoalesceError::NotATable { subchart: name, found: as_bool_verb(&other) });
            }
        };
        globals(&inner, target, &path, warnings);
        into_table(subchart, &inner, &path, keep_nulls, warnings)?;
    }
    Ok(())
}

/// Lays a chart's own defaults under `target`.
fn defaults(chart: &ChartTree, target: &Table, path: &str, keep_nulls: bool, warnings: &mut Warnings) {
    let own = deep_copy_table(&chart.values);
    for (key, default) in snapshot(&own) {
        match (target.get(&key), default) {
            (Some(Value::Nil), _) if !keep_nulls => {
                target.remove(&key);
            }
            (Some(Value::Map(given)), Value::Map(default)) => {
                let is_subchart = || chart.dependencies.iter().any(|sub| sub.metadata.borrow().name == *key);
                let keep_nulls = keep_nulls || is_subchart();
                if !keep_nulls {
                    clean_nulls(&default);
                }
                merge_under(&given, &default, &join_path(path, &key), keep_nulls, warnings);
            }
            (Some(Value::Map(_)), default) if !matches!(default, Value::Nil) => {
                warnings.push(format!("warning: skipped value for {path}.{key}: Not a table."));
            }
            (None, Value::Nil) if !keep_nulls => {}
            (None, default) => {
                if let (Value::Map(table), false) = (&default, keep_nulls) {
                    clean_nulls(table);
                }
                target.insert(key, default);
            }
            (Some(_), _) => {}
        }
    }
}

/// Hands a parent's globals to a subchart. Tables are copied one level deep only: what lies deeper is shared.
fn globals(subchart: &Table, parent: &Table, prefix: &str, warnings: &mut Warnings) {
    let own = match subchart.get(GLOBAL) {
        None => new_table(),
        Some(Value::Map(own)) => own,
        Some(_) => {
            warnings.push("warning: skipping globals because destination global is not a table.".to_owned());
            return;
        }
    };
    let given = match parent.get(GLOBAL) {
        None => new_table(),
        Some(Value::Map(given)) => given,
        Some(_) => {
            warnings.push("warning: skipping globals because source global is not a table.".to_owned());
            return;
        }
    };
    for (key, value) in snapshot(&given) {
        match (own.get(&key), value) {
            (None, Value::Map(table)) => own.insert(key, Value::Map(shallow_copy(&table))),
            (Some(Value::Map(below)), Value::Map(table)) => {
                let table = shallow_copy(&table);
                merge_under(&table, &below, &join_path(prefix, &key), true, warnings);
                own.insert(key, Value::Map(table));
            }
            (Some(_), Value::Map(_)) => {
                warnings.push(format!("Conflict: cannot merge map onto non-map for \"{key}\". Skipping."));
            }
            (Some(Value::Map(_)), _) => warnings.push(format!("key {key} is table. Skipping")),
            (_, value) => own.insert(key, value),
        }
    }
    subchart.insert(GLOBAL, Value::Map(own));
}

/// A value under Go's verb for booleans, which Helm uses here for anything.
fn as_bool_verb(value: &Value) -> String {
    gotmpl::fmt::sprintf(&"%t".into(), std::slice::from_ref(value)).to_string()
}
