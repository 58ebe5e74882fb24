//! A workload that will not become ready is told within seconds, with what its pods say, and not when time is over.

use std::time::Duration;

use engine::{Event, Options, Outcome};
use k8s_openapi::api::core::v1::{ConfigMap, ResourceQuota};
use plan::Operation;
use serde_json::json;
use support::{Cluster, create};

use crate::release::{Release, Result, is_ready};

fn workload(kind: &str, name: &str, annotations: &str) -> String {
    let own = match kind {
        "StatefulSet" => "  serviceName: web\n",
        "Job" => "  backoffLimit: 0\n",
        _ => "",
    };
    let selector = format!("  selector: {{matchLabels: {{app: {name}}}}}\n");
    let (group, selector, policy) =
        if kind == "Job" { ("batch", String::new(), "Never") } else { ("apps", selector, "Always") };
    format!(
        "apiVersion: {group}/v1\nkind: {kind}\nmetadata: {{name: {name}}}\nspec:\n{own}{selector}  template:\n    metadata:\n      labels: {{app: {name}}}\n      annotations: {{{annotations}}}\n    spec: {{restartPolicy: {policy}, containers: [{{name: main, image: 'web:9'}}]}}\n"
    )
}

/// Comes after the layer `web`.
const AFTER: &str = "\
apiVersion: v1
kind: ConfigMap
metadata: {name: after, annotations: {helm.sh/depends-on/layers: web}}
";

/// Far longer than any of this may take.
fn options() -> Options {
    Options { timeout: Duration::from_mins(5), ..Options::default() }
}

fn failure(outcome: &Outcome) -> Result<String> {
    Ok(outcome.failures.first().ok_or("it did not fail")?.1.clone())
}

#[tokio::test]
async fn an_image_that_is_not_there() -> Result {
    let cluster = Cluster::start().await?;
    for kind in ["Deployment", "StatefulSet", "DaemonSet"] {
        let mut release = Release::new(&cluster).await?;
        let web = workload(kind, "web", "dock.slipway.dev/fail: ImagePullBackOff");
        let outcome = release.run(Operation::Install, &[&web], &options()).await?;
        let told = failure(&outcome)?;
        assert!(told.contains("container main of pod web-") && told.contains("ImagePullBackOff"), "{told}");
        assert!(told.contains("hint: check the image's name"), "{told}");
        if cluster.as_dock().is_some() {
            assert!(told.contains("event: Pod web-") && told.contains("Failed to pull image"), "{told}");
        }
        assert!(!told.contains("in time"), "{told}");
        let reasons = release.events.iter().filter_map(|event| match event {
            Event::Failed { reason, .. } => reason.as_deref(),
            _ => None,
        });
        assert_eq!(reasons.collect::<Vec<_>>(), ["ImagePullBackOff"], "{:#?}", release.events);
        release.namespace.remove().await?;
    }
    Ok(())
}

#[tokio::test]
async fn a_container_that_crashes_again_and_again_with_its_log() -> Result {
    let cluster = Cluster::start().await?;
    let mut release = Release::new(&cluster).await?;
    let annotations = "dock.slipway.dev/fail: CrashLoopBackOff, dock.slipway.dev/log: no such table";
    let web = workload("Deployment", "web", annotations);
    // On the control plane the pods are played by kwok, whose containers do not count their restarts.
    let options = if cluster.as_dock().is_some() {
        options()
    } else {
        Options { timeout: Duration::from_secs(4), ..options() }
    };
    let outcome = release.run(Operation::Install, &[&web], &options).await?;
    let told = failure(&outcome)?;
    assert!(told.contains("CrashLoopBackOff"), "{told}");
    if cluster.as_dock().is_some() {
        assert!(told.contains("(last exit code 1)") && told.contains("log: no such table"), "{told}");
        assert!(told.contains("event: Pod web-") && told.contains("BackOff"), "{told}");
    }
    Ok(release.namespace.remove().await?)
}

