//! Workloads: what they come to, and on which way.

use serde_json::{Value, json};

use super::super::action::Propagation;
use super::super::jobs;
use super::super::object::{Object, set};
use super::super::script::{FAIL, READY_AFTER};
use super::super::tank::Tank;
use super::{deployment, job, pod, stateful_set, template};

fn condition(object: &Value, kind: &str) -> (String, String, String) {
    let found = object.condition(kind).unwrap_or_else(|| panic!("no {kind} in {object}"));
    (found.text("status").into(), found.text("reason").into(), found.text("message").into())
}

fn image(object: &mut Value, image: &str) {
    object["spec"]["template"]["spec"]["containers"][0]["image"] = image.into();
}

/// The only `ReplicaSet` that wants Pods.
fn active_set(tank: &Tank) -> Value {
    let mut sets = tank.all("ReplicaSet");
    sets.retain(|set| set.count("spec.replicas") > 0);
    assert_eq!(sets.len(), 1, "{sets:?}");
    (*sets[0]).clone()
}

#[test]
fn a_deployment_comes_up() {
    let mut tank = Tank::new();
    tank.create(deployment("web", 3));
    tank.settle();
    let web = tank.get("Deployment", "web");
    let set = active_set(&tank);
    let hash = set.label("pod-template-hash").unwrap();
    assert_eq!(set.name(), format!("web-{hash}"));
    assert_eq!(set["spec"]["selector"]["matchLabels"], json!({"app": "web", "pod-template-hash": hash}));
    assert_eq!(
        set["metadata"]["annotations"],
        json!({
            "deployment.kubernetes.io/desired-replicas": "3",
            "deployment.kubernetes.io/max-replicas": "4",
            "deployment.kubernetes.io/revision": "1",
        })
    );
    assert_eq!(web.annotation("deployment.kubernetes.io/revision"), Some("1"));
    let mut status = web["status"].clone();
    status.as_object_mut().unwrap().remove("conditions");
    assert_eq!(
        status,
        json!({
            "observedGeneration": 1, "replicas": 3, "updatedReplicas": 3, "readyReplicas": 3, "availableReplicas": 3,
            "terminatingReplicas": 0,
        })
    );
    let available = ("True", "MinimumReplicasAvailable", "Deployment has minimum availability.");
    assert_eq!(condition(&web, "Available"), (available.0.into(), available.1.into(), available.2.into()));
    let message = format!("ReplicaSet {:?} has successfully progressed.", set.name());
    assert_eq!(condition(&web, "Progressing"), ("True".into(), "NewReplicaSetAvailable".into(), message));
    assert_eq!(
        tank.told("web"),
        [format!("ScalingReplicaSet: Scaled up replica set {} from 0 to 3", set.name())]
    );
    assert_eq!(
        set["status"],
        json!({
            "replicas": 3, "fullyLabeledReplicas": 3, "readyReplicas": 3, "availableReplicas": 3, "observedGeneration": 1,
            "terminatingReplicas": 0,
        })
    );
    for pod in tank.all("Pod") {
        assert!(pod.name().starts_with(&format!("{}-", set.name())));
        assert_eq!(
            pod["metadata"]["ownerReferences"],
            json!([{
                "apiVersion": "apps/v1", "kind": "ReplicaSet", "name": set.name(), "uid": set.uid(),
                "controller": true, "blockOwnerDeletion": true,
            }])
        );
    }
}

#[test]
fn a_rolling_update_keeps_within_its_fences() {
    let mut tank = Tank::new();
    let mut web = deployment("web", 4);
    web["spec"]["template"]["metadata"]["annotations"] = json!({READY_AFTER: "2s"});
    tank.create(web);
    tank.settle();
    tank.turn(2);
    assert_eq!(tank.get("Deployment", "web").count("status.availableReplicas"), 4);
    tank.edit("Deployment", "web", |web| image(web, "app:2"));
    let (mut most, mut least) = (0, 4);
    for _ in 0..20 {
        while tank.step() {
            let pods = tank.all("Pod");
            let alive: Vec<_> = pods.iter().filter(|pod| !pod.is_deleting()).collect();
            most = most.max(alive.len());
            least = least.min(alive.iter().filter(|pod| pod.is("Ready")).count());
        }
        tank.turn(1);
    }
    assert!(most <= 5 && least >= 3, "between {least} ready and {most} in all");
    let web = tank.get("Deployment", "web");
    assert_eq!(web.count("status.updatedReplicas"), 4);
    assert_eq!(web.annotation("deployment.kubernetes.io/revision"), Some("2"));
    assert!(tank.all("Pod").iter().all(|pod| pod["spec"]["containers"][0]["image"] == "app:2"));
    assert_eq!(tank.all("ReplicaSet").len(), 2, "the old one is kept for a rollback");

    tank.edit("Deployment", "web", |web| image(web, "app:1"));
    for _ in 0..20 {
        tank.turn(1);
    }
    let set = active_set(&tank);
    assert_eq!(set.annotation("deployment.kubernetes.io/revision"), Some("3"));
    assert_eq!(set.annotation("deployment.kubernetes.io/revision-history"), Some("1"));
    assert_eq!(tank.all("ReplicaSet").len(), 2);
}

