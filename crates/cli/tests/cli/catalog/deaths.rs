//! The operator as a process of its own, killed (SIGKILL) in the middle of every operation at a broker: nothing is made
//! twice, nothing is lost, and nothing that a broker made without saying so is forgotten.

use std::process::{Child, Stdio};
use std::time::Duration;

use brokers::{Answer, Behaviour, Manner, OpenBroker, Route, Scripted};
use catalog::kinds::{ServiceBinding, ServiceBroker, ServiceInstance};
use k8s_openapi::api::core::v1::Secret;
use kube::api::{DeleteParams, Patch, PatchParams};
use serde_json::{Value, json};
use support::{Cluster, Gate, Namespace, create, eventually, gone};

use crate::transcript::Session;

struct Yard<Broker> {
    _cluster: Cluster,
    gate: Gate,
    namespace: Namespace,
    session: Session,
    operator: Option<Child>,
    broker: Broker,
}

impl<Broker> Drop for Yard<Broker> {
    fn drop(&mut self) {
        self.kill();
    }
}

impl<Broker> Yard<Broker> {
    /// An operator of one namespace, a broker there, and nothing bought yet.
    async fn with(broker: Broker, url: String) -> Self {
        let cluster = Cluster::start().await.unwrap();
        let namespace = cluster.namespace().await.unwrap();
        let gate = Gate::open(cluster.client()).await.unwrap();
        let session = Session::new();
        std::fs::write(session.home.path().join("config"), gate.kubeconfig()).unwrap();
        let mut yard = Self { _cluster: cluster, gate, namespace, session, operator: None, broker };
        yard.start();
        let brokers = yard.namespace.api::<ServiceBroker>();
        let credentials = json!({
            "metadata": {"name": "broker"}, "stringData": {"username": "admin", "password": "password"},
        });
        create(&yard.namespace.api::<Secret>(), credentials).await.unwrap();
        let auth = json!({"basic": {"secretRef": {"name": "broker"}}});
        let made = json!({"metadata": {"name": "acme"}, "spec": {"url": url, "authInfo": auth}});
        for _ in 0..1200 {
            // The kinds are installed beside this.
            if create(&brokers, made.clone()).await.is_ok() {
                break;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        eventually(&brokers, "acme", |it| it.status.as_ref().is_some_and(|it| it.services == 1))
            .await
            .unwrap();
        yard
    }

    fn start(&mut self) {
        let config = self.session.home.path().join("config");
        let name = self.namespace.name();
        let mut command = self.session.command(&["operator", "--log-level", "error", "--no-leader-election"]);
        command
            .args(["--install-crds", "--install-policies", "--feature-gates", "DeclarativeDelete=true"])
            .args(["--listen", "", "--namespace", name, "--watch-namespaces", name])
            .args(["--webhook-listen", "127.0.0.1:0", "--webhook-host", "127.0.0.1", "--webhook-name", name])
            .arg("--kubeconfig")
            .arg(config)
            .stdout(Stdio::null());
        self.operator = Some(command.spawn().unwrap());
    }

    /// SIGKILL: it has no time for anything.
    fn kill(&mut self) {
        if let Some(mut operator) = self.operator.take() {
            operator.kill().unwrap();
            operator.wait().unwrap();
        }
    }

    fn again(&mut self) {
        self.kill();
        self.start();
    }

    async fn buy(&self) {
        let spec = json!({"serviceClassExternalName": "database", "servicePlanExternalName": "small"});
        let made = json!({"metadata": {"name": "db"}, "spec": spec});
        let instances = self.namespace.api::<ServiceInstance>();
        self.insist(|| async {
            create(&instances, made.clone()).await.map(drop).map_err(|error| error.to_string())
        })
        .await;
    }

    async fn bind(&self) {
        let made = json!({"metadata": {"name": "access"}, "spec": {"instanceRef": {"name": "db"}}});
        let bindings = self.namespace.api::<ServiceBinding>();
        self.insist(|| async {
            create(&bindings, made.clone()).await.map(drop).map_err(|error| error.to_string())
        })
        .await;
    }

    async fn change(&self, spec: Value) {
        let instances = self.namespace.api::<ServiceInstance>();
        let patch = Patch::Merge(json!({"spec": spec}));
        self.insist(|| async {
            let changed = instances.patch("db", &PatchParams::default(), &patch).await;
            changed.map(drop).map_err(|error| error.to_string())
        })
        .await;
    }

    /// Asks until the webhook of an operator that has just begun answers.
    async fn insist<Asked: Future<Output = Result<(), String>>>(&self, ask: impl Fn() -> Asked) {
        for _ in 0..1200 {
            match ask().await {
                Ok(()) => return,
                Err(error) => assert!(error.contains("webhook"), "{error}"),
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        panic!("the webhook does not answer");
    }

    async fn ready(&self) -> ServiceInstance {
        let instances = self.namespace.api::<ServiceInstance>();
        eventually(&instances, "db", |it| {
            let status = it.status.as_ref().map(|status| &status.extension);
            status.and_then(|status| status.condition("Ready")).is_some_and(|ready| {
                ready.status == "True" && ready.observed_generation == it.metadata.generation
            })
        })
        .await
        .unwrap()
    }

    async fn bound(&self) {
        let bindings = self.namespace.api::<ServiceBinding>();
        eventually(&bindings, "access", |it| {
            let status = it.status.as_ref().map(|status| &status.extension);
            status.and_then(|status| status.condition("Ready")).is_some_and(|ready| ready.status == "True")
        })
        .await
        .unwrap();
    }

    /// Everything is given back.
    async fn give_back(&self) {
        let bindings = self.namespace.api::<ServiceBinding>();
        let instances = self.namespace.api::<ServiceInstance>();
        let _ = bindings.delete("access", &DeleteParams::default()).await;
        let _ = instances.delete("db", &DeleteParams::default()).await;
        gone(&instances, "db").await.unwrap();
        assert!(self.gate.writes() > 0, "the operator did not go through the gate");
    }
}

impl Yard<Scripted> {
    async fn open(polls: Option<usize>) -> Self {
        let broker = Scripted::start(Behaviour { polls, ..Behaviour::default() }).await.unwrap();
        let url = broker.url();
        Self::with(broker, url).await
    }

    /// What the broker has is what the instance says, and was made once.
    async fn in_order(&self) {
        let id = self.ready().await.status.unwrap().backing.external_id.unwrap();
        assert_eq!(self.broker.instances().keys().collect::<Vec<_>>(), [&id]);
        assert!(self.broker.made().values().all(|times| *times == 1), "{:?}", self.broker.made());
    }

    /// Everything is given back, and the broker has nothing any more.
    async fn close(self) {
        self.give_back().await;
        assert!(self.broker.instances().is_empty(), "{:?}", self.broker.instances());
    }

    /// The broker does what it is asked and does not say so; whoever asked is killed and comes back.
    fn silence(&self, route: Route) {
        self.broker.next(route, Answer::none(Manner::Silence).but_done());
    }
}

impl Yard<OpenBroker> {
    /// How often the broker was asked so, and answered.
    fn asked(&self, method: &str, about: &str) -> usize {
        let asked = |it: &&Value| {
            let path = it["path"].as_str().unwrap_or_default();
            // What is asked of a binding is not asked of its instance.
            it["method"] == method
                && path.ends_with("/last_operation") == about.ends_with("last_operation")
                && path.contains("/service_bindings/") == about.starts_with("service_bindings")
        };
        self.broker.seen().iter().filter(asked).count()
    }

    /// Returns once it was asked once more how far it is.
    async fn polled(&self, about: &str, before: usize) {
        for _ in 0..3000 {
            if self.asked("GET", about) > before {
                return;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        panic!("nobody asks about {about}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn killed_while_a_broker_made_by_others_is_at_it() {
    // Slow enough that nobody is done before it is killed.
    let broker = match OpenBroker::start(&["--polls", "2", "--retry-after", "1"]) {
        Ok(broker) => broker,
        Err(why) => return eprintln!("skipped killed_while_a_broker_made_by_others_is_at_it: {why}"),
    };
    let url = broker.url();
    let mut yard = Yard::with(broker, url).await;
    let (of_instance, of_binding) = ("service_instances/last_operation", "service_bindings/last_operation");
    let only = |yard: &Yard<OpenBroker>| {
        let instances = yard.broker.instances();
        let all = instances.as_object().cloned().unwrap_or_default();
        assert_eq!(all.len(), 1, "{instances}");
        all.into_iter().next().unwrap()
    };
    yard.buy().await;
    yard.polled(of_instance, 0).await;
    yard.again();
    let id = yard.ready().await.status.unwrap().backing.external_id.unwrap();
    assert_eq!(only(&yard).0, id);

    let before = yard.asked("GET", of_instance);
    yard.change(json!({"servicePlanExternalName": "large"})).await;
    yard.polled(of_instance, before).await;
    yard.again();
    yard.ready().await;
    assert_eq!(only(&yard).1["plan"], "plan-large");

    yard.bind().await;
    yard.polled(of_binding, 0).await;
    yard.again();
    yard.bound().await;
    assert_eq!(only(&yard).1["bindings"].as_object().map(serde_json::Map::len), Some(1));

    let (bindings, before) = (yard.namespace.api::<ServiceBinding>(), yard.asked("GET", of_binding));
    bindings.delete("access", &DeleteParams::default()).await.unwrap();
    yard.polled(of_binding, before).await;
    yard.again();
    gone(&bindings, "access").await.unwrap();
    assert_eq!(only(&yard).1["bindings"], json!({}));

    let before = yard.asked("GET", of_instance);
    yard.change(json!({"existsExternally": false})).await;
    yard.polled(of_instance, before).await;
    yard.again();
    gone(&yard.namespace.api::<ServiceInstance>(), "db").await.unwrap();
    for (method, about) in [
        ("PUT", "service_instances"),
        ("PATCH", "service_instances"),
        ("PUT", "service_bindings"),
        ("DELETE", "service_bindings"),
        ("DELETE", "service_instances"),
    ] {
        assert_eq!(
            yard.asked(method, about),
            1,
            "{method} of {about} was accepted and is not asked for again"
        );
    }
    yard.give_back().await;
    assert_eq!(yard.broker.instances(), json!({}));
}

#[tokio::test(flavor = "multi_thread")]
async fn killed_while_a_broker_is_silent_about_what_it_did() {
    let mut yard = Yard::open(None).await;
    yard.silence(Route::Provision);
    yard.buy().await;
    yard.broker.until(Route::Provision, 1).await;
    yard.again();
    yard.in_order().await;

    yard.silence(Route::Update);
    yard.change(json!({"parameters": {"size": 9}})).await;
    yard.broker.until(Route::Update, 1).await;
    yard.again();
    yard.in_order().await;
    assert!(yard.broker.instances().values().all(|it| it.parameters == json!({"size": 9})));

    yard.silence(Route::Bind);
    yard.bind().await;
    yard.broker.until(Route::Bind, 1).await;
    yard.again();
    yard.bound().await;
    yard.in_order().await;
    assert_eq!(yard.broker.instances().values().next().unwrap().bindings.len(), 1);

    yard.silence(Route::Unbind);
    let bindings = yard.namespace.api::<ServiceBinding>();
    bindings.delete("access", &DeleteParams::default()).await.unwrap();
    yard.broker.until(Route::Unbind, 1).await;
    yard.again();
    gone(&bindings, "access").await.unwrap();
    assert!(yard.broker.instances().values().next().unwrap().bindings.is_empty());

    yard.silence(Route::Deprovision);
    yard.change(json!({"existsExternally": false})).await;
    yard.broker.until(Route::Deprovision, 1).await;
    yard.again();
    gone(&yard.namespace.api::<ServiceInstance>(), "db").await.unwrap();
    yard.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn killed_while_a_broker_is_at_it() {
    let mut yard = Yard::open(Some(2)).await;
    let polled = |yard: &Yard<Scripted>| yard.broker.seen_of(Route::PollInstance).len();
    yard.buy().await;
    yard.broker.until(Route::PollInstance, 1).await;
    yard.again();
    yard.in_order().await;

    let before = polled(&yard);
    yard.change(json!({"servicePlanExternalName": "large"})).await;
    yard.broker.until(Route::PollInstance, before + 1).await;
    yard.again();
    yard.in_order().await;
    assert!(yard.broker.instances().values().all(|it| it.plan == "plan-large"));

    yard.bind().await;
    yard.broker.until(Route::PollBinding, 1).await;
    yard.again();
    yard.bound().await;
    yard.in_order().await;

    let (bindings, before) =
        (yard.namespace.api::<ServiceBinding>(), yard.broker.seen_of(Route::PollBinding).len());
    bindings.delete("access", &DeleteParams::default()).await.unwrap();
    yard.broker.until(Route::PollBinding, before + 1).await;
    yard.again();
    gone(&bindings, "access").await.unwrap();

    let before = polled(&yard);
    yard.change(json!({"existsExternally": false})).await;
    yard.broker.until(Route::PollInstance, before + 1).await;
    yard.again();
    gone(&yard.namespace.api::<ServiceInstance>(), "db").await.unwrap();
    for route in [Route::Provision, Route::Update, Route::Bind, Route::Unbind, Route::Deprovision] {
        assert_eq!(yard.broker.seen_of(route).len(), 1, "{route:?} was accepted and is not asked for again");
    }
    yard.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn killed_while_an_orphan_is_taken_back() {
    let mut yard = Yard::open(None).await;
    yard.broker.next(Route::Provision, Answer::new(500, "{}").but_done());
    yard.silence(Route::Deprovision);
    yard.buy().await;
    yard.broker.until(Route::Deprovision, 1).await;
    yard.again();
    yard.in_order().await;
    let asked = yard.broker.seen_of(Route::Provision);
    assert_ne!(asked[0].instance, asked.last().unwrap().instance, "a used identifier is not used again");

    // The same with a broker that takes its time for it, and an instance that nobody wants any more.
    yard.broker.behave(|behaviour| behaviour.polls = Some(2));
    yard.broker.next(Route::Bind, Answer::new(500, "{}").but_done());
    yard.bind().await;
    yard.broker.until(Route::PollBinding, 1).await;
    let bindings = yard.namespace.api::<ServiceBinding>();
    bindings.delete("access", &DeleteParams::default()).await.unwrap();
    yard.again();
    gone(&bindings, "access").await.unwrap();
    assert!(yard.broker.instances().values().all(|it| it.bindings.is_empty()), "no orphan is left");
    yard.close().await;
}
