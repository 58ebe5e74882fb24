//! A cluster with fountains, and an actuator that does what a test tells it.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use dock::Dock;
use extension::{
    Actuator, ActuatorError, CancellationToken, Clock, Context, Environment, OperationType, Outcome,
    Reconciler,
};
use jiff::{SignedDuration, Timestamp};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::api::{DeleteParams, Patch, PatchParams};
use kube::runtime::wait::{await_condition, conditions};
use kube::{Api, Client, CustomResourceExt};
use serde_json::{Value, json};
use support::{Cluster, Namespace, create, eventually};
use tokio::sync::mpsc;

use crate::fountain::Fountain;

pub(crate) type Answer = Result<Outcome, ActuatorError>;

/// An actuator that notes how it is called, and answers as it was told.
#[derive(Clone, Default)]
pub(crate) struct Scripted {
    answers: Arc<Mutex<VecDeque<Answer>>>,
    pub(crate) calls: Arc<Mutex<Vec<OperationType>>>,
    told: Arc<Mutex<Option<mpsc::UnboundedSender<OperationType>>>>,
    /// What it says when it was told nothing.
    pub(crate) always: Arc<Mutex<Option<Answer>>>,
    /// What it exports when it hands over.
    pub(crate) exports: Arc<Mutex<Option<Value>>>,
    /// It does not return.
    pub(crate) hangs: Arc<Mutex<bool>>,
    pub(crate) litres: Arc<Mutex<Option<u32>>>,
}

impl Scripted {
    pub(crate) fn will(&self, answer: Answer) -> &Self {
        self.answers.lock().unwrap().push_back(answer);
        self
    }

    pub(crate) fn always(&self, answer: Answer) -> &Self {
        *self.always.lock().unwrap() = Some(answer);
        self
    }

    pub(crate) fn calls(&self) -> Vec<OperationType> {
        self.calls.lock().unwrap().clone()
    }

    async fn act(&self, context: &mut Context<Fountain>) -> Answer {
        self.calls.lock().unwrap().push(context.operation());
        if let Some(told) = &*self.told.lock().unwrap() {
            let _ = told.send(context.operation());
        }
        if let Some(litres) = *self.litres.lock().unwrap() {
            context.object.status.get_or_insert_default().litres = Some(litres);
        }
        if *self.hangs.lock().unwrap() {
            std::future::pending::<()>().await;
        }
        let answer = self.answers.lock().unwrap().pop_front();
        answer.or_else(|| self.always.lock().unwrap().clone()).unwrap_or_else(|| Ok(Outcome::done()))
    }
}

impl Actuator for Scripted {
    type Object = Fountain;

    async fn reconcile(&self, context: &mut Context<Fountain>) -> Answer {
        self.act(context).await
    }

    async fn delete(&self, context: &mut Context<Fountain>) -> Answer {
        self.act(context).await
    }

    async fn force_delete(&self, context: &mut Context<Fountain>) -> Answer {
        self.act(context).await
    }

    async fn migrate(&self, context: &mut Context<Fountain>) -> Answer {
        let exports = self.exports.lock().unwrap().clone();
        if exports.is_some() {
            use extension::Extension as _;
            context.object.status_mut().state = exports;
        }
        self.act(context).await
    }

    async fn restore(&self, context: &mut Context<Fountain>) -> Answer {
        self.act(context).await
    }
}

/// A cluster with the definition of fountains.
pub(crate) struct Stage {
    pub(crate) cluster: Cluster,
    pub(crate) namespace: Namespace,
    pub(crate) fountains: Api<Fountain>,
    stop: CancellationToken,
    running: Vec<tokio::task::JoinHandle<()>>,
}

impl Stage {
    pub(crate) async fn new() -> Self {
        Self::on(Cluster::start().await.unwrap()).await
    }

    /// On a dock whose clock stands until the test turns it.
    pub(crate) async fn standing() -> Self {
        let clock = dock::clock::Clock::standing("2030-01-01T00:00:00Z".parse().unwrap());
        Self::on(Cluster::dock(Dock::builder().clock(clock).start().await)).await
    }

    async fn on(cluster: Cluster) -> Self {
        define::<Fountain>(&cluster.client()).await;
        let namespace = cluster.namespace().await.unwrap();
        let fountains = namespace.api();
        Self { cluster, namespace, fountains, stop: CancellationToken::new(), running: Vec::new() }
    }

    pub(crate) fn environment(&self) -> Environment {
        let environment = Environment::new(self.cluster.client(), "town");
        let environment = match self.cluster.as_dock() {
            Some(dock) => environment.clock(clock_of(dock)),
            None => environment,
        };
        // Other tests use the same kind at the same time.
        let namespaces = vec![self.namespace.name().to_owned()];
        environment.scope(extension::Scope { namespaces, labels: None })
    }

    /// Runs an actuator, and tells of its calls.
    pub(crate) fn run(&mut self, actuator: &Scripted) -> mpsc::UnboundedReceiver<OperationType> {
        self.run_as(actuator, |reconciler| reconciler)
    }