#[test]
fn recreate_stops_everything_first() {
    let mut tank = Tank::new();
    let mut web = deployment("web", 2);
    web["spec"]["strategy"] = json!({"type": "Recreate"});
    tank.create(web);
    tank.settle();
    tank.edit("Deployment", "web", |web| image(web, "app:2"));
    while tank.step() {
        let images: std::collections::BTreeSet<String> =
            tank.all("Pod").iter().map(|pod| pod["spec"]["containers"][0]["image"].to_string()).collect();
        assert!(images.len() <= 1, "{images:?}");
    }
    assert_eq!(tank.get("Deployment", "web").count("status.availableReplicas"), 2);
    assert!(tank.all("Pod").iter().all(|pod| pod["spec"]["containers"][0]["image"] == "app:2"));
}

#[test]
fn a_stuck_rollout_is_told_and_keeps_the_old_pods() {
    let mut tank = Tank::new();
    tank.create(deployment("web", 4));
    tank.settle();
    tank.edit("Deployment", "web", |web| {
        image(web, "app:2");
        set(web, "spec.template.metadata.annotations", json!({FAIL: "ImagePullBackOff"}));
    });
    tank.settle();
    let web = tank.get("Deployment", "web");
    assert_eq!(web.count("status.availableReplicas"), 3, "one may be missing");
    assert_eq!(condition(&web, "Progressing").1, "ReplicaSetUpdated");
    tank.turn(599);
    assert_eq!(condition(&tank.get("Deployment", "web"), "Progressing").1, "ReplicaSetUpdated");
    tank.turn(3);
    let (status, reason, message) = condition(&tank.get("Deployment", "web"), "Progressing");
    assert_eq!((status.as_str(), reason.as_str()), ("False", "ProgressDeadlineExceeded"));
    assert!(message.ends_with("has timed out progressing."), "{message}");
}

#[test]
fn a_paused_deployment_scales_but_does_not_roll() {
    let mut tank = Tank::new();
    tank.create(deployment("web", 2));
    tank.settle();
    tank.edit("Deployment", "web", |web| {
        set(web, "spec.paused", true);
        set(web, "spec.replicas", 4);
        image(web, "app:2");
    });
    tank.settle();
    let web = tank.get("Deployment", "web");
    assert_eq!(
        condition(&web, "Progressing"),
        ("Unknown".into(), "DeploymentPaused".into(), "Deployment is paused".into())
    );
    assert_eq!(tank.all("Pod").len(), 4);
    assert!(tank.all("Pod").iter().all(|pod| pod["spec"]["containers"][0]["image"] == "app:1"));
    tank.edit("Deployment", "web", |web| set(web, "spec.paused", false));
    tank.settle();
    assert!(tank.all("Pod").iter().all(|pod| pod["spec"]["containers"][0]["image"] == "app:2"));
    assert_eq!(tank.get("Deployment", "web").count("status.availableReplicas"), 4);
}

#[test]
fn old_sets_beyond_the_history_go() {
    let mut tank = Tank::new();
    let mut web = deployment("web", 1);
    web["spec"]["revisionHistoryLimit"] = 1.into();
    tank.create(web);
    tank.settle();
    for number in 2..5 {
        tank.edit("Deployment", "web", |web| image(web, &format!("app:{number}")));
        tank.settle();
    }
    let mut revisions: Vec<String> = tank
        .all("ReplicaSet")
        .iter()
        .map(|set| set.annotation("deployment.kubernetes.io/revision").unwrap().to_owned())
        .collect();
    revisions.sort();
    assert_eq!(revisions, ["3", "4"]);
}

#[test]
fn a_taken_name_is_avoided() {
    let mut tank = Tank::new();
    tank.create(deployment("web", 1));
    tank.settle();
    let name = active_set(&tank).name().to_owned();
    let mut tank = Tank::new();
    let labels = json!({"app": "other"});
    tank.create(json!({
        "apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": {"name": name},
        "spec": {"replicas": 0, "selector": {"matchLabels": labels}, "template": template(&labels)},
    }));
    tank.create(deployment("web", 1));
    tank.settle();
    let web = tank.get("Deployment", "web");
    assert_eq!(web.count("status.collisionCount"), 1);
    assert_eq!(web.count("status.availableReplicas"), 1);
    assert_ne!(active_set(&tank).name(), name);
}

