//! `DaemonSets`: one Pod on every Node that fits.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::Timestamp;
use serde_json::{Value, json};

use super::action::{Action, Note, Outcome};
use super::adoption::claim;
use super::history::{History, Naming, Present, REVISION_HASH};
use super::object::{Object, map, put_counts, scaled, set};
use super::pods::scheduler::fits;
use super::pods::{is_available, is_ready, is_terminal, next_availability};
use super::selector::Selector;
use super::template::{create_pod, delete_pod, pod_from};
use super::world::{DAEMON_SETS, NODES, PODS, World};

/// The annotation that counts the templates of old clients.
const GENERATION: &str = "deprecated.daemonset.template.generation";
/// What the Pods of a `DaemonSet` put up with.
const TOLERATED: [(&str, &str); 6] = [
    ("node.kubernetes.io/not-ready", "NoExecute"),
    ("node.kubernetes.io/unreachable", "NoExecute"),
    ("node.kubernetes.io/disk-pressure", "NoSchedule"),
    ("node.kubernetes.io/memory-pressure", "NoSchedule"),
    ("node.kubernetes.io/pid-pressure", "NoSchedule"),
    ("node.kubernetes.io/unschedulable", "NoSchedule"),
];

/// Brings a `DaemonSet` one step on.
pub fn reconcile(daemon: &Value, world: &dyn World) -> Outcome {
    if Selector::new(daemon.at("spec.selector")).is_empty() {
        return Outcome::nothing();
    }
    let history = match History::of(daemon, world) {
        Ok(history) => history,
        Err(adoptions) => return Outcome::of(adoptions),
    };
    let claimed = claim(daemon, &PODS, world, |_| true, None);
    if !claimed.changes.is_empty() {
        return Outcome::of(claimed.changes);
    }
    let present = match history.present(daemon, Naming::ByTemplate) {
        Present::Known(present) => present,
        Present::Missing(actions) if !daemon.is_deleting() => return Outcome::of(actions),
        Present::Missing(_) => return Outcome::nothing(),
    };
    let pass = Pass {
        daemon,
        hash: present.label(REVISION_HASH).unwrap_or_default(),
        nodes: world.list(&NODES, ""),
        pods: by_node(claimed.owned),
        now: world.now(),
    };
    let mut outcome = Outcome::nothing();
    if !daemon.is_deleting() {
        outcome.actions = pass.manage();
        if outcome.actions.is_empty() && daemon.text("spec.updateStrategy.type") != "OnDelete" {
            outcome.actions = pass.roll();
        }
        outcome.actions.extend(history.truncate(daemon, |revision| {
            revision.name() == present.name()
                || pass.all().any(|pod| pod.label(REVISION_HASH) == revision.label(REVISION_HASH))
        }));
    }
    outcome.update_status(&DAEMON_SETS, daemon, pass.status());
    let patience = daemon.count("spec.minReadySeconds");
    if patience > 0
        && let Some(moment) = next_availability(pass.all().map(Arc::as_ref), patience, world.now())
    {
        outcome.look_again(moment);
    }
    outcome
}

/// The Node that a Pod is on, or is meant for.
fn target(pod: &Value) -> String {
    if !pod.text("spec.nodeName").is_empty() {
        return pod.text("spec.nodeName").to_owned();
    }
    let required = "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution";
    pod.at(required)
        .items("nodeSelectorTerms")
        .iter()
        .flat_map(|term| term.items("matchFields"))
        .find(|field| field["key"] == "metadata.name")
        .and_then(|field| field.items("values").first()?.as_str())
        .unwrap_or_default()
        .to_owned()
}

fn by_node(pods: Vec<Arc<Value>>) -> BTreeMap<String, Vec<Arc<Value>>> {
    let mut nodes: BTreeMap<String, Vec<Arc<Value>>> = BTreeMap::new();
    for pod in pods {
        nodes.entry(target(&pod)).or_default().push(pod);
    }
    for pods in nodes.values_mut() {
        // One that runs comes before one that does not, an older before a younger.
        pods.sort_by_key(|pod| {
            let placed = !pod.text("spec.nodeName").is_empty();
            (!placed, pod.moment("metadata.creationTimestamp"), pod.name().to_owned())
        });
    }
    nodes
}

/// One look at a `DaemonSet`.
struct Pass<'a> {
    daemon: &'a Value,
    hash: &'a str,
    nodes: Vec<Arc<Value>>,
    pods: BTreeMap<String, Vec<Arc<Value>>>,
    now: Timestamp,
}

