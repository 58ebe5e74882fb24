//! Laying a user's values over the defaults of a chart and all its subcharts.

use std::rc::Rc;

use gotmpl::Value;

use super::ChartTree;
use super::table::{
    Table, clean_nulls, deep_copy, deep_copy_table, join_path, merge_under, new_table, shallow_copy, snapshot,
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

/// The same without nulls, for somebody who only reads it: it shares with `values` what the chart does not change, which
/// for a chart deep within a tree is nearly all.
pub(super) fn coalesce_to_read(
    chart: &ChartTree,
    values: &Table,
    warnings: &mut Warnings,
) -> Result<Table, CoalesceError> {
    let is_changed = |key: &str| {
        key == GLOBAL
            || chart.values.contains_key(key)
            || chart.dependencies.iter().any(|sub| sub.metadata.borrow().name == key)
    };
    let values = shallow_copy(values);
    for (key, value) in values.borrow_mut().iter_mut() {
        if is_changed(key) {
            *value = deep_copy(value);
        }
    }
    into_table(chart, &values, "", false, warnings)?;
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::File;
    use crate::load::load_files;
    use crate::prepare::table_from;

    fn table(yaml: &str) -> Table {
        let goyaml::Value::Mapping(mapping) = goyaml::from_str(yaml).unwrap() else { panic!("{yaml}") };
        table_from(&mapping)
    }

    #[test]
    fn what_is_only_read_is_the_same_and_leaves_the_given_values_alone() {
        let definition = |name: &str| format!("apiVersion: v2\nname: {name}\nversion: 0.1.0\n");
        let files = vec![
            File::new("Chart.yaml", definition("a")),
            File::new("values.yaml", "own: {x: 1, gone: 2}\nglobal: {deep: {d: 1}}\nb: {from: a}\n"),
            File::new("charts/b/Chart.yaml", definition("b")),
            File::new("charts/b/values.yaml", "own: {y: 2}\nglobal: {deep: {e: 2}}\nlist: [1]\n"),
        ];
        let chart = ChartTree::new(&load_files(files).unwrap().chart);
        for given in [
            "{}",
            "own: {x: 3, gone: null}\nelse: {kept: [1, {a: null}], n: null}\nb: {own: {z: 1}, more: {m: 1}}\n",
            "own: null\nglobal: {deep: {f: {g: 1}}, flat: 1}\nb: {global: {deep: {f: {h: 2}}}}\n",
            "own: text\nb: {own: text}\n",
        ] {
            let values = table(given);
            let (mut told, mut told_again) = (Warnings::new(), Warnings::new());
            let expected = coalesce(&chart, &values, false, &mut told).unwrap();
            let read = coalesce_to_read(&chart, &values, &mut told_again).unwrap();
            assert_eq!(
                goyaml::to_string(&Value::Map(read)),
                goyaml::to_string(&Value::Map(expected)),
                "{given}"
            );
            assert_eq!(told_again, told, "{given}");
            let untouched = goyaml::to_string(&Value::Map(table(given)));
            assert_eq!(goyaml::to_string(&Value::Map(values)), untouched, "{given}");
        }
    }
}
