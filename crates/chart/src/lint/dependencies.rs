//! The rules for dependencies: what is declared must be there, and what is there must be declared.

use std::collections::BTreeSet;
use std::path::Path;

use super::{Findings, refuse_if};
use crate::Chart;
use crate::load::load_unchecked;

pub(super) fn check(directory: &Path, findings: &mut Findings) {
    let chart = match load_unchecked(directory) {
        Ok(loaded) => loaded.chart,
        Err(error) => {
            findings.error("", Err(format!("unable to load chart\n\t{error}")));
            return;
        }
    };
    let path = directory.to_string_lossy();
    findings.error(&path, all_declared(&chart));
    findings.error(&path, unique(&chart));
    findings.warning(&path, all_there(&chart));
}

fn listed(names: &[&str], text: &str) -> Result<(), String> {
    refuse_if(!names.is_empty(), || format!("{text}: {}", names.join(",")))
}

fn all_declared(chart: &Chart) -> Result<(), String> {
    let declared: BTreeSet<&str> = chart.declared().iter().map(|d| d.name.as_str()).collect();
    let missing: Vec<&str> =
        chart.dependencies.iter().map(Chart::name).filter(|n| !declared.contains(n)).collect();
    listed(&missing, "chart metadata is missing these dependencies")
}

fn unique(chart: &Chart) -> Result<(), String> {
    let mut seen = BTreeSet::new();
    let keys = chart.declared().iter().map(|d| if d.alias.is_empty() { &d.name } else { &d.alias });
    let shadowing: Vec<&str> = keys.map(String::as_str).filter(|key| !seen.insert(*key)).collect();
    listed(&shadowing, "multiple dependencies with name or alias")
}

fn all_there(chart: &Chart) -> Result<(), String> {
    let there: BTreeSet<&str> = chart.dependencies.iter().map(Chart::name).collect();
    let missing: Vec<&str> =
        chart.declared().iter().map(|d| d.name.as_str()).filter(|name| !there.contains(name)).collect();
    listed(&missing, "chart directory is missing these dependencies")
}