#[tokio::test]
async fn a_crash_may_end_while_something_else_is_not_ready_yet() -> Result {
    let cluster = Cluster::start().await?;
    if cluster.as_dock().is_none() {
        return Ok(());
    }
    let mut release = Release::new(&cluster).await?;
    let crashes = workload("Deployment", "web", "dock.slipway.dev/fail: CrashLoopBackOff");
    let slow = workload("Deployment", "database", "dock.slipway.dev/ready-after: 14s");
    let outcome = release.run(Operation::Install, &[&crashes, &slow], &options()).await?;
    // The second restart comes after ten seconds; whoever crashes waits for the one who is slow.
    let ready = release.when(is_ready("database"));
    let failed = release.when(|event| matches!(event, Event::Failed { .. }));
    assert!(ready < failed, "{:#?}", release.events);
    assert!(failure(&outcome)?.contains("CrashLoopBackOff"), "{:?}", outcome.failures);
    Ok(release.namespace.remove().await?)
}

#[tokio::test]
async fn pods_that_a_quota_leaves_no_room_for() -> Result {
    let cluster = Cluster::start().await?;
    if cluster.as_dock().is_some() {
        // There are no quotas on the dock: what its controllers are refused for stands in for them elsewhere.
        return Ok(());
    }
    for kind in ["Deployment", "StatefulSet", "DaemonSet", "Job"] {
        let mut release = Release::new(&cluster).await?;
        let quota = json!({"metadata": {"name": "none"}, "spec": {"hard": {"pods": "0"}}});
        let quotas = release.namespace.api::<ResourceQuota>();
        create(&quotas, quota).await?;
        support::eventually(&quotas, "none", |quota| {
            quota.status.as_ref().is_some_and(|status| status.hard.is_some())
        })
        .await?;
        let web = workload(kind, "web", "")
            .replace("{name: web}", "{name: web, annotations: {helm.sh/layer: web}}");
        let options = Options { timeout: Duration::from_secs(50), ..options() };
        let outcome = release.run(Operation::Install, &[&web, AFTER], &options).await?;
        let told = failure(&outcome)?;
        assert!(told.contains("exceeded quota") && !told.contains("in time"), "{kind}: {told}");
        assert!(release.namespace.api::<ConfigMap>().get_opt("after").await?.is_none());
        release.namespace.remove().await?;
    }
    Ok(())
}

#[tokio::test]
async fn a_failed_job_with_its_log() -> Result {
    let cluster = Cluster::start().await?;
    let mut release = Release::new(&cluster).await?;
    let job =
        workload("Job", "migrate", "dock.slipway.dev/fail: Error, dock.slipway.dev/log: table is locked");
    // Only a Job that something comes after is awaited to its end.
    let job = job
        .replace("metadata: {name: migrate}", "metadata: {name: migrate, annotations: {helm.sh/layer: web}}");
    let outcome = release.run(Operation::Install, &[&job, AFTER], &options()).await?;
    let told = failure(&outcome)?;
    assert!(told.to_lowercase().contains("job failed"), "{told}");
    if cluster.as_dock().is_some() {
        assert!(told.contains("log: table is locked"), "{told}");
    }
    Ok(release.namespace.remove().await?)
}

#[tokio::test]
async fn a_hook_whose_image_is_not_there() -> Result {
    let cluster = Cluster::start().await?;
    let mut release = Release::new(&cluster).await?;
    release.hooks = vec![workload("Job", "migrate", "dock.slipway.dev/fail: ImagePullBackOff")];
    // A pod that is not to be restarted ends on the control plane instead of waiting.
    let outcome = release.run(Operation::Install, &[], &options()).await?;
    let told = failure(&outcome)?;
    assert!(told.contains("ImagePullBackOff") || told.contains("job failed"), "{told}");
    Ok(release.namespace.remove().await?)
}

#[tokio::test]
async fn a_pod_that_no_node_has_room_for_is_told_and_waited_for() -> Result {
    let cluster = Cluster::start().await?;
    if cluster.as_dock().is_some() {
        return Ok(());
    }
    let mut release = Release::new(&cluster).await?;
    let web = workload("Deployment", "web", "")
        .replace("spec: {restart", "spec: {nodeSelector: {no: node}, restart");
    let options = Options { timeout: Duration::from_secs(6), ..options() };
    let outcome = release.run(Operation::Install, &[&web], &options).await?;
    let told = failure(&outcome)?;
    assert!(told.contains("not ready in time") && told.contains("Unschedulable"), "{told}");
    Ok(release.namespace.remove().await?)
}
