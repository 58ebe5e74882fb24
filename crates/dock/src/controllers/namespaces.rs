//! The end of a Namespace: its Pods go first, then everything else, then its finalizer; its conditions tell what
//! remains. And what every Namespace is given at its beginning.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use super::action::{Action, Deletion, Outcome, Part, Propagation};
use super::condition::{condition, conditions, find};
use super::object::{Object, set};
use super::world::{CONFIG_MAPS, EVENTS, Key, NAMESPACES, PODS, Placed, SERVICE_ACCOUNTS, World};

/// The finalizer in the specification that this controller releases.
const KUBERNETES: &str = "kubernetes";
/// The `ConfigMap` with the server's certificate in every Namespace.
const ROOT_CERTIFICATE: &str = "kube-root-ca.crt";

/// The conditions of a Namespace that is going, with what they say when all is well.
const WELL: [(&str, &str, &str); 5] = [
    ("NamespaceDeletionDiscoveryFailure", "ResourcesDiscovered", "All resources successfully discovered"),
    (
        "NamespaceDeletionGroupVersionParsingFailure",
        "ParsedGroupVersions",
        "All legacy kube types successfully parsed",
    ),
    (
        "NamespaceDeletionContentFailure",
        "ContentDeleted",
        "All content successfully deleted, may be waiting on finalization",
    ),
    ("NamespaceContentRemaining", "ContentRemoved", "All content successfully removed"),
    ("NamespaceFinalizersRemaining", "ContentHasNoFinalizers", "All content-preserving finalizers finished"),
];

/// Empties a Namespace that is being deleted, and lets it go.
pub fn terminate(namespace: &Value, world: &dyn World) -> Outcome {
    if !namespace.is_deleting() {
        return Outcome::nothing();
    }
    if namespace.text("status.phase") != "Terminating" {
        let mut status = namespace.at("status").clone();
        set(&mut status, "phase", "Terminating");
        let mut outcome = Outcome::nothing();
        outcome.update_status(&NAMESPACES, namespace, status);
        return outcome;
    }
    if namespace.items("spec.finalizers").is_empty() {
        return Outcome::nothing();
    }
    let contents = world.contents(namespace.name());
    let (pods, others): (Vec<Placed>, Vec<Placed>) =
        contents.into_iter().partition(|(key, _)| key.resource == PODS);
    if !pods.is_empty() {
        return remove_pods(namespace, &pods, world);
    }
    let deletions = deletions(&others);
    if !deletions.is_empty() {
        return Outcome::of(deletions);
    }
    let mut problems = Problems::default();
    if !others.is_empty() {
        problems.totals(&others);
    }
    let mut outcome = Outcome::nothing();
    outcome.update_status(&NAMESPACES, namespace, problems.status(namespace, world.now()));
    if others.is_empty() && outcome.actions.is_empty() {
        let mut finalized = namespace.clone();
        let left: Vec<Value> =
            namespace.items("spec.finalizers").iter().filter(|held| *held != KUBERNETES).cloned().collect();
        set(&mut finalized, "spec.finalizers", left);
        outcome.push(Action::Update { resource: NAMESPACES, part: Part::Finalize, object: finalized });
    }
    outcome
}

fn remove_pods(namespace: &Value, pods: &[Placed], world: &dyn World) -> Outcome {
    let deletions = deletions(pods);
    if !deletions.is_empty() {
        return Outcome::of(deletions);
    }
    let now = world.now();
    let mut problems = Problems::default();
    let grace = pods
        .iter()
        .filter(|(_, pod)| !matches!(pod.text("status.phase"), "Succeeded" | "Failed"))
        .map(|(_, pod)| pod.count("spec.terminationGracePeriodSeconds"))
        .max()
        .unwrap_or_default();
    let begun = namespace.moment("metadata.deletionTimestamp").unwrap_or(now);
    let over = begun.checked_add(SignedDuration::from_secs(grace)).unwrap_or(now);
    let held = pods.iter().any(|(_, pod)| !pod.items("metadata.finalizers").is_empty());
    let mut outcome = Outcome::nothing();
    if over > now {
        outcome.look_again(over);
    } else if !held {
        problems.failures.push(format!(
            "unexpected items still remain in namespace: {} for gvr: /v1, Resource=pods",
            namespace.name()
        ));
    }
    outcome.update_status(&NAMESPACES, namespace, problems.status(namespace, now));
    outcome
}

fn deletions(contents: &[Placed]) -> Vec<Action> {
    contents
        .iter()
        .filter(|(_, object)| !object.is_deleting())
        .map(|(key, object)| {
            Action::Delete(Deletion {
                key: key.clone(),
                uid: object.uid().to_owned(),
                revision: None,
                propagation: Some(Propagation::Background),
                grace_seconds: None,
                announce: None,
            })
        })
        .collect()
}

