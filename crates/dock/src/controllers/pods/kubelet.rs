//! The kubelet of the simulated Node: brings Pods to the state that their script says.

use serde_json::{Value, json};

use super::containers::{self, identity, waiting_message};
use super::fate::{Fate, decide};
use super::state::is_terminal;
use crate::controllers::action::{Action, Deletion, Note, Outcome, reference};
use crate::controllers::object::Object;
use crate::controllers::script::Script;
use crate::controllers::world::{Key, NODES, PODS, World};

/// The address of a Node that has none.
const HOST: &str = "172.18.0.2";

/// Brings a Pod with a Node on, and stops one that is being deleted.
pub fn reconcile(pod: &Value, world: &dyn World) -> Outcome {
    if pod.is_deleting() {
        return stop(pod, world);
    }
    if pod.text("spec.nodeName").is_empty() || is_terminal(pod) {
        return Outcome::nothing();
    }
    let now = world.now();
    let script = Script::of_pod(pod, world);
    let (fate, again) = decide(pod, &script, world.born(pod), now);
    let status = containers::status(pod, &fate, &host(pod, world), now);
    let mut outcome = Outcome::nothing();
    outcome.update_status(&PODS, pod, status);
    if !outcome.actions.is_empty() {
        outcome.actions.extend(notes(pod, &fate));
    }
    if let Some(again) = again {
        outcome.look_again(again);
    }
    outcome
}

/// What the containers of a Pod log.
pub fn log(pod: &Value, world: &dyn World) -> String {
    Script::of_pod(pod, world).log.unwrap_or_default()
}

fn host(pod: &Value, world: &dyn World) -> String {
    world
        .get(&Key::new(&NODES, "", pod.text("spec.nodeName")))
        .and_then(|node| {
            let addresses = node.items("status.addresses");
            let internal = addresses.iter().find(|address| address["type"] == "InternalIP")?;
            Some(internal.text("address").to_owned())
        })
        .unwrap_or_else(|| HOST.to_owned())
}

fn stop(pod: &Value, world: &dyn World) -> Outcome {
    let now = world.now();
    let grace = pod.count("metadata.deletionGracePeriodSeconds");
    if let Some(after) = Script::of_pod(pod, world).stop_after
        && let Some(begun) = world.doomed(pod)
    {
        let wanted = begun.checked_add(after).unwrap_or(now);
        let latest = begun.checked_add(jiff::SignedDuration::from_secs(grace)).unwrap_or(now);
        let due = wanted.min(latest);
        if due > now {
            return Outcome { again: Some(due), ..Outcome::nothing() };
        }
    }
    let mut outcome = Outcome::nothing();
    let has_node = !pod.text("spec.nodeName").is_empty();
    if has_node && !is_terminal(pod) && !pod.items("metadata.finalizers").is_empty() {
        // Work that was broken off has failed; a server that was told to stop has not.
        let fate = match pod.text("spec.restartPolicy") {
            "Never" | "OnFailure" => Fate::Failed { reason: "Error".into(), code: 143 },
            _ => Fate::Done,
        };
        outcome.update_status(&PODS, pod, containers::status(pod, &fate, &host(pod, world), now));
    }
    if grace > 0 || pod.at("metadata.deletionGracePeriodSeconds").is_null() {
        if has_node && !is_terminal(pod) {
            for container in pod.items("spec.containers") {
                let message = format!("Stopping container {}", container.text("name"));
                outcome.push(about_container(pod, container, false, "Killing", message));
            }
        }
        outcome.push(Action::Delete(Deletion {
            key: Key::of(&PODS, pod),
            uid: pod.uid().to_owned(),
            revision: None,
            propagation: None,
            grace_seconds: Some(0),
            announce: None,
        }));
    }
    outcome
}

/// What a kubelet tells on the way.
fn notes(pod: &Value, fate: &Fate) -> Vec<Action> {
    let first = pod.at("status.containerStatuses").is_null();
    let mut notes = Vec::new();
    for container in pod.items("spec.initContainers").iter().chain(pod.items("spec.containers")) {
        let image = container.text("image");
        match fate {
            Fate::Running { .. } | Fate::Done | Fate::Failed { .. } if first => {
                let pulled = format!(
                    "Container image {image:?} already present on machine and can be accessed by the pod"
                );
                notes.push(about_container(pod, container, false, "Pulled", pulled));
                notes.push(about_container(pod, container, false, "Created", "Container created"));
                notes.push(about_container(pod, container, false, "Started", "Container started"));
            }
            Fate::Crashing(_) => {
                let message = format!(
                    "Back-off restarting failed container {} in pod {}",
                    container.text("name"),
                    identity(pod)
                );
                notes.push(about_container(pod, container, false, "Started", "Container started"));
                notes.push(about_container(pod, container, true, "BackOff", message));
            }
            Fate::Waiting { reason } if first => {
                if reason.contains("ImagePull") {
                    notes.push(about_container(
                        pod,
                        container,
                        false,
                        "Pulling",
                        format!("Pulling image {image:?}"),
                    ));
                    let cause = waiting_message("ErrImagePull", image).unwrap_or_default();
                    let failed = format!("Failed to pull image {image:?}: {cause}");
                    notes.push(about_container(pod, container, true, "Failed", failed));
                    notes.push(about_container(pod, container, true, "Failed", "Error: ErrImagePull"));
                }
                if reason == "ImagePullBackOff" {
                    let message = format!("Back-off pulling image {image:?}");
                    notes.push(about_container(pod, container, false, "BackOff", message));
                }
                if reason != "ErrImagePull" {
                    notes.push(about_container(pod, container, true, "Failed", format!("Error: {reason}")));
                }
            }
            _ => {}
        }
    }
    if let Fate::Ended { reason } = fate {
        notes.push(Note::warning(pod, reason, format!("The Pod was ended by its script: {reason}")));
    }
    notes
}

fn about_container(
    pod: &Value,
    container: &Value,
    warning: bool,
    reason: &str,
    message: impl Into<String>,
) -> Action {
    let list =
        if pod.items("spec.initContainers").contains(container) { "initContainers" } else { "containers" };
    let mut about = reference(pod);
    about["fieldPath"] = json!(format!("spec.{list}{{{}}}", container.text("name")));
    Action::Note(Note { about, warning, reason: reason.into(), message: message.into() })
}
