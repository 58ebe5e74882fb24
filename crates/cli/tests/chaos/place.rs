//! A cluster, the way of the operator to it, and what is there in the end.

use std::collections::BTreeSet;
use std::future::poll_fn;
use std::pin::pin;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use api::Bundle;
use futures_core::Stream as _;
use k8s_openapi::api::coordination::v1::Lease;
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use k8s_openapi::api::rbac::v1::RoleBinding;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::api::{DeleteParams, ListParams, Patch, PatchParams};
use kube::core::PartialObjectMeta;
use kube::runtime::watcher::{self, Event, watcher};
use kube::{Api, ResourceExt};
use serde_json::{Value, json};
use support::{Cluster, Gate, Namespace, On};
use tempfile::TempDir;

use crate::operator::Operator;
use crate::script::{Change, Script};

/// How long anything may take with all the kills.
const PATIENCE: Duration = Duration::from_mins(5);
const STAMP: &str = "slipway.dev/deletion-timestamp";

/// What the cluster itself puts into every namespace.
const OF_THE_CLUSTER: &str = "kube-root-ca.crt";

pub(crate) struct Place {
    _cluster: Cluster,
    namespace: Namespace,
    home: TempDir,
    gate: Arc<Gate>,
    mishaps: Arc<Mutex<usize>>,
    deleted: Arc<Mutex<BTreeSet<String>>>,
}

impl Place {
    pub(crate) async fn new() -> Self {
        let cluster = Cluster::start().await.unwrap();
        // All that an operator writes is to be about Bundles: the definitions are there before.
        let definitions: Api<CustomResourceDefinition> = Api::all(cluster.client());
        let kinds = api::definitions().into_iter().chain(catalog::kinds::definitions());
        for definition in kinds {
            let (name, parameters) = (definition.name_any(), PatchParams::apply("tests").force());
            definitions.patch(&name, &parameters, &Patch::Apply(&definition)).await.unwrap();
        }
        let namespace = cluster.namespace().await.unwrap();
        if cluster.on() == On::ControlPlane {
            let binding = json!({
                "metadata": {"name": "default-is-admin"},
                "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "admin"},
                "subjects": [{"kind": "ServiceAccount", "name": "default", "namespace": namespace.name()}],
            });
            support::create(&namespace.api::<RoleBinding>(), binding).await.unwrap();
        }
        let gate = Gate::open(cluster.client()).await.unwrap();
        let home = tempfile::tempdir().unwrap();
        std::fs::write(home.path().join("config"), gate.kubeconfig()).unwrap();
        let deleted: Arc<Mutex<BTreeSet<String>>> = Arc::default();
        note_deletions(namespace.api::<PartialObjectMeta<ConfigMap>>(), &deleted);
        note_deletions(namespace.api::<PartialObjectMeta<Secret>>(), &deleted);
        let (gate, mishaps) = (Arc::new(gate), Arc::default());
        Self { _cluster: cluster, namespace, home, gate, mishaps, deleted }
    }

    /// Starts an operator; with a seed, somebody kills it now and then.
    pub(crate) fn operator(&self, seed: Option<u64>) -> Operator {
        let (gate, mishaps) = (Arc::clone(&self.gate), Arc::clone(&self.mishaps));
        Operator::start(self.home.path(), self.namespace.name(), gate, mishaps, seed)
    }

    /// Which objects were deleted at any time.
    pub(crate) fn deleted(&self) -> BTreeSet<String> {
        self.deleted.lock().unwrap().clone()
    }

    /// How many requests were lost.
    pub(crate) fn mishaps(&self) -> usize {
        *self.mishaps.lock().unwrap()
    }

    fn bundles(&self) -> Api<Bundle> {
        self.namespace.api()
    }

    /// Does everything, round by round: the next begins when all of the last has come about.
    pub(crate) async fn play(&self, script: &Script) {
        for round in &script.rounds {
            for change in round {
                self.make(change).await;
            }
            for change in round {
                self.settled(change).await;
            }
        }
    }

