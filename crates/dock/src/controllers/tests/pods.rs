//! Pods and scripts.

use serde_json::{Value, json};

use super::super::object::{Object, set};
use super::super::pods::kubelet;
use super::super::script::{FAIL, FINALIZER_AFTER, LOG, READY_AFTER, STOP_AFTER};
use super::super::tank::Tank;
use super::super::view::View;
use super::{config_map, deployment, pod};

fn scripted(mut object: Value, annotations: &[(&str, &str)]) -> Value {
    for (key, text) in annotations {
        object["metadata"]["annotations"][*key] = (*text).into();
    }
    object
}

fn conditions(pod: &Value) -> Vec<(String, String, String)> {
    pod.items("status.conditions")
        .iter()
        .map(|found| (found.text("type").into(), found.text("status").into(), found.text("reason").into()))
        .collect()
}

#[test]
fn a_pod_is_scheduled_and_runs() {
    let mut tank = Tank::new();
    let mut wanted = pod("web");
    wanted["spec"]["initContainers"] = json!([{"name": "setup", "image": "setup:1"}]);
    tank.create(wanted);
    tank.settle();
    let pod = tank.get("Pod", "web");
    assert_eq!(pod.text("spec.nodeName"), "dock");
    assert_eq!(pod.text("status.phase"), "Running");
    let expected = ["PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady", "PodScheduled"];
    assert_eq!(conditions(&pod), expected.map(|kind| (kind.into(), "True".into(), String::new())));
    let container = &pod.items("status.containerStatuses")[0];
    assert_eq!(
        (container.text("name"), container.flag("ready"), container.count("restartCount")),
        ("app", true, 0)
    );
    assert!(container.at("state.running.startedAt").is_string());
    assert_eq!(pod.items("status.initContainerStatuses")[0].text("state.terminated.reason"), "Completed");
    assert!(pod.text("status.podIP").starts_with("10."), "{pod}");
    assert_eq!(
        tank.told("web"),
        [
            "Scheduled: Successfully assigned default/web to dock",
            "Pulled: Container image \"setup:1\" already present on machine and can be accessed by the pod",
            "Created: Container created",
            "Started: Container started",
            "Pulled: Container image \"app:1\" already present on machine and can be accessed by the pod",
            "Created: Container created",
            "Started: Container started",
        ]
    );
    tank.log.clear();
    tank.turn(600);
    assert!(tank.log.is_empty(), "nothing more happens: {:?}", tank.log);
}

#[test]
fn ready_after_takes_its_time() {
    let mut tank = Tank::new();
    tank.create(scripted(pod("slow"), &[(READY_AFTER, "5s")]));
    tank.settle();
    let slow = tank.get("Pod", "slow");
    assert_eq!(slow.text("status.phase"), "Running");
    let ready = slow.condition("Ready").unwrap();
    assert_eq!(ready["reason"], "ContainersNotReady");
    assert_eq!(ready["message"], "containers with unready status: [app]");
    tank.turn(4);
    assert!(!tank.get("Pod", "slow").is("Ready"));
    tank.turn(1);
    assert!(tank.get("Pod", "slow").is("Ready"));
}

#[test]
fn a_pod_follows_the_script_of_its_deployment_unless_it_has_its_own() {
    let mut tank = Tank::new();
    tank.create(scripted(deployment("web", 1), &[(READY_AFTER, "3s"), (LOG, "hello")]));
    tank.settle();
    let pod = tank.all("Pod").remove(0);
    assert!(!pod.is("Ready"));
    let view = View {
        index: tank.controllers.index(),
        reader: &tank.shelf,
        now: tank.now,
        refusal: None,
        certificate: "",
    };
    assert_eq!(kubelet::log(&pod, &view), "hello");
    tank.turn(3);
    assert!(tank.get("Deployment", "web").is("Available"));

    let mut own = scripted(deployment("own", 1), &[(READY_AFTER, "3s")]);
    own["spec"]["template"]["metadata"]["annotations"] = json!({READY_AFTER: "0s"});
    tank.create(own);
    tank.settle();
    assert!(tank.get("Deployment", "own").is("Available"));
}

#[test]
fn a_crash_loop_waits_longer_every_time() {
    let mut tank = Tank::new();
    tank.create(scripted(pod("bad"), &[(FAIL, "CrashLoopBackOff")]));
    tank.settle();
    let restarts =
        |tank: &Tank| tank.get("Pod", "bad").items("status.containerStatuses")[0].count("restartCount");
    let bad = tank.get("Pod", "bad");
    assert_eq!(bad.text("status.phase"), "Running");
    let container = &bad.items("status.containerStatuses")[0];
    assert_eq!(container.text("state.waiting.reason"), "CrashLoopBackOff");
    let message = format!("back-off 10s restarting failed container=app pod=bad_default({})", bad.uid());
    assert_eq!(container.text("state.waiting.message"), message);
    assert_eq!(container.count("lastState.terminated.exitCode"), 1);
    assert_eq!(container.text("lastState.terminated.reason"), "Error");
    assert_eq!(restarts(&tank), 1);
    tank.turn(10);
    assert_eq!(restarts(&tank), 2);
    tank.turn(19);
    assert_eq!(restarts(&tank), 2);
    tank.turn(1);
    assert_eq!(restarts(&tank), 3);
    assert!(tank.told("bad").iter().any(|line| {
        line.starts_with("BackOff: Back-off restarting failed container app in pod bad_default(")
    }));
}

