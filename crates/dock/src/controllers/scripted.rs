//! What scripts do to any kind of object: custom resources become ready, finalizers are released.

use serde_json::{Value, json};

use super::action::{Action, Outcome};
use super::condition::{condition, conditions, refresh};
use super::object::{Object, set};
use super::script::{FAIL, READY_AFTER, Script};
use super::world::{Key, World};

/// The groups whose kinds have controllers of their own, or need none.
const BUILT_IN: [&str; 24] = [
    "",
    "admissionregistration.k8s.io",
    "apiextensions.k8s.io",
    "apiregistration.k8s.io",
    "apps",
    "authentication.k8s.io",
    "authorization.k8s.io",
    "autoscaling",
    "batch",
    "certificates.k8s.io",
    "coordination.k8s.io",
    "discovery.k8s.io",
    "events.k8s.io",
    "extensions",
    "flowcontrol.apiserver.k8s.io",
    "internal.apiserver.k8s.io",
    "networking.k8s.io",
    "node.k8s.io",
    "policy",
    "rbac.authorization.k8s.io",
    "resource.k8s.io",
    "scheduling.k8s.io",
    "storage.k8s.io",
    "storagemigration.k8s.io",
];

/// Whether an object may be made ready by its script.
pub fn is_custom(key: &Key) -> bool {
    !BUILT_IN.contains(&key.resource.group.as_ref())
}

/// Makes a custom resource ready when its time has come.
pub fn make_ready(key: &Key, object: &Value, world: &dyn World) -> Outcome {
    let scripted = [READY_AFTER, FAIL].iter().any(|annotation| object.annotation(annotation).is_some());
    if !scripted || !is_custom(key) || object.is_deleting() {
        return Outcome::nothing();
    }
    let script = Script::of(object);
    let now = world.now();
    let due = script.ready_at(world.born(object));
    let (holds, reason, message) = match &script.fail {
        Some(reason) => ("False", reason.as_str(), "scripted to fail"),
        None if due > now => ("False", "Pending", "scripted to become ready later"),
        None => ("True", "Ready", "scripted to be ready"),
    };
    let mut new = condition("Ready", holds, reason, message, now);
    new["observedGeneration"] = object.generation().max(1).into();
    let mut status = object.at("status").clone();
    if !status.is_object() {
        status = json!({});
    }
    let mut list = conditions(&status);
    refresh(&mut list, new);
    set(&mut status, "conditions", list);
    status["observedGeneration"] = object.generation().max(1).into();
    let mut outcome = Outcome::nothing();
    outcome.update_status(&key.resource, object, status);
    if script.fail.is_none() && due > now {
        outcome.look_again(due);
    }
    outcome
}

/// Releases the finalizers of an object some time after its deletion began. Those that the cluster itself works with
/// are not touched.
pub fn release_finalizers(key: &Key, object: &Value, world: &dyn World) -> Outcome {
    let Some(after) = Script::of(object).finalizer_after else { return Outcome::nothing() };
    let Some(begun) = world.doomed(object) else { return Outcome::nothing() };
    let (ours, left): (Vec<&Value>, Vec<&Value>) = object
        .items("metadata.finalizers")
        .iter()
        .partition(|finalizer| !is_system(finalizer.as_str().unwrap_or_default()));
    if ours.is_empty() {
        return Outcome::nothing();
    }
    let due = begun.checked_add(after).unwrap_or(begun);
    if due > world.now() {
        return Outcome { again: Some(due), ..Outcome::nothing() };
    }
    let left = if left.is_empty() { Value::Null } else { json!(left) };
    Outcome::of(vec![Action::patch_metadata(key.clone(), object, &[("finalizers", left)])])
}

fn is_system(finalizer: &str) -> bool {
    let domain = finalizer.split_once('/').map_or("", |(domain, _)| domain);
    finalizer == super::collector::FOREGROUND
        || finalizer == super::collector::ORPHAN
        || domain == "kubernetes.io"
        || domain.ends_with(".kubernetes.io")
        || finalizer == "customresourcecleanup.apiextensions.k8s.io"
}
