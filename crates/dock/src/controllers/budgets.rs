//! `PodDisruptionBudgets`: how many of their Pods may be done without.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Value, json};

use super::action::{Note, Outcome};
use super::object::{Object, scaled, stamp};
use super::pods::is_ready;
use super::selector::Selector;
use super::world::{BUDGETS, Key, PODS, World};

/// Counts the Pods of a budget.
pub fn reconcile(budget: &Value, world: &dyn World) -> Outcome {
    let selector = budget.at("spec.selector");
    let pods: Vec<Arc<Value>> = if selector.is_null() {
        Vec::new()
    } else {
        let all = world.list(&PODS, budget.namespace());
        all.into_iter().filter(|pod| Selector::new(selector).matches(pod)).collect()
    };
    let (expected, desired) = expectation(budget, &pods, world);
    let healthy = pods.iter().filter(|pod| !pod.is_deleting() && is_ready(pod)).count() as i64;
    let allowed = if expected > 0 { (healthy - desired).max(0) } else { 0 };
    let mut status = json!({
        "currentHealthy": healthy,
        "desiredHealthy": desired,
        "disruptionsAllowed": allowed,
        "expectedPods": expected,
        "observedGeneration": budget.generation(),
    });
    let (holds, reason) =
        if allowed > 0 { ("True", "SufficientPods") } else { ("False", "InsufficientPods") };
    let since = budget
        .condition("DisruptionAllowed")
        .filter(|old| old["status"] == holds)
        .map_or_else(|| stamp(world.now()).into(), |old| old["lastTransitionTime"].clone());
    status["conditions"] = json!([{
        "type": "DisruptionAllowed",
        "status": holds,
        "observedGeneration": budget.generation(),
        "lastTransitionTime": since,
        "reason": reason,
        "message": "",
    }]);
    let mut outcome = Outcome::nothing();
    outcome.update_status(&BUDGETS, budget, status);
    if pods.is_empty() && !outcome.actions.is_empty() {
        outcome.push(Note::normal(budget, "NoPods", "No matching pods found"));
    }
    outcome
}

/// How many Pods there should be, and how many must be healthy.
fn expectation(budget: &Value, pods: &[Arc<Value>], world: &dyn World) -> (i64, i64) {
    let (most, least) = (budget.at("spec.maxUnavailable"), budget.at("spec.minAvailable"));
    if !most.is_null() {
        let expected = controllers_scale(pods, world);
        let unavailable = scaled(most, expected, true).unwrap_or_default();
        return (expected, (expected - unavailable).max(0));
    }
    match least.as_i64() {
        Some(least) => (pods.len() as i64, least),
        None if least.is_string() => {
            let expected = controllers_scale(pods, world);
            (expected, scaled(least, expected, true).unwrap_or_default())
        }
        None => (0, 0),
    }
}

/// The sum of the sizes of all that control these Pods.
fn controllers_scale(pods: &[Arc<Value>], world: &dyn World) -> i64 {
    let mut sizes: BTreeMap<String, i64> = BTreeMap::new();
    for pod in pods {
        let Some(mut owner) = pod.controller().and_then(|reference| owner(reference, pod.namespace(), world))
        else {
            continue;
        };
        // The size of a ReplicaSet is its Deployment's, where it has one.
        if owner.kind() == "ReplicaSet"
            && let Some(above) =
                owner.controller().and_then(|reference| self::owner(reference, pod.namespace(), world))
        {
            owner = above;
        }
        sizes.insert(owner.uid().to_owned(), owner.int("spec.replicas").unwrap_or_default());
    }
    sizes.values().sum()
}

fn owner(reference: &Value, namespace: &str, world: &dyn World) -> Option<Arc<Value>> {
    let served = world.serves(reference.text("apiVersion"), reference.text("kind"))?;
    let found = world.get(&Key::new(&served.resource, namespace, reference.text("name")))?;
    (found.uid() == reference.text("uid")).then_some(found)
}
