//! The generic actuator: a set of objects, by all five operations.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use extension::{
    ActuatorError, Context, ErrorCode, Extension as _, GenericActuator, Item, ObjectSet, OperationState,
    OperationType, Outcome, Reconciler,
};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::{DeleteParams, Patch, PatchParams};
use serde_json::json;
use support::{eventually, gone};

use crate::fountain::Fountain;
use crate::stage::Stage;

/// ConfigMaps of these names.
#[derive(Clone, Default)]
struct Maps {
    names: Arc<Mutex<Vec<&'static str>>>,
    /// What force deletion is overridden by.
    overridden: Arc<Mutex<bool>>,
}

impl ObjectSet for Maps {
    type Object = Fountain;

    async fn objects(&self, _: &Context<Fountain>) -> Result<Vec<Item>, ActuatorError> {
        let names = self.names.lock().unwrap().clone();
        let map = |name: &str| json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}});
        names.into_iter().map(|name| Item::new(&map(name))).collect()
    }

    async fn migrate(&self, _: &mut Context<Fountain>) -> Result<Outcome, ActuatorError> {
        *self.overridden.lock().unwrap() = true;
        Ok(Outcome::done())
    }
}

async fn stage_with(names: &[&'static str], mut stage: Stage) -> (Stage, Maps) {
    let maps = Maps::default();
    *maps.names.lock().unwrap() = names.to_vec();
    let environment = stage.environment();
    stage.start(Reconciler::new(&environment, GenericActuator(maps.clone())));
    stage.create("fountain").await;
    stage
        .until("fountain", |it| {
            it.status().is_some_and(|it| it.is(OperationType::Create, OperationState::Succeeded))
        })
        .await;
    (stage, maps)
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_listed_is_made_and_what_no_longer_is_goes() {
    let (mut stage, maps) = stage_with(&["one", "two"], Stage::new().await).await;
    let configs = stage.namespace.api::<ConfigMap>();
    configs.get("one").await.unwrap();
    configs.get("two").await.unwrap();
    *maps.names.lock().unwrap() = vec!["two", "three"];
    stage.annotate("fountain", "slipway.dev/operation", json!("reconcile")).await;
    gone(&configs, "one").await.unwrap();
    eventually(&configs, "three", |_| true).await.unwrap();
    stage.delete("fountain").await;
    gone(&stage.fountains, "fountain").await.unwrap();
    for name in ["two", "three"] {
        assert!(configs.get_opt(name).await.unwrap().is_none(), "{name} is left");
    }
    stage.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_object_of_the_same_name_that_is_not_ours_is_not_deleted() {
    let (mut stage, _) = stage_with(&["one"], Stage::new().await).await;
    let configs = stage.namespace.api::<ConfigMap>();
    configs.delete("one", &DeleteParams::default()).await.unwrap();
    gone(&configs, "one").await.unwrap();
    support::create(&configs, json!({"metadata": {"name": "one"}})).await.unwrap();
    stage.delete("fountain").await;
    gone(&stage.fountains, "fountain").await.unwrap();
    configs.get("one").await.unwrap();
    stage.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_does_not_go_in_its_time_is_an_error_that_blocks_and_names_the_finalizer() {
    let (mut stage, _) = stage_with(&["one"], Stage::standing().await).await;
    let configs = stage.namespace.api::<ConfigMap>();
    let hold = json!({"metadata": {"finalizers": ["example.org/hold"]}});
    configs.patch("one", &PatchParams::default(), &Patch::Merge(&hold)).await.unwrap();
    stage.delete("fountain").await;
    let waits = stage
        .until("fountain", |it| {
            it.status().is_some_and(|it| it.is(OperationType::Delete, OperationState::Processing))
        })
        .await;
    assert!(waits.status().unwrap().last_operation.as_ref().unwrap().description.contains("one to go"));
    let known = stage.until("fountain", |it| {
        it.status().is_some_and(|it| it.is(OperationType::Delete, OperationState::Error))
    });
    let stuck = stage.turn_until(Duration::from_secs(30), known).await;
    let error = &stuck.status().unwrap().last_errors[0];
    assert_eq!(error.codes, [ErrorCode::CleanupResources]);
    assert!(
        error.description.ends_with("one does not go: it is held by the finalizer example.org/hold"),
        "{error:?}"
    );
    // Nobody forces: it is gone when the holder lets go.
    let free = json!({"metadata": {"finalizers": null}});
    configs.patch("one", &PatchParams::default(), &Patch::Merge(&free)).await.unwrap();
    stage.turn_until(Duration::from_secs(30), gone(&stage.fountains, "fountain")).await.unwrap();
    stage.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn each_of_the_five_can_be_overridden() {
    let (mut stage, maps) = stage_with(&["one"], Stage::new().await).await;
    stage.annotate("fountain", "slipway.dev/operation", json!("migrate")).await;
    let handed = stage.until("fountain", |it| it.metadata.finalizers.is_none()).await;
    assert!(*maps.overridden.lock().unwrap());
    // The list of objects is the state that is handed over, and nothing was touched.
    assert_eq!(handed.status().unwrap().state.as_ref().unwrap()["objects"][0]["name"], "one");
    stage.namespace.api::<ConfigMap>().get("one").await.unwrap();
    stage.end().await;
}
