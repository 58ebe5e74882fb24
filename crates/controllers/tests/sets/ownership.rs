//! Whose an object is decides what is done to it.

use kube::ResourceExt;
use serde_json::json;

use crate::yard::{Done, Yard, a_while, map, map_with, message, says};

#[tokio::test(flavor = "multi_thread")]
async fn members_carry_no_owner_reference() -> Done {
    let yard = Yard::new().await?;
    yard.apply("b", json!([map("one")])).await?;
    yard.ready("b").await?;
    let map = yard.maps.get("one").await?;
    assert!(map.owner_references().is_empty());
    assert_eq!(map.labels()["slipway.dev/bundle"], "b");
    assert_eq!(map.annotations()["slipway.dev/owner"], format!("Bundle {}/b", yard.namespace.name()));
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn an_object_of_nobody_is_not_taken_and_not_deleted() -> Done {
    let yard = Yard::new().await?;
    support::create(&yard.maps, json!({"metadata": {"name": "theirs"}, "data": {"a": "theirs"}})).await?;
    yard.apply("b", json!([map_with("theirs", json!({}), json!({"a": "ours"})), map("ours")])).await?;
    let bundle = yard.standing("b", "theirs", "Error").await?;
    assert!(message(&bundle, "theirs", "Error").contains("belongs to nobody"), "{bundle:?}");
    assert!(says(&bundle, "ours", "Ready"));
    yard.apply("b", json!([map("ours")])).await?;
    yard.ready("b").await?;
    a_while().await;
    assert_eq!(yard.maps.get("theirs").await?.data.unwrap_or_default()["a"], "theirs");
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn an_object_of_another_bundle_stays_with_it() -> Done {
    let yard = Yard::new().await?;
    yard.apply("a", json!([map("one")])).await?;
    yard.ready("a").await?;
    yard.apply("b", json!([map("one")])).await?;
    let bundle = yard.standing("b", "one", "Error").await?;
    let expected = format!("belongs to Bundle {}/a", yard.namespace.name());
    assert!(message(&bundle, "one", "Error").contains(&expected), "{bundle:?}");
    // And goes with it, but not with the other.
    yard.bundles.delete("b", &kube::api::DeleteParams::default()).await?;
    support::gone(&yard.bundles, "b").await?;
    yard.maps.get("one").await?;
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn who_owns_an_object_may_hand_it_over() -> Done {
    let yard = Yard::new().await?;
    support::create(&yard.maps, json!({"metadata": {"name": "one"}})).await?;
    yard.apply("b", json!([map("one")])).await?;
    yard.standing("b", "one", "Error").await?;
    let owner = format!("Bundle {}/b", yard.namespace.name());
    yard.annotate("one", json!({"slipway.dev/owner": owner})).await?;
    yard.bundles
        .patch(
            "b",
            &kube::api::PatchParams::default(),
            &kube::api::Patch::Merge(json!({
                "metadata": {"annotations": {"slipway.dev/operation": "reconcile"}},
            })),
        )
        .await?;
    yard.ready("b").await?;
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn an_object_that_was_made_anew_by_somebody_is_not_deleted() -> Done {
    let mut yard = Yard::new().await?;
    yard.apply("b", json!([map("one"), map("two")])).await?;
    yard.ready("b").await?;
    yard.kill();
    // The same name, another object, and nobody's.
    yard.maps.delete("one", &kube::api::DeleteParams::default()).await?;
    support::gone(&yard.maps, "one").await?;
    support::create(&yard.maps, json!({"metadata": {"name": "one"}})).await?;
    yard.apply("b", json!([map("two")])).await?;
    yard.start();
    yard.ready("b").await?;
    a_while().await;
    yard.maps.get("one").await?;
    Ok(())
}