#[test]
fn a_refusal_to_make_pods_is_told_and_forgotten() {
    let mut tank = Tank::new();
    tank.forbid = Some(("web-", "pods \"web\" is forbidden: exceeded quota"));
    let labels = json!({"app": "web"});
    tank.create(json!({
        "apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": {"name": "web"},
        "spec": {"replicas": 1, "selector": {"matchLabels": labels}, "template": template(&labels)},
    }));
    tank.settle();
    let refused = condition(&tank.get("ReplicaSet", "web"), "ReplicaFailure");
    assert_eq!(
        refused,
        ("True".into(), "FailedCreate".into(), "pods \"web\" is forbidden: exceeded quota".into())
    );
    tank.forbid = None;
    tank.turn(120);
    let web = tank.get("ReplicaSet", "web");
    assert_eq!(web.count("status.readyReplicas"), 1);
    assert!(web.condition("ReplicaFailure").is_none(), "{web}");
}

#[test]
fn orphans_are_adopted_and_strangers_released() {
    let mut tank = Tank::new();
    let mut lonely = pod("lonely");
    set(&mut lonely, "metadata.labels", json!({"app": "web"}));
    tank.create(lonely);
    tank.settle();
    let labels = json!({"app": "web"});
    let web = tank.create(json!({
        "apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": {"name": "web"},
        "spec": {"replicas": 2, "selector": {"matchLabels": labels}, "template": template(&labels)},
    }));
    tank.settle();
    assert_eq!(tank.all("Pod").len(), 2);
    assert!(tank.get("Pod", "lonely").is_controlled_by(web.uid()));
    tank.edit("Pod", "lonely", |pod| set(pod, "metadata.labels", json!({"app": "another"})));
    tank.settle();
    assert!(tank.get("Pod", "lonely").controller().is_none());
    assert_eq!(tank.all("Pod").len(), 3, "it is replaced");
}

#[test]
fn a_deployment_takes_all_along_or_leaves_all() {
    let cases = [
        (Some(Propagation::Background), 0, 0),
        (Some(Propagation::Foreground), 0, 0),
        (Some(Propagation::Orphan), 1, 2),
    ];
    for (propagation, sets, pods) in cases {
        let mut tank = Tank::new();
        tank.create(deployment("web", 2));
        tank.settle();
        tank.delete("Deployment", "web", propagation);
        tank.settle();
        assert!(tank.find("Deployment", "web").is_none(), "{propagation:?}");
        assert_eq!((tank.all("ReplicaSet").len(), tank.all("Pod").len()), (sets, pods), "{propagation:?}");
        if propagation == Some(Propagation::Orphan) {
            let again = tank.create(deployment("web", 2));
            tank.settle();
            assert!(tank.all("ReplicaSet")[0].is_controlled_by(again.uid()), "it is adopted again");
            assert_eq!(tank.all("Pod").len(), 2);
        }
    }
}

#[test]
fn a_replication_controller_keeps_its_size() {
    let mut tank = Tank::new();
    tank.create(json!({
        "apiVersion": "v1", "kind": "ReplicationController", "metadata": {"name": "old"},
        "spec": {"replicas": 2, "selector": {"app": "old"}, "template": template(&json!({"app": "old"}))},
    }));
    tank.settle();
    assert_eq!(
        tank.get("ReplicationController", "old")["status"],
        json!({
            "replicas": 2, "fullyLabeledReplicas": 2, "readyReplicas": 2, "availableReplicas": 2, "observedGeneration": 1,
        })
    );
    tank.edit("ReplicationController", "old", |old| set(old, "spec.replicas", 0));
    tank.settle();
    assert!(tank.all("Pod").is_empty());
}

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

#[test]
fn a_job_completes() {
    let mut tank = Tank::new();
    let mut work = job("work");
    work["spec"]["completions"] = 3.into();
    work["spec"]["parallelism"] = 2.into();
    tank.create(work);
    tank.settle();
    let work = tank.get("Job", "work");
    let now = work.text("status.completionTime").to_owned();
    assert!(!now.is_empty(), "{}", tank.log.join("\n"));
    let mut status = work["status"].clone();
    status.as_object_mut().unwrap().remove("conditions");
    assert_eq!(
        status,
        json!({
            "startTime": now, "completionTime": now, "succeeded": 3, "ready": 0, "terminating": 0, "uncountedTerminatedPods": {},
        })
    );
    let met = (
        "True".to_owned(),
        "CompletionsReached".to_owned(),
        "Reached expected number of succeeded pods".to_owned(),
    );
    assert_eq!(condition(&work, "SuccessCriteriaMet"), met);
    assert_eq!(condition(&work, "Complete"), met);
    assert_eq!(tank.all("Pod").len(), 3);
    assert!(tank.all("Pod").iter().all(|pod| !pod.has_finalizer(jobs::FINALIZER)));
    assert_eq!(tank.told("work").last().map(String::as_str), Some("Completed: Job completed"));
}

