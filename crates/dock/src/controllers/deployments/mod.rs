//! Deployments: a `ReplicaSet` for every template they had, rolled over from the old ones to the new one.

mod progress;
mod rollout;
mod scaling;
mod sets;

use std::sync::Arc;

use serde_json::{Value, json};

use super::action::{Action, Note, Outcome};
use super::adoption::claim;
use super::object::{Object, scaled};
use super::selector::Selector;
use super::world::{DEPLOYMENTS, REPLICA_SETS, World};
use sets::Sets;

/// The annotation that counts the templates of a Deployment.
pub const REVISION: &str = "deployment.kubernetes.io/revision";
/// The revisions that a `ReplicaSet` had before it was rolled back to.
const REVISION_HISTORY: &str = "deployment.kubernetes.io/revision-history";
/// The size of the Deployment when the `ReplicaSet` was last scaled.
const DESIRED_REPLICAS: &str = "deployment.kubernetes.io/desired-replicas";
/// The same with the surge.
const MAX_REPLICAS: &str = "deployment.kubernetes.io/max-replicas";
/// The label that tells the Pods of one template from those of another.
const TEMPLATE_HASH: &str = "pod-template-hash";
/// A number that means no limit.
const NO_LIMIT: i64 = i32::MAX as i64;

/// Brings a Deployment one step on.
pub fn reconcile(deployment: &Value, world: &dyn World) -> Outcome {
    if deployment.at("spec.selector").is_object() && Selector::new(deployment.at("spec.selector")).is_empty()
    {
        return selecting_all(deployment);
    }
    let claimed = claim(deployment, &REPLICA_SETS, world, |_| true, None);
    if !claimed.changes.is_empty() {
        return Outcome::of(claimed.changes);
    }
    let sets = Sets::find(deployment, claimed.owned);
    if deployment.is_deleting() {
        let mut outcome = Outcome::nothing();
        outcome.update_status(&DEPLOYMENTS, deployment, progress::status(deployment, &sets, world.now()));
        return outcome;
    }
    if let Some(paused) = progress::paused_status(deployment, world.now()) {
        let mut outcome = Outcome::nothing();
        outcome.update_status(&DEPLOYMENTS, deployment, paused);
        return outcome;
    }
    if let Some(step) = sets.revise(deployment, world.now()) {
        return Outcome::of(step);
    }
    if deployment.flag("spec.paused") || sets.was_resized(deployment) {
        return rescale(deployment, &sets, world);
    }
    match deployment.text("spec.strategy.type") {
        "Recreate" => rollout::recreate(deployment, &sets, world),
        _ => rollout::rolling(deployment, &sets, world),
    }
}

fn selecting_all(deployment: &Value) -> Outcome {
    let mut outcome = Outcome::of(vec![Note::warning(
        deployment,
        "SelectingAll",
        "This deployment is selecting all pods. A non-empty selector is required.",
    )]);
    let mut status = deployment.at("status").clone();
    if !status.is_object() {
        status = json!({});
    }
    if status.count("observedGeneration") < deployment.generation() {
        status["observedGeneration"] = deployment.generation().into();
        outcome.update_status(&DEPLOYMENTS, deployment, status);
        return outcome;
    }
    Outcome::nothing()
}

fn rescale(deployment: &Value, sets: &Sets, world: &dyn World) -> Outcome {
    let mut outcome = Outcome::of(scaling::proportionally(deployment, sets));
    if outcome.actions.is_empty() && deployment.flag("spec.paused") {
        outcome.actions.extend(sets.surplus_history(deployment));
    }
    if outcome.actions.is_empty() {
        outcome.update_status(&DEPLOYMENTS, deployment, progress::status(deployment, sets, world.now()));
    }
    outcome
}

/// How many Pods a Deployment wants.
fn replicas(deployment: &Value) -> i64 {
    deployment.int("spec.replicas").unwrap_or(1)
}

fn is_rolling(deployment: &Value) -> bool {
    deployment.text("spec.strategy.type") != "Recreate"
}

/// How many Pods more than wanted, and how many fewer than wanted there may be while rolling.
fn fences(deployment: &Value) -> (i64, i64) {
    if !is_rolling(deployment) {
        return (0, 0);
    }
    let wanted = replicas(deployment);
    let part =
        |field: &str, up| scaled(deployment.at(&format!("spec.strategy.rollingUpdate.{field}")), wanted, up);
    let surge = part("maxSurge", true).unwrap_or_default();
    let unavailable = part("maxUnavailable", false).unwrap_or_default();
    // Percentages may both come out as nothing; then nothing would ever move.
    if surge == 0 && unavailable == 0 { (0, 1) } else { (surge, unavailable) }
}

fn max_surge(deployment: &Value) -> i64 {
    fences(deployment).0
}

fn max_unavailable(deployment: &Value) -> i64 {
    if replicas(deployment) == 0 { 0 } else { fences(deployment).1.min(replicas(deployment)) }
}

/// The `ReplicaSets` at hand, by what they are for the Deployment.
type SetList = Vec<Arc<Value>>;

fn sum<'a>(sets: impl IntoIterator<Item = &'a Arc<Value>>, path: &str) -> i64 {
    sets.into_iter().map(|set| set.count(path)).sum()
}

fn scale(set: &Value, size: i64, deployment: &Value, forced: bool) -> Vec<Action> {
    scaling::scale(set, size, deployment, forced)
}
