//! Cells of Pods and of what they run on.

use std::collections::BTreeSet;

use jiff::Timestamp;
use serde_json::{Value, json};

use super::{condition, holds, items, or, since, text};

/// What the containers of a Pod add up to.
struct Summary {
    ready: usize,
    restarts: i64,
    last_restart: Option<Timestamp>,
    reason: String,
}

fn is_sidecar(pod: &Value, name: &Value) -> bool {
    let containers = items(&pod["spec"]["initContainers"]);
    containers.iter().any(|container| container["name"] == *name && container["restartPolicy"] == "Always")
}

fn last_end(container: &Value) -> Option<Timestamp> {
    text(&container["lastState"]["terminated"]["finishedAt"]).parse().ok()
}

fn restarts_of(container: &Value) -> i64 {
    container["restartCount"].as_i64().unwrap_or_default()
}

/// Why a container ended, in a word.
fn end_reason(ended: &Value) -> String {
    match (text(&ended["reason"]), ended["signal"].as_i64().unwrap_or_default()) {
        ("", 0) => format!("ExitCode:{}", ended["exitCode"].as_i64().unwrap_or_default()),
        ("", signal) => format!("Signal:{signal}"),
        (reason, _) => reason.to_owned(),
    }
}

impl Summary {
    fn of(pod: &Value) -> Self {
        let status = &pod["status"];
        let mut summary = Self {
            ready: 0,
            restarts: 0,
            last_restart: None,
            reason: or(text(&status["reason"]), text(&status["phase"])).to_owned(),
        };
        let gated = |condition: &Value| condition["reason"] == "SchedulingGated";
        if condition(pod, "PodScheduled").is_some_and(gated) {
            "SchedulingGated".clone_into(&mut summary.reason);
        }
        let initializing = summary.initialization(pod);
        if !initializing || holds(pod, "Initialized") {
            summary.containers(pod);
        }
        summary.deletion(pod);
        summary
    }

    fn count(&mut self, container: &Value) {
        self.restarts += restarts_of(container);
        self.last_restart = self.last_restart.max(last_end(container));
    }

    /// Looks at the containers that run before the others, and tells whether one of them keeps these waiting.
    fn initialization(&mut self, pod: &Value) -> bool {
        let total = items(&pod["spec"]["initContainers"]).len();
        for (index, container) in items(&pod["status"]["initContainerStatuses"]).iter().enumerate() {
            self.count(container);
            let (ended, waiting) = (&container["state"]["terminated"], &container["state"]["waiting"]);
            if !ended.is_null() && ended["exitCode"].as_i64().unwrap_or_default() == 0 {
                continue;
            }
            if is_sidecar(pod, &container["name"]) && container["started"] == true {
                self.ready += usize::from(container["ready"] == true);
                continue;
            }
            self.reason = match text(&waiting["reason"]) {
                _ if !ended.is_null() => format!("Init:{}", end_reason(ended)),
                "" | "PodInitializing" => format!("Init:{index}/{total}"),
                reason => format!("Init:{reason}"),
            };
            return true;
        }
        false
    }

    fn containers(&mut self, pod: &Value) {
        // Restarts before the start are no longer of interest, except of those that go on running.
        (self.restarts, self.last_restart) = (0, None);
        for container in items(&pod["status"]["initContainerStatuses"]) {
            if is_sidecar(pod, &container["name"]) {
                self.count(container);
            }
        }
        let (mut running, mut failure) = (false, String::new());
        for container in items(&pod["status"]["containerStatuses"]).iter().rev() {
            self.count(container);
            let state = &container["state"];
            let waiting = text(&state["waiting"]["reason"]);
            if !waiting.is_empty() {
                waiting.clone_into(&mut self.reason);
            } else if !state["terminated"].is_null() {
                self.reason = end_reason(&state["terminated"]);
                if state["terminated"]["exitCode"].as_i64().unwrap_or_default() != 0 {
                    failure.clone_from(&self.reason);
                }
            } else if container["ready"] == true && !state["running"].is_null() {
                running = true;
                self.ready += 1;
            }
        }
        if self.reason == "Completed" {
            if running && holds(pod, "Ready") {
                "Running".clone_into(&mut self.reason);
            } else if !failure.is_empty() {
                self.reason = failure;
            } else if running {
                "NotReady".clone_into(&mut self.reason);
            }
        }
    }

