//! Claims, volumes, addresses and budgets.

use serde_json::{Value, json};

use super::super::object::{Object, set};
use super::super::tank::Tank;
use super::{deployment, pod};

fn claim(name: &str, class: &str) -> Value {
    json!({
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": { "name": name },
        "spec": {
            "accessModes": ["ReadWriteOnce"],
            "resources": { "requests": { "storage": "1Gi" } },
            "storageClassName": class,
            "volumeMode": "Filesystem",
        },
    })
}

fn class(name: &str, mode: &str, policy: &str) -> Value {
    json!({
        "apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": { "name": name },
        "provisioner": "example.org/disk", "reclaimPolicy": policy, "volumeBindingMode": mode,
    })
}

fn mounting(name: &str, claim: &str) -> Value {
    let mut pod = pod(name);
    pod["spec"]["volumes"] = json!([{"name": "data", "persistentVolumeClaim": {"claimName": claim}}]);
    pod
}

#[test]
fn a_volume_is_made_and_goes_with_its_claim() {
    let mut tank = Tank::new();
    tank.create(claim("data", "standard"));
    tank.settle();
    let bound = tank.get("PersistentVolumeClaim", "data");
    assert_eq!(
        bound["status"],
        json!({
            "phase": "Bound", "accessModes": ["ReadWriteOnce"], "capacity": {"storage": "1Gi"},
        })
    );
    let name = format!("pvc-{}", bound.uid());
    assert_eq!(bound.text("spec.volumeName"), name);
    assert_eq!(
        bound["metadata"]["annotations"],
        json!({
            "pv.kubernetes.io/bind-completed": "yes",
            "pv.kubernetes.io/bound-by-controller": "yes",
            "volume.beta.kubernetes.io/storage-provisioner": "kubernetes.io/host-path",
            "volume.kubernetes.io/storage-provisioner": "kubernetes.io/host-path",
        })
    );
    let volume = tank.get("PersistentVolume", &name);
    assert_eq!(volume.text("status.phase"), "Bound");
    assert_eq!(
        volume["metadata"]["finalizers"],
        json!(["kubernetes.io/pv-controller", "kubernetes.io/pv-protection"])
    );
    tank.delete("PersistentVolumeClaim", "data", None);
    tank.settle();
    assert!(tank.find("PersistentVolumeClaim", "data").is_none());
    assert!(tank.all("PersistentVolume").is_empty(), "{}", tank.log.join("\n"));
}

#[test]
fn a_claim_without_a_class_gets_the_default_one() {
    let mut tank = Tank::new();
    let mut wanted = claim("data", "");
    wanted["spec"].as_object_mut().unwrap().remove("storageClassName");
    tank.create(wanted);
    tank.settle();
    let bound = tank.get("PersistentVolumeClaim", "data");
    assert_eq!((bound.text("spec.storageClassName"), bound.text("status.phase")), ("standard", "Bound"));
}

#[test]
fn a_claim_in_use_waits_for_its_pods() {
    let mut tank = Tank::new();
    tank.create(claim("data", "standard"));
    tank.create(mounting("user", "data"));
    tank.settle();
    assert_eq!(tank.get("Pod", "user").text("status.phase"), "Running");
    tank.delete("PersistentVolumeClaim", "data", None);
    tank.settle();
    assert!(tank.get("PersistentVolumeClaim", "data").is_deleting());
    tank.delete("Pod", "user", None);
    tank.settle();
    assert!(tank.find("PersistentVolumeClaim", "data").is_none());
}

#[test]
fn a_class_may_wait_for_a_consumer_and_retain() {
    let mut tank = Tank::new();
    tank.create(class("late", "WaitForFirstConsumer", "Retain"));
    tank.create(claim("data", "late"));
    tank.settle();
    assert_eq!(tank.get("PersistentVolumeClaim", "data").text("status.phase"), "Pending");
    assert!(tank.told("data")[0].starts_with("WaitForFirstConsumer"));
    tank.create(mounting("user", "data"));
    tank.settle();
    let bound = tank.get("PersistentVolumeClaim", "data");
    assert_eq!(bound.text("status.phase"), "Bound", "{}", tank.log.join("\n"));
    assert_eq!(bound.annotation("volume.kubernetes.io/selected-node"), Some("dock"));
    assert_eq!(tank.get("Pod", "user").text("status.phase"), "Running");
    tank.delete("Pod", "user", None);
    tank.delete("PersistentVolumeClaim", "data", None);
    tank.settle();
    assert_eq!(tank.all("PersistentVolume")[0].text("status.phase"), "Released");
}

