//! `Pod`, and the templates of pods that the workloads hold.

use serde_json::{Value, json};

use super::{Kind, condition};
use crate::dice::Dice;
use crate::sequence::Group;

pub(super) const KINDS: &[Kind] = &[Kind {
    group: Group::Workload,
    prefix: "/api/v1",
    api_version: "v1",
    kind: "Pod",
    plural: "pods",
    namespaced: true,
    subresources: &["status"],
    selectable: &["metadata.name", "status.phase", "spec.nodeName", "spec.restartPolicy"],
    make,
    change,
    strategic,
    status,
    wrong,
}];

/// The specification of a pod with this restart policy, or the default one.
pub(super) fn spec(dice: &mut Dice, restart: Option<&str>) -> Value {
    let mut container = json!({"name": "main", "image": dice.pick(&["nginx:1.29", "nginx", "repo.example.com/a/b:v1", "busybox:latest"])});
    if dice.chance(40) {
        container["ports"] = json!([{"containerPort": 80, "name": "http"}]);
    }
    if dice.chance(30) {
        container["env"] = match dice.below(3) {
            0 => json!([{"name": "A", "value": "1"}, {"name": "B"}]),
            1 => json!([{"name": "POD", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}}]),
            _ => json!([{"name": "C", "valueFrom": {"configMapKeyRef": {"name": "settings", "key": "c"}}}]),
        };
    }
    if dice.chance(30) {
        container["resources"] = match dice.below(3) {
            0 => json!({"requests": {"cpu": "100m", "memory": "64Mi"}}),
            1 => json!({"limits": {"cpu": 1, "memory": "1Gi"}, "requests": {"cpu": "0.5"}}),
            _ => json!({"limits": {"memory": "128974848"}}),
        };
    }
    if dice.chance(20) {
        container["readinessProbe"] = match dice.below(3) {
            0 => json!({"httpGet": {"path": "/ready", "port": "http"}}),
            1 => json!({"tcpSocket": {"port": 80}, "periodSeconds": 5}),
            _ => json!({"exec": {"command": ["true"]}, "initialDelaySeconds": 3}),
        };
    }
    if dice.chance(15) {
        container["livenessProbe"] = json!({"httpGet": {"port": 80}});
    }
    if dice.chance(15) {
        container["command"] = json!(["sh", "-c", "sleep 1"]);
        container["args"] = json!(["--verbose"]);
    }
    if dice.chance(10) {
        container["securityContext"] = json!({"runAsNonRoot": true, "capabilities": {"drop": ["ALL"]}});
    }
    if dice.chance(10) {
        container["lifecycle"] = json!({"preStop": {"exec": {"command": ["sleep", "1"]}}});
    }
    if dice.chance(10) {
        container["imagePullPolicy"] = json!(dice.pick(&["Always", "Never", "IfNotPresent"]));
    }
    let mut containers = vec![container];
    if dice.chance(20) {
        containers.push(json!({"name": "side", "image": "busybox:1.37"}));
    }
    let mut spec = json!({});
    if dice.chance(25) {
        let (volume, path) = match dice.below(5) {
            0 => (json!({"name": "v", "emptyDir": {}}), "/tmp/v"),
            1 => (json!({"name": "v", "configMap": {"name": "settings"}}), "/etc/v"),
            2 => (json!({"name": "v", "secret": {"secretName": "hidden", "defaultMode": 256}}), "/etc/v"),
            3 => (json!({"name": "v", "persistentVolumeClaim": {"claimName": "disk"}}), "/data"),
            _ => (json!({"name": "v", "hostPath": {"path": "/var/v"}}), "/host"),
        };
        spec["volumes"] = json!([volume]);
        containers[0]["volumeMounts"] = json!([{"name": "v", "mountPath": path}]);
    }
    spec["containers"] = json!(containers);
    if dice.chance(15) {
        spec["initContainers"] = json!([{"name": "first", "image": "busybox:1.37", "command": ["true"]}]);
    }
    if let Some(restart) = restart {
        spec["restartPolicy"] = json!(restart);
    }
    if dice.chance(15) {
        spec["terminationGracePeriodSeconds"] = json!(dice.pick(&[0, 1, 60]));
    }
    if dice.chance(10) {
        spec["tolerations"] =
            json!([{"key": "dedicated", "operator": "Equal", "value": "web", "effect": "NoSchedule"}]);
    }
    if dice.chance(10) {
        spec["nodeSelector"] = json!({"disk": "fast"});
    }
    if dice.chance(10) {
        spec["securityContext"] = json!({"fsGroup": 2000, "runAsUser": 1000});
    }
    if dice.chance(10) {
        spec["serviceAccountName"] = json!("runner");
    }
    if dice.chance(5) {
        spec["affinity"] = json!({"podAntiAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [
            {"weight": 1, "podAffinityTerm": {"topologyKey": "kubernetes.io/hostname", "labelSelector": {"matchLabels": {"app": "web"}}}}]}});
    }
    if dice.chance(5) {
        spec["hostNetwork"] = json!(true);
    }
    spec
}

