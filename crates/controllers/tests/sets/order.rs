//! Resources go in by references and layers, and each says how it stands.

use dock::Dock;
use dock::faults::{Fault, Injected, Which};
use jiff::Timestamp;
use kube::ResourceExt;
use serde_json::json;

use crate::yard::{Done, Yard, a_while, condition, map, map_with, message, says};

#[tokio::test(flavor = "multi_thread")]
async fn a_bundle_is_ready_when_all_its_resources_are() -> Done {
    let yard = Yard::new().await?;
    yard.apply("b", json!([map("one"), map("two")])).await?;
    let bundle = yard.ready("b").await?;
    assert!(says(&bundle, "one", "Ready") && says(&bundle, "two", "Ready"));
    assert_eq!(condition(&bundle, "InProgress"), Some("False"));
    assert_eq!(condition(&bundle, "Error"), Some("False"));
    yard.maps.get("one").await?;
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn finalizer_added() -> Done {
    let yard = Yard::new().await?;
    yard.apply("b", json!([map("one")])).await?;
    let bundle = yard.ready("b").await?;
    assert_eq!(bundle.finalizers(), ["slipway.dev/bundles"]);
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reference_brings_its_value_with_its_type_and_inside_of_text() -> Done {
    let yard = Yard::new().await?;
    let source = map_with("source", json!({}), json!({"host": "db", "port": "5432"}));
    let mut user = map_with("user", json!({}), json!({"url": "pg://!{host}:!{port}/", "host": "!{host}"}));
    user["references"] = json!([
        {"name": "host", "resource": "source", "path": "data.host"},
        {"name": "port", "resource": "source", "path": "{$.data.port}"},
    ]);
    // The order of the list has no meaning.
    yard.apply("b", json!([user, source])).await?;
    yard.ready("b").await?;
    let data = yard.maps.get("user").await?.data.unwrap_or_default();
    assert_eq!(data["url"], "pg://db:5432/");
    assert_eq!(data["host"], "db");
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_changed_value_reaches_those_who_refer_to_it() -> Done {
    let yard = Yard::new().await?;
    let resources = |host: &str| {
        let mut user = map_with("user", json!({}), json!({"host": "!{host}"}));
        user["references"] = json!([{"name": "host", "resource": "source", "path": "data.host"}]);
        json!([user, map_with("source", json!({}), json!({"host": host}))])
    };
    yard.apply("b", resources("one")).await?;
    yard.ready("b").await?;
    yard.apply("b", resources("two")).await?;
    support::eventually(&yard.maps, "user", |map| {
        map.data.as_ref().is_some_and(|data| data.get("host").is_some_and(|host| host == "two"))
    })
    .await?;
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn no_actions_for_blocked_resources() -> Done {
    let yard = Yard::new().await?;
    // A claim is ready when it is bound, and nobody binds this one.
    let claim = json!({"name": "claim", "spec": {"object": {
        "apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "job"},
        "spec": {"suspend": true, "template": {"spec": {
            "restartPolicy": "Never", "containers": [{"name": "c", "image": "x"}]}}},
    }}});
    let mut blocked = map("blocked");
    blocked["references"] = json!([{"resource": "claim"}]);
    yard.apply("b", json!([claim, blocked])).await?;
    let bundle = yard.standing("b", "blocked", "Blocked").await?;
    assert_eq!(message(&bundle, "blocked", "Blocked"), "dependencies are not ready: claim");
    assert!(says(&bundle, "claim", "InProgress"), "{bundle:?}");
    assert_eq!(condition(&bundle, "Ready"), Some("False"));
    a_while().await;
    assert!(yard.maps.get_opt("blocked").await?.is_none());
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn processing_continues_after_non_blocking_error() -> Done {
    let yard = Yard::new().await?;
    let wrong = json!({"name": "wrong", "spec": {"object": {
        "apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "Not A Name"}}}});
    let mut after = map("after");
    after["references"] = json!([{"resource": "wrong"}]);
    yard.apply("b", json!([wrong, after, map("good")])).await?;
    let bundle = yard.standing("b", "wrong", "Error").await?;
    assert!(says(&bundle, "good", "Ready"), "{bundle:?}");
    assert!(says(&bundle, "after", "Blocked"), "{bundle:?}");
    assert_eq!(condition(&bundle, "Error"), Some("True"));
    assert!(yard.maps.get_opt("after").await?.is_none());
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn two_resources_with_same_name() -> Done {
    let yard = Yard::new().await?;
    yard.apply("b", json!([map("one"), map("one")])).await?;
    let bundle = support::eventually(&yard.bundles, "b", |bundle| {
        bundle.status.as_ref().is_some_and(|status| !status.extension.last_errors.is_empty())
    })
    .await?;
    let status = bundle.status.unwrap_or_default();
    assert_eq!(
        status.extension.last_errors[0].description,
        "bundle contains two resources with the same name \"one\""
    );
    assert!(yard.maps.get_opt("one").await?.is_none());
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn invalid_references() -> Done {
    let yard = Yard::new().await?;
    let mut user = map_with("user", json!({}), json!({"x": "!{x}"}));
    user["references"] = json!([{"name": "x", "resource": "source", "path": "data.nothing"}]);
    yard.apply("b", json!([map("source"), user])).await?;
    let bundle = yard.standing("b", "user", "Error").await?;
    let expected = "reference \"x\": there is nothing at \"data.nothing\" of \"source\"";
    assert_eq!(message(&bundle, "user", "Error"), expected);
    assert!(says(&bundle, "source", "Ready"));
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn an_object_that_somebody_changes_is_put_right() -> Done {
    let yard = Yard::new().await?;
    yard.apply("b", json!([map_with("one", json!({}), json!({"a": "b"}))])).await?;
    yard.ready("b").await?;
    let change = kube::api::Patch::Merge(json!({"data": {"a": "changed"}}));
    yard.maps.patch("one", &kube::api::PatchParams::default(), &change).await?;
    support::eventually(&yard.maps, "one", |map| {
        map.data.as_ref().is_some_and(|data| data.get("a").is_some_and(|a| a == "b"))
    })
    .await?;
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn an_object_that_somebody_deletes_comes_back() -> Done {
    let yard = Yard::new().await?;
    yard.apply("b", json!([map("one")])).await?;
    yard.ready("b").await?;
    let before = yard.maps.get("one").await?.uid();
    yard.maps.delete("one", &kube::api::DeleteParams::default()).await?;
    support::eventually(&yard.maps, "one", |map| map.uid() != before).await?;
    Ok(())
}

/// Lets nobody watch what sets have, until it is taken back.
fn nobody_watches(dock: &Dock) -> Injected {
    dock.faults().add(|line, _| {
        let is_watch = line.contains("/configmaps?") && line.contains("labelSelector=");
        is_watch.then(Fault::unavailable)
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn an_object_that_is_deleted_before_anybody_watches_comes_back() -> Done {
    let yard = Yard::new().await?;
    let Some(dock) = yard.cluster.as_dock() else { return Ok(()) };
    let blind = nobody_watches(dock);
    yard.apply("b", json!([map("one")])).await?;
    yard.ready("b").await?;
    let before = yard.maps.get("one").await?.uid();
    yard.maps.delete("one", &kube::api::DeleteParams::default()).await?;
    while blind.hits() == 0 {
        tokio::task::yield_now().await;
    }
    blind.remove();
    support::eventually(&yard.maps, "one", |map| map.uid() != before).await?;
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn an_object_that_is_deleted_while_the_watch_is_broken_comes_back() -> Done {
    let yard = Yard::new().await?;
    let Some(dock) = yard.cluster.as_dock() else { return Ok(()) };
    let short = dock.faults().inject(Which::verb("watch").resource("configmaps"), Fault::CutWatch(1));
    yard.apply("b", json!([map("one"), map("two")])).await?;
    yard.ready("b").await?;
    let before = yard.maps.get("one").await?.uid();
    let blind = nobody_watches(dock);
    short.remove();
    while blind.hits() == 0 {
        yard.annotate("two", json!({"seen": Timestamp::now().to_string()})).await?;
        a_while().await;
    }
    // What the last change has caused is over.
    a_while().await;
    yard.maps.delete("one", &kube::api::DeleteParams::default()).await?;
    dock.faults().expire_revisions();
    blind.remove();
    support::eventually(&yard.maps, "one", |map| map.uid() != before).await?;
    Ok(())
}