impl Pass<'_> {
    fn all(&self) -> impl Iterator<Item = &Arc<Value>> {
        self.pods.values().flatten()
    }

    fn on(&self, node: &Value) -> &[Arc<Value>] {
        self.pods.get(node.name()).map(Vec::as_slice).unwrap_or_default()
    }

    fn should_run(&self, node: &Value) -> bool {
        let template = json!({ "spec": self.daemon.at("spec.template.spec") });
        fits(&template, node) && !node.is_deleting()
    }

    fn is_new(&self, pod: &Value) -> bool {
        let generation = self.daemon.annotation(GENERATION);
        pod.label(REVISION_HASH) == Some(self.hash)
            || (generation.is_some() && pod.label("pod-template-generation") == generation)
    }

    fn serves(&self, pod: &Value) -> bool {
        is_available(pod, self.daemon.count("spec.minReadySeconds"), self.now)
    }

    /// Makes Pods where there are none, and removes those that should not be.
    fn manage(&self) -> Vec<Action> {
        let mut actions = Vec::new();
        for node in &self.nodes {
            let pods = self.on(node);
            if !self.should_run(node) {
                actions.extend(
                    pods.iter().filter(|pod| !pod.is_deleting()).map(|pod| delete_pod(pod, self.daemon)),
                );
                continue;
            }
            if pods.is_empty() {
                actions.push(create_pod(self.pod_for(node.name()), self.daemon));
                continue;
            }
            let mut running = pods.iter().filter(|pod| !pod.is_deleting());
            let mut kept = false;
            for pod in running.by_ref() {
                if pod.text("status.phase") == "Failed" {
                    let message = format!(
                        "Found failed daemon pod {}/{} on node {}, will try to kill it",
                        pod.namespace(),
                        pod.name(),
                        node.name()
                    );
                    actions.push(Note::warning(self.daemon, "FailedDaemonPod", message));
                    actions.push(delete_pod(pod, self.daemon));
                } else if is_terminal(pod) {
                    let message = format!(
                        "Found succeeded daemon pod {}/{} on node {}, will try to delete it",
                        pod.namespace(),
                        pod.name(),
                        node.name()
                    );
                    actions.push(Note::normal(self.daemon, "SucceededDaemonPod", message));
                    actions.push(delete_pod(pod, self.daemon));
                } else if kept {
                    actions.push(delete_pod(pod, self.daemon));
                } else {
                    kept = true;
                }
            }
        }
        for (name, pods) in &self.pods {
            if !self.nodes.iter().any(|node| node.name() == name) {
                actions.extend(
                    pods.iter().filter(|pod| !pod.is_deleting()).map(|pod| delete_pod(pod, self.daemon)),
                );
            }
        }
        actions
    }

    /// Replaces Pods of older templates, no more at once than may be missing.
    fn roll(&self) -> Vec<Action> {
        let wanted = self.nodes.iter().filter(|node| self.should_run(node)).count() as i64;
        let part = |field: &str| {
            scaled(self.daemon.at(&format!("spec.updateStrategy.rollingUpdate.{field}")), wanted, true)
        };
        // Where a new Pod may come before the old one goes, as many may go here.
        let allowed =
            part("maxUnavailable").filter(|count| *count > 0).or(part("maxSurge")).unwrap_or(1).max(1);
        let (mut missing, mut broken, mut candidates) = (0, Vec::new(), Vec::new());
        for pods in self.pods.values() {
            let mut staying = pods.iter().filter(|pod| !pod.is_deleting());
            match (staying.next(), staying.next()) {
                (Some(pod), None) if self.is_new(pod) => missing += i64::from(!self.serves(pod)),
                (Some(pod), None) if !self.serves(pod) => {
                    missing += 1;
                    broken.push(pod);
                }
                (Some(pod), None) => candidates.push(pod),
                _ => missing += 1,
            }
        }
        let room = usize::try_from(allowed - missing).unwrap_or_default();
        broken
            .into_iter()
            .chain(candidates.into_iter().take(room))
            .map(|pod| delete_pod(pod, self.daemon))
            .collect()
    }

    fn pod_for(&self, node: &str) -> Value {
        let daemon = self.daemon;
        let mut pod = pod_from(daemon.at("spec.template"), daemon);
        let labels = map(&mut pod, "metadata.labels");
        if let Some(generation) = daemon.annotation(GENERATION) {
            labels.insert("pod-template-generation".into(), generation.into());
        }
        labels.insert(REVISION_HASH.into(), self.hash.into());
        let mut tolerations = pod.items("spec.tolerations").to_vec();
        let host =
            pod.flag("spec.hostNetwork").then_some(("node.kubernetes.io/network-unavailable", "NoSchedule"));
        for (key, effect) in TOLERATED.into_iter().chain(host) {
            let toleration = json!({ "key": key, "operator": "Exists", "effect": effect });
            if !tolerations.contains(&toleration) {
                tolerations.push(toleration);
            }
        }
        set(&mut pod, "spec.tolerations", tolerations);
        let named = json!([{ "key": "metadata.name", "operator": "In", "values": [node] }]);
        let required = "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution";
        let mut terms = pod.at(required).items("nodeSelectorTerms").to_vec();
        if terms.is_empty() {
            terms.push(json!({}));
        }
        for term in &mut terms {
            term["matchFields"] = named.clone();
        }
        set(&mut pod, &format!("{required}.nodeSelectorTerms"), terms);
        pod
    }

    fn status(&self) -> Value {
        let (mut desired, mut current, mut misplaced, mut ready, mut available, mut updated) =
            (0, 0, 0, 0, 0, 0);
        for node in &self.nodes {
            let first = self.on(node).first();
            if !self.should_run(node) {
                misplaced += i64::from(first.is_some());
                continue;
            }
            desired += 1;
            let Some(pod) = first else { continue };
            current += 1;
            ready += i64::from(is_ready(pod));
            available += i64::from(self.serves(pod));
            updated += i64::from(self.is_new(pod));
        }
        let mut status = json!({
            "currentNumberScheduled": current,
            "numberMisscheduled": misplaced,
            "desiredNumberScheduled": desired,
            "numberReady": ready,
        });
        put_counts(
            &mut status,
            &[
                ("observedGeneration", self.daemon.generation()),
                ("updatedNumberScheduled", updated),
                ("numberAvailable", available),
                ("numberUnavailable", desired - available),
            ],
        );
        for field in ["collisionCount", "conditions"] {
            if let Some(value) = self.daemon.at("status").get(field) {
                status[field] = value.clone();
            }
        }
        status
    }
}
