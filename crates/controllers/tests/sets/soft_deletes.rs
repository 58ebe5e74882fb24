//! The document about soft deletes, sentence by sentence, with Smith's own cases and the three it never tested.

use kube::ResourceExt;
use kube::api::{DeleteParams, Patch, PatchParams};
use serde_json::json;

use crate::yard::{Done, Yard, a_while, condition, delayed, map, map_with, message, stamp};

#[tokio::test(flavor = "multi_thread")]
async fn delay_delete_start() -> Done {
    let yard = Yard::new().await?;
    yard.apply("b", json!([map("one"), delayed("db", "24h")])).await?;
    yard.ready("b").await?;
    yard.apply("b", json!([map("one")])).await?;
    let stamped = support::eventually(&yard.maps, "db", |map| stamp(map).is_some()).await?;
    assert!(stamped.metadata.deletion_timestamp.is_none());
    let bundle = support::eventually(&yard.bundles, "b", |bundle| {
        bundle.status.as_ref().is_some_and(|status| !status.pending_deletions.is_empty())
    })
    .await?;
    let pending = &bundle.status.unwrap_or_default().pending_deletions[0];
    assert_eq!((pending.object.kind.as_str(), pending.object.name.as_str()), ("ConfigMap", "db"));
    let due = pending.due.as_ref().ok_or("no due time")?;
    let delay = due.0.duration_since(pending.since.0);
    assert!((delay.as_secs() - 86_400).abs() <= 1, "{pending:?}");
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn delay_delete_postpone() -> Done {
    let yard = Yard::new().await?;
    yard.apply("b", json!([delayed("db", "24h")])).await?;
    yard.ready("b").await?;
    yard.apply("b", json!([])).await?;
    let first = support::eventually(&yard.maps, "db", |map| stamp(map).is_some()).await?;
    // However often it is looked at, the stamp stays as it is, and so does the object.
    let again = json!({"metadata": {"annotations": {"slipway.dev/operation": "reconcile"}}});
    yard.bundles.patch("b", &PatchParams::default(), &Patch::Merge(&again)).await?;
    a_while().await;
    assert_eq!(stamp(&yard.maps.get("db").await?), stamp(&first));
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn delay_delete_proceed() -> Done {
    let yard = Yard::new().await?;
    yard.apply("b", json!([delayed("db", "2s")])).await?;
    yard.ready("b").await?;
    yard.apply("b", json!([])).await?;
    support::eventually(&yard.maps, "db", |map| stamp(map).is_some()).await?;
    support::gone(&yard.maps, "db").await?;
    let bundle = support::eventually(&yard.bundles, "b", |bundle| {
        bundle.status.as_ref().is_some_and(|status| status.pending_deletions.is_empty())
    })
    .await?;
    assert_eq!(condition(&bundle, "Ready"), Some("True"));
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_resource_that_appears_again_is_adopted_and_its_countdown_cancelled() -> Done {
    let yard = Yard::new().await?;
    yard.apply("b", json!([delayed("db", "24h")])).await?;
    yard.ready("b").await?;
    yard.apply("b", json!([])).await?;
    let stamped = support::eventually(&yard.maps, "db", |map| stamp(map).is_some()).await?;
    // And goes on being updated to what is declared.
    let again = map_with("db", json!({"smith.atlassian.com/deletionDelay": "24h"}), json!({"new": "value"}));
    yard.apply("b", json!([again])).await?;
    let adopted = support::eventually(&yard.maps, "db", |map| stamp(map).is_none()).await?;
    assert_eq!(adopted.uid(), stamped.uid());
    support::eventually(&yard.maps, "db", |map| {
        map.data.as_ref().is_some_and(|data| data.contains_key("new"))
    })
    .await?;
    let bundle = yard.ready("b").await?;
    assert_eq!(bundle.status.unwrap_or_default().pending_deletions, []);
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bad_duration_leaves_that_object_alone_as_it_is() -> Done {
    let yard = Yard::new().await?;
    yard.apply("b", json!([map("one"), delayed("db", "soon"), delayed("other", "-1h")])).await?;
    let bundle = yard.standing("b", "db", "Error").await?;
    assert!(message(&bundle, "db", "Error").contains("soon"), "{bundle:?}");
    let bundle = yard.standing("b", "other", "Error").await?;
    assert!(message(&bundle, "other", "Error").contains("-1h"), "{bundle:?}");
    yard.standing("b", "one", "Ready").await?;
    assert!(yard.maps.get_opt("db").await?.is_none());
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_live_delay_that_cannot_be_read_keeps_the_object_with_a_condition() -> Done {
    let mut yard = Yard::new().await?;
    yard.apply("b", json!([delayed("db", "1s")])).await?;
    yard.ready("b").await?;
    yard.kill();
    yard.annotate("db", json!({"smith.atlassian.com/deletionDelay": "soon"})).await?;
    yard.apply("b", json!([])).await?;
    yard.start();
    let bundle = support::eventually(&yard.bundles, "b", |bundle| {
        condition(bundle, "DelaysReadable") == Some("False")
    })
    .await?;
    let status = bundle.status.unwrap_or_default();
    let said = status.extension.condition("DelaysReadable").map(|it| it.message.clone());
    assert!(said.as_deref().is_some_and(|said| said.contains("soon")), "{said:?}");
    a_while().await;
    yard.maps.get("db").await?;
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_restart_in_mid_countdown_forgets_nothing_and_hurries_nothing() -> Done {
    let mut yard = Yard::new().await?;
    yard.apply("b", json!([delayed("db", "4s")])).await?;
    yard.ready("b").await?;
    yard.apply("b", json!([])).await?;
    let stamped = support::eventually(&yard.maps, "db", |map| stamp(map).is_some()).await?;
    yard.kill();
    a_while().await;
    yard.start();
    let first: jiff::Timestamp = stamp(&stamped).ok_or("no stamp")?.parse()?;
    support::gone(&yard.maps, "db").await?;
    let lived = jiff::Timestamp::now().duration_since(first);
    assert!((4.0..6.0).contains(&lived.as_secs_f64()), "{lived:?}");
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn prohibited_annotations_rejected() -> Done {
    let yard = Yard::new().await?;
    let annotations = json!({"smith.atlassian.com/deletionTimestamp": "2026-01-01T00:00:00Z"});
    yard.apply("b", json!([map_with("db", annotations, json!({}))])).await?;
    let bundle = yard.standing("b", "db", "Error").await?;
    assert!(message(&bundle, "db", "Error").contains("deletionTimestamp"), "{bundle:?}");
    assert!(yard.maps.get_opt("db").await?.is_none());
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn editing_the_live_delay_moves_the_date() -> Done {
    let yard = Yard::new().await?;
    yard.apply("b", json!([delayed("db", "24h")])).await?;
    yard.ready("b").await?;
    yard.apply("b", json!([])).await?;
    support::eventually(&yard.maps, "db", |map| stamp(map).is_some()).await?;
    yard.annotate("db", json!({"smith.atlassian.com/deletionDelay": "1s"})).await?;
    support::gone(&yard.maps, "db").await?;
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn removing_the_delay_from_the_definition_removes_it_from_the_object() -> Done {
    let yard = Yard::new().await?;
    yard.apply("b", json!([delayed("db", "24h")])).await?;
    yard.ready("b").await?;
    yard.apply("b", json!([map("db")])).await?;
    support::eventually(&yard.maps, "db", |map| {
        !map.annotations().contains_key("smith.atlassian.com/deletionDelay")
    })
    .await?;
    yard.apply("b", json!([])).await?;
    support::gone(&yard.maps, "db").await?;
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_delete_by_hand_is_the_hard_delete() -> Done {
    let yard = Yard::new().await?;
    yard.apply("b", json!([delayed("db", "24h")])).await?;
    yard.ready("b").await?;
    yard.apply("b", json!([])).await?;
    support::eventually(&yard.maps, "db", |map| stamp(map).is_some()).await?;
    yard.maps.delete("db", &DeleteParams::default()).await?;
    support::gone(&yard.maps, "db").await?;
    let bundle = support::eventually(&yard.bundles, "b", |bundle| {
        bundle.status.as_ref().is_some_and(|status| status.pending_deletions.is_empty())
    })
    .await?;
    assert_eq!(condition(&bundle, "Ready"), Some("True"));
    a_while().await;
    assert!(yard.maps.get_opt("db").await?.is_none());
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_stamped_while_the_bundle_is_not_ready() -> Done {
    let yard = Yard::new().await?;
    yard.apply("b", json!([delayed("db", "24h")])).await?;
    yard.ready("b").await?;
    let wrong = json!({"name": "wrong", "spec": {"object": {
        "apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "Not A Name"}}}});
    yard.apply("b", json!([wrong])).await?;
    yard.standing("b", "wrong", "Error").await?;
    a_while().await;
    assert_eq!(stamp(&yard.maps.get("db").await?), None);
    Ok(())
}
