//! Kinds that say what others may be like: `StorageClass`, `RuntimeClass`, `LimitRange`, `ResourceQuota`.

use serde_json::{Value, json};

use super::{Kind, no_status};
use crate::dice::Dice;
use crate::sequence::Group;

pub(super) const KINDS: &[Kind] = &[
    Kind {
        group: Group::Policy,
        prefix: "/apis/storage.k8s.io/v1",
        api_version: "storage.k8s.io/v1",
        kind: "StorageClass",
        plural: "storageclasses",
        namespaced: false,
        subresources: &[],
        selectable: &["metadata.name"],
        make: storage,
        change: storage_change,
        strategic: storage_change,
        status: no_status,
        wrong: storage_wrong,
    },
    Kind {
        group: Group::Policy,
        prefix: "/apis/node.k8s.io/v1",
        api_version: "node.k8s.io/v1",
        kind: "RuntimeClass",
        plural: "runtimeclasses",
        namespaced: false,
        subresources: &[],
        selectable: &["metadata.name"],
        make: runtime,
        change: runtime_change,
        strategic: runtime_change,
        status: no_status,
        wrong: runtime_wrong,
    },
    Kind {
        group: Group::Policy,
        prefix: "/api/v1",
        api_version: "v1",
        kind: "LimitRange",
        plural: "limitranges",
        namespaced: true,
        subresources: &[],
        selectable: &["metadata.name"],
        make: limits,
        change: limits,
        strategic: limits,
        status: no_status,
        wrong: limits_wrong,
    },
    Kind {
        group: Group::Policy,
        prefix: "/api/v1",
        api_version: "v1",
        kind: "ResourceQuota",
        plural: "resourcequotas",
        namespaced: true,
        subresources: &["status"],
        selectable: &["metadata.name"],
        make: quota,
        change: quota_change,
        strategic: quota_change,
        status: quota_status,
        wrong: quota_wrong,
    },
];

fn storage(dice: &mut Dice) -> Value {
    match dice.below(3) {
        0 => json!({"provisioner": "example.com/disks"}),
        1 => {
            json!({"provisioner": "example.com/disks", "parameters": {"kind": "fast"}, "reclaimPolicy": "Retain", "allowVolumeExpansion": true})
        }
        _ => {
            json!({"provisioner": "example.com/disks", "volumeBindingMode": "WaitForFirstConsumer", "mountOptions": ["ro"],
            "allowedTopologies": [{"matchLabelExpressions": [{"key": "zone", "values": ["a", "b"]}]}]})
        }
    }
}

fn storage_change(dice: &mut Dice) -> Value {
    match dice.below(2) {
        0 => json!({"allowVolumeExpansion": dice.chance(50)}),
        _ => json!({"mountOptions": [dice.pick(&["ro", "noatime"])]}),
    }
}

fn storage_wrong(dice: &mut Dice) -> Value {
    match dice.below(3) {
        0 => json!({"provisioner": "other.example.com/disks"}),
        1 => json!({"reclaimPolicy": "Burn"}),
        _ => json!({"parameters": {"kind": 1}}),
    }
}

fn runtime(dice: &mut Dice) -> Value {
    match dice.below(2) {
        0 => json!({"handler": "runc"}),
        _ => {
            json!({"handler": "runc", "overhead": {"podFixed": {"cpu": "0.1", "memory": "64Mi"}}, "scheduling": {
            "nodeSelector": {"disk": "fast"}, "tolerations": [{"key": "a", "operator": "Exists"}]}})
        }
    }
}

fn runtime_change(dice: &mut Dice) -> Value {
    json!({"scheduling": {"nodeSelector": {"disk": dice.pick(&["slow", "fast"])}}})
}

fn runtime_wrong(dice: &mut Dice) -> Value {
    match dice.below(2) {
        0 => json!({"handler": "Not A Label"}),
        _ => json!({"overhead": {"podFixed": {"cpu": "-1"}}}),
    }
}

fn limits(dice: &mut Dice) -> Value {
    match dice.below(3) {
        0 => {
            json!({"spec": {"limits": [{"type": "Container", "max": {"cpu": "2"}, "default": {"cpu": "1"}}]}})
        }
        1 => json!({"spec": {"limits": [{"type": "Pod", "max": {"memory": "4Gi"}}]}}),
        _ => json!({"spec": {"limits": [{"type": "PersistentVolumeClaim", "max": {"storage": "9Gi"}}]}}),
    }
}

fn limits_wrong(dice: &mut Dice) -> Value {
    match dice.below(2) {
        0 => json!({"spec": {"limits": [{"type": "Container", "max": {"cpu": "1"}, "min": {"cpu": "2"}}]}}),
        _ => json!({"spec": {"limits": [{"type": "Not A Type"}]}}),
    }
}

fn quota(dice: &mut Dice) -> Value {
    match dice.below(2) {
        0 => json!({"spec": {"hard": {"requests.storage": "10Gi"}}}),
        _ => json!({"spec": {"hard": {"persistentvolumeclaims": "5", "requests.storage": "5000Mi"}}}),
    }
}

fn quota_change(dice: &mut Dice) -> Value {
    json!({"spec": {"hard": {"requests.storage": dice.pick(&["20Gi", "0.5Gi"])}}})
}

fn quota_status(_: &mut Dice) -> Value {
    json!({"status": {"hard": {"requests.storage": "10Gi"}, "used": {"requests.storage": "1Gi"}}})
}

fn quota_wrong(dice: &mut Dice) -> Value {
    match dice.below(3) {
        0 => json!({"spec": {"hard": {"requests.storage": "-1"}}}),
        1 => json!({"spec": {"scopes": ["NotAScope"]}}),
        _ => json!({"spec": {"hard": {"nothing-of-the-kind": "1"}}}),
    }
}
