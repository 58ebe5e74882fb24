//! Order, failures, hooks and interruption.

use std::time::Duration;

use engine::{Effect, Ending, Event, Options, Stop};
use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::ConfigMap;
use plan::Operation;
use serde_json::json;
use support::{Cluster, create};

use crate::release::{Release, Result, is_applied, is_deleting, is_gone, is_ready};

const DATABASE: &str = "\
apiVersion: apps/v1
kind: Deployment
metadata:
  name: database
  annotations:
    helm.sh/layer: database
spec:
  selector: {matchLabels: {app: database}}
  template:
    metadata: {labels: {app: database}}
    spec: {containers: [{name: main, image: postgres:18}]}
";

const SHOP: &str = "\
apiVersion: v1
kind: ConfigMap
metadata:
  name: shop
  annotations:
    helm.sh/layer: shop
    helm.sh/depends-on/layers: database
data: {open: 'yes'}
";

#[tokio::test]
async fn layers_wait_for_each_other_on_the_way_in_and_out() -> Result {
    let cluster = Cluster::start().await?;
    let mut release = Release::new(&cluster).await?;
    let options = Options::default();
    let outcome = release.run(Operation::Install, &[SHOP, DATABASE], &options).await?;
    assert!(outcome.is_success(), "{:?}", outcome.failures);
    assert!(release.when(is_ready("database")) < release.when(is_applied("shop")), "{:#?}", release.events);
    assert_eq!(release.events.last(), Some(&Event::Ended { outcome: Ending::Done }));

    let outcome = release.run(Operation::Uninstall, &[], &options).await?;
    assert!(outcome.is_success(), "{:?}", outcome.failures);
    assert!(release.when(is_gone("shop")) < release.when(is_deleting("database")), "{:#?}", release.events);
    assert!(release.namespace.api::<Deployment>().get_opt("database").await?.is_none());
    assert!(release.stored.entries.is_empty(), "{:?}", release.stored);
    Ok(release.namespace.remove().await?)
}

#[tokio::test]
async fn of_many_objects_that_are_as_wanted_none_is_written_again() -> Result {
    let cluster = Cluster::start().await?;
    let mut release = Release::new(&cluster).await?;
    // More than are read one by one: what comes in a list is looked at in the same way.
    let texts: Vec<String> =
        (0..9).map(|number| SHOP.replace("name: shop", &format!("name: shop-{number}"))).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let outcome = release.run(Operation::Install, &texts, &Options::default()).await?;
    assert!(outcome.is_success(), "{:?}", outcome.failures);
    let outcome = release.run(Operation::Upgrade, &texts, &Options::default()).await?;
    assert!(outcome.is_success(), "{:?}", outcome.failures);
    let effects = release.effects();
    assert!(
        effects.len() >= 9 && effects.iter().all(|(_, effect)| *effect == Effect::Unchanged),
        "{effects:?}"
    );
    Ok(release.namespace.remove().await?)
}

#[tokio::test]
async fn what_is_as_wanted_is_not_written_again() -> Result {
    let cluster = Cluster::start().await?;
    let mut release = Release::new(&cluster).await?;
    let options = Options::default();
    release.run(Operation::Install, &[SHOP], &options).await?;
    let maps = release.namespace.api::<ConfigMap>();
    let before = maps.get("shop").await?.metadata.resource_version;
    let outcome = release.run(Operation::Upgrade, &[SHOP], &options).await?;
    assert!(outcome.is_success(), "{:?}", outcome.failures);
    assert_eq!(release.effects(), [("shop".to_owned(), Effect::Unchanged)]);
    assert_eq!(maps.get("shop").await?.metadata.resource_version, before);

    // Somebody else changes it: it is applied again.
    let change = kube::api::Patch::Merge(json!({"data": {"open": "no"}}));
    maps.patch("shop", &kube::api::PatchParams::default(), &change).await?;
    let insisting = Options { force_conflicts: true, ..Options::default() };
    release.run(Operation::Upgrade, &[SHOP], &insisting).await?;
    assert_eq!(release.effects(), [("shop".to_owned(), Effect::Configured)]);
    Ok(release.namespace.remove().await?)
}

#[tokio::test]
async fn another_object_of_the_name_is_not_deleted() -> Result {
    let cluster = Cluster::start().await?;
    let mut release = Release::new(&cluster).await?;
    let options = Options::default();
    release.run(Operation::Install, &[SHOP], &options).await?;
    let maps = release.namespace.api::<ConfigMap>();
    maps.delete("shop", &kube::api::DeleteParams::default()).await?;
    support::gone(&maps, "shop").await?;
    create(&maps, json!({"metadata": {"name": "shop"}, "data": {"of": "somebody else"}})).await?;
    let outcome = release.run(Operation::Uninstall, &[], &options).await?;
    assert!(outcome.is_success(), "{:?}", outcome.failures);
    assert!(maps.get_opt("shop").await?.is_some(), "an object of somebody else was deleted");
    Ok(release.namespace.remove().await?)
}