#[test]
fn a_failing_job_gives_up_after_its_limit() {
    let mut tank = Tank::new();
    let mut work = job("work");
    work["spec"]["template"]["metadata"]["annotations"] = json!({FAIL: "Error"});
    tank.create(work);
    tank.settle();
    assert_eq!(tank.all("Pod").len(), 1);
    tank.turn(9);
    assert_eq!(tank.all("Pod").len(), 1, "it waits before it tries again");
    tank.turn(1);
    assert_eq!(tank.all("Pod").len(), 2);
    tank.turn(20);
    assert_eq!(tank.all("Pod").len(), 3);
    let work = tank.get("Job", "work");
    let failed = (
        "True".to_owned(),
        "BackoffLimitExceeded".to_owned(),
        "Job has reached the specified backoff limit".to_owned(),
    );
    assert_eq!(condition(&work, "FailureTarget"), failed);
    assert_eq!(condition(&work, "Failed"), failed);
    assert_eq!(work.count("status.failed"), 3);
    tank.turn(3000);
    assert_eq!(tank.all("Pod").len(), 3);
}

#[test]
fn a_job_has_a_deadline_and_may_be_suspended() {
    let mut tank = Tank::new();
    let mut work = job("work");
    work["spec"]["activeDeadlineSeconds"] = 10.into();
    work["spec"]["suspend"] = true.into();
    work["spec"]["template"]["metadata"]["annotations"] = json!({READY_AFTER: "1h"});
    tank.create(work);
    tank.settle();
    assert!(tank.all("Pod").is_empty());
    assert_eq!(
        condition(&tank.get("Job", "work"), "Suspended"),
        ("True".into(), "JobSuspended".into(), "Job suspended".into())
    );
    tank.turn(60);
    tank.edit("Job", "work", |work| set(work, "spec.suspend", false));
    tank.settle();
    assert_eq!(tank.all("Pod").len(), 1);
    assert_eq!(condition(&tank.get("Job", "work"), "Suspended").0, "False");
    assert_eq!(tank.get("Job", "work").count("status.active"), 1);
    tank.turn(9);
    assert_eq!(tank.all("Pod").len(), 1);
    tank.turn(1);
    assert!(tank.all("Pod").is_empty());
    let failed = condition(&tank.get("Job", "work"), "Failed");
    assert_eq!(
        (failed.1.as_str(), failed.2.as_str()),
        ("DeadlineExceeded", "Job was active longer than specified deadline")
    );
}

#[test]
fn a_finished_job_goes_when_its_time_is_up() {
    let mut tank = Tank::new();
    let mut work = job("work");
    work["spec"]["ttlSecondsAfterFinished"] = 30.into();
    tank.create(work);
    tank.settle();
    tank.turn(29);
    assert!(tank.find("Job", "work").is_some());
    tank.turn(1);
    assert!(tank.find("Job", "work").is_none());
    assert!(tank.all("Pod").is_empty());
}

#[test]
fn a_job_that_is_deleted_lets_its_pods_go() {
    for propagation in [Propagation::Background, Propagation::Foreground, Propagation::Orphan] {
        let mut tank = Tank::new();
        let mut work = job("work");
        work["spec"]["template"]["metadata"]["annotations"] = json!({READY_AFTER: "1h"});
        tank.create(work);
        tank.settle();
        tank.delete("Job", "work", Some(propagation));
        tank.settle();
        assert!(tank.find("Job", "work").is_none(), "{propagation:?}\n{}", tank.log.join("\n"));
        let left = tank.all("Pod");
        assert_eq!(left.len(), usize::from(propagation == Propagation::Orphan), "{propagation:?}");
        assert!(left.iter().all(|pod| !pod.has_finalizer(jobs::FINALIZER)));
    }
}

#[test]
fn an_indexed_job_has_one_pod_for_every_number() {
    let mut tank = Tank::new();
    let mut work = job("work");
    work["spec"]["completionMode"] = "Indexed".into();
    work["spec"]["completions"] = 4.into();
    work["spec"]["parallelism"] = 2.into();
    tank.create(work);
    tank.settle();
    let work = tank.get("Job", "work");
    assert_eq!((work.text("status.completedIndexes"), work.count("status.succeeded")), ("0-3", 4));
    let mut hosts: Vec<String> =
        tank.all("Pod").iter().map(|pod| pod.text("spec.hostname").to_owned()).collect();
    hosts.sort();
    assert_eq!(hosts, ["work-0", "work-1", "work-2", "work-3"]);
}