    pub(crate) fn run_as(
        &mut self,
        actuator: &Scripted,
        how: impl FnOnce(Reconciler<Scripted>) -> Reconciler<Scripted>,
    ) -> mpsc::UnboundedReceiver<OperationType> {
        let (told, calls) = mpsc::unbounded_channel();
        *actuator.told.lock().unwrap() = Some(told);
        self.start(how(Reconciler::new(&self.environment(), actuator.clone())));
        calls
    }

    pub(crate) fn start<A: Actuator>(&mut self, reconciler: Reconciler<A>) {
        self.running.push(tokio::spawn(reconciler.run(self.stop.clone())));
    }

    /// Ends all controllers, as a process does that is told to.
    pub(crate) async fn end(&mut self) {
        self.stop.cancel();
        for running in self.running.drain(..) {
            running.await.unwrap();
        }
        self.stop = CancellationToken::new();
    }

    pub(crate) async fn create(&self, name: &str) -> Fountain {
        self.create_with(name, json!({}), json!({"jets": 3})).await
    }

    pub(crate) async fn create_with(&self, name: &str, annotations: Value, spec: Value) -> Fountain {
        let object = json!({
            "apiVersion": "town.example.org/v1", "kind": "Fountain",
            "metadata": {"name": name, "annotations": annotations}, "spec": spec,
        });
        create(&self.fountains, object).await.unwrap()
    }

    pub(crate) async fn annotate(&self, name: &str, key: &str, value: Value) {
        self.patch(name, json!({"metadata": {"annotations": {key: value}}})).await;
    }

    pub(crate) async fn patch(&self, name: &str, patch: Value) -> Fountain {
        self.fountains.patch(name, &PatchParams::default(), &Patch::Merge(&patch)).await.unwrap()
    }

    /// Records an error as the controller would.
    pub(crate) async fn record_error(&self, name: &str, code: &str) {
        let status = json!({"status": {"lastErrors": [{"description": "it is stuck", "codes": [code]}]}});
        self.fountains.patch_status(name, &PatchParams::default(), &Patch::Merge(&status)).await.unwrap();
    }

    pub(crate) async fn delete(&self, name: &str) {
        self.fountains.delete(name, &DeleteParams::default()).await.unwrap();
    }

    pub(crate) async fn until(&self, name: &str, condition: impl Fn(&Fountain) -> bool) -> Fountain {
        eventually(&self.fountains, name, condition).await.unwrap()
    }

    /// Turns the clock of the dock.
    pub(crate) fn advance(&self, by: Duration) {
        let by = SignedDuration::try_from(by).unwrap();
        self.cluster.as_dock().unwrap().clock().advance(by);
    }

    /// Turns the clock step by step until something happens.
    pub(crate) async fn turn_until<Made>(&self, step: Duration, awaited: impl Future<Output = Made>) -> Made {
        tokio::pin!(awaited);
        loop {
            tokio::select! {
                biased;
                made = &mut awaited => return made,
                () = tokio::time::sleep(Duration::from_millis(100)) => self.advance(step),
            }
        }
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.cluster.as_dock().unwrap().clock().now()
    }

    /// The notes of the Events about an object, by their reasons.
    pub(crate) async fn events(&self, reason: &str) -> Vec<String> {
        let events = self.namespace.api::<k8s_openapi::api::events::v1::Event>();
        let list = events.list(&kube::api::ListParams::default()).await.unwrap();
        let with = list.items.into_iter().filter(|event| event.reason.as_deref() == Some(reason));
        with.filter_map(|event| event.note).collect()
    }
}

/// A time as a controller wants it, from a dock.
pub(crate) fn clock_of(dock: &Dock) -> Clock {
    let (now, sleep) = (dock.clock().clone(), dock.clock().clone());
    Clock::new(
        move || now.now(),
        move |instant| {
            let clock = sleep.clone();
            async move { clock.sleep_until(instant).await }
        },
    )
}

/// Installs the definition of a kind, which other tests may have done.
pub(crate) async fn define<K: CustomResourceExt>(client: &Client) {
    let definitions = Api::<CustomResourceDefinition>::all(client.clone());
    let params = PatchParams::apply("tests").force();
    definitions.patch(K::crd_name(), &params, &Patch::Apply(K::crd())).await.unwrap();
    await_condition(definitions, K::crd_name(), conditions::is_crd_established()).await.unwrap();
}

/// The next call; there must be one.
pub(crate) async fn next(calls: &mut mpsc::UnboundedReceiver<OperationType>) -> OperationType {
    tokio::time::timeout(support::PATIENCE, calls.recv()).await.expect("a call").unwrap()
}

/// There is no further call for a while.
pub(crate) async fn silence(calls: &mut mpsc::UnboundedReceiver<OperationType>) {
    let silent = tokio::time::timeout(Duration::from_millis(500), calls.recv()).await;
    assert!(silent.is_err(), "it was called again: {silent:?}");
}
