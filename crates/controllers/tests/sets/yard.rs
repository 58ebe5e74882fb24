//! A cluster with the controllers at work in it.

use std::time::Duration;

use api::{Bundle, DeployItem};
use controllers::Features;
use extension::{CancellationToken, Environment, Scope};
use k8s_openapi::api::core::v1::ConfigMap;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::api::{Patch, PatchParams};
use kube::{Api, ResourceExt};
use serde_json::{Value, json};
use support::{Cluster, Error, Namespace};
use tokio::task::JoinHandle;

pub(crate) struct Yard {
    pub(crate) cluster: Cluster,
    pub(crate) namespace: Namespace,
    pub(crate) bundles: Api<Bundle>,
    pub(crate) items: Api<DeployItem>,
    pub(crate) maps: Api<ConfigMap>,
    features: Features,
    running: Option<(CancellationToken, Vec<JoinHandle<()>>)>,
}

pub(crate) type Done = Result<(), Box<dyn std::error::Error>>;

impl Yard {
    pub(crate) async fn new() -> Result<Self, Box<dyn std::error::Error>> {
        Self::with(Features::default()).await
    }

    pub(crate) async fn with(features: Features) -> Result<Self, Box<dyn std::error::Error>> {
        let cluster = Cluster::start().await?;
        let definitions: Api<CustomResourceDefinition> = Api::all(cluster.client());
        for definition in api::definitions() {
            let name = definition.name_any();
            let parameters = PatchParams::apply("tests").force();
            definitions.patch(&name, &parameters, &Patch::Apply(&definition)).await?;
            support::eventually(&definitions, &name, |definition| {
                let conditions =
                    definition.status.iter().flat_map(|status| status.conditions.iter().flatten());
                conditions.into_iter().any(|it| it.type_ == "Established" && it.status == "True")
            })
            .await?;
        }
        let namespace = cluster.namespace().await?;
        if cluster.on() == support::On::ControlPlane {
            let bindings: Api<k8s_openapi::api::rbac::v1::RoleBinding> = namespace.api();
            let binding = json!({
                "metadata": {"name": "default-is-admin"},
                "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "admin"},
                "subjects": [{"kind": "ServiceAccount", "name": "default", "namespace": namespace.name()}],
            });
            support::create(&bindings, binding).await?;
        }
        let (bundles, items, maps) = (namespace.api(), namespace.api(), namespace.api());
        let mut yard = Self { cluster, namespace, bundles, items, maps, features, running: None };
        yard.start();
        Ok(yard)
    }

    /// Starts the controllers.
    pub(crate) fn start(&mut self) {
        let scope = Scope { namespaces: vec![self.namespace.name().to_owned()], labels: None };
        let environment = Environment::new(self.cluster.client(), "slipway-operator").scope(scope);
        let stop = CancellationToken::new();
        let mut controllers = controllers::bundles(&environment, self.features);
        controllers.extend(controllers::deploy_items(&environment, self.features));
        let trash = controllers::ReleaseTrash::new(environment.clone(), "default".to_owned());
        controllers.push(Box::new(trash));
        let run = |controller: Box<dyn extension::Controller>| tokio::spawn(controller.run(stop.clone()));
        let running = controllers.into_iter().map(run).collect();
        self.running = Some((stop, running));
    }

    /// Ends the controllers in the middle of whatever they do, as a kill does.
    pub(crate) fn kill(&mut self) {
        if let Some((_, running)) = self.running.take() {
            running.iter().for_each(JoinHandle::abort);
        }
    }

    pub(crate) async fn apply(&self, name: &str, resources: Value) -> Result<Bundle, kube::Error> {
        self.apply_spec(name, json!({"resources": resources})).await
    }

    pub(crate) async fn apply_spec(&self, name: &str, spec: Value) -> Result<Bundle, kube::Error> {
        let bundle = json!({
            "apiVersion": "slipway.dev/v1alpha1", "kind": "Bundle",
            "metadata": {"name": name}, "spec": spec,
        });
        let parameters = PatchParams::apply("tests").force();
        self.bundles.patch(name, &parameters, &Patch::Apply(&bundle)).await
    }