/// A template whose pods have these labels.
pub(super) fn template(dice: &mut Dice, app: &str, restart: Option<&str>) -> Value {
    let mut metadata = json!({"labels": {"app": app}});
    if dice.chance(15) {
        metadata["annotations"] = json!({"note": "t"});
    }
    json!({"metadata": metadata, "spec": spec(dice, restart)})
}

fn make(dice: &mut Dice) -> Value {
    let restart = dice.pick(&[None, None, Some("Never"), Some("OnFailure"), Some("Always")]);
    let mut spec = spec(dice, restart);
    // Such a pod goes gracefully: nobody but a kubelet ends it.
    if dice.chance(10) {
        spec["nodeName"] = json!("node-1");
    }
    json!({"spec": spec})
}

fn change(dice: &mut Dice) -> Value {
    match dice.below(5) {
        0 => json!({"spec": {"activeDeadlineSeconds": dice.pick(&[100, 200])}}),
        1 => json!({"metadata": {"labels": {"app": dice.pick(&["web", "db"])}}}),
        2 => json!({"metadata": {"annotations": {"note": dice.pick(&["a", "b"])}}}),
        3 => json!({"metadata": {"labels": {"extra": "yes"}, "annotations": {"note": null}}}),
        _ => json!({"metadata": {"labels": {"extra": null}}}),
    }
}

fn strategic(dice: &mut Dice) -> Value {
    match dice.below(4) {
        0 => json!({"spec": {"containers": [{"name": "main", "image": "nginx:1.30"}]}}),
        1 => json!({"spec": {"tolerations": [{"key": "more", "operator": "Exists"}]}}),
        2 => {
            json!({"spec": {"$setElementOrder/containers": [{"name": "main"}], "containers": [{"name": "main", "image": "other:1"}]}})
        }
        _ => change(dice),
    }
}

fn status(dice: &mut Dice) -> Value {
    match dice.below(4) {
        0 => json!({"status": {"phase": dice.pick(&["Pending", "Running", "Succeeded", "Failed"])}}),
        1 => json!({"status": {"conditions": [condition(dice, &["Ready", "Initialized"])]}}),
        2 => json!({"status": {"phase": "Running", "podIP": "192.0.2.9", "podIPs": [{"ip": "192.0.2.9"}]}}),
        _ => json!({"status": {"message": "well", "reason": "Because"}}),
    }
}

fn wrong(dice: &mut Dice) -> Value {
    match dice.below(8) {
        0 => json!({"spec": {"containers": []}}),
        1 => json!({"spec": {"restartPolicy": "Sometimes"}}),
        2 => json!({"spec": {"containers": [{"name": "main"}]}}),
        3 => json!({"spec": {"containers": [{"name": "Main", "image": "x"}]}}),
        4 => json!({"spec": {"terminationGracePeriodSeconds": "soon"}}),
        5 => json!({"spec": {"hostname": "Not A Host"}}),
        6 => json!({"spec": {"volumes": [{"name": "v"}, {"name": "v", "emptyDir": {}}]}}),
        _ => json!({"spec": {"dnsPolicy": "Never"}}),
    }
}