#[test]
fn claims_without_a_class_find_volumes_made_by_hand() {
    let mut tank = Tank::new();
    tank.create(claim("data", ""));
    tank.settle();
    assert_eq!(tank.get("PersistentVolumeClaim", "data").text("status.phase"), "Pending");
    for (name, size) in [("big", "10Gi"), ("fitting", "2Gi"), ("small", "1Mi")] {
        tank.create(json!({
            "apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": name},
            "spec": {"accessModes": ["ReadWriteOnce"], "capacity": {"storage": size}, "persistentVolumeReclaimPolicy": "Retain"},
        }));
    }
    tank.settle();
    let bound = tank.get("PersistentVolumeClaim", "data");
    assert_eq!(bound.text("status.phase"), "Bound", "{}", tank.log.join("\n"));
    assert!(["big", "fitting"].contains(&bound.text("spec.volumeName")));
    assert_eq!(tank.get("PersistentVolume", "small").text("status.phase"), "Available");
    assert_eq!(
        tank.get("PersistentVolume", bound.text("spec.volumeName")).text("spec.claimRef.uid"),
        bound.uid()
    );
}

#[test]
fn a_pod_waits_for_claims_that_are_not_there() {
    let mut tank = Tank::new();
    tank.create(mounting("user", "data"));
    tank.settle();
    let waiting = tank.get("Pod", "user").condition("PodScheduled").unwrap()["message"].clone();
    assert!(waiting.as_str().unwrap().contains("persistentvolumeclaim \"data\" not found"), "{waiting}");
    tank.create(claim("data", "standard"));
    tank.settle();
    assert_eq!(tank.get("Pod", "user").text("status.phase"), "Running");
}

#[test]
fn load_balancers_get_an_address_and_lose_it() {
    let mut tank = Tank::new();
    let service = |name: &str, kind: &str| {
        json!({
            "apiVersion": "v1", "kind": "Service", "metadata": {"name": name}, "spec": {"type": kind}, "status": {"loadBalancer": {}},
        })
    };
    tank.create(service("inner", "ClusterIP"));
    tank.create(service("outer", "LoadBalancer"));
    tank.create(json!({"apiVersion": "networking.k8s.io/v1", "kind": "Ingress", "metadata": {"name": "door"}, "spec": {}}));
    tank.settle();
    let addresses =
        |tank: &Tank, kind: &str, name: &str| tank.get(kind, name).items("status.loadBalancer.ingress").len();
    assert_eq!(addresses(&tank, "Service", "inner"), 0);
    assert_eq!(addresses(&tank, "Service", "outer"), 1);
    assert_eq!(addresses(&tank, "Ingress", "door"), 1);
    tank.edit("Service", "outer", |service| set(service, "spec.type", "ClusterIP"));
    tank.settle();
    assert_eq!(tank.get("Service", "outer")["status"], json!({"loadBalancer": {}}));
}

#[test]
fn budgets_count_what_may_be_done_without() {
    let cases = [
        (json!({"minAvailable": 2}), (3, 2, 1, 3)),
        (json!({"minAvailable": "50%"}), (3, 2, 1, 3)),
        (json!({"maxUnavailable": 1}), (3, 2, 1, 3)),
        (json!({"maxUnavailable": "0%"}), (3, 3, 0, 3)),
    ];
    for (rule, expected) in cases {
        let mut tank = Tank::new();
        tank.create(deployment("web", 3));
        let mut budget = json!({
            "apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": "keep"},
            "spec": {"selector": {"matchLabels": {"app": "web"}}},
        });
        budget["spec"].as_object_mut().unwrap().extend(rule.as_object().unwrap().clone());
        tank.create(budget);
        tank.settle();
        let status = tank.get("PodDisruptionBudget", "keep")["status"].clone();
        let found = (
            status.count("currentHealthy"),
            status.count("desiredHealthy"),
            status.count("disruptionsAllowed"),
            status.count("expectedPods"),
        );
        assert_eq!(found, expected, "{rule}");
        let reason = if expected.2 > 0 { "SufficientPods" } else { "InsufficientPods" };
        assert_eq!(status["conditions"][0]["reason"], reason, "{rule}");
    }
}

#[test]
fn autoscalers_tell_of_their_target() {
    let mut tank = Tank::new();
    tank.create(json!({
        "apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler", "metadata": {"name": "web"},
        "spec": {"maxReplicas": 5, "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"}},
    }));
    tank.settle();
    let found = tank.get("HorizontalPodAutoscaler", "web");
    assert_eq!(found.condition("AbleToScale").unwrap()["reason"], "FailedGetScale");
    tank.create(deployment("web", 2));
    tank.settle();
    let found = tank.get("HorizontalPodAutoscaler", "web");
    assert_eq!(found.condition("AbleToScale").unwrap()["reason"], "SucceededGetScale");
    assert_eq!(found.count("status.currentReplicas"), 2);
    assert_eq!(tank.get("Deployment", "web").count("spec.replicas"), 2);
}