#[test]
fn failures() {
    let cases = [
        ("ImagePullBackOff", "Always", "Pending", "waiting.reason", "ImagePullBackOff"),
        ("ErrImagePull", "Always", "Pending", "waiting.reason", "ErrImagePull"),
        ("CreateContainerConfigError", "Always", "Pending", "waiting.reason", "CreateContainerConfigError"),
        ("SomethingElse", "Never", "Pending", "waiting.reason", "SomethingElse"),
        ("Error", "Never", "Failed", "terminated.reason", "Error"),
        ("OOMKilled", "Never", "Failed", "terminated.reason", "OOMKilled"),
        ("Error", "OnFailure", "Running", "waiting.reason", "CrashLoopBackOff"),
    ];
    for (fail, policy, phase, path, reason) in cases {
        let mut tank = Tank::new();
        let mut bad = scripted(pod("bad"), &[(FAIL, fail)]);
        bad["spec"]["restartPolicy"] = policy.into();
        tank.create(bad);
        tank.settle();
        let bad = tank.get("Pod", "bad");
        assert_eq!(bad.text("status.phase"), phase, "{fail}");
        assert_eq!(bad.items("status.containerStatuses")[0].at("state").text(path), reason, "{fail}");
        assert!(!bad.is("Ready"), "{fail}");
    }
    let mut tank = Tank::new();
    tank.create(scripted(pod("bad"), &[(FAIL, "Evicted")]));
    tank.create(scripted(pod("nowhere"), &[(FAIL, "Unschedulable")]));
    tank.settle();
    let bad = tank.get("Pod", "bad");
    assert_eq!((bad.text("status.phase"), bad.text("status.reason")), ("Failed", "Evicted"));
    let nowhere = tank.get("Pod", "nowhere");
    assert_eq!((nowhere.text("status.phase"), nowhere.text("spec.nodeName")), ("Pending", ""));
    assert_eq!(nowhere.condition("PodScheduled").unwrap()["reason"], "Unschedulable");
}

#[test]
fn nodes_are_chosen_by_selector_and_affinity() {
    let affinity = |key: &str, values: Value| {
        json!({"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [
            {"matchExpressions": [{"key": key, "operator": "In", "values": values}]},
        ]}}})
    };
    let cases = [
        (json!({"nodeSelector": {"kubernetes.io/os": "linux"}}), true),
        (json!({"nodeSelector": {"disk": "fast"}}), false),
        (json!({"affinity": affinity("kubernetes.io/arch", json!(["arm64", "amd64"]))}), true),
        (json!({"affinity": affinity("kubernetes.io/arch", json!(["arm64"]))}), false),
        (json!({"schedulingGates": [{"name": "later"}]}), false),
        (json!({"schedulerName": "another"}), false),
    ];
    for (more, fits) in cases {
        let mut tank = Tank::new();
        let mut wanted = pod("web");
        wanted["spec"].as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        tank.create(wanted);
        tank.settle();
        assert_eq!(tank.get("Pod", "web").text("spec.nodeName") == "dock", fits, "{more}");
    }
    let mut tank = Tank::new();
    let mut wanted = pod("web");
    wanted["spec"]["nodeSelector"] = json!({"disk": "fast"});
    tank.create(wanted);
    tank.settle();
    let message = tank.get("Pod", "web").condition("PodScheduled").unwrap()["message"].clone();
    assert_eq!(
        message,
        "0/1 nodes are available: 1 node(s) didn't match Pod's node affinity/selector. no new claims to deallocate, preemption: 0/1 nodes \
        are available: 1 Preemption is not helpful for scheduling."
    );
    tank.edit("Node", "dock", |node| set(node, "metadata.labels", json!({"disk": "fast"})));
    tank.settle();
    assert_eq!(tank.get("Pod", "web").text("status.phase"), "Running");
}

