//! Nodes, as their kubelets tell of them: always ready.

use serde_json::{Value, json};

use super::action::Outcome;
use super::object::{Object, stamp};
use super::world::{NODES, World};

/// The name of the Node that every dock has.
pub const NODE: &str = "dock";

/// The Node that every dock has, as it is made.
pub fn simulated() -> Value {
    json!({
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {
            "name": NODE,
            "labels": {
                "beta.kubernetes.io/arch": "amd64",
                "beta.kubernetes.io/os": "linux",
                "kubernetes.io/arch": "amd64",
                "kubernetes.io/hostname": NODE,
                "kubernetes.io/os": "linux",
            },
        },
        "spec": { "podCIDR": "10.64.0.0/10" },
    })
}

/// The class of storage for claims that name none.
pub fn default_storage_class() -> Value {
    json!({
        "apiVersion": "storage.k8s.io/v1",
        "kind": "StorageClass",
        "metadata": {
            "name": "standard",
            "annotations": { "storageclass.kubernetes.io/is-default-class": "true" },
        },
        "provisioner": "kubernetes.io/host-path",
        "reclaimPolicy": "Delete",
        "volumeBindingMode": "Immediate",
    })
}

/// Makes a Node ready.
pub fn reconcile(node: &Value, world: &dyn World) -> Outcome {
    if node.is("Ready") || node.is_deleting() {
        return Outcome::nothing();
    }
    let now = stamp(world.now());
    let condition = |kind: &str, status: &str, reason: &str, message: &str| {
        json!({
            "type": kind,
            "status": status,
            "lastHeartbeatTime": now,
            "lastTransitionTime": now,
            "reason": reason,
            "message": message,
        })
    };
    let room = json!({ "cpu": "32", "memory": "256Gi", "pods": "10000", "ephemeral-storage": "1Ti" });
    let mut status = node.at("status").clone();
    if !status.is_object() {
        status = json!({});
    }
    for (field, value) in [
        ("capacity", room.clone()),
        ("allocatable", room),
        (
            "addresses",
            json!([{ "type": "InternalIP", "address": "172.18.0.2" }, { "type": "Hostname", "address": node.name() }]),
        ),
        (
            "nodeInfo",
            json!({
                "architecture": "amd64",
                "bootID": "",
                "containerRuntimeVersion": "dock://1",
                "kernelVersion": "dock",
                "kubeProxyVersion": "",
                "kubeletVersion": "v1.36.4",
                "machineID": "",
                "operatingSystem": "linux",
                "osImage": "dock",
                "systemUUID": "",
            }),
        ),
    ] {
        if status.get(field).is_none_or(Value::is_null) {
            status[field] = value;
        }
    }
    status["conditions"] = json!([
        condition(
            "MemoryPressure",
            "False",
            "KubeletHasSufficientMemory",
            "kubelet has sufficient memory available"
        ),
        condition("DiskPressure", "False", "KubeletHasNoDiskPressure", "kubelet has no disk pressure"),
        condition("PIDPressure", "False", "KubeletHasSufficientPID", "kubelet has sufficient PID available"),
        condition("Ready", "True", "KubeletReady", "kubelet is posting ready status"),
    ]);
    let mut outcome = Outcome::nothing();
    outcome.update_status(&NODES, node, status);
    outcome
}
