//! Who leads: one at a time, and the next when the first is gone.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use extension::{CancellationToken, Controller, Environment};
use jiff::SignedDuration;
use operator::{Controllers, Election, Options};
use support::Cluster;
use tokio::sync::mpsc;

use crate::stage::clock_of;

/// A controller that says when it runs.
struct Telling {
    who: &'static str,
    tell: mpsc::UnboundedSender<String>,
}

impl Controller for Telling {
    fn name(&self) -> &str {
        self.who
    }

    fn run(self: Box<Self>, stop: CancellationToken) -> std::pin::Pin<Box<dyn Future<Output = ()> + Send>> {
        Box::pin(async move {
            self.tell.send(format!("{} begins", self.who)).unwrap();
            stop.cancelled().await;
            self.tell.send(format!("{} ends", self.who)).unwrap();
        })
    }
}

struct Office {
    cluster: Cluster,
    clock: dock::clock::Clock,
    tell: mpsc::UnboundedSender<String>,
    told: Arc<Mutex<mpsc::UnboundedReceiver<String>>>,
}

impl Office {
    async fn open() -> Self {
        let clock = dock::clock::Clock::standing("2030-01-01T00:00:00Z".parse().unwrap());
        let cluster = Cluster::dock(dock::Dock::builder().clock(clock.clone()).start().await);
        let (tell, told) = mpsc::unbounded_channel();
        Self { cluster, clock, tell, told: Arc::new(Mutex::new(told)) }
    }

    fn candidate(&self, who: &'static str) -> (CancellationToken, tokio::task::JoinHandle<bool>) {
        let environment = Environment::new(self.cluster.client(), "slipway")
            .clock(clock_of(self.cluster.as_dock().unwrap()));
        let election = Election {
            namespace: "default".to_owned(),
            name: "slipway-operator".to_owned(),
            identity: who.to_owned(),
        };
        let options = Options { election: Some(election), ..Options::default() };
        let (stop, tell) = (CancellationToken::new(), self.tell.clone());
        let running = tokio::spawn({
            let stop = stop.clone();
            async move {
                let controllers = move |_: &Environment, _: &operator::Settings| {
                    let mut controllers = Controllers::new();
                    controllers.add(Telling { who, tell });
                    controllers
                };
                operator::run(environment, options, controllers, stop).await.is_ok()
            }
        });
        (stop, running)
    }

    #[expect(clippy::await_holding_lock, reason = "nobody else takes it")]
    async fn next(&self) -> String {
        let next = async { self.told.lock().unwrap().recv().await.unwrap() };
        tokio::time::timeout(support::PATIENCE, next).await.unwrap()
    }

    fn turn(&self, seconds: i64) {
        self.clock.advance(SignedDuration::from_secs(seconds));
    }

    async fn quiet(&self) {
        tokio::time::sleep(Duration::from_millis(200)).await;
        assert!(self.told.lock().unwrap().try_recv().is_err());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_next_leads_at_once_when_the_first_ends_as_it_should() {
    let office = Office::open().await;
    let (stop, first) = office.candidate("first");
    assert_eq!(office.next().await, "first begins");
    let (stop_second, second) = office.candidate("second");
    office.quiet().await;
    stop.cancel();
    assert_eq!(office.next().await, "first ends");
    assert!(first.await.unwrap());
    office.turn(5);
    assert_eq!(office.next().await, "second begins");
    stop_second.cancel();
    assert!(second.await.unwrap());
}

#[tokio::test(flavor = "multi_thread")]
async fn the_next_leads_when_the_lease_of_one_that_was_killed_has_run_out() {
    let office = Office::open().await;
    let (_, first) = office.candidate("first");
    assert_eq!(office.next().await, "first begins");
    let (stop, second) = office.candidate("second");
    office.quiet().await;
    first.abort();
    let _ = first.await;
    for _ in 0..2 {
        office.turn(5);
        office.quiet().await;
    }
    office.turn(5);
    assert_eq!(office.next().await, "second begins");
    stop.cancel();
    assert!(second.await.unwrap());
}

#[tokio::test(flavor = "multi_thread")]
async fn one_that_cannot_renew_steps_down_before_another_may_lead() {
    use dock::faults::{Fault, Which};
    let office = Office::open().await;
    let (_, first) = office.candidate("first");
    assert_eq!(office.next().await, "first begins");
    office
        .cluster
        .as_dock()
        .unwrap()
        .faults()
        .inject(Which::write().resource("leases.coordination.k8s.io"), Fault::unavailable());
    for _ in 0..12 {
        tokio::time::sleep(Duration::from_millis(50)).await;
        office.turn(1);
    }
    assert_eq!(office.next().await, "first ends");
    assert!(!first.await.unwrap(), "it says that it is not the leader any more");
}
