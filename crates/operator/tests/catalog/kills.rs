//! Operators that are killed at every write, before and after it, and come back: instances and bindings end where they
//! would have ended undisturbed, and so does what the broker has.
//!
//! What an operator asks goes through a gate that closes at the write in question and gives no answer: then it is ended,
//! and another begins. So many writes are drawn by lot as `SLIPWAY_CRASHES` says, or `all` of them tried; `SLIPWAY_SEED`
//! draws others. `deaths` of the command line does it to a process, in fewer places.
#![expect(clippy::print_stderr, reason = "how much was tried is told")]

use std::collections::BTreeMap;

use brokers::{Behaviour, Route, Scripted};
use k8s_openapi::api::core::v1::Secret;
use kube::api::DeleteParams;
use serde_json::{Value, json};
use support::{Side, eventually, gone};

use crate::stage::Stage;

/// So many places are tried if nobody says how many.
const SOME: usize = 4;
/// The only one who may delete.
const MAY_DELETE: &str = "alice";

/// What is there at each point of a life at which nothing more is to be done.
type Record = BTreeMap<&'static str, Value>;

/// An instance and a binding are made, changed and given back, in every way.
async fn life(broker: &Scripted, stage: &Stage) -> Record {
    let mut record = Record::new();
    stage.buy("alice", "db").await;
    record.insert("1 bought", rested(broker, stage, "db").await);

    bind(stage, "access").await;
    record.insert("2 bound", bound(broker, stage, "access").await);
    let larger = json!({"spec": {"parameters": {"size": 9}}});
    stage.by("bob", "PATCH", "serviceinstances", "db", &larger).await.unwrap();
    record.insert("3 changed", rested(broker, stage, "db").await);

    // Refused, and taken back.
    let back = |exists: bool| json!({"spec": {"existsExternally": exists}});
    stage.by("bob", "PATCH", "servicebindings", "access", &back(false)).await.unwrap();
    stage.bound("access", "False", "UnbindCallFailed").await;
    stage.by("bob", "PATCH", "servicebindings", "access", &back(true)).await.unwrap();
    record.insert("4 binding taken back", bound(broker, stage, "access").await);
    stage.by("alice", "PATCH", "servicebindings", "access", &back(false)).await.unwrap();
    gone(&stage.bindings(), "access").await.unwrap();
    stage.exists("bob", "db", false).await;
    stage.told("db", "Failed", "True", "DeprovisionCallFailed").await;
    stage.exists("bob", "db", true).await;
    record.insert("5 instance taken back", rested(broker, stage, "db").await);

    // A plain DELETE of both, the instance first: it waits for its binding.
    bind(stage, "other").await;
    record.insert("6 bound again", bound(broker, stage, "other").await);
    stage.buy("alice", "second").await;
    record.insert("7 second", rested(broker, stage, "second").await);
    let touched = json!({"spec": {"updateRequests": 1}});
    stage.by(MAY_DELETE, "PATCH", "serviceinstances", "db", &touched).await.unwrap();
    record.insert("8 touched", rested(broker, stage, "db").await);
    stage.instances().delete("db", &DeleteParams::default()).await.unwrap();
    stage.bindings().delete("other", &DeleteParams::default()).await.unwrap();
    gone(&stage.bindings(), "other").await.unwrap();
    gone(&stage.instances(), "db").await.unwrap();
    stage.exists(MAY_DELETE, "second", false).await;
    gone(&stage.instances(), "second").await.unwrap();
    let secrets = stage.namespace.api::<Secret>();
    for name in ["access", "other"] {
        gone(&secrets, name).await.unwrap();
    }
    record
}

async fn bind(stage: &Stage, name: &str) {
    let binding = json!({
        "apiVersion": "servicecatalog.slipway.dev/v1alpha1", "kind": "ServiceBinding", "metadata": {"name": name},
        "spec": {"instanceRef": {"name": "db"}},
    });
    stage.by("alice", "POST", "servicebindings", "", &binding).await.unwrap();
}

/// An instance that is as its spec says, and all that the broker has.
async fn rested(broker: &Scripted, stage: &Stage, name: &str) -> Value {
    let instance = eventually(&stage.instances(), name, |it| {
        let status = it.status.as_ref();
        status.is_some_and(|status| {
            let ready = status.extension.condition("Ready");
            ready.is_some_and(|it| it.status == "True")
                && status.extension.observed_generation == it.metadata.generation
                && status.backing.current_operation.is_none()
        })
    })
    .await
    .unwrap();
    let uid = instance.metadata.uid.clone().unwrap_or_default();
    told(broker, stage, &json!({"metadata": instance.metadata, "status": instance.status}), &uid)
}

/// A binding that is ready, its Secret, and all that the broker has.
async fn bound(broker: &Scripted, stage: &Stage, name: &str) -> Value {
    let binding = eventually(&stage.bindings(), name, |it| {
        let status = it.status.as_ref();
        status.is_some_and(|status| {
            let ready = status.extension.condition("Ready");
            ready.is_some_and(|it| it.status == "True")
                && status.extension.observed_generation == it.metadata.generation
                && status.backing.current_operation.is_none()
        })
    })
    .await
    .unwrap();
    let secret = stage.namespace.api::<Secret>().get(name).await.unwrap();
    let uid = binding.metadata.uid.clone().unwrap_or_default();
    let object = json!({
        "metadata": binding.metadata, "status": binding.status,
        "secret": secret.data.map(|data| data.into_keys().collect::<Vec<_>>()),
    });
    told(broker, stage, &object, &uid)
}

