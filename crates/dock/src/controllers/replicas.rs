//! `ReplicaSets` and `ReplicationControllers`: as many Pods as they ask for.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::sync::Arc;

use jiff::Timestamp;
use serde_json::{Value, json};

use super::action::Outcome;
use super::adoption::{claim, selects};
use super::condition::{condition, conditions, find, remove, replace};
use super::object::{Object, put_counts};
use super::pods::{is_active, is_available, is_ready, is_terminal, next_availability};
use super::selector::has_all;
use super::template::{create_pod, delete_pod, pod_from};
use super::world::{PODS, REPLICA_SETS, REPLICATION_CONTROLLERS, Resource, World};

/// So many Pods are made or removed at once.
const BURST: usize = 500;

/// Makes and removes Pods of a set, and tells how many there are.
pub fn reconcile(set: &Value, world: &dyn World) -> Outcome {
    let resource = resource_of(set);
    let claimed = claim(set, &PODS, world, is_active, None);
    if !claimed.changes.is_empty() {
        return Outcome::of(claimed.changes);
    }
    let pods = claimed.owned;
    let mut outcome = Outcome::nothing();
    let wanted = usize::try_from(set.int("spec.replicas").unwrap_or(1)).unwrap_or_default();
    outcome.update_status(&resource, set, status(set, &pods, wanted, world));
    if !set.is_deleting() {
        if pods.len() < wanted {
            for _ in 0..(wanted - pods.len()).min(BURST) {
                outcome.push(create_pod(pod_from(set.at("spec.template"), set), set));
            }
        } else {
            let surplus = (pods.len() - wanted).min(BURST);
            for pod in dispensable(&pods, &relatives(set, world), surplus) {
                outcome.push(delete_pod(&pod, set));
            }
        }
    }
    let patience = set.count("spec.minReadySeconds");
    if patience > 0
        && let Some(moment) = next_availability(pods.iter().map(Arc::as_ref), patience, world.now())
    {
        outcome.look_again(moment);
    }
    outcome
}

fn resource_of(set: &Value) -> Resource {
    if set.kind() == "ReplicationController" { REPLICATION_CONTROLLERS } else { REPLICA_SETS }
}

fn status(set: &Value, pods: &[Arc<Value>], wanted: usize, world: &dyn World) -> Value {
    let now = world.now();
    let labels = set.at("spec.template.metadata.labels");
    let patience = set.count("spec.minReadySeconds");
    let number = |holds: &dyn Fn(&Value) -> bool| pods.iter().filter(|pod| holds(pod)).count() as i64;
    let mut status = json!({ "replicas": pods.len() });
    put_counts(
        &mut status,
        &[
            ("fullyLabeledReplicas", number(&|pod| has_all(pod.at("metadata.labels"), labels))),
            ("readyReplicas", number(&is_ready)),
            ("availableReplicas", number(&|pod| is_available(pod, patience, now))),
            ("observedGeneration", set.generation()),
        ],
    );
    if set.kind() == "ReplicaSet" {
        let leaving = world
            .controlled(&PODS, set.uid())
            .iter()
            .filter(|pod| pod.is_deleting() && !is_terminal(pod) && selects(set, pod))
            .count();
        status["terminatingReplicas"] = leaving.into();
    }
    let mut list = conditions(set.at("status"));
    match world.refusal() {
        Some(_) if find(&list, "ReplicaFailure").is_some() || pods.len() == wanted => {}
        Some(why) => {
            let reason = if pods.len() < wanted { "FailedCreate" } else { "FailedDelete" };
            replace(&mut list, condition("ReplicaFailure", "True", reason, why, now));
        }
        None => remove(&mut list, "ReplicaFailure"),
    }
    if !list.is_empty() {
        status["conditions"] = list.into();
    }
    status
}

/// The Pods of all sets of the same controller.
fn relatives(set: &Value, world: &dyn World) -> Vec<Arc<Value>> {
    let Some(owner) = set.controller() else { return world.controlled(&PODS, set.uid()) };
    world
        .controlled(&REPLICA_SETS, owner.text("uid"))
        .iter()
        .flat_map(|sibling| world.controlled(&PODS, sibling.uid()))
        .collect()
}

/// The Pods that can best be done without: those that do not serve yet, then those with company on their Node, then
/// the youngest.
fn dispensable(pods: &[Arc<Value>], relatives: &[Arc<Value>], surplus: usize) -> Vec<Arc<Value>> {
    let mut on_node: HashMap<&str, usize> = HashMap::new();
    for pod in relatives.iter().filter(|pod| is_active(pod)) {
        *on_node.entry(pod.text("spec.nodeName")).or_default() += 1;
    }
    let mut sorted = pods.to_vec();
    sorted.sort_by_cached_key(|pod| {
        let company = on_node.get(pod.text("spec.nodeName")).copied().unwrap_or_default();
        (worth(pod), Reverse(company), youth(pod), pod.name().to_owned())
    });
    sorted.truncate(surplus);
    sorted
}

/// Smaller is worth less: unassigned, pending, unready, cheap to delete.
pub(crate) fn worth(pod: &Value) -> (bool, u8, bool, i64) {
    let phase = match pod.text("status.phase") {
        "Pending" => 0,
        "Unknown" => 1,
        _ => 2,
    };
    let cost = pod
        .annotation("controller.kubernetes.io/pod-deletion-cost")
        .and_then(|text| text.parse().ok())
        .unwrap_or_default();
    (!pod.text("spec.nodeName").is_empty(), phase, is_ready(pod), cost)
}

/// Smaller goes earlier: ready for a shorter time, restarted more often, younger.
pub(crate) fn youth(pod: &Value) -> (Reverse<Option<Timestamp>>, Reverse<i64>, Reverse<Option<Timestamp>>) {
    let since =
        pod.condition("Ready").filter(|_| is_ready(pod)).and_then(|ready| ready.moment("lastTransitionTime"));
    let restarts =
        pod.items("status.containerStatuses").iter().map(|status| status.count("restartCount")).max();
    (Reverse(since), Reverse(restarts.unwrap_or_default()), Reverse(pod.moment("metadata.creationTimestamp")))
}
