//! The example: wells whose water comes through pipes of the waterworks, which really run. Each case that force deletion
//! knows is in it.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use extension::{ErrorCode, Extension as _, GenericActuator, OperationState, OperationType, Reconciler};
use k8s_openapi::api::core::v1::{ConfigMap, Namespace};
use kube::api::{Patch, PatchParams, PostParams};
use kube::{Api, Client, Config};
use serde_json::json;
use support::{Cluster, create, eventually, gone};

use crate::stage::{Stage, define};
use pipe::{Pipe, Pipes};
use service::Waterworks;
use well::{Well, Wells};

#[path = "../../examples/waterworks/pipe.rs"]
mod pipe;
#[path = "../../examples/waterworks/service.rs"]
mod service;
#[path = "../../examples/waterworks/well.rs"]
mod well;

struct Town {
    stage: Stage,
    waterworks: Waterworks,
    /// The cluster of the visitors.
    elsewhere: Cluster,
    visitors: Arc<Mutex<Client>>,
    wells: Api<Well>,
    pipes: Api<Pipe>,
    maps: Api<ConfigMap>,
}

impl Town {
    async fn with_a_well() -> Self {
        let mut stage = Stage::standing().await;
        let client = stage.cluster.client();
        define::<Pipe>(&client).await;
        define::<Well>(&client).await;
        let elsewhere = Cluster::dock(dock::Dock::builder().start().await);
        let name = stage.namespace.name().to_owned();
        let there = serde_json::from_value(json!({"metadata": {"name": name}})).unwrap();
        Api::<Namespace>::all(elsewhere.client()).create(&PostParams::default(), &there).await.unwrap();
        let waterworks = Waterworks::start("water").await.unwrap();
        let wells = Wells::new(elsewhere.client());
        let visitors = wells.visitors();
        let environment = stage.environment();
        stage.start(Reconciler::new(&environment, Pipes::new(waterworks.address(), "water")));
        stage.start(Reconciler::new(&environment, GenericActuator(wells)));
        let (wells, pipes, maps) = (stage.namespace.api(), stage.namespace.api(), stage.namespace.api());
        let well = json!({
            "apiVersion": "waterworks.example.org/v1", "kind": "Well",
            "metadata": {"name": "lion"}, "spec": {"width": 40},
        });
        create(&wells, well).await.unwrap();
        eventually(&wells, "lion", |it: &Well| {
            it.status().is_some_and(|it| it.is(OperationType::Create, OperationState::Succeeded))
        })
        .await
        .unwrap();
        eventually(&pipes, "lion", |it: &Pipe| {
            it.status().is_some_and(|it| it.condition("Ready").is_some_and(|ready| ready.status == "True"))
        })
        .await
        .unwrap();
        Self { stage, waterworks, elsewhere, visitors, wells, pipes, maps }
    }

    fn boards(&self) -> Api<ConfigMap> {
        Api::namespaced(self.elsewhere.client(), self.stage.namespace.name())
    }

    /// Turns the clock until the deletion of the well is known to be stuck.
    async fn until_stuck(&self) -> Well {
        let known = eventually(&self.wells, "lion", |it: &Well| {
            it.status().is_some_and(|it| it.is(OperationType::Delete, OperationState::Error))
        });
        self.stage.turn_until(Duration::from_secs(30), known).await.unwrap()
    }

    async fn force(&self) {
        let confirmed =
            json!({"metadata": {"annotations": {"confirmation.slipway.dev/force-deletion": "true"}}});
        self.wells.patch("lion", &PatchParams::default(), &Patch::Merge(&confirmed)).await.unwrap();
        gone(&self.wells, "lion").await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn everything_that_belongs_to_the_extension_is_handled() {
    let mut town = Town::with_a_well().await;
    assert_eq!(town.waterworks.pipes().len(), 1);
    town.boards().get("lion-board").await.unwrap();
    town.wells.delete("lion", &kube::api::DeleteParams::default()).await.unwrap();
    gone(&town.wells, "lion").await.unwrap();
    assert!(town.waterworks.pipes().is_empty());
    for name in ["lion-plan", "lion-signs"] {
        assert!(town.maps.get_opt(name).await.unwrap().is_none(), "{name} is left");
    }
    assert!(town.boards().get_opt("lion-board").await.unwrap().is_none());
    town.stage.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn finalizers_of_what_is_backed_outside_are_taken_off_and_the_rest_goes_or_is_left_as_the_seed_says() {
    let mut town = Town::with_a_well().await;
    town.waterworks.change_password("changed");
    town.wells.delete("lion", &kube::api::DeleteParams::default()).await.unwrap();
    let stuck = town.until_stuck().await;
    let error = &stuck.status().unwrap().last_errors[0];
    assert_eq!(error.codes, [ErrorCode::CleanupResources]);
    assert!(error.description.contains("slipway.dev/pipes"), "{error:?}");
    let pipe = town.pipes.get("lion").await.unwrap();
    assert_eq!(pipe.status().unwrap().last_errors[0].codes, [ErrorCode::Unauthenticated]);

    town.force().await;
    gone(&town.pipes, "lion").await.unwrap();
    // What is outside stays there: that is what force means, and it is on record.
    assert_eq!(town.waterworks.pipes().len(), 1);
    assert!(town.maps.get_opt("lion-plan").await.unwrap().is_none());
    let stripped = town.stage.events("FinalizersStripped").await;
    assert_eq!(stripped.len(), 1);
    assert!(stripped[0].starts_with("took the finalizers slipway.dev/pipes off Pipe "), "{stripped:?}");
    let told = town.stage.events("ForceDeleted").await;
    assert!(told[0].contains("finalizers taken off Pipe"), "{told:?}");
    town.stage.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_target_cluster_that_is_gone_and_what_others_clean_are_left_and_force_delete_succeeds() {
    let mut town = Town::with_a_well().await;
    // Nobody listens there.
    let _ = rustls_provider();
    let mut nowhere = Config::new("http://127.0.0.1:9".parse().unwrap());
    nowhere.default_retry = false;
    *town.visitors.lock().unwrap() = Client::try_from(nowhere).unwrap();
    // The street cleaning has not come yet.
    let held = json!({"metadata": {"finalizers": ["cleaning.example.org/street"]}});
    town.maps.patch("lion-signs", &PatchParams::default(), &Patch::Merge(&held)).await.unwrap();
    town.wells.delete("lion", &kube::api::DeleteParams::default()).await.unwrap();
    let stuck = town.until_stuck().await;
    assert!(stuck.status().unwrap().last_errors.iter().any(|error| error.codes == [ErrorCode::Dependencies]));
    town.force().await;
    let told = town.stage.events("ForceDeleted").await;
    assert!(told[0].contains("lion-board (in a cluster that is gone or going)"), "{told:?}");
    assert!(told[0].contains("lion-signs (the street cleaning takes it away)"), "{told:?}");
    // Left where they are.
    town.maps.get("lion-signs").await.unwrap();
    town.boards().get("lion-board").await.unwrap();
    // And what could be taken down was: the waterworks are well.
    gone(&town.pipes, "lion").await.unwrap();
    assert!(town.maps.get_opt("lion-plan").await.unwrap().is_none());
    town.stage.end().await;
}

/// The provider of TLS that clients need even where they use none.
fn rustls_provider() -> Result<(), Arc<rustls::crypto::CryptoProvider>> {
    rustls::crypto::aws_lc_rs::default_provider().install_default()
}
