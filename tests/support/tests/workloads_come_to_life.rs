//! Controllers and kubelets: workloads become ready, jobs finish, claims bind, and all of it goes again.

use k8s_openapi::api::apps::v1::{Deployment, ReplicaSet, StatefulSet};
use k8s_openapi::api::batch::v1::Job;
use k8s_openapi::api::core::v1::{PersistentVolumeClaim, Pod};
use kube::ResourceExt;
use kube::api::{DeleteParams, Patch, PatchParams};
use serde_json::{Value, json};
use support::{Cluster, Error, create, eventually, every, gone};

fn template(app: &str, annotations: &Value) -> Value {
    json!({
        "metadata": {"labels": {"app": app}, "annotations": annotations},
        "spec": {"containers": [{"name": "main", "image": "nginx:1.29"}]},
    })
}

#[tokio::test]
async fn a_deployment_becomes_available_and_takes_its_pods_along() -> Result<(), Error> {
    let cluster = Cluster::start().await?;
    let namespace = cluster.namespace().await?;
    let deployments = namespace.api::<Deployment>();
    let spec = json!({"replicas": 2, "selector": {"matchLabels": {"app": "web"}}, "template": template("web", &json!({}))});
    create(&deployments, json!({"metadata": {"name": "web"}, "spec": spec})).await?;
    let ready = |wanted: i32| {
        move |deployment: &Deployment| {
            let status = deployment.status.clone().unwrap_or_default();
            status.observed_generation == deployment.metadata.generation
                && status.available_replicas == Some(wanted)
                && status.updated_replicas == Some(wanted)
                && status.replicas == Some(wanted)
        }
    };
    eventually(&deployments, "web", ready(2)).await?;

    let change =
        json!({"spec": {"replicas": 3, "template": {"metadata": {"annotations": {"changed": "yes"}}}}});
    deployments.patch("web", &PatchParams::default(), &Patch::Merge(change)).await?;
    eventually(&deployments, "web", ready(3)).await?;
    let sets = namespace.api::<ReplicaSet>();
    let sets = every(&sets, "app=web", |sets| sets.len() == 2).await?;
    assert!(sets.values().all(|set| set.owner_references().iter().any(|owner| owner.name == "web")));

    deployments.delete("web", &DeleteParams::background()).await?;
    gone(&deployments, "web").await?;
    every(&namespace.api::<Pod>(), "app=web", std::collections::BTreeMap::is_empty).await?;
    namespace.remove().await
}

#[tokio::test]
async fn a_job_completes() -> Result<(), Error> {
    let cluster = Cluster::start().await?;
    let namespace = cluster.namespace().await?;
    let jobs = namespace.api::<Job>();
    let mut template = template("once", &json!({}));
    template["spec"]["restartPolicy"] = json!("Never");
    create(&jobs, json!({"metadata": {"name": "once"}, "spec": {"template": template}})).await?;
    let job = eventually(&jobs, "once", |job| holds(job, "Complete")).await?;
    assert_eq!(job.status.and_then(|status| status.succeeded), Some(1));
    namespace.remove().await
}

#[tokio::test]
async fn a_job_fails_when_its_pods_are_told_to() -> Result<(), Error> {
    let cluster = Cluster::start().await?;
    let namespace = cluster.namespace().await?;
    let jobs = namespace.api::<Job>();
    let mut template = template("bad", &json!({"dock.slipway.dev/fail": "Error"}));
    template["spec"]["restartPolicy"] = json!("Never");
    create(&jobs, json!({"metadata": {"name": "bad"}, "spec": {"backoffLimit": 0, "template": template}}))
        .await?;
    eventually(&jobs, "bad", |job| holds(job, "Failed")).await?;
    namespace.remove().await
}

fn holds(job: &Job, kind: &str) -> bool {
    let conditions = job.status.as_ref().and_then(|status| status.conditions.as_ref());
    conditions.is_some_and(|conditions| {
        conditions.iter().any(|condition| condition.type_ == kind && condition.status == "True")
    })
}

#[tokio::test]
async fn pods_crash_when_they_are_told_to() -> Result<(), Error> {
    let cluster = Cluster::start().await?;
    let namespace = cluster.namespace().await?;
    let deployments = namespace.api::<Deployment>();
    let template = template("broken", &json!({"dock.slipway.dev/fail": "CrashLoopBackOff"}));
    let spec = json!({"selector": {"matchLabels": {"app": "broken"}}, "template": template});
    create(&deployments, json!({"metadata": {"name": "broken"}, "spec": spec})).await?;
    let waits = |pod: &Pod| {
        let statuses = pod.status.as_ref().and_then(|status| status.container_statuses.as_ref());
        statuses.is_some_and(|statuses| {
            statuses.iter().any(|container| {
                let waiting = container.state.as_ref().and_then(|state| state.waiting.as_ref());
                waiting.is_some_and(|waiting| waiting.reason.as_deref() == Some("CrashLoopBackOff"))
            })
        })
    };
    every(&namespace.api::<Pod>(), "app=broken", |pods| pods.len() == 1 && pods.values().all(waits)).await?;
    namespace.remove().await
}

#[tokio::test]
async fn a_stateful_set_makes_its_pods_in_order_and_their_claims() -> Result<(), Error> {
    let cluster = Cluster::start().await?;
    let namespace = cluster.namespace().await?;
    let sets = namespace.api::<StatefulSet>();
    let claim = json!({"metadata": {"name": "data"},
        "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}});
    let spec = json!({"replicas": 2, "serviceName": "db", "selector": {"matchLabels": {"app": "db"}},
        "template": template("db", &json!({})), "volumeClaimTemplates": [claim]});
    create(&sets, json!({"metadata": {"name": "db"}, "spec": spec})).await?;
    eventually(&sets, "db", |set| set.status.as_ref().is_some_and(|status| status.ready_replicas == Some(2)))
        .await?;
    let pods = namespace.api::<Pod>();
    let first = pods.get("db-0").await?;
    let second = pods.get("db-1").await?;
    assert!(first.creation_timestamp() <= second.creation_timestamp());
    let bound = |claim: &PersistentVolumeClaim| {
        claim.status.as_ref().is_some_and(|status| status.phase.as_deref() == Some("Bound"))
    };
    eventually(&namespace.api::<PersistentVolumeClaim>(), "data-db-0", bound).await?;
    namespace.remove().await
}