/// What was found, without what is different in every life: names that were chosen by others, and times.
fn told(broker: &Scripted, stage: &Stage, object: &Value, uid: &str) -> Value {
    let mut object = object.clone();
    let metadata = object["metadata"].take();
    object["finalizers"] = metadata["finalizers"].clone();
    object["generation"] = metadata["generation"].clone();
    if let Some(status) = object["status"].as_object_mut() {
        // A second look is called by another name than the first.
        status.remove("lastOperation");
    }
    let had = broker.instances().into_values().map(|it| {
        json!({"plan": it.plan, "parameters": it.parameters, "bindings": it.bindings.len()}).to_string()
    });
    // In whatever order their identifiers have.
    object["broker"] = json!(had.collect::<std::collections::BTreeSet<_>>());
    without_times(&mut object);
    let mut text = object.to_string().replace(uid, "UID").replace(stage.namespace.name(), "NAMESPACE");
    for id in broker.instances().keys() {
        text = text.replace(id, "ID");
    }
    serde_json::from_str(&text).unwrap()
}

fn without_times(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.retain(|name, _| !name.ends_with("Time"));
            fields.values_mut().for_each(without_times);
        }
        Value::Array(items) => items.iter_mut().for_each(without_times),
        _ => {}
    }
}

/// Nothing was made twice, asked for in two ways, or left behind.
fn in_order(broker: &Scripted, case: &str) {
    assert!(broker.instances().is_empty(), "{case}: {:?} is left behind", broker.instances());
    assert!(broker.made().values().all(|times| *times == 1), "{case}: {:?}", broker.made());
    assert_eq!(broker.made().len(), 4, "{case}: two instances and two bindings: {:?}", broker.made());
    for route in [Route::Provision, Route::Bind] {
        let mut asked = BTreeMap::new();
        for seen in broker.seen_of(route) {
            let first = asked.entry((seen.instance, seen.binding)).or_insert_with(|| seen.body.clone());
            assert_eq!(*first, seen.body, "{case}: another question about the same thing");
        }
        assert_eq!(asked.len(), 2, "{case}: {route:?}");
    }
}

async fn set(polls: Option<usize>) -> (Scripted, Stage) {
    let may_delete = Some(MAY_DELETE.to_owned());
    let broker = Scripted::start(Behaviour { polls, may_delete, ..Behaviour::default() }).await.unwrap();
    let stage = Stage::with_gate(&broker.url()).await;
    (broker, stage)
}

fn number(variable: &str) -> Option<usize> {
    std::env::var(variable).ok()?.parse().ok()
}

/// The places in which a life is interrupted, out of so many writes.
fn places(writes: usize) -> Vec<(usize, Side)> {
    let all: Vec<_> = (1..=writes).flat_map(|write| [(write, Side::Before), (write, Side::After)]).collect();
    if std::env::var("SLIPWAY_CRASHES").as_deref() == Ok("all") {
        return all;
    }
    let mut lot = number("SLIPWAY_SEED").unwrap_or(1) as u64;
    let mut draw = || {
        // Steps of a well-known generator: any spread will do.
        lot = lot.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        all[(lot >> 33) as usize % all.len()]
    };
    (0..number("SLIPWAY_CRASHES").unwrap_or(SOME)).map(|_| draw()).collect()
}

async fn survives(polls: Option<usize>) {
    let (broker, stage) = set(polls).await;
    stage.gate().close_at(None);
    let undisturbed = life(&broker, &stage).await;
    let writes = stage.gate().writes();
    in_order(&broker, "undisturbed");
    let places = places(writes);
    for place in &places {
        let case = format!("{polls:?} polls, killed at write {} of {writes} ({:?})", place.0, place.1);
        let (broker, stage) = set(polls).await;
        stage.gate().close_at(Some(*place));
        let killed = async {
            stage.gate().closed().await;
            stage.fall().await;
            stage.gate().close_at(None);
            stage.rise();
        };
        let living = life(&broker, &stage);
        tokio::pin!(living);
        let record = tokio::select! {
            // How many writes there are depends a little on who is quicker.
            record = &mut living => record,
            () = killed => living.await,
        };
        for (point, expected) in &undisturbed {
            let found = record[point].clone();
            assert!(found == *expected, "{case}: {point}\nfound {found:#}\nexpected {expected:#}");
        }
        in_order(&broker, &case);
    }
    eprintln!("{polls:?} polls: {writes} writes, killed in {} places", places.len());
}

#[tokio::test(flavor = "multi_thread")]
async fn killed_at_every_write_with_a_broker_that_answers_at_once() {
    survives(None).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn killed_at_every_write_with_a_broker_that_takes_its_time() {
    survives(Some(1)).await;
}
