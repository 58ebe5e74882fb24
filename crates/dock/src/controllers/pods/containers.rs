//! The statuses of containers, and the conditions of a Pod, as a kubelet writes them.

use std::fmt::Write as _;

use jiff::Timestamp;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::fate::{Crash, Fate};
use crate::controllers::object::{Object, stamp};

/// The status of a Pod with this fate.
pub(super) fn status(pod: &Value, fate: &Fate, host: &str, now: Timestamp) -> Value {
    let old = pod.at("status");
    let mut status = json!({
        "observedGeneration": pod.generation().max(1),
        "phase": phase(fate),
        "startTime": old.get("startTime").cloned().unwrap_or_else(|| stamp(now).into()),
        "hostIP": host,
        "hostIPs": [{ "ip": host }],
    });
    if let Some(class) = old.get("qosClass") {
        status["qosClass"] = class.clone();
    }
    if let Fate::Ended { reason } = fate {
        status["reason"] = reason.as_str().into();
        status["message"] = format!("The Pod was ended by its script: {reason}").into();
        status["conditions"] = conditions(pod, fate, now).into();
        return status;
    }
    let address = if pod.flag("spec.hostNetwork") { host.to_owned() } else { pod_address(pod.uid()) };
    status["podIP"] = address.as_str().into();
    status["podIPs"] = json!([{ "ip": address }]);
    if !pod.items("spec.initContainers").is_empty() {
        status["initContainerStatuses"] = pod
            .items("spec.initContainers")
            .iter()
            .map(|container| init_status(pod, container, fate, now))
            .collect();
    }
    status["containerStatuses"] = pod
        .items("spec.containers")
        .iter()
        .map(|container| container_status(pod, container, fate, now))
        .collect();
    status["conditions"] = conditions(pod, fate, now).into();
    status
}

fn phase(fate: &Fate) -> &'static str {
    match fate {
        Fate::Running { .. } | Fate::Crashing(_) => "Running",
        Fate::Done => "Succeeded",
        Fate::Waiting { .. } => "Pending",
        Fate::Failed { .. } | Fate::Ended { .. } => "Failed",
    }
}

fn old_status<'a>(pod: &'a Value, list: &str, name: &str) -> &'a Value {
    pod.items(list).iter().find(|status| status["name"] == name).unwrap_or(&Value::Null)
}

fn is_sidecar(container: &Value) -> bool {
    container["restartPolicy"] == "Always"
}

fn init_status(pod: &Value, container: &Value, fate: &Fate, now: Timestamp) -> Value {
    let old = old_status(pod, "status.initContainerStatuses", container.text("name"));
    if is_sidecar(container) && !matches!(fate, Fate::Done | Fate::Failed { .. }) {
        return running(pod, container, old, true, now);
    }
    let started = started(old, now);
    let mut status = base(pod, container, true, 0);
    status["started"] = false.into();
    status["state"] =
        json!({ "terminated": terminated(&status, "Completed", 0, &started, &ended(old, now)) });
    status
}

fn container_status(pod: &Value, container: &Value, fate: &Fate, now: Timestamp) -> Value {
    let old = old_status(pod, "status.containerStatuses", container.text("name"));
    match fate {
        Fate::Running { ready } => running(pod, container, old, *ready, now),
        Fate::Done => ended_status(pod, container, old, ("Completed", 0), now),
        Fate::Failed { reason, code } => ended_status(pod, container, old, (reason, *code), now),
        Fate::Waiting { reason } => {
            let mut status = base(pod, container, false, 0);
            status["started"] = false.into();
            status["imageID"] = "".into();
            if let Some(fields) = status.as_object_mut() {
                fields.remove("containerID");
            }
            let mut waiting = json!({ "reason": reason });
            if let Some(message) = waiting_message(reason, container.text("image")) {
                waiting["message"] = message.into();
            }
            status["state"] = json!({ "waiting": waiting });
            status
        }
        Fate::Crashing(crash) => crashing(pod, container, crash),
        // Without containers there is nothing to say of them.
        Fate::Ended { .. } => Value::Null,
    }
}

fn base(pod: &Value, container: &Value, ready: bool, restarts: i64) -> Value {
    let image = container.text("image");
    json!({
        "name": container["name"],
        "state": {},
        "lastState": {},
        "ready": ready,
        "restartCount": restarts,
        "image": image,
        "imageID": format!("{}@sha256:{}", image.split('@').next().unwrap_or(image), digest(image)),
        "containerID": format!("dock://{}", digest(&format!("{}/{}/{restarts}", pod.uid(), container.text("name")))),
    })
}

fn running(pod: &Value, container: &Value, old: &Value, ready: bool, now: Timestamp) -> Value {
    let mut status = base(pod, container, ready, old.count("restartCount"));
    status["started"] = true.into();
    status["state"] = json!({ "running": { "startedAt": started(old, now) } });
    if let Some(last) = old.get("lastState") {
        status["lastState"] = last.clone();
    }
    status
}

fn ended_status(
    pod: &Value,
    container: &Value,
    old: &Value,
    (reason, code): (&str, i64),
    now: Timestamp,
) -> Value {
    let mut status = base(pod, container, false, old.count("restartCount"));
    status["started"] = false.into();
    status["state"] =
        json!({ "terminated": terminated(&status, reason, code, &started(old, now), &ended(old, now)) });
    status
}

fn crashing(pod: &Value, container: &Value, crash: &Crash) -> Value {
    let mut status = base(pod, container, false, crash.restarts);
    status["started"] = false.into();
    let finished = stamp(crash.finished);
    let last = terminated(&status, &crash.reason, crash.code, &finished, &finished);
    status["lastState"] = json!({ "terminated": last });
    let pause = match (crash.pause() / 60, crash.pause() % 60) {
        (0, seconds) => format!("{seconds}s"),
        (minutes, seconds) => format!("{minutes}m{seconds}s"),
    };
    let message = format!(
        "back-off {pause} restarting failed container={} pod={}",
        container.text("name"),
        identity(pod)
    );
    status["state"] = json!({ "waiting": { "reason": "CrashLoopBackOff", "message": message } });
    status
}

