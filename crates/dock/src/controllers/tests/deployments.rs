//! Deployments and the sets they make: how they come up, roll, and go.

use serde_json::{Value, json};

use super::super::action::Propagation;
use super::super::object::{Object, set};
use super::super::script::{FAIL, READY_AFTER};
use super::super::tank::Tank;
use super::{condition, deployment, image, pod, template};

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
