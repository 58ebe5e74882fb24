//! Which operation is run when, and what is written about it.

use std::time::Duration;

use extension::{ActuatorError, ErrorCode, Extension as _, OperationState, OperationType, Outcome};
use serde_json::json;
use support::gone;

use crate::fountain::Fountain;
use crate::stage::{Scripted, Stage, next, silence};

const FINALIZER: &str = "slipway.dev/fountains";

fn is(fountain: &Fountain, operation: OperationType, state: OperationState) -> bool {
    fountain.status().is_some_and(|status| status.is(operation, state))
}

#[tokio::test(flavor = "multi_thread")]
async fn create_then_reconcile_then_delete() {
    let mut stage = Stage::new().await;
    let actuator = Scripted::default();
    actuator.will(Ok(Outcome::done().condition("Flows", true, "Open", "water runs").describe("three jets")));
    let mut calls = stage.run(&actuator);
    stage.create("old-market").await;

    assert_eq!(next(&mut calls).await, OperationType::Create);
    let made = stage.until("old-market", |it| is(it, OperationType::Create, OperationState::Succeeded)).await;
    let status = made.status().unwrap();
    assert_eq!(made.metadata.finalizers, Some(vec![FINALIZER.to_owned()]));
    assert_eq!(status.observed_generation, made.metadata.generation);
    let last = status.last_operation.as_ref().unwrap();
    assert_eq!((last.progress, last.description.as_str()), (100, "three jets"));
    let condition = status.condition("Flows").unwrap();
    assert_eq!((condition.status.as_str(), condition.message.as_str()), ("True", "water runs"));
    silence(&mut calls).await;

    stage.patch("old-market", json!({"spec": {"jets": 5}})).await;
    assert_eq!(next(&mut calls).await, OperationType::Reconcile);
    stage.until("old-market", |it| is(it, OperationType::Reconcile, OperationState::Succeeded)).await;
    silence(&mut calls).await;

    stage.delete("old-market").await;
    assert_eq!(next(&mut calls).await, OperationType::Delete);
    gone(&stage.fountains, "old-market").await.unwrap();
    assert_eq!(stage.events("Deleted").await.len(), 1);
    stage.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn errors_are_on_record_with_their_codes_until_it_succeeds() {
    let mut stage = Stage::standing().await;
    let actuator = Scripted::default();
    let pump = ActuatorError::new("no pump").code(ErrorCode::Dependencies).task("pump");
    let key = ActuatorError::new("wrong key").code(ErrorCode::Unauthorized);
    actuator.will(Err(pump.and(key)));
    let mut calls = stage.run(&actuator);
    stage.create("fountain").await;

    next(&mut calls).await;
    let failed = stage.until("fountain", |it| is(it, OperationType::Create, OperationState::Error)).await;
    let errors = &failed.status().unwrap().last_errors;
    assert_eq!(errors.len(), 2);
    assert_eq!(
        (errors[0].task_id.as_deref(), &errors[0].codes),
        (Some("pump"), &vec![ErrorCode::Dependencies])
    );
    assert_eq!(
        (errors[1].description.as_str(), &errors[1].codes),
        ("wrong key", &vec![ErrorCode::Unauthorized])
    );
    silence(&mut calls).await;

    stage.advance(Duration::from_secs(1));
    assert_eq!(next(&mut calls).await, OperationType::Create);
    let well = stage.until("fountain", |it| is(it, OperationType::Create, OperationState::Succeeded)).await;
    assert!(well.status().unwrap().last_errors.is_empty());
    stage.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_annotation_asks_once_more_whatever_the_generation_is() {
    let mut stage = Stage::new().await;
    let actuator = Scripted::default();
    let mut calls = stage.run(&actuator);
    stage.create("fountain").await;
    next(&mut calls).await;
    stage.until("fountain", |it| is(it, OperationType::Create, OperationState::Succeeded)).await;

    for spelling in ["slipway.dev/operation", "gardener.cloud/operation"] {
        let generation = stage.fountains.get("fountain").await.unwrap().metadata.generation;
        stage.annotate("fountain", spelling, json!("reconcile")).await;
        assert_eq!(next(&mut calls).await, OperationType::Reconcile, "{spelling}");
        let after = stage
            .until("fountain", |it| !it.metadata.annotations.iter().flatten().any(|(key, _)| key == spelling))
            .await;
        assert_eq!(after.metadata.generation, generation);
        silence(&mut calls).await;
    }
    stage.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_failed_for_good_rests_until_somebody_asks_or_changes_it() {
    let mut stage = Stage::standing().await;
    let actuator = Scripted::default();
    let fatal = || Err(ActuatorError::new("no such stone").code(ErrorCode::ConfigurationProblem).fatal());
    actuator.will(fatal()).will(fatal());
    let mut calls = stage.run(&actuator);
    stage.create("fountain").await;
    next(&mut calls).await;
    stage.until("fountain", |it| is(it, OperationType::Create, OperationState::Failed)).await;
    stage.advance(Duration::from_hours(24));
    silence(&mut calls).await;

    stage.annotate("fountain", "slipway.dev/operation", json!("retry")).await;
    assert_eq!(next(&mut calls).await, OperationType::Create);
    stage.until("fountain", |it| it.metadata.annotations.is_none()).await;
    silence(&mut calls).await;

    stage.patch("fountain", json!({"spec": {"jets": 1}})).await;
    assert_eq!(next(&mut calls).await, OperationType::Create);
    stage.until("fountain", |it| is(it, OperationType::Create, OperationState::Succeeded)).await;
    stage.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_operation_that_takes_too_long_is_ended_and_tried_again() {
    let mut stage = Stage::standing().await;
    let actuator = Scripted::default();
    *actuator.hangs.lock().unwrap() = true;
    let limit = Duration::from_secs(40);
    let mut calls = stage.run_as(&actuator, |it| it.timeout_of(OperationType::Create, limit));
    stage.create("fountain").await;
    next(&mut calls).await;
    stage.advance(Duration::from_secs(1));
    stage.until("fountain", |it| is(it, OperationType::Create, OperationState::Processing)).await;
    *actuator.hangs.lock().unwrap() = false;
    stage.advance(Duration::from_secs(39));
    let ended = stage.until("fountain", |it| is(it, OperationType::Create, OperationState::Error)).await;
    assert_eq!(ended.status().unwrap().last_errors[0].description, "Create took longer than 40s");
    assert_eq!(ended.status().unwrap().last_errors[0].codes, [ErrorCode::Timeout]);
    stage.advance(Duration::from_secs(1));
    next(&mut calls).await;
    stage.until("fountain", |it| is(it, OperationType::Create, OperationState::Succeeded)).await;
    stage.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn progress_is_told_and_the_operation_goes_on() {
    let mut stage = Stage::standing().await;
    let actuator = Scripted::default();
    actuator.will(Ok(Outcome::progress(30, "digging").requeue_after(Duration::from_secs(50))));
    let mut calls = stage.run(&actuator);
    stage.create("fountain").await;
    next(&mut calls).await;
    let under_way =
        stage.until("fountain", |it| is(it, OperationType::Create, OperationState::Processing)).await;
    let last = under_way.status().unwrap().last_operation.clone().unwrap();
    assert_eq!((last.progress, last.description.as_str()), (30, "digging"));
    stage.advance(Duration::from_secs(49));
    silence(&mut calls).await;
    stage.advance(Duration::from_secs(1));
    assert_eq!(next(&mut calls).await, OperationType::Create);
    stage.until("fountain", |it| is(it, OperationType::Create, OperationState::Succeeded)).await;
    stage.end().await;
}