/// What keeps a Namespace from going.
#[derive(Debug, Default)]
struct Problems {
    failures: Vec<String>,
    remaining: Option<String>,
    finalizers: Option<String>,
}

impl Problems {
    fn totals(&mut self, contents: &[Placed]) {
        let mut resources: BTreeMap<String, usize> = BTreeMap::new();
        let mut finalizers: BTreeMap<&str, usize> = BTreeMap::new();
        for (key, object) in contents {
            *resources.entry(format!("{}.{}", key.resource.plural, key.resource.group)).or_default() += 1;
            if key.resource == EVENTS {
                *resources.entry("events.events.k8s.io".into()).or_default() += 1;
            }
            for finalizer in object.items("metadata.finalizers").iter().filter_map(Value::as_str) {
                *finalizers.entry(finalizer).or_default() += 1;
            }
        }
        let mut lines: Vec<String> =
            resources.iter().map(|(name, count)| format!("{name} has {count} resource instances")).collect();
        lines.sort();
        self.remaining = Some(format!("Some resources are remaining: {}", lines.join(", ")));
        if !finalizers.is_empty() {
            let mut lines: Vec<String> = finalizers
                .iter()
                .map(|(name, count)| format!("{name} in {count} resource instances"))
                .collect();
            lines.sort();
            self.finalizers =
                Some(format!("Some content in the namespace has finalizers remaining: {}", lines.join(", ")));
        }
    }

    fn of(&self, kind: &str) -> Option<(&'static str, String)> {
        match kind {
            "NamespaceDeletionContentFailure" if !self.failures.is_empty() => Some((
                "ContentDeletionFailed",
                format!(
                    "Failed to delete all resource types, {} remaining: {}",
                    self.failures.len(),
                    self.failures.join(", ")
                ),
            )),
            "NamespaceContentRemaining" => {
                self.remaining.clone().map(|message| ("SomeResourcesRemain", message))
            }
            "NamespaceFinalizersRemaining" => {
                self.finalizers.clone().map(|message| ("SomeFinalizersRemain", message))
            }
            _ => None,
        }
    }

    fn status(&self, namespace: &Value, now: Timestamp) -> Value {
        let mut list = conditions(namespace.at("status"));
        for (kind, well_reason, well_message) in WELL {
            let new = match self.of(kind) {
                Some((reason, message)) => condition(kind, "True", reason, &message, now),
                None => condition(kind, "False", well_reason, well_message, now),
            };
            match list.iter_mut().find(|old| old["type"] == kind) {
                Some(old) => {
                    let since = old["lastTransitionTime"].clone();
                    let same = old["status"] == new["status"];
                    *old = new;
                    if same {
                        old["lastTransitionTime"] = since;
                    }
                }
                None => list.push(new),
            }
        }
        debug_assert!(WELL.iter().all(|(kind, ..)| find(&list, kind).is_some()), "every condition is set");
        let mut status = namespace.at("status").clone();
        status["conditions"] = list.into();
        status
    }
}

/// Gives a Namespace its default `ServiceAccount`.
pub fn furnish_account(namespace: &Value, world: &dyn World) -> Outcome {
    if namespace.is_deleting()
        || world.get(&Key::new(&SERVICE_ACCOUNTS, namespace.name(), "default")).is_some()
    {
        return Outcome::nothing();
    }
    let object = json!({
        "apiVersion": "v1",
        "kind": "ServiceAccount",
        "metadata": { "name": "default", "namespace": namespace.name() },
    });
    Outcome::of(vec![Action::Create { resource: SERVICE_ACCOUNTS, object, announce: None }])
}

/// Gives a Namespace the certificate of the server, and keeps it as it should be.
pub fn furnish_certificate(namespace: &Value, world: &dyn World) -> Outcome {
    if namespace.is_deleting() {
        return Outcome::nothing();
    }
    let data = json!({ "ca.crt": world.root_certificate() });
    match world.get(&Key::new(&CONFIG_MAPS, namespace.name(), ROOT_CERTIFICATE)) {
        None => {
            let object = json!({
                "apiVersion": "v1",
                "kind": "ConfigMap",
                "metadata": {
                    "name": ROOT_CERTIFICATE,
                    "namespace": namespace.name(),
                    "annotations": {
                        "kubernetes.io/description": "Contains a CA bundle that can be used to verify the \
                            kube-apiserver when using internal endpoints such as the internal service IP or \
                            kubernetes.default.svc. No other usage is guaranteed across distributions of \
                            Kubernetes clusters.",
                    },
                },
                "data": data,
            });
            Outcome::of(vec![Action::Create { resource: CONFIG_MAPS, object, announce: None }])
        }
        Some(found) if found["data"] != data && !found.is_deleting() => {
            let mut object = (*found).clone();
            object["data"] = data;
            Outcome::of(vec![Action::Update { resource: CONFIG_MAPS, part: Part::Main, object }])
        }
        Some(_) => Outcome::nothing(),
    }
}
