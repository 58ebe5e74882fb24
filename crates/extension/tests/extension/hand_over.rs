//! Migrate and restore: handing over without touching what exists.

use extension::{Extension as _, OperationState, OperationType, Outcome};
use serde_json::json;
use support::gone;

use crate::stage::{Scripted, Stage, next, silence};

#[tokio::test(flavor = "multi_thread")]
async fn migrate_exports_the_state_and_releases_the_finalizer() {
    let mut stage = Stage::new().await;
    let actuator = Scripted::default();
    *actuator.exports.lock().unwrap() = Some(json!({"pipe": "p-17"}));
    let mut calls = stage.run(&actuator);
    stage.create("fountain").await;
    next(&mut calls).await;
    stage.until("fountain", |it| it.metadata.finalizers.is_some()).await;

    stage.annotate("fountain", "slipway.dev/operation", json!("migrate")).await;
    assert_eq!(next(&mut calls).await, OperationType::Migrate);
    let handed = stage.until("fountain", |it| it.metadata.finalizers.is_none()).await;
    let status = handed.status().unwrap();
    assert!(status.is(OperationType::Migrate, OperationState::Succeeded));
    assert_eq!(status.state, Some(json!({"pipe": "p-17"})));
    assert_eq!(handed.metadata.annotations, None);

    // It is another's now, whatever happens to it.
    stage.patch("fountain", json!({"spec": {"jets": 9}})).await;
    silence(&mut calls).await;
    stage.end().await;

    let taker = Scripted::default();
    let mut calls = stage.run(&taker);
    silence(&mut calls).await;
    stage.annotate("fountain", "gardener.cloud/operation", json!("restore")).await;
    assert_eq!(next(&mut calls).await, OperationType::Restore);
    let restored = stage
        .until("fountain", |it| it.metadata.annotations.is_none() && it.metadata.finalizers.is_some())
        .await;
    assert!(restored.status().unwrap().is(OperationType::Restore, OperationState::Succeeded));
    stage.patch("fountain", json!({"spec": {"jets": 2}})).await;
    assert_eq!(next(&mut calls).await, OperationType::Reconcile);
    stage.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn migrate_comes_before_deletion() {
    let mut stage = Stage::new().await;
    let actuator = Scripted::default();
    actuator.will(Ok(Outcome::done()));
    let mut calls = stage.run(&actuator);
    stage.create("fountain").await;
    next(&mut calls).await;
    stage.until("fountain", |it| it.metadata.finalizers.is_some()).await;
    stage.end().await;

    stage.delete("fountain").await;
    stage.annotate("fountain", "slipway.dev/operation", json!("migrate")).await;
    let mut calls = stage.run(&actuator);
    assert_eq!(next(&mut calls).await, OperationType::Migrate);
    gone(&stage.fountains, "fountain").await.unwrap();
    assert!(!actuator.calls().contains(&OperationType::Delete));
    stage.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn deletion_comes_before_restore() {
    let mut stage = Stage::new().await;
    let actuator = Scripted::default();
    let mut calls = stage.run(&actuator);
    stage.create("fountain").await;
    next(&mut calls).await;
    stage.until("fountain", |it| it.metadata.finalizers.is_some()).await;
    stage.end().await;

    stage.annotate("fountain", "slipway.dev/operation", json!("restore")).await;
    stage.delete("fountain").await;
    let mut calls = stage.run(&actuator);
    assert_eq!(next(&mut calls).await, OperationType::Delete);
    gone(&stage.fountains, "fountain").await.unwrap();
    stage.end().await;
}