    fn deletion(&mut self, pod: &Value) {
        if pod["metadata"]["deletionTimestamp"].is_null() {
            return;
        }
        if pod["status"]["reason"] == "NodeLost" {
            "Unknown".clone_into(&mut self.reason);
        } else if !matches!(text(&pod["status"]["phase"]), "Succeeded" | "Failed") {
            "Terminating".clone_into(&mut self.reason);
        }
    }
}

pub(super) fn ready(pod: &Value) -> String {
    let sidecars = items(&pod["spec"]["initContainers"])
        .iter()
        .filter(|container| container["restartPolicy"] == "Always")
        .count();
    format!("{}/{}", Summary::of(pod).ready, items(&pod["spec"]["containers"]).len() + sidecars)
}

pub(super) fn status(pod: &Value) -> String {
    Summary::of(pod).reason
}

pub(super) fn restarts(pod: &Value, now: Timestamp) -> String {
    let summary = Summary::of(pod);
    match summary.last_restart {
        Some(last) if summary.restarts != 0 => {
            format!("{} ({} ago)", summary.restarts, since(&last.to_string().into(), now))
        }
        _ => summary.restarts.to_string(),
    }
}

pub(super) fn gates(pod: &Value) -> String {
    let gates = items(&pod["spec"]["readinessGates"]);
    if gates.is_empty() {
        return "<none>".to_owned();
    }
    let open = gates.iter().filter(|gate| holds(pod, text(&gate["conditionType"]))).count();
    format!("{open}/{}", gates.len())
}

/// What a row says of a Pod that has ended.
pub(super) fn conditions(pod: &Value) -> Option<Value> {
    let phase = text(&pod["status"]["phase"]);
    let message = match phase {
        "Succeeded" => "The pod has completed successfully.",
        "Failed" => "The pod failed.",
        _ => return None,
    };
    Some(json!([{"type": "Completed", "status": "True", "reason": phase, "message": message}]))
}

pub(super) fn node_status(node: &Value) -> String {
    let mut status = match condition(node, "Ready") {
        None => "Unknown",
        Some(_) if holds(node, "Ready") => "Ready",
        Some(_) => "NotReady",
    }
    .to_owned();
    if node["spec"]["unschedulable"] == true {
        status.push_str(",SchedulingDisabled");
    }
    status
}

pub(super) fn node_roles(node: &Value) -> String {
    let labels = node["metadata"]["labels"].as_object().into_iter().flatten();
    let roles: BTreeSet<&str> = labels
        .filter_map(|(key, value)| match key.strip_prefix("node-role.kubernetes.io/") {
            Some(role) => Some(role),
            None if key == "kubernetes.io/role" => value.as_str(),
            None => None,
        })
        .filter(|role| !role.is_empty())
        .collect();
    let roles: Vec<&str> = roles.into_iter().collect();
    or(&roles.join(","), "<none>").to_owned()
}

pub(super) fn node_address(node: &Value, kind: &str) -> String {
    let addresses = items(&node["status"]["addresses"]);
    let found = addresses.iter().find(|address| address["type"] == kind);
    found.map_or("<none>", |address| text(&address["address"])).to_owned()
}

pub(super) fn node_kernel(node: &Value) -> String {
    let info = &node["status"]["nodeInfo"];
    let kernel = or(text(&info["kernelVersion"]), "<unknown>");
    match text(&info["architecture"]) {
        "" => kernel.to_owned(),
        architecture => format!("{kernel} ({architecture})"),
    }
}

fn health(component: &Value) -> Option<&Value> {
    items(&component["conditions"]).iter().find(|condition| condition["type"] == "Healthy")
}

pub(super) fn component_health(component: &Value) -> String {
    match health(component) {
        None => "Unknown",
        Some(condition) if condition["status"] == "True" => "Healthy",
        Some(_) => "Unhealthy",
    }
    .to_owned()
}

pub(super) fn component(component: &Value, field: &str) -> String {
    health(component).map(|condition| text(&condition[field])).unwrap_or_default().to_owned()
}
