//! The scheduler: gives every Pod a Node that its node selector and affinity allow, once its claims are there.

use std::sync::Arc;

use serde_json::{Value, json};

use super::state::is_terminal;
use crate::controllers::action::{Action, Note, Outcome, Part};
use crate::controllers::condition::refresh;
use crate::controllers::object::{Object, map, set, stamp};
use crate::controllers::script::Script;
use crate::controllers::selector::{has_all, meets};
use crate::controllers::world::{CLAIMS, Key, NODES, PODS, STORAGE_CLASSES, World};

/// The annotation by which a claim learns where its consumer will be.
pub(crate) const SELECTED_NODE: &str = "volume.kubernetes.io/selected-node";

/// Gives a Pod a Node, or says why it cannot have one.
pub fn reconcile(pod: &Value, world: &dyn World) -> Outcome {
    let scheduler = pod.text("spec.schedulerName");
    if pod.is_deleting()
        || is_terminal(pod)
        || !pod.text("spec.nodeName").is_empty()
        || !pod.items("spec.schedulingGates").is_empty()
        || !matches!(scheduler, "" | "default-scheduler")
    {
        return Outcome::nothing();
    }
    let nodes = world.list(&NODES, "");
    let script = Script::of_pod(pod, world);
    let candidate = if script.fail.as_deref() == Some("Unschedulable") {
        Err(not_available(nodes.len(), &format!("{} node(s) were kept away by a script", nodes.len())))
    } else {
        choose(pod, &nodes)
    };
    let node = match candidate {
        Ok(node) => node,
        Err(message) => return refuse(pod, &message, world),
    };
    match check_claims(pod, node.name(), world) {
        Claims::Bound => {}
        Claims::Wait(actions) => return Outcome::of(actions),
        Claims::Impossible(why) => {
            let message = format!("0/{} nodes are available: {why}. not found", nodes.len());
            return refuse(pod, &message, world);
        }
    }
    let mut outcome = Outcome::of(vec![Action::Bind {
        key: Key::of(&PODS, pod),
        uid: pod.uid().to_owned(),
        node: node.name().to_owned(),
    }]);
    let assigned = format!("Successfully assigned {}/{} to {}", pod.namespace(), pod.name(), node.name());
    outcome.push(Note::normal(pod, "Scheduled", assigned));
    outcome
}

fn choose<'a>(pod: &Value, nodes: &'a [Arc<Value>]) -> Result<&'a Arc<Value>, String> {
    if nodes.is_empty() {
        return Err("no nodes available to schedule pods".into());
    }
    let mut unschedulable = 0;
    for node in nodes.iter().filter(|node| fits(pod, node)) {
        if !node.flag("spec.unschedulable") && !node.is_deleting() {
            return Ok(node);
        }
        unschedulable += 1;
    }
    let why = if unschedulable > 0 {
        format!("{unschedulable} node(s) were unschedulable")
    } else {
        format!("{} node(s) didn't match Pod's node affinity/selector", nodes.len())
    };
    Err(not_available(nodes.len(), &why))
}

fn not_available(nodes: usize, why: &str) -> String {
    format!(
        "0/{nodes} nodes are available: {why}. no new claims to deallocate, preemption: 0/{nodes} nodes are available: {nodes} Preemption is not helpful for scheduling."
    )
}

/// Whether a Pod may be on a Node by its node selector and the part of its affinity that is required.
pub(crate) fn fits(pod: &Value, node: &Value) -> bool {
    let labels = node.at("metadata.labels");
    if !has_all(labels, pod.at("spec.nodeSelector")) {
        return false;
    }
    let required = "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution";
    if pod.at(required).is_null() {
        return true;
    }
    let fields = json!({ "metadata.name": node.name() });
    pod.at(required).items("nodeSelectorTerms").iter().any(|term| {
        let (labelled, named) = (term.items("matchExpressions"), term.items("matchFields"));
        // A term without requirements matches nothing.
        !(labelled.is_empty() && named.is_empty())
            && labelled.iter().all(|requirement| meets(labels, requirement))
            && named.iter().all(|requirement| meets(&fields, requirement))
    })
}

enum Claims {
    Bound,
    Wait(Vec<Action>),
    Impossible(String),
}

/// Looks at the claims of a Pod; those that wait for a consumer are told the Node.
fn check_claims(pod: &Value, node: &str, world: &dyn World) -> Claims {
    let (mut actions, mut waiting) = (Vec::new(), false);
    for name in claim_names(pod) {
        let key = Key::new(&CLAIMS, pod.namespace(), &name);
        let Some(claim) = world.get(&key) else {
            return Claims::Impossible(format!("persistentvolumeclaim {name:?} not found"));
        };
        if claim.is_deleting() {
            return Claims::Impossible(format!("persistentvolumeclaim {name:?} is being deleted"));
        }
        if claim.text("status.phase") == "Bound" {
            continue;
        }
        let class = world.get(&Key::new(&STORAGE_CLASSES, "", claim.text("spec.storageClassName")));
        if class.is_none_or(|class| class.text("volumeBindingMode") != "WaitForFirstConsumer") {
            return Claims::Impossible("pod has unbound immediate PersistentVolumeClaims".into());
        }
        waiting = true;
        if claim.annotation(SELECTED_NODE) != Some(node) {
            let mut object = (*claim).clone();
            map(&mut object, "metadata.annotations").insert(SELECTED_NODE.into(), node.into());
            actions.push(Action::Update { resource: CLAIMS, part: Part::Main, object });
        }
    }
    if waiting { Claims::Wait(actions) } else { Claims::Bound }
}

/// The claims that a Pod mounts, with those that are made for it.
pub(crate) fn claim_names(pod: &Value) -> Vec<String> {
    pod.items("spec.volumes")
        .iter()
        .filter_map(|volume| {
            if volume.get("ephemeral").is_some() {
                return Some(format!("{}-{}", pod.name(), volume.text("name")));
            }
            volume.at("persistentVolumeClaim.claimName").as_str().map(str::to_owned)
        })
        .collect()
}

fn refuse(pod: &Value, message: &str, world: &dyn World) -> Outcome {
    let mut status = pod.at("status").clone();
    let mut list = status.items("conditions").to_vec();
    refresh(
        &mut list,
        json!({
            "type": "PodScheduled",
            "status": "False",
            "observedGeneration": pod.generation().max(1),
            "lastProbeTime": null,
            "lastTransitionTime": stamp(world.now()),
            "reason": "Unschedulable",
            "message": message,
        }),
    );
    set(&mut status, "conditions", list);
    let mut outcome = Outcome::nothing();
    outcome.update_status(&PODS, pod, status);
    if !outcome.actions.is_empty() {
        outcome.push(Note::warning(pod, "FailedScheduling", message));
    }
    outcome
}