#[test]
fn a_deleted_pod_stops_at_once_or_as_scripted() {
    let mut tank = Tank::new();
    tank.create(pod("quick"));
    tank.create(scripted(pod("slow"), &[(STOP_AFTER, "5s")]));
    tank.create(scripted(pod("stubborn"), &[(STOP_AFTER, "10m")]));
    tank.settle();
    for name in ["quick", "slow", "stubborn"] {
        tank.delete("Pod", name, None);
        assert_eq!(tank.get("Pod", name).count("metadata.deletionGracePeriodSeconds"), 30);
    }
    tank.settle();
    assert_eq!(tank.names("Pod"), ["slow", "stubborn"]);
    tank.turn(5);
    assert_eq!(tank.names("Pod"), ["stubborn"]);
    tank.turn(24);
    assert_eq!(tank.names("Pod"), ["stubborn"]);
    tank.turn(1);
    assert!(tank.names("Pod").is_empty(), "after its grace period it is killed");
}

#[test]
fn a_pod_with_a_finalizer_ends_but_stays() {
    let mut tank = Tank::new();
    let mut held = pod("held");
    set(&mut held, "metadata.finalizers", json!(["example.org/hold"]));
    tank.create(held);
    tank.settle();
    tank.delete("Pod", "held", None);
    tank.settle();
    let held = tank.get("Pod", "held");
    assert_eq!(held.text("status.phase"), "Succeeded");
    assert_eq!(held.int("metadata.deletionGracePeriodSeconds"), Some(0));
    tank.edit("Pod", "held", |held| set(held, "metadata.finalizers", json!([])));
    assert!(tank.find("Pod", "held").is_none());
}

#[test]
fn finalizers_are_released_as_scripted() {
    let mut tank = Tank::new();
    let mut held = scripted(config_map("held"), &[(FINALIZER_AFTER, "5s")]);
    set(&mut held, "metadata.finalizers", json!(["example.org/hold", "example.org/other"]));
    tank.create(held);
    tank.settle();
    tank.turn(60);
    tank.delete("ConfigMap", "held", None);
    tank.settle();
    tank.turn(4);
    assert!(tank.find("ConfigMap", "held").is_some());
    tank.turn(1);
    assert!(tank.find("ConfigMap", "held").is_none());
}

#[test]
fn custom_resources_become_ready_as_scripted() {
    let mut tank = Tank::new();
    let widget = |name: &str| json!({"apiVersion": "example.org/v1", "kind": "Widget", "metadata": {"name": name}, "spec": {}});
    tank.create(scripted(widget("slow"), &[(READY_AFTER, "3s")]));
    tank.create(scripted(widget("bad"), &[(FAIL, "QuotaExceeded")]));
    tank.create(widget("plain"));
    tank.settle();
    assert_eq!(tank.get("Widget", "slow").condition("Ready").unwrap()["status"], "False");
    assert_eq!(tank.get("Widget", "bad").condition("Ready").unwrap()["reason"], "QuotaExceeded");
    assert!(tank.get("Widget", "plain").at("status").is_null());
    tank.turn(3);
    assert!(tank.get("Widget", "slow").is("Ready"));
    assert!(!tank.get("Widget", "bad").is("Ready"));
}

#[test]
fn scripts_that_mean_nothing_are_told_once() {
    let mut tank = Tank::new();
    tank.create(scripted(pod("odd"), &[(READY_AFTER, "soon")]));
    tank.settle();
    assert!(tank.get("Pod", "odd").is("Ready"));
    let complaints: Vec<String> =
        tank.told("odd").into_iter().filter(|line| line.starts_with("BadScript")).collect();
    assert_eq!(
        complaints,
        ["BadScript: annotation dock.slipway.dev/ready-after: \"soon\" is not a duration like 2s or 1m30s",]
    );
}

#[test]
fn readiness_gates_are_waited_for() {
    let mut tank = Tank::new();
    let mut gated = pod("gated");
    gated["spec"]["readinessGates"] = json!([{"conditionType": "example.org/open"}]);
    tank.create(gated);
    tank.settle();
    let ready = tank.get("Pod", "gated").condition("Ready").unwrap().clone();
    assert_eq!(ready["reason"], "ReadinessGatesNotReady");
    assert_eq!(
        ready["message"],
        "corresponding condition of pod readiness gate \"example.org/open\" does not exist."
    );
    tank.edit("Pod", "gated", |pod| {
        pod["status"]["conditions"]
            .as_array_mut()
            .unwrap()
            .push(json!({"type": "example.org/open", "status": "True"}));
    });
    tank.settle();
    assert!(tank.get("Pod", "gated").is("Ready"));
}

#[test]
fn events_are_counted_and_go_after_an_hour() {
    let mut tank = Tank::new();
    tank.create(scripted(pod("bad"), &[(FAIL, "CrashLoopBackOff")]));
    tank.settle();
    tank.turn(100);
    let events = tank.all("Event");
    let back_off: Vec<_> = events.iter().filter(|event| event["reason"] == "BackOff").collect();
    assert_eq!(back_off.len(), 1);
    assert_eq!(back_off[0].count("count"), 4, "at 0, 10, 30 and 70 seconds");
    tank.delete("Pod", "bad", None);
    tank.turn(3601);
    assert!(tank.all("Event").is_empty());
}
