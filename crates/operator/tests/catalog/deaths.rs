//! Operators that die in the middle of an asynchronous operation.

use brokers::{Behaviour, Route, Scripted};
use support::gone;

use crate::stage::Stage;

#[tokio::test(flavor = "multi_thread")]
async fn an_operator_that_dies_in_the_middle_leaves_nothing_twice_lost_or_forgotten() {
    let broker = Scripted::start(Behaviour { polls: Some(3), ..Behaviour::default() }).await.unwrap();
    let stage = Stage::start(&broker.url()).await;
    stage.buy("alice", "database").await;
    // The broker has heard the question; whether anybody has heard its answer is a matter of luck.
    broker.until(Route::Provision, 1).await;
    stage.fall().await;
    stage.rise();
    broker.until(Route::PollInstance, 1).await;
    stage.fall().await;
    stage.rise();
    let ready = stage.told("database", "Ready", "True", "ProvisionedSuccessfully").await;
    let id = ready.status.unwrap().backing.external_id.unwrap();
    assert_eq!(broker.instances().keys().collect::<Vec<_>>(), [&id]);
    assert!(broker.made().values().all(|times| *times == 1), "{:?}", broker.made());

    stage.exists("alice", "database", false).await;
    broker.until(Route::Deprovision, 1).await;
    stage.fall().await;
    stage.rise();
    gone(&stage.instances(), "database").await.unwrap();
    assert!(broker.instances().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_broker_made_without_saying_so_is_taken_back() {
    let broker = Scripted::start(Behaviour::default()).await.unwrap();
    broker.next(Route::Provision, brokers::Answer::new(500, "{}").but_done());
    let stage = Stage::start(&broker.url()).await;
    stage.buy("alice", "database").await;
    let ready = stage.told("database", "Ready", "True", "ProvisionedSuccessfully").await;
    let status = ready.status.unwrap();
    assert_eq!(broker.instances().keys().collect::<Vec<_>>(), [&status.backing.external_id.unwrap()]);
    assert_eq!(status.extension.condition("OrphanMitigation").unwrap().reason, "OrphanMitigationSuccessful");
    let taken_back = broker.seen_of(Route::Deprovision);
    assert_eq!(taken_back[0].instance, broker.seen_of(Route::Provision)[0].instance);
}
