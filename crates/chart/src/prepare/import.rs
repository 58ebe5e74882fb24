//! `import-values`: tables of a subchart that become its parent's.

use std::rc::Rc;

use gotmpl::Value;
use gotmpl::value::{Entries, Map};

use super::table::{Table, deep_copy_table, lookup, merge_under, new_table, shown};
use super::{ChartTree, CoalesceError, coalesce};
use crate::load::Warnings;

/// Imports from the innermost charts outwards, and keeps the result as each chart's defaults.
///
/// A chart with dependencies gets the coalesced values of its whole tree as its defaults, imports or not.
pub(super) fn import_values(chart: &mut ChartTree, warnings: &mut Warnings) -> Result<(), CoalesceError> {
    for subchart in &mut chart.dependencies {
        import_values(subchart, warnings)?;
    }
    let Some(mut declared) = chart.metadata.borrow().dependencies.clone() else { return Ok(()) };

    let values = coalesce(chart, &new_table(), true, warnings)?;
    let imported = new_table();
    for dependency in &mut declared {
        let mut normalised = Vec::new();
        for entry in &dependency.import_values {
            let Some((child, parent)) = directions(entry) else { continue };
            match lookup(&values, &format!("{}.{child}", dependency.name)) {
                Some(table) => {
                    merge_under(&imported, &below(&parent, table), "", true, warnings);
                }
                None => warnings.push(format!(
                    "ImportValues missing table from chart chart={} child={child}",
                    dependency.name
                )),
            }
            normalised.push(goyaml::Value::Mapping(goyaml::Mapping::from([
                ("child".to_owned(), goyaml::Value::String(child)),
                ("parent".to_owned(), goyaml::Value::String(parent)),
            ])));
        }
        dependency.import_values = normalised;
    }
    // Imports rank below the parent's own values, so that it can take much and change a little. They are parts of
    // those values themselves, so what they are laid under must not be the same tables.
    chart.values = if imported.is_empty() {
        values
    } else {
        let values = deep_copy_table(&values);
        merge_under(&values, &imported, "", true, warnings);
        values
    };
    chart.metadata.borrow_mut().dependencies = Some(declared);
    Ok(())
}

/// Where in the child a table is, and where in the parent it goes.
fn directions(entry: &goyaml::Value) -> Option<(String, String)> {
    match entry {
        goyaml::Value::String(key) => Some((format!("exports.{key}"), ".".to_owned())),
        goyaml::Value::Mapping(fields) => {
            let text = |key: &str| fields.get(key).map_or("<nil>".to_owned(), |value| shown(&value.into()));
            Some((text("child"), text("parent")))
        }
        _ => None,
    }
}

/// The table itself for `.`, or nested as deep as the path goes.
fn below(path: &str, table: Table) -> Table {
    // Helm treats an empty table as a new one, so that nothing is written into the child's.
    let table = if table.is_empty() { new_table() } else { table };
    if path == "." {
        return table;
    }
    path.split('.')
        .rev()
        .fold(table, |inner, key| Rc::new(Map::any(Entries::from([(Rc::from(key), Value::Map(inner))]))))
}
