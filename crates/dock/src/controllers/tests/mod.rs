//! Controllers at work together, on small worlds with a turned clock.

mod deployments;
mod garbage;
mod jobs;
mod laws;
mod namespaces;
mod pods;
mod stateful_sets;
mod storage;

use serde_json::{Value, json};

use super::object::Object;

/// A Pod template with one container.
fn template(labels: &Value) -> Value {
    json!({
        "metadata": { "labels": labels },
        "spec": {
            "restartPolicy": "Always",
            "terminationGracePeriodSeconds": 30,
            "containers": [{ "name": "app", "image": "app:1" }],
        },
    })
}

fn deployment(name: &str, replicas: i64) -> Value {
    let labels = json!({ "app": name });
    json!({
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": { "name": name },
        "spec": {
            "replicas": replicas,
            "selector": { "matchLabels": labels },
            "template": template(&labels),
            "strategy": { "type": "RollingUpdate", "rollingUpdate": { "maxSurge": "25%", "maxUnavailable": "25%" } },
            "progressDeadlineSeconds": 600,
            "revisionHistoryLimit": 10,
        },
    })
}

fn stateful_set(name: &str, replicas: i64) -> Value {
    let labels = json!({ "app": name });
    json!({
        "apiVersion": "apps/v1",
        "kind": "StatefulSet",
        "metadata": { "name": name },
        "spec": {
            "replicas": replicas,
            "serviceName": name,
            "podManagementPolicy": "OrderedReady",
            "revisionHistoryLimit": 10,
            "selector": { "matchLabels": labels },
            "template": template(&labels),
            "updateStrategy": { "type": "RollingUpdate", "rollingUpdate": { "partition": 0 } },
        },
    })
}

fn job(name: &str) -> Value {
    let mut template = template(&json!({ "job": name }));
    template["spec"]["restartPolicy"] = "Never".into();
    json!({
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": { "name": name },
        "spec": {
            "parallelism": 1,
            "completions": 1,
            "backoffLimit": 2,
            "selector": { "matchLabels": { "job": name } },
            "template": template,
        },
    })
}

fn pod(name: &str) -> Value {
    let template = template(&json!({}));
    json!({ "apiVersion": "v1", "kind": "Pod", "metadata": { "name": name }, "spec": template["spec"] })
}

fn config_map(name: &str) -> Value {
    json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": name } })
}

/// A reference to an owner.
fn owned_by(owner: &Value, blocking: bool) -> Value {
    use super::object::Object;
    json!({
        "apiVersion": owner["apiVersion"],
        "kind": owner["kind"],
        "name": owner.name(),
        "uid": owner.uid(),
        "blockOwnerDeletion": blocking,
    })
}

fn condition(object: &Value, kind: &str) -> (String, String, String) {
    let found = object.condition(kind).unwrap_or_else(|| panic!("no {kind} in {object}"));
    (found.text("status").into(), found.text("reason").into(), found.text("message").into())
}

fn image(object: &mut Value, image: &str) {
    object["spec"]["template"]["spec"]["containers"][0]["image"] = image.into();
}
