//! Force deletion: refused without each of its preconditions, and honoured with all of them.

use extension::{ActuatorError, ErrorCode, Extension as _, OperationState, OperationType, Outcome};
use serde_json::{Value, json};
use support::{create, gone};

use crate::stage::{Scripted, Stage, next, silence};

const CONFIRMATION: &str = "confirmation.slipway.dev/force-deletion";

/// A fountain that is being deleted and cannot go, for the given reason.
async fn stuck(
    stage: &mut Stage,
    code: Option<ErrorCode>,
) -> (Scripted, tokio::sync::mpsc::UnboundedReceiver<OperationType>) {
    let actuator = Scripted::default();
    let mut calls = stage.run(&actuator);
    stage.create("fountain").await;
    next(&mut calls).await;
    stage.until("fountain", |it| it.metadata.finalizers.is_some()).await;
    let error = ActuatorError::new("it does not go").fatal();
    actuator.always(Err(code.into_iter().fold(error, ActuatorError::code)));
    stage.delete("fountain").await;
    assert_eq!(next(&mut calls).await, OperationType::Delete);
    stage
        .until("fountain", |it| {
            it.status().is_some_and(|it| it.is(OperationType::Delete, OperationState::Failed))
        })
        .await;
    (actuator, calls)
}

#[tokio::test(flavor = "multi_thread")]
async fn the_annotation_makes_the_reconciler_call_force_delete() {
    for (code, spelling) in [
        (ErrorCode::CleanupResources, CONFIRMATION),
        (ErrorCode::ConfigurationProblem, CONFIRMATION),
        (ErrorCode::Dependencies, CONFIRMATION),
        (ErrorCode::Unauthenticated, CONFIRMATION),
        (ErrorCode::Unauthorized, "confirmation.gardener.cloud/force-deletion"),
    ] {
        let mut stage = Stage::new().await;
        let (actuator, mut calls) = stuck(&mut stage, Some(code)).await;
        actuator.always(Ok(Outcome::done().describe("the pipe stays")));
        stage.annotate("fountain", spelling, json!("true")).await;
        assert_eq!(next(&mut calls).await, OperationType::ForceDelete);
        gone(&stage.fountains, "fountain").await.unwrap();
        assert_eq!(stage.events("ForceDeleted").await, ["the pipe stays"]);
        stage.end().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn it_is_refused_while_the_object_is_not_being_deleted() {
    let mut stage = Stage::new().await;
    let actuator = Scripted::default();
    let mut calls = stage.run(&actuator);
    stage.create("fountain").await;
    next(&mut calls).await;
    stage.until("fountain", |it| it.status().is_some_and(|it| it.observed_generation.is_some())).await;
    stage.record_error("fountain", "ERR_CLEANUP_RESOURCES").await;
    stage.annotate("fountain", CONFIRMATION, json!("true")).await;
    assert_eq!(next(&mut calls).await, OperationType::Reconcile);
    assert_eq!(stage.events("ForceDeletionRefused").await, ["the object is not being deleted"]);
    stage.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn it_is_refused_without_an_error_that_blocks() {
    for code in [None, Some(ErrorCode::RateLimitsExceeded)] {
        let mut stage = Stage::new().await;
        let (actuator, mut calls) = stuck(&mut stage, code).await;
        stage.annotate("fountain", CONFIRMATION, json!("true")).await;
        stage.until("fountain", |it| it.metadata.annotations.is_some()).await;
        silence(&mut calls).await;
        assert!(!actuator.calls().contains(&OperationType::ForceDelete));
        assert_eq!(stage.events("ForceDeletionRefused").await.len(), 1);
        stage.end().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn it_is_not_called_without_the_annotation_or_with_another_value() {
    for value in [Value::Null, json!("false"), json!("yes")] {
        let mut stage = Stage::new().await;
        let (actuator, mut calls) = stuck(&mut stage, Some(ErrorCode::CleanupResources)).await;
        stage.annotate("fountain", CONFIRMATION, value).await;
        silence(&mut calls).await;
        assert!(!actuator.calls().contains(&OperationType::ForceDelete));
        stage.end().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_owner_that_is_let_go_by_force_takes_its_own_along() {
    let mut stage = Stage::new().await;
    let owner = Scripted::default();
    let mut calls = stage.run_as(&owner, |it| it.class("owner"));
    let town = stage.create_with("town", json!({}), json!({"jets": 0, "class": "owner"})).await;
    next(&mut calls).await;
    stage.until("town", |it| it.metadata.finalizers.is_some()).await;
    // Somebody else holds it too, so that it is still there when its members are looked at.
    stage
        .patch(
            "town",
            json!({"metadata": {"finalizers": ["slipway.dev/fountains", "test.example.org/hold"]}}),
        )
        .await;

    let members = Scripted::default();
    let mut member_calls = {
        stage.run_as(&members, |it| {
            it.class("member")
                .finalizer("town.example.org/member")
                .name("members")
                .owned_by::<crate::fountain::Fountain>()
        })
    };
    let member = json!({
        "apiVersion": "town.example.org/v1", "kind": "Fountain",
        "metadata": {"name": "member", "ownerReferences": [{
            "apiVersion": "town.example.org/v1", "kind": "Fountain", "name": "town", "uid": town.metadata.uid,
        }]},
        "spec": {"jets": 1, "class": "member"},
    });
    create(&stage.fountains, member).await.unwrap();
    next(&mut member_calls).await;
    stage.until("member", |it| it.metadata.finalizers.is_some()).await;

    // The member is stuck for a reason that does not block by itself.
    members.always(Err(ActuatorError::new("not now").fatal()));
    stage.delete("member").await;
    assert_eq!(next(&mut member_calls).await, OperationType::Delete);
    owner.always(Err(ActuatorError::new("stuck").code(ErrorCode::Dependencies).fatal()));
    stage.delete("town").await;
    next(&mut calls).await;
    stage.until("town", |it| it.status().is_some_and(|it| !it.last_errors.is_empty())).await;
    silence(&mut member_calls).await;

    owner.always(Ok(Outcome::done().requeue_after(std::time::Duration::from_hours(1))));
    members.always(Ok(Outcome::done()));
    stage
        .patch(
            "town",
            json!({"metadata": {"finalizers": ["slipway.dev/fountains", "test.example.org/hold"]}}),
        )
        .await;
    stage.annotate("town", CONFIRMATION, json!("true")).await;
    assert_eq!(next(&mut member_calls).await, OperationType::ForceDelete);
    gone(&stage.fountains, "member").await.unwrap();
    stage.patch("town", json!({"metadata": {"finalizers": null}})).await;
    gone(&stage.fountains, "town").await.unwrap();
    stage.end().await;
}
