//! What makes pods: `Deployment`, `ReplicaSet`, `StatefulSet`, `DaemonSet`, `Job`, `CronJob`.

use serde_json::{Value, json};

use super::pod::{spec, template};
use super::{Kind, condition};
use crate::dice::Dice;
use crate::sequence::Group;

const fn apps(
    kind: &'static str,
    plural: &'static str,
    subresources: &'static [&'static str],
    functions: [fn(&mut Dice) -> Value; 3],
) -> Kind {
    Kind {
        group: Group::Workload,
        prefix: "/apis/apps/v1",
        api_version: "apps/v1",
        kind,
        plural,
        namespaced: true,
        subresources,
        selectable: &["metadata.name"],
        make: functions[0],
        change: functions[1],
        strategic,
        status: functions[2],
        wrong,
    }
}

const fn batch(
    kind: &'static str,
    plural: &'static str,
    selectable: &'static [&'static str],
    functions: [fn(&mut Dice) -> Value; 4],
) -> Kind {
    Kind {
        group: Group::Workload,
        prefix: "/apis/batch/v1",
        api_version: "batch/v1",
        kind,
        plural,
        namespaced: true,
        subresources: &["status"],
        selectable,
        make: functions[0],
        change: functions[1],
        strategic: functions[1],
        status: functions[2],
        wrong: functions[3],
    }
}

pub(super) const KINDS: &[Kind] = &[
    apps(
        "Deployment",
        "deployments",
        &["status", "scale"],
        [deployment, deployment_change, deployment_status],
    ),
    apps("ReplicaSet", "replicasets", &["status", "scale"], [replica_set, replicas_change, replicas_status]),
    apps(
        "StatefulSet",
        "statefulsets",
        &["status", "scale"],
        [stateful_set, stateful_change, replicas_status],
    ),
    apps("DaemonSet", "daemonsets", &["status"], [daemon_set, daemon_change, daemon_status]),
    batch("Job", "jobs", &["metadata.name", "status.successful"], [job, job_change, job_status, job_wrong]),
    batch("CronJob", "cronjobs", &["metadata.name"], [cron_job, cron_change, cron_status, cron_wrong]),
];

fn selector() -> Value {
    json!({"matchLabels": {"app": "web"}})
}

