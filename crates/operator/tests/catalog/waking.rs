//! Who waits for something else hears of it, and what somebody removed is put back.

use std::time::{Duration, Instant};

use brokers::{Behaviour, Route, Scripted};
use catalog::kinds::ClusterServiceBroker;
use k8s_openapi::api::core::v1::Secret;
use kube::api::DeleteParams;
use kube::{Api, ResourceExt as _};
use serde_json::json;
use support::{On, eventually, gone};

use crate::stage::Stage;

/// Much less than what is waited for by those who are not woken.
const SOON: Duration = Duration::from_secs(20);

fn binding(name: &str) -> serde_json::Value {
    json!({
        "apiVersion": "servicecatalog.slipway.dev/v1alpha1", "kind": "ServiceBinding", "metadata": {"name": name},
        "spec": {"instanceRef": {"name": "database"}},
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn a_binding_that_came_before_its_instance_and_an_instance_that_is_held_are_woken() {
    let broker = Scripted::start(Behaviour::default()).await.unwrap();
    let stage = Stage::start(&broker.url()).await;
    stage.by("alice", "POST", "servicebindings", "", &binding("early")).await.unwrap();
    stage.bound("early", "False", "ReferencesNonexistentInstance").await;
    let begun = Instant::now();
    stage.buy("alice", "database").await;
    stage.bound("early", "True", "InjectedBindResult").await;
    assert!(begun.elapsed() < SOON, "{:?}", begun.elapsed());

    stage.exists("alice", "database", false).await;
    let held = stage.told("database", "Ready", "False", "DeprovisionBlockedByExistingCredentials").await;
    assert!(held.status.unwrap().extension.condition("Ready").unwrap().message.ends_with("early"));
    assert!(broker.seen_of(Route::Deprovision).is_empty());
    let begun = Instant::now();
    stage.bindings().delete("early", &DeleteParams::default()).await.unwrap();
    gone(&stage.instances(), "database").await.unwrap();
    assert!(begun.elapsed() < SOON, "{:?}", begun.elapsed());
}

#[tokio::test(flavor = "multi_thread")]
async fn an_instance_whose_class_or_plan_is_missing_rests_until_it_is_sold() {
    let broker = Scripted::start(Behaviour::default()).await.unwrap();
    let stage = Stage::with_gate(&broker.url()).await;
    let spec = |class: &str, plan: &str| {
        let named = stage.plan(plan).to_string();
        serde_json::from_str::<serde_json::Value>(&named.replace("\"database\"", &format!("{class:?}")))
            .unwrap()
    };
    for (name, class, plan) in [("of-class", "queue", "small"), ("of-plan", "database", "huge")] {
        let body = json!({
            "apiVersion": "servicecatalog.slipway.dev/v1alpha1", "kind": "ServiceInstance", "metadata": {"name": name},
            "spec": spec(class, plan),
        });
        stage.by("alice", "POST", "serviceinstances", "", &body).await.unwrap();
    }
    stage.told("of-class", "Ready", "False", "ReferencesNonexistentServiceClass").await;
    stage.told("of-plan", "Ready", "False", "ReferencesNonexistentServicePlan").await;
    let asked = stage.idle().await;
    assert!(asked.is_empty(), "{asked:#?}");

    let begun = Instant::now();
    broker.behave(|behaviour| {
        let services = behaviour.catalog["services"].as_array_mut().unwrap();
        let plan = |name: &str, id: &str| json!({"name": name, "id": id, "description": "a plan"});
        services[0]["plans"].as_array_mut().unwrap().push(plan("huge", "plan-huge"));
        services.push(json!({
            "name": "queue", "id": "service-queue", "description": "a queue", "bindable": false,
            "plans": [plan("small", "plan-queue")],
        }));
    });
    stage.relist(1).await;
    for name in ["of-class", "of-plan"] {
        stage.told(name, "Ready", "True", "ProvisionedSuccessfully").await;
    }
    assert!(begun.elapsed() < SOON, "{:?}", begun.elapsed());
}

#[tokio::test(flavor = "multi_thread")]
async fn an_instance_whose_broker_is_missing_rests_until_it_is_there() {
    let broker = Scripted::start(Behaviour::default()).await.unwrap();
    let stage = Stage::with_gate(&broker.url()).await;
    stage.buy("alice", "database").await;
    stage.told("database", "Ready", "True", "ProvisionedSuccessfully").await;
    stage.bankrupt().await;
    stage.exists("alice", "database", false).await;
    eventually(&stage.instances(), "database", |it| {
        let errors = it.status.as_ref().map(|status| &status.extension.last_errors);
        errors.is_some_and(|errors| errors.iter().any(|error| error.description.ends_with("is not there")))
    })
    .await
    .unwrap();
    let asked = stage.idle().await;
    assert!(asked.is_empty(), "{asked:#?}");
    let begun = Instant::now();
    stage.register(&broker.url()).await;
    gone(&stage.instances(), "database").await.unwrap();
    assert!(begun.elapsed() < SOON, "{:?}", begun.elapsed());
    assert!(broker.instances().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_secret_that_somebody_deleted_is_put_back() {
    for retrievable in [true, false] {
        let mut behaviour = Behaviour::default();
        behaviour.catalog["services"][0]["bindings_retrievable"] = json!(retrievable);
        let broker = Scripted::start(behaviour).await.unwrap();
        let stage = Stage::start(&broker.url()).await;
        stage.buy("alice", "database").await;
        stage.by("alice", "POST", "servicebindings", "", &binding("access")).await.unwrap();
        stage.bound("access", "True", "InjectedBindResult").await;
        let secrets = stage.namespace.api::<Secret>();
        let before = secrets.get("access").await.unwrap();
        secrets.delete("access", &DeleteParams::default()).await.unwrap();
        let after = eventually(&secrets, "access", |it| it.uid() != before.uid()).await.unwrap();
        assert_eq!(after.data, before.data);
        stage.bound("access", "True", "InjectedBindResult").await;
        assert!(broker.made().values().all(|times| *times == 1), "{:?}", broker.made());
        assert!(broker.seen_of(Route::Unbind).is_empty(), "nothing is taken back for it");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_broker_goes_when_nothing_is_left_that_was_bought_from_it() {
    let broker = Scripted::start(Behaviour::default()).await.unwrap();
    let stage = Stage::start(&broker.url()).await;
    if stage.cluster.on() != On::Dock {
        return;
    }
    stage.buy("alice", "database").await;
    stage.told("database", "Ready", "True", "ProvisionedSuccessfully").await;
    let brokers = Api::<ClusterServiceBroker>::all(stage.client());
    brokers.delete(&stage.broker, &DeleteParams::default()).await.unwrap();
    let name = format!("ServiceInstance {}/database", stage.namespace.name());
    let held = eventually(&brokers, &stage.broker, |it| {
        let errors = it.status.as_ref().map(|status| &status.extension.last_errors);
        errors.is_some_and(|errors| errors.iter().any(|error| error.description.contains(&name)))
    })
    .await
    .unwrap();
    let codes = &held.status.unwrap().extension.last_errors[0].codes;
    assert_eq!(serde_json::to_value(codes).unwrap(), json!(["ERR_DEPENDENCIES"]));

    // Nobody buys from it any more, and what was bought can be given back.
    stage.buy("alice", "late").await;
    stage.told("late", "Ready", "False", "ReferencesDeletedServiceClass").await;
    stage.exists("alice", "database", false).await;
    gone(&stage.instances(), "database").await.unwrap();
    assert!(broker.instances().is_empty());
    gone(&brokers, &stage.broker).await.unwrap();
    assert_eq!(broker.seen_of(Route::Provision).len(), 1);
}
