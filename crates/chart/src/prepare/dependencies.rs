//! Which subcharts take part, and under which names.

use std::collections::BTreeSet;

use gotmpl::Value;
use gotmpl::semver::{Constraint, Version};

use super::coalesce::coalesce_to_read;
use super::table::{Table, lookup, lookup_value};
use super::{ChartTree, CoalesceError};
use crate::Dependency;
use crate::load::Warnings;

/// Applies aliases, tags and conditions to a chart and then to what is left of its subcharts.
///
/// Helm hands the parent's whole tree of values down, so conditions are full paths from the top.
pub(super) fn select(
    chart: &mut ChartTree,
    values: &Table,
    path: &str,
    warnings: &mut Warnings,
) -> Result<(), CoalesceError> {
    let Some(mut declared) = chart.metadata.borrow().dependencies.clone() else { return Ok(()) };

    let is_declared = |existing: &ChartTree| {
        declared.iter().any(|dependency| {
            dependency.name == existing.metadata.borrow().name
                && is_compatible(&dependency.version, &existing.version())
        })
    };
    let mut charts: Vec<ChartTree> =
        chart.dependencies.iter().filter(|existing| !is_declared(existing)).cloned().collect();
    for dependency in &mut declared {
        let found = chart.dependencies.iter().find(|existing| {
            existing.metadata.borrow().name == dependency.name
                && is_compatible(&dependency.version, &existing.version())
        });
        charts.extend(found.map(|existing| existing.renamed(&dependency.alias)));
        if !dependency.alias.is_empty() {
            dependency.name.clone_from(&dependency.alias);
        }
        dependency.enabled = true;
    }
    chart.dependencies = charts;

    let coalesced = coalesce_to_read(chart, values, warnings)?;
    apply_tags(&mut declared, &coalesced, warnings);
    apply_conditions(&mut declared, &coalesced, path, warnings);

    let disabled: BTreeSet<String> =
        declared.iter().filter(|dependency| !dependency.enabled).map(|d| d.name.clone()).collect();
    chart.dependencies.retain(|subchart| !disabled.contains(&subchart.metadata.borrow().name));
    declared.retain(|dependency| !disabled.contains(&dependency.name));

    for subchart in &mut chart.dependencies {
        let subpath = format!("{path}{}.", subchart.name());
        select(subchart, &coalesced, &subpath, warnings)?;
    }
    chart.metadata.borrow_mut().dependencies = (!declared.is_empty()).then_some(declared);
    Ok(())
}

/// Whether a version lies in a range; nonsense on either side does not.
pub(crate) fn is_compatible(range: &str, version: &str) -> bool {
    match (Version::parse(version), Constraint::parse(range)) {
        (Ok(version), Ok(range)) => range.check(&version),
        _ => false,
    }
}

fn apply_tags(declared: &mut [Dependency], values: &Table, warnings: &mut Warnings) {
    let Some(tags) = lookup(values, "tags") else { return };
    for dependency in declared {
        let (mut any_true, mut any_false) = (false, false);
        for tag in &dependency.tags {
            match tags.get(tag) {
                Some(Value::Bool(true)) => any_true = true,
                Some(Value::Bool(false)) => any_false = true,
                Some(_) => {
                    warnings.push(format!("returned non-bool value tag={tag} chart={}", dependency.name));
                }
                None => {}
            }
        }
        dependency.enabled = any_true || !any_false;
    }
}

fn apply_conditions(declared: &mut [Dependency], values: &Table, path: &str, warnings: &mut Warnings) {
    for dependency in declared {
        for condition in dependency.condition.trim().split(',').filter(|condition| !condition.is_empty()) {
            match lookup_value(values, &format!("{path}{condition}")) {
                Some(Value::Bool(enabled)) => {
                    dependency.enabled = enabled;
                    break;
                }
                Some(_) => warnings
                    .push(format!("returned non-bool value path={condition} chart={}", dependency.name)),
                None => {}
            }
        }
    }
}