    pub(crate) async fn item(&self, name: &str, spec: Value) -> Result<DeployItem, kube::Error> {
        let item = json!({
            "apiVersion": "slipway.dev/v1alpha1", "kind": "DeployItem",
            "metadata": {"name": name}, "spec": spec,
        });
        let parameters = PatchParams::apply("tests").force();
        self.items.patch(name, &parameters, &Patch::Apply(&item)).await
    }

    /// Waits until the newest spec of an item is deployed.
    pub(crate) async fn deployed(&self, name: &str) -> Result<DeployItem, Error> {
        let generation = self.items.get(name).await?.metadata.generation;
        support::eventually(&self.items, name, |item| {
            let Some(status) = &item.status else { return false };
            status.extension.observed_generation == generation
                && status.extension.condition("Ready").is_some_and(|ready| ready.status == "True")
        })
        .await
    }

    /// Waits until the newest spec is ready.
    pub(crate) async fn ready(&self, name: &str) -> Result<Bundle, Error> {
        let generation = self.bundles.get(name).await?.metadata.generation;
        support::eventually(&self.bundles, name, |bundle| {
            condition(bundle, "Ready") == Some("True")
                && bundle
                    .status
                    .as_ref()
                    .is_some_and(|status| status.extension.observed_generation == generation)
                && bundle
                    .status
                    .as_ref()
                    .is_some_and(|status| status.resource_statuses.len() == bundle.spec.resources.len())
        })
        .await
    }

    pub(crate) async fn standing(&self, name: &str, resource: &str, kind: &str) -> Result<Bundle, Error> {
        support::eventually(&self.bundles, name, |bundle| says(bundle, resource, kind)).await
    }

    pub(crate) async fn annotate(&self, map: &str, annotations: Value) -> Result<ConfigMap, kube::Error> {
        let change = json!({"metadata": {"annotations": annotations}});
        self.maps.patch(map, &PatchParams::default(), &Patch::Merge(&change)).await
    }
}

impl Drop for Yard {
    fn drop(&mut self) {
        self.kill();
    }
}

/// A ConfigMap as a resource of the same name.
pub(crate) fn map(name: &str) -> Value {
    map_with(name, json!({}), json!({}))
}

pub(crate) fn delayed(name: &str, delay: &str) -> Value {
    map_with(name, json!({"smith.atlassian.com/deletionDelay": delay}), json!({}))
}

#[expect(clippy::needless_pass_by_value, reason = "cases are written where they are used")]
pub(crate) fn map_with(name: &str, annotations: Value, data: Value) -> Value {
    json!({"name": name, "spec": {"object": {
        "apiVersion": "v1", "kind": "ConfigMap",
        "metadata": {"name": name, "annotations": annotations}, "data": data,
    }}})
}

/// How a condition of a Bundle stands.
pub(crate) fn condition<'a>(bundle: &'a Bundle, kind: &str) -> Option<&'a str> {
    let status = bundle.status.as_ref()?;
    status.extension.condition(kind).map(|condition| condition.status.as_str())
}

/// Whether a resource of a Bundle is in that condition.
pub(crate) fn says(bundle: &Bundle, resource: &str, kind: &str) -> bool {
    let of = bundle.status.iter().flat_map(|status| &status.resource_statuses);
    let mut conditions = of.filter(|of| of.name == resource).flat_map(|of| &of.conditions);
    conditions.any(|condition| condition.type_ == kind && condition.status == "True")
}

/// What a resource of a Bundle says about that condition.
pub(crate) fn message(bundle: &Bundle, resource: &str, kind: &str) -> String {
    let of = bundle.status.iter().flat_map(|status| &status.resource_statuses);
    let mut conditions = of.filter(|of| of.name == resource).flat_map(|of| &of.conditions);
    conditions.find(|condition| condition.type_ == kind).map(|it| it.message.clone()).unwrap_or_default()
}

pub(crate) fn stamp(map: &ConfigMap) -> Option<&String> {
    map.annotations().get("slipway.dev/deletion-timestamp")
}

/// Long enough that something which must not happen would have.
pub(crate) async fn a_while() {
    tokio::time::sleep(Duration::from_millis(1500)).await;
}
