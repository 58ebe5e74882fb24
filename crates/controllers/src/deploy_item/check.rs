//! What is wrong with a DeployItem, found by its spec alone: by the same rules as when it is deployed.

use api::DeployItem;
use api::deploy_item::{ChartSource, DeletionOrderRule, ValuesSource};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use engine::Engine;
use jiff::Timestamp;
use kube::ResourceExt;
use objects::{Scope, Source};
use plan::input::{ChartTree, Hooks, Inventory, Live, Order, Policy, TypePattern, Wanted, Written};
use plan::{ChartIndex, Operation, Request};
use serde_json::Value;

use super::{duration, is_release, read_rules};
use crate::Problem;

/// Everything that is wrong with an item, whatever its chart and its values are.
pub fn check(item: &DeployItem, engine: &Engine) -> Vec<Problem> {
    let spec = &item.spec;
    let mut problems = Vec::new();
    match (&spec.chart, spec.manifests.is_empty()) {
        (Some(chart), true) => problems.extend(chart_problem(chart)),
        (None, false) => problems.extend(manifests(item, engine)),
        (Some(_), false) => problems.push(Problem::new("spec.manifests", BOTH)),
        (None, true) => problems.push(Problem::new("spec", BOTH)),
    }
    let interval = spec.drift_correction.as_ref().map(|drift| drift.interval.as_str());
    for (text, field) in [
        (spec.timeout.as_deref(), "spec.timeout"),
        (
            spec.readiness.as_ref().and_then(|readiness| readiness.timeout.as_deref()),
            "spec.readiness.timeout",
        ),
        (interval, "spec.driftCorrection.interval"),
    ] {
        let message = duration(text, field).err().map(|error| error.to_string());
        let without = |message: String| message.trim_start_matches(&format!("{field}: ")).to_owned();
        problems.extend(message.map(|message| Problem::new(field, without(message))));
    }
    for (rules, field) in [
        (Some(&spec.deletion_order_rules), "spec.deletionOrderRules"),
        (spec.deletion_order_rules_during_update.as_ref(), "spec.deletionOrderRulesDuringUpdate"),
    ] {
        problems.extend(rules.into_iter().flat_map(|rules| rules_problems(rules, field)));
    }
    for (number, source) in spec.values_from.iter().enumerate() {
        let is_one = matches!(
            source,
            ValuesSource { config_map: Some(_), secret: None, .. }
                | ValuesSource { config_map: None, secret: Some(_), .. }
        );
        if !is_one {
            let field = format!("spec.valuesFrom[{number}]");
            problems.push(Problem::new(field, "exactly one of configMap and secret is needed"));
        }
    }
    for (number, policy) in spec.policies.iter().enumerate() {
        if is_release(item) {
            let words =
                "policies are for plain manifests: a release is Helm's, which has helm.sh/resource-policy";
            problems.push(Problem::new(format!("spec.policies[{number}]"), words));
        }
        for (place, text) in policy.types.iter().enumerate() {
            if let Err(error) = text.parse::<TypePattern>() {
                let field = format!("spec.policies[{number}].types[{place}]");
                problems.push(Problem::new(field, error.to_string()));
            }
        }
    }
    if let Some(number) = spec.depends_on.iter().position(|name| *name == item.name_any()) {
        problems.push(Problem::new(format!("spec.dependsOn[{number}]"), "an item cannot come after itself"));
    }
    problems
}

const BOTH: &str = "exactly one of spec.chart and spec.manifests is needed";

fn chart_problem(chart: &ChartSource) -> Option<Problem> {
    let ChartSource { archive, config_map, repository, oci } = chart;
    let given = [archive.is_some(), config_map.is_some(), repository.is_some(), oci.is_some()];
    if given.iter().filter(|given| **given).count() != 1 {
        let words = "exactly one of archive, configMap, repository and oci is needed";
        return Some(Problem::new("spec.chart", words));
    }
    let archive = archive.as_ref()?;
    let bytes = STANDARD.decode(archive.split_whitespace().collect::<String>());
    let why = match bytes {
        Ok(bytes) => chart::load::load_archive(&bytes).err()?.to_string(),
        Err(error) => error.to_string(),
    };
    Some(Problem::new("spec.chart.archive", why))
}

fn rules_problems(rules: &[DeletionOrderRule], field: &str) -> Vec<Problem> {
    // One by one, to know which; then all, as two can contradict each other.
    let alone: Vec<Problem> = rules
        .iter()
        .enumerate()
        .filter_map(|(number, rule)| {
            let why = read_rules(std::slice::from_ref(rule)).err()?;
            let why = why.to_string();
            // Alone it is always the first, and the field says which it is.
            let words = why.split_once("deletion rule 1: ").map_or(why.as_str(), |(_, words)| words);
            Some(Problem::new(format!("{field}[{number}]"), words))
        })
        .collect();
    if !alone.is_empty() {
        return alone;
    }
    read_rules(rules).err().map(|why| Problem::new(field, why.to_string())).into_iter().collect()
}

/// Each manifest by itself, then all of them as the plan that they would be.
fn manifests(item: &DeployItem, engine: &Engine) -> Vec<Problem> {
    let target = item.spec.target.as_ref().and_then(|target| target.namespace.clone());
    let namespace = target.or_else(|| item.namespace()).unwrap_or_default();
    let mut builder = Wanted::builder(ChartTree::single(item.name_any()), &namespace);
    for kind in engine.served().kinds() {
        let scope = if kind.namespaced { Scope::Namespaced } else { Scope::Cluster };
        builder.kind(&kind.resource.group, &kind.resource.kind, scope);
    }
    for (number, entry) in item.spec.manifests.iter().enumerate() {
        let source = Source::new(format!("manifests[{number}]"));
        let written = Written { chart: ChartIndex(0), source: &source, line: 1 };
        let text = Value::Object(entry.manifest.clone()).to_string();
        if let Err(error) = builder.manifest(written, &text) {
            let field = format!("spec.manifests[{number}].manifest");
            return vec![Problem::new(field, error.to_string())];
        }
    }
    let order = if item.spec.wait_ordered { Order::Ordered } else { Order::Phases };
    let policy = Policy { order, hooks: Hooks::Plain, ..Policy::default() };
    let (wanted, stored, live) = (builder.finish(), Inventory::default(), Live::empty());
    let (operation, now) = (Operation::Install, Timestamp::now());
    plan::plan(&Request { operation, wanted: &wanted, stored: &stored, policy: &policy, live: &live, now })
        .err()
        .map(|errors| Problem::new("spec.manifests", errors.to_string()))
        .into_iter()
        .collect()
}
