//! A thousand countdowns, by a time that stands while anybody is at work: how late each ends is exact.

use std::collections::BTreeMap;
use std::future::poll_fn;
use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};
use std::time::Duration;

use api::Bundle;
use dock::Dock;
use dock::clock::Clock;
use extension::{CancellationToken, Environment};
use futures_core::Stream as _;
use http::Request;
use jiff::{SignedDuration, Timestamp};
use k8s_openapi::api::coordination::v1::Lease;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::{ListParams, Patch, PatchParams};
use kube::client::Body;
use kube::runtime::watcher::{self, Event, watcher};
use kube::{Api, Client, ResourceExt};
use operator::{Election, Options};
use serde_json::{Value, json};
use support::Cluster;
use tower_service::Service;

use crate::stage::clock_of;

const BUNDLES: usize = 40;
const OBJECTS: usize = 25;
/// How late a countdown may end.
const LATE: SignedDuration = SignedDuration::from_secs(1);

/// A way to the dock that can be cut, as the end of a process cuts it: nothing that is sent afterwards arrives.
#[derive(Clone)]
struct Way {
    dock: Dock,
    cut: Arc<AtomicBool>,
}

impl Service<Request<Body>> for Way {
    type Response = <Dock as Service<Request<Body>>>::Response;
    type Error = <Dock as Service<Request<Body>>>::Error;
    type Future = <Dock as Service<Request<Body>>>::Future;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        Service::<Request<Body>>::poll_ready(&mut self.dock, context)
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        if self.cut.load(Ordering::Relaxed) {
            return Box::pin(std::future::pending());
        }
        self.dock.call(request)
    }
}

struct Harbour {
    cluster: Cluster,
    clock: Clock,
    maps: Api<ConfigMap>,
    bundles: Api<Bundle>,
    leases: Api<Lease>,
    /// When each object went, by name.
    gone: Arc<Mutex<BTreeMap<String, Timestamp>>>,
}

/// One process of the operator.
struct Process {
    stop: CancellationToken,
    cut: Arc<AtomicBool>,
    running: tokio::task::JoinHandle<bool>,
}

impl Harbour {
    async fn open() -> Self {
        let clock = Clock::of_runtime();
        let dock = Dock::builder().clock(clock.clone()).webhooks(false).start().await;
        let cluster = Cluster::dock(dock);
        let client = cluster.client();
        let gone: Arc<Mutex<BTreeMap<String, Timestamp>>> = Arc::default();
        let maps: Api<ConfigMap> = Api::default_namespaced(client.clone());
        tokio::spawn({
            let (maps, gone, clock) = (maps.clone(), Arc::clone(&gone), clock.clone());
            async move {
                let mut events = pin!(watcher(maps, watcher::Config::default()));
                while let Some(event) = poll_fn(|context| events.as_mut().poll_next(context)).await {
                    if let Ok(Event::Delete(map)) = event {
                        gone.lock().unwrap().insert(map.name_any(), clock.now());
                    }
                }
            }
        });
        let bundles = Api::default_namespaced(client.clone());
        let leases = Api::default_namespaced(client);
        Self { cluster, clock, maps, bundles, leases, gone }
    }

    fn start(&self, who: &str) -> Process {
        let dock = self.cluster.as_dock().unwrap();
        let way = Way { dock: dock.clone(), cut: Arc::default() };
        let cut = Arc::clone(&way.cut);
        let environment =
            Environment::new(Client::new(way, "default"), "slipway-operator").clock(clock_of(dock));
        let election = Election {
            namespace: "default".to_owned(),
            name: "slipway-operator".to_owned(),
            identity: who.to_owned(),
        };
        let options = Options { election: Some(election), install_definitions: true, ..Options::default() };
        let stop = CancellationToken::new();
        let running = operator::run(environment, options, operator::controllers::controllers, stop.clone());
        Process { stop, cut, running: tokio::spawn(async move { running.await.is_ok() }) }
    }

    /// When this one leads.
    async fn led_by(&self, who: &str) -> Timestamp {
        let leads =
            |lease: &Lease| lease.spec.as_ref().and_then(|spec| spec.holder_identity.as_deref()) == Some(who);
        support::eventually(&self.leases, "slipway-operator", leads).await.unwrap();
        self.clock.now()
    }

