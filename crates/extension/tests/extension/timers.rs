//! Timers: exact, also many, also after a restart.

use std::time::Duration;

use extension::{Extension as _, OperationType, Outcome};

use crate::stage::{Scripted, Stage, next, silence};

#[tokio::test(flavor = "multi_thread")]
async fn an_instant_is_met_and_not_a_moment_before() {
    let mut stage = Stage::standing().await;
    let due = stage.now() + Duration::from_hours(72);
    let actuator = Scripted::default();
    actuator.will(Ok(Outcome::done().requeue_at(due)));
    let mut calls = stage.run(&actuator);
    stage.create("fountain").await;
    next(&mut calls).await;
    stage
        .until("fountain", |it| it.status().is_some_and(|status| status.observed_generation.is_some()))
        .await;
    stage.advance(Duration::from_hours(72) - Duration::from_nanos(1));
    silence(&mut calls).await;
    stage.advance(Duration::from_nanos(1));
    assert_eq!(next(&mut calls).await, OperationType::Reconcile);
    stage.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_thousand_timers_end_together() {
    let mut stage = Stage::standing().await;
    let actuator = Scripted::default();
    let due = stage.now() + Duration::from_mins(10);
    actuator.always(Ok(Outcome::done().requeue_at(due)));
    let mut calls = stage.run(&actuator);
    for number in 0..1000 {
        stage.create(&format!("fountain-{number}")).await;
    }
    for _ in 0..1000 {
        assert_eq!(next(&mut calls).await, OperationType::Create);
    }
    // Another process takes over in between: its timers are made from what the actuators say.
    stage.end().await;
    let mut calls = stage.run(&actuator);
    for _ in 0..1000 {
        next(&mut calls).await;
    }
    silence(&mut calls).await;
    actuator.always(Ok(Outcome::done()));
    let begun = std::time::Instant::now();
    stage.advance(Duration::from_mins(10));
    for _ in 0..1000 {
        next(&mut calls).await;
    }
    assert!(begun.elapsed() < Duration::from_secs(30), "{:?}", begun.elapsed());
    silence(&mut calls).await;
    stage.end().await;
}