#[tokio::test]
async fn what_fails_stops_only_what_comes_after_it() -> Result {
    let cluster = Cluster::start().await?;
    let mut release = Release::new(&cluster).await?;
    let refused = SHOP.replace("name: shop", "name: Not_A_Name").replace("layer: shop", "layer: bad");
    let after = SHOP
        .replace("name: shop", "name: after")
        .replace("layer: shop", "layer: after")
        .replace("layers: database", "layers: bad");
    let other =
        SHOP.replace("name: shop", "name: other").replace("helm.sh/depends-on/layers: database", "a: b");
    let options = Options { timeout: Duration::from_secs(20), ..Options::default() };
    let outcome = release.run(Operation::Install, &[&refused, &after, &other], &options).await?;
    assert_eq!(outcome.failures.len(), 1, "{:?}", outcome.failures);
    assert!(outcome.failures[0].1.contains("RFC 1123"), "{:?}", outcome.failures);
    let maps = release.namespace.api::<ConfigMap>();
    assert!(maps.get_opt("other").await?.is_some());
    assert!(maps.get_opt("after").await?.is_none());
    Ok(release.namespace.remove().await?)
}

const HOOK: &str = "\
apiVersion: batch/v1
kind: Job
metadata:
  name: migrate
spec:
  backoffLimit: 0
  template:
    metadata: {annotations: {dock.slipway.dev/log: table is locked}}
    spec: {restartPolicy: Never, containers: [{name: main, image: migrate:1}]}
";

#[tokio::test]
async fn hooks_run_before_and_their_failure_is_told_with_their_log() -> Result {
    let cluster = Cluster::start().await?;
    let mut release = Release::new(&cluster).await?;
    let options = Options { timeout: Duration::from_secs(30), ..Options::default() };
    release.hooks = vec![HOOK.to_owned()];
    let outcome = release.run(Operation::Install, &[SHOP], &options).await?;
    assert!(outcome.is_success(), "{:?}", outcome.failures);
    let done = release.when(|event| matches!(event, Event::HookDone { .. }));
    assert!(done < release.when(is_applied("shop")), "{:#?}", release.events);

    release.hooks = vec![HOOK.replace("{annotations: {", "{annotations: {dock.slipway.dev/fail: Error, ")];
    let outcome = release.run(Operation::Upgrade, &[SHOP], &options).await?;
    let told = &outcome.failures.first().ok_or("it did not fail")?.1;
    assert!(told.contains("the job failed"), "{told}");
    if cluster.as_dock().is_some() {
        assert!(told.contains("table is locked"), "{told}");
    }
    Ok(release.namespace.remove().await?)
}

#[tokio::test]
async fn what_does_not_go_is_named_with_what_holds_it() -> Result {
    let cluster = Cluster::start().await?;
    let mut release = Release::new(&cluster).await?;
    let held = SHOP.replace("  name: shop\n", "  name: shop\n  finalizers: [example.com/holds]\n");
    release.run(Operation::Install, &[&held], &Options::default()).await?;
    let options = Options { timeout: Duration::from_secs(1), ..Options::default() };
    let outcome = release.run(Operation::Uninstall, &[], &options).await?;
    let told = &outcome.failures.first().ok_or("it did not fail")?.1;
    assert!(told.contains("ConfigMap") && told.contains("example.com/holds"), "{told}");
    assert_eq!(release.stored.entries.len(), 1, "what is left is forgotten");

    let maps = release.namespace.api::<ConfigMap>();
    let free = kube::api::Patch::Merge(json!({"metadata": {"finalizers": null}}));
    maps.patch("shop", &kube::api::PatchParams::default(), &free).await?;
    let outcome = release.run(Operation::Uninstall, &[], &Options::default()).await?;
    assert!(outcome.is_success(), "{:?}", outcome.failures);
    assert!(release.stored.entries.is_empty(), "{:?}", release.stored);
    Ok(release.namespace.remove().await?)
}

#[tokio::test]
async fn a_wish_to_stop_finishes_what_is_under_way_and_begins_nothing() -> Result {
    let cluster = Cluster::start().await?;
    let mut release = Release::new(&cluster).await?;
    let (stopper, stop) = Stop::new();
    stopper.stop();
    release.stop = Some(stop);
    let outcome = release.run(Operation::Install, &[SHOP, DATABASE], &Options::default()).await?;
    assert!(outcome.stopped && !outcome.is_success());
    assert!(release.namespace.api::<ConfigMap>().get_opt("shop").await?.is_none());
    Ok(release.namespace.remove().await?)
}
