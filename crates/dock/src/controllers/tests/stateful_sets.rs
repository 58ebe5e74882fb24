//! Stateful sets, which keep an order, and daemon sets, which keep to nodes.

use serde_json::json;

use super::super::action::Propagation;
use super::super::object::{Object, set};
use super::super::script::READY_AFTER;
use super::super::tank::Tank;
use super::{image, stateful_set, template};

#[test]
fn a_stateful_set_comes_up_in_order_and_goes_down_backwards() {
    let mut tank = Tank::new();
    let mut db = stateful_set("db", 3);
    db["spec"]["template"]["metadata"]["annotations"] = json!({READY_AFTER: "1s"});
    db["spec"]["volumeClaimTemplates"] = json!([{
        "metadata": {"name": "data"},
        "spec": {"accessModes": ["ReadWriteOnce"], "storageClassName": "standard", "resources": {"requests": {"storage": "1Gi"}}},
    }]);
    tank.create(db);
    tank.settle();
    for expected in 1..=3 {
        assert_eq!(tank.all("Pod").len(), expected);
        tank.turn(1);
    }
    assert_eq!(tank.names("Pod"), ["db-0", "db-1", "db-2"]);
    assert_eq!(tank.names("PersistentVolumeClaim"), ["data-db-0", "data-db-1", "data-db-2"]);
    let db = tank.get("StatefulSet", "db");
    let revision = tank.names("ControllerRevision").remove(0);
    assert_eq!(
        db["status"],
        json!({
            "observedGeneration": 1, "replicas": 3, "readyReplicas": 3, "availableReplicas": 3, "currentReplicas": 3,
            "updatedReplicas": 3, "currentRevision": revision, "updateRevision": revision, "collisionCount": 0,
        })
    );
    let first = tank.get("Pod", "db-0");
    assert_eq!(
        first["metadata"]["labels"],
        json!({
            "app": "db", "apps.kubernetes.io/pod-index": "0", "controller-revision-hash": revision,
            "statefulset.kubernetes.io/pod-name": "db-0",
        })
    );
    assert_eq!((first.text("spec.hostname"), first.text("spec.subdomain")), ("db-0", "db"));
    tank.log.clear();
    tank.edit("StatefulSet", "db", |db| set(db, "spec.replicas", 1));
    tank.settle();
    let gone: Vec<&String> = tank.log.iter().filter(|line| line.starts_with("gone pods")).collect();
    assert_eq!(gone, ["gone pods default/db-2", "gone pods default/db-1"]);
    assert_eq!(tank.all("PersistentVolumeClaim").len(), 3, "claims are kept");
}

#[test]
fn a_stateful_set_rolls_from_the_last_to_the_first() {
    let mut tank = Tank::new();
    tank.create(stateful_set("db", 3));
    tank.settle();
    let before = tank.get("StatefulSet", "db").text("status.currentRevision").to_owned();
    tank.log.clear();
    tank.edit("StatefulSet", "db", |db| image(db, "app:2"));
    tank.settle();
    let deleted: Vec<&String> =
        tank.log.iter().filter(|line| line.starts_with("delete pods default/db-")).step_by(2).collect();
    assert_eq!(
        deleted,
        ["delete pods default/db-2 ", "delete pods default/db-1 ", "delete pods default/db-0 "]
    );
    let db = tank.get("StatefulSet", "db");
    assert_ne!(db.text("status.currentRevision"), before);
    assert_eq!(db.text("status.currentRevision"), db.text("status.updateRevision"));
    assert_eq!(tank.all("ControllerRevision").len(), 2);

    tank.edit("StatefulSet", "db", |db| {
        image(db, "app:3");
        set(db, "spec.updateStrategy.rollingUpdate.partition", 2);
    });
    tank.settle();
    let images: Vec<String> = tank
        .all("Pod")
        .iter()
        .map(|pod| pod["spec"]["containers"][0]["image"].as_str().unwrap().into())
        .collect();
    assert_eq!(images, ["app:2", "app:2", "app:3"]);
    let status = tank.get("StatefulSet", "db")["status"].clone();
    assert_eq!((status.count("currentReplicas"), status.count("updatedReplicas")), (2, 1));
}

#[test]
fn claims_can_follow_their_stateful_set() {
    let cases = [
        ("Retain", "Retain", 3, 3),
        ("Retain", "Delete", 3, 0),
        ("Delete", "Retain", 1, 1),
        ("Delete", "Delete", 1, 0),
    ];
    for (scaled, deleted, after_scaling, after_deletion) in cases {
        let mut tank = Tank::new();
        let mut db = stateful_set("db", 3);
        db["spec"]["podManagementPolicy"] = "Parallel".into();
        db["spec"]["persistentVolumeClaimRetentionPolicy"] =
            json!({"whenScaled": scaled, "whenDeleted": deleted});
        db["spec"]["volumeClaimTemplates"] = json!([{
            "metadata": {"name": "data"},
            "spec": {"accessModes": ["ReadWriteOnce"], "storageClassName": "standard", "resources": {"requests": {"storage": "1Gi"}}},
        }]);
        tank.create(db);
        tank.settle();
        assert_eq!(tank.all("PersistentVolumeClaim").len(), 3);
        tank.edit("StatefulSet", "db", |db| set(db, "spec.replicas", 1));
        tank.settle();
        assert_eq!(
            tank.all("PersistentVolumeClaim").len(),
            after_scaling,
            "scaled {scaled} deleted {deleted}"
        );
        tank.delete("StatefulSet", "db", Some(Propagation::Background));
        tank.settle();
        assert!(tank.all("Pod").is_empty());
        assert_eq!(
            tank.all("PersistentVolumeClaim").len(),
            after_deletion,
            "scaled {scaled} deleted {deleted}"
        );
    }
}

#[test]
fn a_daemon_set_runs_on_every_node_that_fits() {
    let mut tank = Tank::new();
    let labels = json!({"app": "agent"});
    tank.create(json!({
        "apiVersion": "apps/v1", "kind": "DaemonSet",
        "metadata": {"name": "agent", "annotations": {"deprecated.daemonset.template.generation": "1"}},
        "spec": {
            "selector": {"matchLabels": labels}, "template": template(&labels), "revisionHistoryLimit": 10,
            "updateStrategy": {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": 1, "maxSurge": 0}},
        },
    }));
    tank.settle();
    tank.create(json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "second", "labels": {"disk": "fast"}}, "spec": {}}));
    tank.settle();
    let on = |tank: &Tank| {
        let mut nodes: Vec<String> =
            tank.all("Pod").iter().map(|pod| pod.text("spec.nodeName").to_owned()).collect();
        nodes.sort();
        nodes
    };
    assert_eq!(on(&tank), ["dock", "second"]);
    assert_eq!(
        tank.get("DaemonSet", "agent")["status"],
        json!({
            "currentNumberScheduled": 2, "numberMisscheduled": 0, "desiredNumberScheduled": 2, "numberReady": 2,
            "observedGeneration": 1, "updatedNumberScheduled": 2, "numberAvailable": 2,
        })
    );
    tank.edit("DaemonSet", "agent", |agent| {
        image(agent, "app:2");
        set(agent, "metadata.annotations", json!({"deprecated.daemonset.template.generation": "2"}));
        set(agent, "spec.template.spec.nodeSelector", json!({"disk": "fast"}));
    });
    tank.settle();
    assert_eq!(on(&tank), ["second"]);
    assert_eq!(tank.all("Pod")[0]["spec"]["containers"][0]["image"], "app:2");
    assert_eq!(tank.get("DaemonSet", "agent").count("status.desiredNumberScheduled"), 1);
}
