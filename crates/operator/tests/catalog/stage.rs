//! A cluster with an operator, and a broker of the cluster.

use std::net::SocketAddr;
use std::sync::Mutex;
use std::time::Duration;

use catalog::kinds::{ClusterServiceBroker, ServiceBinding, ServiceBroker, ServiceInstance};
use extension::{CancellationToken, Environment, Scope};
use k8s_openapi::api::core::v1::Secret;
use kube::api::{DeleteParams, Patch, PatchParams};
use kube::{Api, Client};
use operator::webhook::{Reach, WebhookOptions};
use operator::{Controllers, Feature, Features, Options, Settings};
use serde_json::{Value, json};
use support::{Cluster, Gate, Namespace, On, create, eventually, gone};
use tokio::task::JoinHandle;

/// Longer than the first pauses after which something is tried again.
const IDLE: Duration = Duration::from_secs(3);

pub(crate) struct Stage {
    pub(crate) cluster: Cluster,
    pub(crate) namespace: Namespace,
    pub(crate) broker: String,
    pub(crate) retain: bool,
    /// Of the cluster, not of the namespace: only where no other test has classes.
    of_cluster: bool,
    /// Where what the operator asks goes through.
    gate: Option<Gate>,
    running: Mutex<Option<JoinHandle<()>>>,
}

impl Stage {
    /// An operator with declarative deletion, and a broker that has been listed.
    pub(crate) async fn start(url: &str) -> Self {
        Self::set(url, false).await
    }

    /// The same with a gate before the operator.
    pub(crate) async fn with_gate(url: &str) -> Self {
        Self::set(url, true).await
    }

    async fn set(url: &str, gated: bool) -> Self {
        let cluster = Cluster::start().await.unwrap();
        let namespace = cluster.namespace().await.unwrap();
        let broker = namespace.name().to_owned();
        let of_cluster = cluster.on() == On::Dock;
        let gate = if gated { Some(Gate::open(cluster.client()).await.unwrap()) } else { None };
        let stage =
            Self { cluster, namespace, broker, retain: false, of_cluster, gate, running: Mutex::default() };
        stage.rise();
        let secrets = stage.namespace.api::<Secret>();
        let credentials = json!({
            "metadata": {"name": "broker"}, "stringData": {"username": "admin", "password": "password"},
        });
        create(&secrets, credentials).await.unwrap();
        stage.register(url).await;
        stage
    }

    /// A broker that is listed when this returns.
    pub(crate) async fn register(&self, url: &str) {
        let made = json!({
            "metadata": {"name": self.broker},
            "spec": {
                "url": url,
                "authInfo": {"basic": {"secretRef": {"namespace": self.namespace.name(), "name": "broker"}}},
            },
        });
        if self.of_cluster {
            let brokers = Api::<ClusterServiceBroker>::all(self.client());
            insist(&brokers, &made).await;
            let listed = |it: &ClusterServiceBroker| it.status.as_ref().is_some_and(|it| it.services == 1);
            eventually(&brokers, &self.broker, listed).await.unwrap();
        } else {
            let brokers = self.namespace.api::<ServiceBroker>();
            insist(&brokers, &made).await;
            let listed = |it: &ServiceBroker| it.status.as_ref().is_some_and(|it| it.services == 1);
            eventually(&brokers, &self.broker, listed).await.unwrap();
        }
    }

    pub(crate) fn gate(&self) -> &Gate {
        self.gate.as_ref().unwrap()
    }

    /// What the operator asks when nothing happens, watches aside.
    pub(crate) async fn idle(&self) -> Vec<String> {
        // What has just happened is told by an Event, and watches may still have to tell of it.
        tokio::time::sleep(IDLE / 3).await;
        self.gate().asked();
        tokio::time::sleep(IDLE).await;
        self.gate().asked()
    }

    /// Somebody has the catalog read.
    pub(crate) async fn relist(&self, request: i64) {
        let patch = Patch::Merge(json!({"spec": {"relistRequests": request}}));
        let params = PatchParams::default();
        if self.of_cluster {
            let brokers = Api::<ClusterServiceBroker>::all(self.client());
            brokers.patch(&self.broker, &params, &patch).await.unwrap();
        } else {
            self.namespace.api::<ServiceBroker>().patch(&self.broker, &params, &patch).await.unwrap();
        }
    }

    /// The broker is gone, whatever was bought from it.
    pub(crate) async fn bankrupt(&self) {
        let (patch, params) =
            (Patch::Merge(json!({"metadata": {"finalizers": null}})), PatchParams::default());
        if self.of_cluster {
            let brokers = Api::<ClusterServiceBroker>::all(self.client());
            brokers.delete(&self.broker, &DeleteParams::default()).await.unwrap();
            brokers.patch(&self.broker, &params, &patch).await.unwrap();
            gone(&brokers, &self.broker).await.unwrap();
        } else {
            let brokers = self.namespace.api::<ServiceBroker>();
            brokers.delete(&self.broker, &DeleteParams::default()).await.unwrap();
            brokers.patch(&self.broker, &params, &patch).await.unwrap();
            gone(&brokers, &self.broker).await.unwrap();
        }
    }