    async fn apply(&self, name: &str, resources: &[Value]) {
        let bundle = json!({
            "apiVersion": "slipway.dev/v1alpha1", "kind": "Bundle",
            "metadata": {"name": name}, "spec": {"resources": resources},
        });
        let parameters = PatchParams::apply("tests").force();
        let applied = self.bundles.patch(name, &parameters, &Patch::Apply(&bundle)).await.unwrap();
        support::eventually(&self.bundles, name, |bundle| {
            let status = bundle.status.clone().unwrap_or_default();
            let is_ready = status.extension.condition("Ready").is_some_and(|ready| ready.status == "True");
            is_ready && status.extension.observed_generation == applied.metadata.generation
        })
        .await
        .unwrap();
    }

    /// When each object that counts down is due, by what is on it.
    async fn due(&self) -> BTreeMap<String, Timestamp> {
        let maps = self.maps.list(&ListParams::default()).await.unwrap().items;
        let due = |map: &ConfigMap| {
            let stamp = map.annotations().get("slipway.dev/deletion-timestamp")?;
            let delay: objects::GoDuration =
                map.annotations().get("slipway.dev/deletion-delay")?.parse().ok()?;
            let stamp: Timestamp = stamp.parse().ok()?;
            Some((map.name_any(), stamp + SignedDuration::try_from(delay.to_std()?).ok()?))
        };
        maps.iter().filter_map(due).collect()
    }
}

/// An object that goes some time after it is no longer listed: a fifth of them at one instant, the others a few each second.
fn delayed(bundle: usize, object: usize) -> Value {
    let number = bundle * OBJECTS + object;
    let delay = if bundle.is_multiple_of(5) { 90_000 } else { 60_000 + number / 10 * 1_000 };
    let name = format!("object-{number}");
    json!({"name": name, "spec": {"object": {
        "apiVersion": "v1", "kind": "ConfigMap",
        "metadata": {"name": name, "annotations": {"slipway.dev/deletion-delay": format!("{delay}ms")}},
    }}})
}

#[tokio::test(start_paused = true)]
async fn a_thousand_countdowns_end_within_a_second_across_a_restart_and_a_change_of_the_leader() {
    let harbour = Harbour::open().await;
    let first = harbour.start("first");
    let mut reigns = vec![harbour.led_by("first").await];
    for bundle in 0..BUNDLES {
        let resources: Vec<Value> = (0..OBJECTS).map(|object| delayed(bundle, object)).collect();
        harbour.apply(&format!("bundle-{bundle}"), &resources).await;
    }
    for bundle in 0..BUNDLES {
        harbour.apply(&format!("bundle-{bundle}"), &[]).await;
    }
    let due = harbour.due().await;
    assert_eq!(due.len(), BUNDLES * OBJECTS);
    // In mid-countdown it is ended, and started anew.
    tokio::time::sleep(Duration::from_secs(70)).await;
    first.stop.cancel();
    assert!(first.running.await.unwrap());
    let second = harbour.start("second");
    reigns.push(harbour.led_by("second").await);
    let _third = harbour.start("third");
    // Later it is killed, and another takes over when its Lease has run out.
    tokio::time::sleep(Duration::from_secs(40)).await;
    second.cut.store(true, Ordering::Relaxed);
    let killed = harbour.clock.now();
    reigns.push(harbour.led_by("third").await);
    tokio::time::sleep(Duration::from_mins(3)).await;
    let gone = harbour.gone.lock().unwrap().clone();
    let mut latest = SignedDuration::ZERO;
    let mut held_up = 0;
    for (name, due) in &due {
        let went = gone.get(name).unwrap_or_else(|| panic!("{name} is still there, due at {due}"));
        assert!(went >= due, "{name} went at {went}, before {due}");
        // What falls due while nobody leads goes with the next who does.
        let next = reigns.iter().copied().find(|begin| begin > due).filter(|begin| begin <= went);
        let reign = next.filter(|begin| *begin != reigns[2] || *due >= killed);
        held_up += usize::from(reign.is_some());
        let late = went.duration_since(reign.unwrap_or(*due));
        assert!(late <= LATE, "{name} was due at {due} and went at {went}");
        latest = latest.max(late);
    }
    assert!(held_up > 0 && held_up < due.len() / 2, "{held_up} fell due while nobody led");
    let left = harbour.maps.list(&ListParams::default()).await.unwrap().items;
    assert!(left.iter().all(|map| !map.name_any().starts_with("object-")), "nothing is left");
    eprintln!("{} countdowns: the latest was {latest:?} late, {held_up} waited for a leader", due.len());
}
