//! What a reconciler leaves alone, and what it does not write.

use std::time::Duration;

use extension::{ActuatorError, Extension as _, OperationState, OperationType, Outcome};
use serde_json::json;
use support::gone;

use crate::stage::{Scripted, Stage, next, silence};

#[tokio::test(flavor = "multi_thread")]
async fn an_object_that_is_as_it_should_be_is_not_written() {
    let mut stage = Stage::standing().await;
    let actuator = Scripted::default();
    actuator.always(Ok(Outcome::done()
        .requeue_after(Duration::from_secs(10))
        .condition("Flows", true, "Open", "")));
    let mut calls = stage.run(&actuator);
    stage.create("fountain").await;
    next(&mut calls).await;
    let before = stage
        .until("fountain", |it| it.status().is_some_and(|status| status.observed_generation.is_some()))
        .await;
    for _ in 0..5 {
        let call = stage.turn_until(Duration::from_secs(10), next(&mut calls)).await;
        assert_eq!(call, OperationType::Reconcile);
    }
    silence(&mut calls).await;
    let after = stage.fountains.get("fountain").await.unwrap();
    assert_eq!(after.metadata.resource_version, before.metadata.resource_version);

    // Nor after a restart, which looks at everything once.
    stage.end().await;
    let mut calls = stage.run(&actuator);
    next(&mut calls).await;
    silence(&mut calls).await;
    let after = stage.fountains.get("fountain").await.unwrap();
    assert_eq!(after.metadata.resource_version, before.metadata.resource_version);
    stage.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_same_error_again_is_not_written_again() {
    let mut stage = Stage::standing().await;
    let actuator = Scripted::default();
    actuator.always(Err(ActuatorError::new("dry").retry_after(Duration::from_secs(5))));
    let mut calls = stage.run(&actuator);
    stage.create("fountain").await;
    next(&mut calls).await;
    let before =
        stage.until("fountain", |it| it.status().is_some_and(|status| !status.last_errors.is_empty())).await;
    for _ in 0..4 {
        stage.turn_until(Duration::from_secs(5), next(&mut calls)).await;
    }
    silence(&mut calls).await;
    let after = stage.fountains.get("fountain").await.unwrap();
    assert_eq!(after.metadata.resource_version, before.metadata.resource_version);
    assert_eq!(stage.events("CreateError").await, ["dry"]);
    stage.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_of_its_own_status_does_not_wake_it() {
    let mut stage = Stage::new().await;
    let actuator = Scripted::default();
    *actuator.litres.lock().unwrap() = Some(7);
    let mut calls = stage.run(&actuator);
    stage.create("fountain").await;
    next(&mut calls).await;
    stage.until("fountain", |it| it.status.as_ref().is_some_and(|status| status.litres == Some(7))).await;
    silence(&mut calls).await;
    stage.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn ignored_objects_and_those_of_other_classes_and_types_are_left_alone() {
    let mut stage = Stage::new().await;
    let actuator = Scripted::default();
    let mut calls = stage.run_as(&actuator, |it| it.class("public").of_type("stone"));
    let ours = json!({"jets": 1, "class": "public", "type": "stone"});
    stage.create_with("ignored", json!({"slipway.dev/ignore": "true"}), ours.clone()).await;
    stage.create_with("private", json!({}), json!({"jets": 1, "class": "private", "type": "stone"})).await;
    stage.create_with("bronze", json!({}), json!({"jets": 1, "class": "public", "type": "bronze"})).await;
    stage.create("plain").await;
    silence(&mut calls).await;
    stage.create_with("ours", json!({}), ours).await;
    next(&mut calls).await;
    stage.annotate("ignored", "slipway.dev/ignore", json!(null)).await;
    next(&mut calls).await;
    stage
        .until("ignored", |it| {
            it.status().is_some_and(|it| it.is(OperationType::Create, OperationState::Succeeded))
        })
        .await;
    for left in ["private", "bronze", "plain"] {
        let left = stage.fountains.get(left).await.unwrap();
        assert_eq!((left.metadata.finalizers, left.status), (None, None));
    }
    stage.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_deletion_that_must_be_confirmed_waits_for_it() {
    let mut stage = Stage::new().await;
    let actuator = Scripted::default();
    let mut calls = stage.run_as(&actuator, extension::Reconciler::confirm_deletion);
    stage.create("fountain").await;
    next(&mut calls).await;
    stage.until("fountain", |it| it.metadata.finalizers.is_some()).await;
    stage.delete("fountain").await;
    let waits = stage
        .until("fountain", |it| {
            it.status().is_some_and(|it| it.is(OperationType::Delete, OperationState::Pending))
        })
        .await;
    assert!(
        waits
            .status()
            .unwrap()
            .last_operation
            .as_ref()
            .unwrap()
            .description
            .contains("confirmation.slipway.dev/deletion")
    );
    silence(&mut calls).await;
    stage.annotate("fountain", "confirmation.gardener.cloud/deletion", json!("true")).await;
    assert_eq!(next(&mut calls).await, OperationType::Delete);
    gone(&stage.fountains, "fountain").await.unwrap();
    stage.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_under_way_comes_to_its_end_when_the_process_is_stopped() {
    let mut stage = Stage::new().await;
    let actuator = Scripted::default();
    *actuator.hangs.lock().unwrap() = true;
    let mut calls = stage.run_as(&actuator, |it| it.grace(Duration::from_millis(200)));
    stage.create("fountain").await;
    next(&mut calls).await;
    // It hangs, so it is cut off, and the next process begins anew: nothing is lost.
    stage.end().await;
    *actuator.hangs.lock().unwrap() = false;
    let mut calls = stage.run(&actuator);
    assert_eq!(next(&mut calls).await, OperationType::Create);
    stage
        .until("fountain", |it| {
            it.status().is_some_and(|it| it.is(OperationType::Create, OperationState::Succeeded))
        })
        .await;
    stage.end().await;
}