fn terminated(status: &Value, reason: &str, code: i64, started: &str, finished: &str) -> Value {
    json!({
        "exitCode": code,
        "reason": reason,
        "startedAt": started,
        "finishedAt": finished,
        "containerID": status["containerID"],
    })
}

fn started(old: &Value, now: Timestamp) -> String {
    for path in ["state.running.startedAt", "state.terminated.startedAt"] {
        if !old.text(path).is_empty() {
            return old.text(path).to_owned();
        }
    }
    stamp(now)
}

fn ended(old: &Value, now: Timestamp) -> String {
    match old.text("state.terminated.finishedAt") {
        "" => stamp(now),
        before => before.to_owned(),
    }
}

/// What a kubelet says of a container that it cannot start.
pub(super) fn waiting_message(reason: &str, image: &str) -> Option<String> {
    let pull = format!(
        "failed to pull and unpack image \"{image}\": failed to resolve reference \"{image}\": {image}: not found"
    );
    match reason {
        "ErrImagePull" => Some(pull),
        "ImagePullBackOff" => Some(format!("Back-off pulling image \"{image}\": ErrImagePull: {pull}")),
        "ErrImageNeverPull" => {
            Some(format!("Container image \"{image}\" is not present with pull policy of Never"))
        }
        "InvalidImageName" => Some(format!(
            "Failed to apply default image tag \"{image}\": couldn't parse image name \"{image}\": invalid reference format"
        )),
        _ => None,
    }
}

/// A Pod as a kubelet names it in messages.
pub(super) fn identity(pod: &Value) -> String {
    format!("{}_{}({})", pod.name(), pod.namespace(), pod.uid())
}

fn conditions(pod: &Value, fate: &Fate, now: Timestamp) -> Vec<Value> {
    let ours = ["PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady", "PodScheduled"];
    let mut list: Vec<Value> = pod
        .items("status.conditions")
        .iter()
        .filter(|condition| !ours.contains(&condition.text("type")))
        .cloned()
        .collect();
    let (sandbox, initialized, ready) = match fate {
        Fate::Running { ready: true } => (true, "", Ok(())),
        Fate::Running { ready: false } | Fate::Waiting { .. } | Fate::Crashing(_) => {
            (true, "", Err(("ContainersNotReady", unready_message(pod))))
        }
        Fate::Done => (false, "PodCompleted", Err(("PodCompleted", String::new()))),
        Fate::Failed { .. } | Fate::Ended { .. } => (false, "", Err(("PodFailed", String::new()))),
    };
    let mut add = |kind: &str, holds: bool, reason: &str, message: &str| {
        let status = if holds { "True" } else { "False" };
        let since = pod
            .condition(kind)
            .filter(|old| old["status"] == status)
            .map_or_else(|| stamp(now).into(), |old| old["lastTransitionTime"].clone());
        let mut condition = json!({
            "type": kind,
            "status": status,
            "observedGeneration": pod.generation().max(1),
            "lastProbeTime": null,
            "lastTransitionTime": since,
        });
        if !reason.is_empty() {
            condition["reason"] = reason.into();
        }
        if !message.is_empty() {
            condition["message"] = message.into();
        }
        list.push(condition);
    };
    add("PodReadyToStartContainers", sandbox, "", "");
    add("Initialized", true, initialized, "");
    match ready {
        Ok(()) => {
            match gates_message(pod) {
                Some(message) => add("Ready", false, "ReadinessGatesNotReady", &message),
                None => add("Ready", true, "", ""),
            }
            add("ContainersReady", true, "", "");
        }
        Err((reason, message)) => {
            add("Ready", false, reason, &message);
            add("ContainersReady", false, reason, &message);
        }
    }
    add("PodScheduled", true, "", "");
    list
}

fn unready_message(pod: &Value) -> String {
    let names: Vec<&str> =
        pod.items("spec.containers").iter().map(|container| container.text("name")).collect();
    format!("containers with unready status: [{}]", names.join(" "))
}

/// What is said of readiness gates that others have not opened.
fn gates_message(pod: &Value) -> Option<String> {
    let mut text = String::new();
    for gate in pod.items("spec.readinessGates") {
        let kind = gate.text("conditionType");
        let what = match pod.condition(kind) {
            None => "does not exist.",
            Some(condition) if condition["status"] != "True" => "is not \"True\"",
            Some(_) => continue,
        };
        let separator = if text.is_empty() { "" } else { ", " };
        // Writing to a string does not fail.
        let _ = match what {
            "does not exist." => {
                write!(
                    text,
                    "{separator}corresponding condition of pod readiness gate {kind:?} does not exist."
                )
            }
            _ => write!(
                text,
                "{separator}the status of pod readiness gate {kind:?} is not \"True\", but {}",
                pod.condition(kind).map_or("", |condition| condition.text("status"))
            ),
        };
    }
    (!text.is_empty()).then_some(text)
}

fn digest(text: &str) -> String {
    let mut written = String::new();
    for byte in Sha256::digest(text.as_bytes()) {
        // Writing to a string does not fail.
        let _ = write!(written, "{byte:02x}");
    }
    written
}

/// An address of its own for every Pod, the same whenever it is asked for.
fn pod_address(uid: &str) -> String {
    let digest = Sha256::digest(uid.as_bytes());
    format!("10.{}.{}.{}", 64 + digest[0] % 128, digest[1], 1 + digest[2] % 254)
}