fn deployment(dice: &mut Dice) -> Value {
    let mut spec = json!({"selector": selector(), "template": template(dice, "web", None)});
    if dice.chance(60) {
        spec["replicas"] = json!(dice.below(4));
    }
    match dice.below(8) {
        0 => spec["strategy"] = json!({"type": "Recreate"}),
        1 => spec["strategy"] = json!({"rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}}),
        2 => spec["strategy"] = json!({"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": "50%"}}),
        3 => spec["minReadySeconds"] = json!(5),
        4 => spec["revisionHistoryLimit"] = json!(2),
        5 => spec["progressDeadlineSeconds"] = json!(30),
        6 => spec["paused"] = json!(true),
        _ => {}
    }
    json!({"spec": spec})
}

fn deployment_change(dice: &mut Dice) -> Value {
    match dice.below(5) {
        0 => json!({"spec": {"replicas": dice.below(5)}}),
        1 => json!({"spec": {"paused": dice.chance(50)}}),
        2 => json!({"spec": {"strategy": {"type": "Recreate", "rollingUpdate": null}}}),
        3 => {
            json!({"spec": {"template": {"metadata": {"annotations": {"restarted": dice.pick(&["1", "2"])}}}}})
        }
        _ => json!({"spec": {"minReadySeconds": dice.below(3)}}),
    }
}

fn strategic(dice: &mut Dice) -> Value {
    let containers = match dice.below(8) {
        0 => json!([{"name": "main", "image": dice.pick(&["nginx:2", "nginx:3"])}]),
        1 => json!([{"name": "added", "image": "busybox"}]),
        2 => json!([{"name": "side", "$patch": "delete"}]),
        3 => json!([{"name": "main", "env": [{"name": "A", "value": "2"}, {"name": "Z", "value": "9"}]}]),
        4 => {
            json!([{"name": "main", "ports": [{"containerPort": 80, "name": "web"}, {"containerPort": 81}]}])
        }
        5 => json!([{"name": "main", "env": [{"name": "A", "$patch": "delete"}]}]),
        6 => json!([{"name": "main", "resources": {"limits": {"cpu": "2"}}}]),
        _ => json!([{"name": "main", "args": ["--new"], "command": null}]),
    };
    let mut spec = json!({"containers": containers});
    match dice.below(5) {
        0 => spec["volumes"] = json!([{"name": "w", "emptyDir": {"medium": "Memory"}}]),
        1 => spec["volumes"] = json!([{"name": "v", "$retainKeys": ["name", "emptyDir"], "emptyDir": {}}]),
        2 => spec["nodeSelector"] = json!({"$patch": "replace", "disk": "slow"}),
        3 => {
            spec["$setElementOrder/containers"] =
                json!([{"name": "added"}, {"name": "main"}, {"name": "side"}]);
        }
        _ => {}
    }
    json!({"spec": {"template": {"spec": spec}}})
}

fn wrong(dice: &mut Dice) -> Value {
    match dice.below(8) {
        0 => json!({"spec": {"selector": {"matchLabels": {"app": "other"}}}}),
        1 => json!({"spec": {"template": {"metadata": {"labels": {"app": "other"}}}}}),
        2 => json!({"spec": {"replicas": -1}}),
        3 => json!({"spec": {"template": {"spec": {"containers": []}}}}),
        4 => json!({"spec": {"template": {"spec": {"restartPolicy": "Never"}}}}),
        5 => json!({"spec": {"replicas": "three"}}),
        6 => {
            json!({"spec": {"template": {"spec": {"containers": [{"name": "main", "image": "x", "ports": [{"containerPort": 0}]}]}}}})
        }
        _ => json!({"spec": {"minReadySeconds": -5}}),
    }
}

fn deployment_status(dice: &mut Dice) -> Value {
    match dice.below(2) {
        0 => {
            json!({"status": {"observedGeneration": 1, "replicas": 2, "updatedReplicas": 2, "readyReplicas": dice.below(3)}})
        }
        _ => json!({"status": {"conditions": [condition(dice, &["Available", "Progressing"])]}}),
    }
}

fn replicas_status(dice: &mut Dice) -> Value {
    match dice.below(2) {
        0 => json!({"status": {"replicas": 2, "readyReplicas": dice.below(3), "observedGeneration": 1}}),
        _ => json!({"status": {"replicas": 1, "conditions": [condition(dice, &["ReplicaFailure"])]}}),
    }
}

fn replica_set(dice: &mut Dice) -> Value {
    let mut spec = json!({"selector": selector(), "template": template(dice, "web", None)});
    if dice.chance(50) {
        spec["replicas"] = json!(dice.below(3));
    }
    json!({"spec": spec})
}

fn replicas_change(dice: &mut Dice) -> Value {
    match dice.below(2) {
        0 => json!({"spec": {"replicas": dice.below(5)}}),
        _ => json!({"spec": {"minReadySeconds": dice.below(3)}}),
    }
}

fn stateful_set(dice: &mut Dice) -> Value {
    let mut spec =
        json!({"serviceName": "web", "selector": selector(), "template": template(dice, "web", None)});
    if dice.chance(50) {
        spec["replicas"] = json!(dice.below(3));
    }
    match dice.below(6) {
        0 => spec["podManagementPolicy"] = json!("Parallel"),
        1 => spec["updateStrategy"] = json!({"type": "OnDelete"}),
        2 => spec["updateStrategy"] = json!({"rollingUpdate": {"partition": 1}}),
        3 => {
            spec["volumeClaimTemplates"] = json!([{"metadata": {"name": "data"},
                "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}}]);
        }
        4 => spec["persistentVolumeClaimRetentionPolicy"] = json!({"whenDeleted": "Delete"}),
        _ => {}
    }
    json!({"spec": spec})
}

fn stateful_change(dice: &mut Dice) -> Value {
    match dice.below(3) {
        0 => json!({"spec": {"replicas": dice.below(4)}}),
        1 => json!({"spec": {"updateStrategy": {"type": "OnDelete", "rollingUpdate": null}}}),
        _ => {
            json!({"spec": {"template": {"metadata": {"annotations": {"restarted": dice.pick(&["1", "2"])}}}}})
        }
    }
}

fn daemon_set(dice: &mut Dice) -> Value {
    let mut spec = json!({"selector": selector(), "template": template(dice, "web", None)});
    match dice.below(4) {
        0 => spec["updateStrategy"] = json!({"type": "OnDelete"}),
        1 => {
            spec["updateStrategy"] =
                json!({"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": "10%"}});
        }
        _ => {}
    }
    json!({"spec": spec})
}

fn daemon_change(dice: &mut Dice) -> Value {
    match dice.below(2) {
        0 => json!({"spec": {"minReadySeconds": dice.below(3)}}),
        _ => {
            json!({"spec": {"template": {"metadata": {"annotations": {"restarted": dice.pick(&["1", "2"])}}}}})
        }
    }
}

fn daemon_status(dice: &mut Dice) -> Value {
    json!({"status": {
        "currentNumberScheduled": 1, "desiredNumberScheduled": 1, "numberMisscheduled": 0, "numberReady": dice.below(2),
    }})
}

fn job(dice: &mut Dice) -> Value {
    let restart = dice.pick(&["Never", "OnFailure"]);
    let mut job = json!({"template": {"spec": spec(dice, Some(restart))}});
    if dice.chance(30) {
        job["template"]["metadata"] = json!({"labels": {"app": "web"}});
    }
    match dice.below(7) {
        0 => job["completions"] = json!(3),
        1 => {
            job["parallelism"] = json!(2);
            job["completions"] = json!(2);
        }
        2 => job["backoffLimit"] = json!(1),
        3 => job["suspend"] = json!(true),
        4 => job["ttlSecondsAfterFinished"] = json!(1000),
        5 => job["activeDeadlineSeconds"] = json!(600),
        _ => {}
    }
    json!({"spec": job})
}

fn job_change(dice: &mut Dice) -> Value {
    match dice.below(4) {
        0 => json!({"spec": {"suspend": dice.chance(50)}}),
        1 => json!({"spec": {"parallelism": dice.below(4)}}),
        2 => json!({"spec": {"backoffLimit": dice.below(4)}}),
        _ => json!({"spec": {"activeDeadlineSeconds": 900}}),
    }
}

fn job_status(dice: &mut Dice) -> Value {
    json!({"status": {"active": dice.below(2), "startTime": "2026-01-02T03:04:05Z"}})
}

fn job_wrong(dice: &mut Dice) -> Value {
    match dice.below(5) {
        0 => json!({"spec": {"template": {"spec": {"restartPolicy": "Always"}}}}),
        1 => json!({"spec": {"completions": -1}}),
        2 => json!({"spec": {"selector": {"matchLabels": {"app": "web"}}}}),
        3 => json!({"spec": {"template": {"spec": {"containers": [{"name": "main", "image": "changed"}]}}}}),
        _ => json!({"spec": {"completionMode": "Never"}}),
    }
}

fn cron_job(dice: &mut Dice) -> Value {
    let mut cron = json!({"schedule": dice.pick(&["*/5 * * * *", "@hourly"]), "jobTemplate": job(dice)});
    match dice.below(3) {
        0 => cron["suspend"] = json!(true),
        1 => cron["concurrencyPolicy"] = json!("Forbid"),
        _ => {}
    }
    json!({"spec": cron})
}

fn cron_change(dice: &mut Dice) -> Value {
    match dice.below(3) {
        0 => json!({"spec": {"suspend": dice.chance(50)}}),
        1 => json!({"spec": {"schedule": "0 0 * * *"}}),
        _ => json!({"spec": {"successfulJobsHistoryLimit": dice.below(4)}}),
    }
}

fn cron_status(_: &mut Dice) -> Value {
    json!({"status": {"lastScheduleTime": "2026-01-02T03:04:05Z"}})
}

fn cron_wrong(dice: &mut Dice) -> Value {
    match dice.below(2) {
        0 => json!({"spec": {"schedule": 5}}),
        _ => json!({"spec": {"jobTemplate": "none"}}),
    }
}
