//! What is no longer listed goes; what a Bundle has goes with it; nothing else does.

use controllers::Features;
use k8s_openapi::api::core::v1::Secret;
use kube::ResourceExt;
use kube::api::{DeleteParams, Patch, PatchParams};
use serde_json::json;

use crate::yard::{Done, Yard, a_while, condition, delayed, map, map_with, stamp};

#[tokio::test(flavor = "multi_thread")]
async fn delete_removed_object() -> Done {
    let yard = Yard::new().await?;
    yard.apply("b", json!([map("one"), map("two")])).await?;
    yard.ready("b").await?;
    yard.apply("b", json!([map("one")])).await?;
    support::gone(&yard.maps, "two").await?;
    let bundle = yard.ready("b").await?;
    assert_eq!(bundle.status.unwrap_or_default().objects_to_delete, []);
    yard.maps.get("one").await?;
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn no_deletions_while_in_progress() -> Done {
    let yard = Yard::new().await?;
    yard.apply("b", json!([map("one"), map("two")])).await?;
    yard.ready("b").await?;
    let wrong = json!({"name": "wrong", "spec": {"object": {
        "apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "Not A Name"}}}});
    yard.apply("b", json!([map("one"), wrong])).await?;
    let bundle = yard.standing("b", "wrong", "Error").await?;
    a_while().await;
    yard.maps.get("two").await?;
    let to_delete = bundle.status.unwrap_or_default().objects_to_delete;
    assert_eq!(to_delete.len(), 1, "{to_delete:?}");
    assert_eq!((to_delete[0].kind.as_str(), to_delete[0].name.as_str()), ("ConfigMap", "two"));
    // Once it is ready it goes.
    yard.apply("b", json!([map("one")])).await?;
    support::gone(&yard.maps, "two").await?;
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn all_objects_go_with_their_bundle() -> Done {
    let yard = Yard::new().await?;
    yard.apply("b", json!([map("one"), map("two")])).await?;
    yard.ready("b").await?;
    yard.bundles.delete("b", &DeleteParams::default()).await?;
    support::gone(&yard.bundles, "b").await?;
    assert!(yard.maps.get_opt("one").await?.is_none());
    assert!(yard.maps.get_opt("two").await?.is_none());
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn who_refers_goes_before_what_is_referred_to() -> Done {
    let yard = Yard::new().await?;
    let mut user = map_with("user", json!({}), json!({"x": "!{x}"}));
    user["references"] = json!([{"name": "x", "resource": "source", "path": "metadata.name"}]);
    yard.apply("b", json!([map("source"), user])).await?;
    yard.ready("b").await?;
    let hold = json!({"metadata": {"finalizers": ["example.com/hold"]}});
    yard.maps.patch("user", &PatchParams::default(), &Patch::Merge(&hold)).await?;
    yard.bundles.delete("b", &DeleteParams::default()).await?;
    support::eventually(&yard.maps, "user", |map| map.metadata.deletion_timestamp.is_some()).await?;
    a_while().await;
    assert!(yard.maps.get("source").await?.metadata.deletion_timestamp.is_none(), "it goes last");
    let free = json!({"metadata": {"finalizers": null}});
    yard.maps.patch("user", &PatchParams::default(), &Patch::Merge(&free)).await?;
    support::gone(&yard.bundles, "b").await?;
    assert!(yard.maps.get_opt("source").await?.is_none());
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn keep_finalizer_when_resource_deletion_is_not_over() -> Done {
    let yard = Yard::new().await?;
    yard.apply("b", json!([map("one")])).await?;
    yard.ready("b").await?;
    let hold = json!({"metadata": {"finalizers": ["example.com/hold"]}});
    yard.maps.patch("one", &PatchParams::default(), &Patch::Merge(&hold)).await?;
    yard.bundles.delete("b", &DeleteParams::default()).await?;
    let bundle = support::eventually(&yard.bundles, "b", |bundle| {
        let status = bundle.status.as_ref();
        status.is_some_and(|status| !status.objects_to_delete.is_empty())
    })
    .await?;
    assert_eq!(bundle.finalizers(), ["slipway.dev/bundles"]);
    let why = bundle.status.unwrap_or_default().objects_to_delete[0].why.clone().unwrap_or_default();
    assert!(why.contains("example.com/hold"), "{why}");
    let free = json!({"metadata": {"finalizers": null}});
    yard.maps.patch("one", &PatchParams::default(), &Patch::Merge(&free)).await?;
    support::gone(&yard.bundles, "b").await?;
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn members_go_in_order_also_when_the_bundle_is_deleted_in_the_foreground() -> Done {
    let yard = Yard::new().await?;
    yard.apply("b", json!([map("one")])).await?;
    yard.ready("b").await?;
    yard.bundles.delete("b", &DeleteParams::foreground()).await?;
    support::gone(&yard.bundles, "b").await?;
    assert!(yard.maps.get_opt("one").await?.is_none());
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn the_delay_holds_when_the_bundle_itself_is_deleted() -> Done {
    let yard = Yard::new().await?;
    yard.apply("b", json!([map("one"), delayed("kept", "24h")])).await?;
    yard.ready("b").await?;
    yard.bundles.delete("b", &DeleteParams::default()).await?;
    support::gone(&yard.bundles, "b").await?;
    assert!(yard.maps.get_opt("one").await?.is_none());
    let kept = yard.maps.get("kept").await?;
    assert!(stamp(&kept).is_some(), "{kept:?}");
    // A Bundle of the same name has it again.
    yard.apply("b", json!([delayed("kept", "24h")])).await?;
    yard.ready("b").await?;
    let again = support::eventually(&yard.maps, "kept", |map| stamp(map).is_none()).await?;
    assert_eq!(again.uid(), kept.uid());
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn what_an_earlier_bundle_has_left_is_taken_out_of_the_trash_whenever_it_is_listed() -> Done {
    let yard = Yard::new().await?;
    yard.apply("b", json!([delayed("kept", "24h"), delayed("other", "24h")])).await?;
    yard.ready("b").await?;
    yard.bundles.delete("b", &DeleteParams::default()).await?;
    support::gone(&yard.bundles, "b").await?;
    let kept = yard.maps.get("kept").await?;
    let secrets = yard.namespace.api::<Secret>();
    let trash = "slipway.bundle-trash.v1.b";
    // The next of the name does not list it at first, nor all of it later.
    yard.apply("b", json!([map("one")])).await?;
    yard.ready("b").await?;
    assert!(stamp(&yard.maps.get("kept").await?).is_some());
    yard.apply("b", json!([map("one"), delayed("kept", "24h")])).await?;
    let again = support::eventually(&yard.maps, "kept", |map| stamp(map).is_none()).await?;
    assert_eq!(again.uid(), kept.uid());
    yard.ready("b").await?;
    secrets.get(trash).await?;
    yard.apply("b", json!([map("one"), delayed("kept", "24h"), delayed("other", "24h")])).await?;
    support::gone(&secrets, trash).await?;
    yard.ready("b").await?;
    assert!(stamp(&yard.maps.get("other").await?).is_none());
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn what_outlives_its_bundle_goes_at_its_time() -> Done {
    let yard = Yard::new().await?;
    yard.apply("b", json!([delayed("kept", "3s")])).await?;
    yard.ready("b").await?;
    yard.bundles.delete("b", &DeleteParams::default()).await?;
    support::gone(&yard.bundles, "b").await?;
    yard.maps.get("kept").await?;
    support::gone(&yard.maps, "kept").await?;
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn exists_externally_false_takes_everything_down_and_then_the_bundle() -> Done {
    let yard =
        Yard::with(Features { declarative_delete: true, delete_after: true, ..Features::default() }).await?;
    yard.apply("b", json!([map("one")])).await?;
    yard.ready("b").await?;
    yard.apply_spec("b", json!({"resources": [map("one")], "existsExternally": false})).await?;
    support::gone(&yard.bundles, "b").await?;
    assert!(yard.maps.get_opt("one").await?.is_none());
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn exists_externally_can_be_taken_back_while_objects_count_down() -> Done {
    let yard =
        Yard::with(Features { declarative_delete: true, delete_after: false, ..Features::default() }).await?;
    let spec = |exists: bool| json!({"resources": [delayed("one", "24h")], "existsExternally": exists});
    yard.apply_spec("b", spec(true)).await?;
    yard.ready("b").await?;
    yard.apply_spec("b", spec(false)).await?;
    support::eventually(&yard.maps, "one", |map| stamp(map).is_some()).await?;
    let bundle = support::eventually(&yard.bundles, "b", |bundle| {
        bundle.status.as_ref().is_some_and(|status| !status.pending_deletions.is_empty())
    })
    .await?;
    assert_eq!(condition(&bundle, "Deleted"), Some("False"));
    yard.apply_spec("b", spec(true)).await?;
    support::eventually(&yard.maps, "one", |map| stamp(map).is_none()).await?;
    yard.ready("b").await?;
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn without_the_feature_exists_externally_does_nothing() -> Done {
    let yard = Yard::new().await?;
    yard.apply("b", json!([map("one")])).await?;
    yard.ready("b").await?;
    yard.apply_spec("b", json!({"resources": [map("one")], "existsExternally": false})).await?;
    support::eventually(&yard.bundles, "b", |bundle| {
        let status = bundle.status.as_ref();
        let ready = status.and_then(|status| status.extension.condition("Ready"));
        ready.is_some_and(|ready| ready.reason == "DeclarativeDeleteDisabled")
    })
    .await?;
    yard.maps.get("one").await?;
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_suspended_bundle_is_left_alone() -> Done {
    let yard = Yard::new().await?;
    yard.apply("b", json!([map("one"), map("two")])).await?;
    yard.ready("b").await?;
    yard.apply_spec("b", json!({"resources": [map("one")], "suspend": true})).await?;
    support::eventually(&yard.bundles, "b", |bundle| condition(bundle, "Suspended") == Some("True")).await?;
    a_while().await;
    yard.maps.get("two").await?;
    yard.apply_spec("b", json!({"resources": [map("one")]})).await?;
    support::gone(&yard.maps, "two").await?;
    Ok(())
}