    async fn make(&self, change: &Change) {
        let (bundles, name, begun) = (self.bundles(), &change.bundle, Instant::now());
        loop {
            let done = match &change.resources {
                Some(resources) => {
                    let bundle = json!({
                        "apiVersion": "slipway.dev/v1alpha1", "kind": "Bundle",
                        "metadata": {"name": name}, "spec": {"resources": resources},
                    });
                    let parameters = PatchParams::apply("tests").force();
                    bundles.patch(name, &parameters, &Patch::Apply(&bundle)).await.map(drop)
                }
                None => bundles.delete(name, &DeleteParams::default()).await.map(drop),
            };
            match done {
                Ok(()) => return,
                // A definition may not be served yet.
                Err(error) => assert!(begun.elapsed() < PATIENCE, "{name}: {error}"),
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    }

    async fn settled(&self, change: &Change) {
        let (bundles, begun) = (self.bundles(), Instant::now());
        loop {
            let found = bundles.get_opt(&change.bundle).await.unwrap();
            let is_settled = match (&change.resources, &found) {
                (None, found) => found.is_none(),
                (Some(_), None) => false,
                (Some(resources), Some(bundle)) => is_settled(bundle, resources.len()),
            };
            if is_settled {
                return;
            }
            assert!(begun.elapsed() < PATIENCE, "{}: {found:#?}", change.bundle);
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    /// Lets everything come to rest, and says what is there: a line for each object.
    pub(crate) async fn end(&self, operator: Operator) -> Vec<String> {
        operator.calm();
        self.gate.have_a_bad_day(None, 0);
        let begun = Instant::now();
        let mut before = Vec::new();
        loop {
            tokio::time::sleep(Duration::from_millis(1500)).await;
            let found = self.found().await;
            // Locks that somebody was killed with are taken over and given back.
            let at_work = found.iter().any(|line| line.starts_with("lease "));
            if found == before && !at_work {
                return found;
            }
            assert!(begun.elapsed() < PATIENCE, "no rest: {found:#?}");
            before = found;
        }
    }

    async fn found(&self) -> Vec<String> {
        let all = ListParams::default();
        let mut lines = Vec::new();
        let maps = self.namespace.api::<ConfigMap>().list(&all).await.unwrap();
        for map in maps.into_iter().filter(|map| map.name_any() != OF_THE_CLUSTER) {
            lines.push(object(&map, "ConfigMap", &json!(map.data)));
        }
        for secret in self.namespace.api::<Secret>().list(&all).await.unwrap() {
            lines.push(match secret.labels().get("slipway.dev/what") {
                // What is in it has UIDs and times; which there are is the same.
                Some(what) => format!("stored {} {what}", secret.name_any()),
                None => object(&secret, "Secret", &json!(secret.data)),
            });
        }
        for bundle in self.bundles().list(&all).await.unwrap() {
            let status = bundle.status.clone().unwrap_or_default();
            let conditions =
                status.extension.conditions.iter().map(|it| format!("{}={}", it.type_, it.status));
            let pending: Vec<&str> =
                status.pending_deletions.iter().map(|it| it.object.name.as_str()).collect();
            let resources = status.resource_statuses.iter().map(|of| {
                let holds = of.conditions.iter().filter(|it| it.status == "True").map(|it| it.type_.as_str());
                format!("{}: {}", of.name, holds.collect::<Vec<&str>>().join("+"))
            });
            lines.push(format!(
                "bundle {} {:?} {:?} {:?} pending {pending:?} to delete {:?} errors {:?}",
                bundle.name_any(),
                bundle.finalizers(),
                conditions.collect::<Vec<String>>(),
                resources.collect::<Vec<String>>(),
                status.objects_to_delete,
                status.extension.last_errors.len(),
            ));
        }
        for lease in self.namespace.api::<Lease>().list(&all).await.unwrap() {
            lines.push(format!("lease {}", lease.name_any()));
        }
        // Every run has a namespace of its own.
        let mut lines: Vec<String> =
            lines.iter().map(|line| line.replace(self.namespace.name(), "NAMESPACE")).collect();
        lines.sort();
        lines
    }
}

/// Whether all that a Bundle wants now has come about.
fn is_settled(bundle: &Bundle, resources: usize) -> bool {
    let Some(status) = &bundle.status else { return false };
    let extension = &status.extension;
    extension.observed_generation == bundle.metadata.generation
        && extension.last_errors.is_empty()
        && extension.condition("Ready").is_some_and(|ready| ready.status == "True")
        && status.objects_to_delete.is_empty()
        && status.resource_statuses.len() == resources
}

/// An object without what differs from run to run.
fn object(object: &impl ResourceExt, kind: &str, data: &Value) -> String {
    let mut annotations = object.annotations().clone();
    let stamped = if annotations.remove(STAMP).is_some() { " stamped" } else { "" };
    format!("object {} {kind} {data} {:?} {annotations:?}{stamped}", object.name_any(), object.labels())
}

fn note_deletions<K>(api: Api<PartialObjectMeta<K>>, deleted: &Arc<Mutex<BTreeSet<String>>>)
where
    PartialObjectMeta<K>: kube::Resource<DynamicType = ()>
        + Clone
        + std::fmt::Debug
        + serde::de::DeserializeOwned
        + Send
        + 'static,
    K: Send + Sync + 'static,
{
    let deleted = Arc::clone(deleted);
    tokio::spawn(async move {
        let mut events = pin!(watcher(api, watcher::Config::default()));
        while let Some(event) = poll_fn(|context| events.as_mut().poll_next(context)).await {
            if let Ok(Event::Delete(object)) = event {
                deleted.lock().unwrap().insert(object.metadata.name.clone().unwrap_or_default());
            }
        }
    });
}