    /// An operator begins.
    pub(crate) fn rise(&self) {
        let client = self.gate.as_ref().map_or_else(|| self.client(), |gate| gate.client().unwrap());
        let environment = Environment::new(client, "slipway-operator");
        let after =
            if self.retain { operator::AfterDeletion::Retain } else { operator::AfterDeletion::Delete };
        let options = Options {
            settings: Settings {
                features: Features::default().with(Feature::DeclarativeDelete, true),
                after_deletion: after,
                ..Settings::default()
            },
            webhook: Some(WebhookOptions {
                listen: SocketAddr::from(([127, 0, 0, 1], 0)),
                namespace: self.namespace.name().to_owned(),
                secret: "slipway-webhook".to_owned(),
                // Others on this cluster have their own, and are not asked about this namespace.
                configuration: self.namespace.name().to_owned(),
                reach: Reach::Host("127.0.0.1".to_owned()),
                namespaces: vec![self.namespace.name().to_owned()],
            }),
            install_definitions: true,
            install_policies: true,
            scope: if self.of_cluster {
                Scope::default()
            } else {
                Scope { namespaces: vec![self.namespace.name().to_owned()], ..Scope::default() }
            },
            ..Options::default()
        };
        let run = operator::run(environment, options, controllers, CancellationToken::new());
        let running = tokio::spawn(async move { run.await.unwrap() });
        *self.running.lock().unwrap() = Some(running);
    }

    /// The operator is gone, in the middle of whatever it was at.
    pub(crate) async fn fall(&self) {
        let running = self.running.lock().unwrap().take();
        if let Some(running) = running {
            running.abort();
            let _ = running.await;
        }
    }

    pub(crate) fn client(&self) -> Client {
        self.cluster.client()
    }

    pub(crate) fn instances(&self) -> Api<ServiceInstance> {
        self.namespace.api()
    }

    pub(crate) fn bindings(&self) -> Api<ServiceBinding> {
        self.namespace.api()
    }

    /// A request of a user.
    pub(crate) async fn by(
        &self,
        user: &str,
        method: &str,
        plural: &str,
        name: &str,
        body: &Value,
    ) -> Result<Value, kube::Error> {
        let path = format!(
            "/apis/servicecatalog.slipway.dev/v1alpha1/namespaces/{}/{plural}/{name}",
            self.namespace.name()
        );
        let content = if method == "PATCH" { "application/merge-patch+json" } else { "application/json" };
        let mut attempts = 0;
        loop {
            let request = http::Request::builder()
                .method(method)
                .uri(path.trim_end_matches('/'))
                .header("content-type", content)
                .header("impersonate-user", user)
                .header("impersonate-group", "system:masters")
                .body(body.to_string().into_bytes())
                .unwrap();
            match self.client().request(request).await {
                // An operator that has just begun is not asked yet: the API server still knows the one before.
                Err(kube::Error::Api(refusal))
                    if refusal.message.contains("failed calling webhook") && attempts < 200 =>
                {
                    attempts += 1;
                    tokio::time::sleep(Duration::from_millis(50)).await;
                }
                answered => return answered,
            }
        }
    }

    /// The fields that name a plan.
    pub(crate) fn plan(&self, plan: &str) -> Value {
        if self.of_cluster {
            json!({"clusterServiceClassExternalName": "database", "clusterServicePlanExternalName": plan})
        } else {
            json!({"serviceClassExternalName": "database", "servicePlanExternalName": plan})
        }
    }

    /// A user buys a database.
    pub(crate) async fn buy(&self, user: &str, name: &str) {
        let mut body = json!({
            "apiVersion": "servicecatalog.slipway.dev/v1alpha1", "kind": "ServiceInstance", "metadata": {"name": name},
            "spec": self.plan("small"),
        });
        body["spec"]["parameters"] = json!({"size": 3});
        body["spec"]["userInfo"] = json!({"username": "forged"});
        self.by(user, "POST", "serviceinstances", "", &body).await.unwrap();
    }

    /// A user sets `existsExternally`.
    pub(crate) async fn exists(&self, user: &str, name: &str, exists: bool) {
        let body = json!({"spec": {"existsExternally": exists}});
        self.by(user, "PATCH", "serviceinstances", name, &body).await.unwrap();
    }

    /// Waits until a binding is ready, or not for a reason.
    pub(crate) async fn bound(&self, name: &str, status: &str, reason: &str) -> ServiceBinding {
        eventually(&self.bindings(), name, |it| {
            let status_of = it.status.as_ref().map(|it| &it.extension);
            let found = status_of.and_then(|it| it.condition("Ready"));
            found.is_some_and(|it| it.status == status && it.reason == reason)
        })
        .await
        .unwrap()
    }

    /// Waits until a condition of an instance has a status and a reason.
    pub(crate) async fn told(&self, name: &str, kind: &str, status: &str, reason: &str) -> ServiceInstance {
        eventually(&self.instances(), name, |it| {
            let status_of = it.status.as_ref().map(|it| &it.extension);
            let found = status_of.and_then(|it| it.condition(kind));
            found.is_some_and(|it| it.status == status && it.reason == reason)
        })
        .await
        .unwrap()
    }
}

/// Makes an object whose kind the operator installs beside this.
async fn insist<K>(api: &Api<K>, made: &Value)
where
    K: kube::Resource + Clone + std::fmt::Debug + serde::Serialize + serde::de::DeserializeOwned,
{
    let mut attempts = 0;
    while let Err(error) = create(api, made.clone()).await {
        attempts += 1;
        assert!(attempts < 600, "{error}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

fn controllers(environment: &Environment, settings: &Settings) -> Controllers {
    let quick = catalog::Settings {
        declarative_delete: settings.features.is_on(Feature::DeclarativeDelete),
        after_deletion: match settings.after_deletion {
            operator::AfterDeletion::Delete => catalog::AfterDeletion::Delete,
            operator::AfterDeletion::Retain => catalog::AfterDeletion::Retain,
        },
        request_timeout: Duration::from_secs(10),
        first_pause: Duration::from_millis(50),
        ..catalog::Settings::default()
    };
    let mut all = Controllers::new();
    for definition in catalog::kinds::definitions() {
        all.define(definition);
    }
    all.extend(catalog::controllers(environment, &quick));
    all
}
