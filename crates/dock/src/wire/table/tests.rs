use serde_json::json;

use super::*;
use crate::registry::Registry;

fn row(kind: &str, object: &Value) -> Vec<String> {
    let now = "2026-01-01T01:00:00Z".parse().unwrap();
    columns::cells(columns::of(kind), object, now).iter().map(printed).collect()
}

#[test]
fn every_column_can_be_shown() {
    for resource in Registry::default().all() {
        for column in columns::of(&resource.kind) {
            let definition = column.definition();
            assert!(column.cell.is_some(), "{} has no cells for {definition}", resource.kind);
            let undocumented = &*resource.kind == "RuntimeClass" && definition["name"] == "Handler";
            assert!(undocumented || definition["description"] != "", "{}: {definition}", resource.kind);
        }
    }
}

#[test]
fn pods_tell_what_they_are_at() {
    let pod = |status: Value, deleted: bool| {
        let mut pod = json!({
            "metadata": {"name": "a", "creationTimestamp": "2026-01-01T00:00:00Z"},
            "spec": {"initContainers": [{"name": "i"}], "containers": [{"name": "c"}, {"name": "d"}]},
            "status": status,
        });
        if deleted {
            pod["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z".into();
        }
        row("Pod", &pod)[1..4].join(" ")
    };
    let running = json!({"name": "c", "ready": true, "state": {"running": {}}});
    let crashed = json!({"name": "d", "restartCount": 2, "state": {"waiting": {"reason": "CrashLoopBackOff"}},
        "lastState": {"terminated": {"finishedAt": "2026-01-01T00:59:00Z"}}});
    for (status, deleted, expected) in [
        (json!({"phase": "Pending"}), false, "0/2 Pending 0"),
        (json!({"phase": "Running", "containerStatuses": [running, running]}), false, "2/2 Running 0"),
        (json!({"phase": "Running", "containerStatuses": [running, running]}), true, "2/2 Terminating 0"),
        (
            json!({"phase": "Running", "containerStatuses": [running, crashed]}),
            false,
            "1/2 CrashLoopBackOff 2 (60s ago)",
        ),
        (
            json!({"phase": "Pending", "initContainerStatuses": [{"name": "i", "state": {"running": {}}}]}),
            false,
            "0/2 Init:0/1 0",
        ),
        (
            json!({"phase": "Failed", "initContainerStatuses": [{"name": "i", "state": {"terminated": {"exitCode": 3}}}]}),
            false,
            "0/2 Init:ExitCode:3 0",
        ),
        (
            json!({"phase": "Succeeded", "containerStatuses": [{"name": "c", "state": {"terminated": {"exitCode": 0, "reason": "Completed"}}}]}),
            true,
            "0/2 Completed 0",
        ),
    ] {
        assert_eq!(pod(status, deleted), expected);
    }
}

#[test]
fn rows_of_some_kinds() {
    let meta = json!({"name": "a", "creationTimestamp": "2026-01-01T00:00:00Z"});
    for (kind, rest, expected) in [
        (
            "Service",
            json!({"spec": {"type": "LoadBalancer", "clusterIPs": ["10.0.0.1"], "ports": [{"port": 80, "nodePort": 30000, "protocol": "TCP"}]}}),
            "a LoadBalancer 10.0.0.1 <pending> 80:30000/TCP 60m <none>",
        ),
        (
            "Deployment",
            json!({"spec": {"replicas": 2, "selector": {"matchLabels": {"x": "y"}}, "template": {"spec": {"containers": [{"name": "c", "image": "i"}]}}}, "status": {"readyReplicas": 1}}),
            "a 1/2 0 0 60m c i x=y",
        ),
        (
            "Job",
            json!({"spec": {"completions": 3}, "status": {"succeeded": 1, "startTime": "2026-01-01T00:58:00Z"}}),
            "a Running 1/3 2m 60m   <none>",
        ),
        (
            "PersistentVolumeClaim",
            json!({"spec": {"volumeName": "v", "storageClassName": "s"}, "status": {"phase": "Bound", "capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"]}}),
            "a Bound v 1Gi RWO s <unset> 60m <unset>",
        ),
        ("PodDisruptionBudget", json!({"spec": {"minAvailable": "50%"}}), "a 50% N/A 0 60m"),
        ("ConfigMap", json!({"data": {"x": "1"}, "binaryData": {"y": ""}}), "a 2 60m"),
        ("StorageClass", json!({"provisioner": "p"}), "a p Delete Immediate false 60m"),
        ("Role", json!({}), "a 2026-01-01T00:00:00Z"),
        (
            "Ingress",
            json!({"spec": {"rules": [{"host": "a"}, {"host": "b"}, {"host": "c"}, {"host": "d"}], "tls": [{}]}}),
            "a <none> a,b,c + 1 more...  80, 443 60m",
        ),
        (
            "RoleBinding",
            json!({"roleRef": {"kind": "Role", "name": "r"}, "subjects": [{"kind": "ServiceAccount", "namespace": "n", "name": "s"}]}),
            "a Role/r 60m   n/s",
        ),
    ] {
        let mut object = rest;
        object["metadata"] = meta.clone();
        assert_eq!(row(kind, &object).join(" "), expected, "{kind}");
    }
}
