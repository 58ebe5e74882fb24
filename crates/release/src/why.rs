//! Why something is waiting, or not gone: one answer from all that the cluster knows.

use engine::Engine;
use jiff::Timestamp;
use k8s_openapi::api::core::v1::Pod;
use k8s_openapi::api::discovery::v1::EndpointSlice;
use kube::api::{ApiResource, ListParams};
use kube::core::DynamicObject;
use kube::{Api, Client, ResourceExt};
use objects::ObjectId;
use serde::Serialize;
use serde_json::Value;

use crate::record::{Record, Status};
use crate::session::{Choice, ReleaseError};
use crate::standing::{Standing, get, stand, standing};

/// What is the matter with one object, or with the release as a whole.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Answer {
    /// Which object; nothing for the release as a whole.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub object: Option<ObjectId>,
    /// What is the matter, in a sentence.
    pub what: String,
    /// Why, and what can be done.
    pub because: Vec<String>,
}

/// What is the matter with a release: how its newest revision stands, and each object that is not as it should be.
pub async fn why_release(
    engine: &Engine,
    record: &Record,
    left: &[ObjectId],
) -> Result<Vec<Answer>, ReleaseError> {
    let mut answers = Vec::new();
    if record.info.status != Status::Deployed {
        answers.push(Answer {
            object: None,
            what: format!(
                "revision {} is {}: {}",
                record.version, record.info.status, record.info.description
            ),
            because: webhook(engine.client(), &record.info.description).await,
        });
    }
    let mut found = standing(engine, record).await?;
    let goes = record.info.status == Status::Uninstalling;
    for id in left {
        if !found.iter().any(|known| known.id == *id) {
            found.push(stand(id.clone(), get(engine, id).await?));
        }
    }
    for standing in found {
        // What was taken out and is not there is as it should be.
        let is_gone = standing.live.is_none() && (goes || left.contains(&standing.id));
        if !is_gone {
            answers.extend(explain(engine, standing, goes).await?);
        }
    }
    Ok(answers)
}

/// What is the matter with one object.
pub async fn why_object(
    engine: &Engine,
    choice: &Choice,
    namespace: &str,
) -> Result<Option<Answer>, ReleaseError> {
    let kind = engine
        .served()
        .kinds()
        .find(|kind| choice.is_kind(&kind.resource.group, &kind.resource.kind, &kind.resource.plural));
    let Some(kind) = kind else { return Err(ReleaseError::NoSuchObject(choice.to_string())) };
    let id = ObjectId {
        group: kind.resource.group.clone(),
        kind: kind.resource.kind.clone(),
        namespace: kind.namespaced.then(|| choice.namespace().unwrap_or(namespace).to_owned()),
        name: choice.name().to_owned(),
    };
    why_member(engine, id).await
}

/// What is the matter with an object that a set has.
pub async fn why_member(engine: &Engine, id: ObjectId) -> Result<Option<Answer>, ReleaseError> {
    let live = get(engine, &id).await?;
    explain(engine, stand(id, live), false).await
}

async fn explain(engine: &Engine, standing: Standing, goes: bool) -> Result<Option<Answer>, ReleaseError> {
    let Standing { id, status, message, live } = standing;
    let Some(live) = live else {
        return Ok(Some(Answer {
            object: Some(id),
            what: "it is not there".to_owned(),
            because: Vec::new(),
        }));
    };
    if let Some(since) = &live.metadata.deletion_timestamp {
        let what = format!("it is being deleted since {}, and is not gone", since.0);
        let because = why_not_gone(engine, &id, &live).await;
        return Ok(Some(Answer { object: Some(id), what, because }));
    }
    if goes {
        let what = "it is there, and nobody has asked for its deletion yet".to_owned();
        return Ok(Some(Answer { object: Some(id), what, because: Vec::new() }));
    }
    if status == "Current" {
        return Ok(None);
    }
    let because = engine.ask_pods(&id, &live).await;
    Ok(Some(Answer { object: Some(id), what: format!("it is not ready: {message}"), because }))
}

/// Who holds an object that is being deleted.
async fn why_not_gone(engine: &Engine, id: &ObjectId, live: &DynamicObject) -> Vec<String> {
    let client = engine.client();
    let mut told = Vec::new();
    if id.kind == "Namespace" && id.group.is_empty() {
        told.extend(conditions(live));
        told.extend(missing_apis(client).await);
    }
    for finalizer in live.finalizers() {
        if finalizer == "foregroundDeletion" {
            told.push(format!("it waits for what it owns: {}", dependents(client, id, live).await));
            continue;
        }
        told.push(format!("finalizer {finalizer} holds it"));
        match finalizer_manager(live, finalizer) {
            Some((manager, when)) => {
                let when = when.map(|when| format!(" at {when}")).unwrap_or_default();
                told.push(format!("  it was put there by {manager}{when}"));
                told.push(format!("  {}", likely_owner(client, &manager, id.namespace.as_deref()).await));
            }
            None => told.push("  nobody says who put it there".to_owned()),
        }
    }
    if told.is_empty() {
        let grace = live.metadata.deletion_grace_period_seconds.unwrap_or_default();
        let since = live.metadata.deletion_timestamp.as_ref().map(|time| time.0);
        if since.is_some_and(|until| until > Timestamp::now()) {
            told.push(format!("it has {grace} seconds to end by itself"));
        }
    }
    told
}

/// What a namespace says about why it is not gone.
fn conditions(live: &DynamicObject) -> Vec<String> {
    let conditions = live.data["status"]["conditions"].as_array().map(Vec::as_slice).unwrap_or_default();
    let holds = conditions.iter().filter(|condition| condition["status"] == "True");
    holds.filter_map(|condition| condition["message"].as_str().map(ToOwned::to_owned)).collect()
}

/// APIs that do not answer, for which a namespace waits.
async fn missing_apis(client: &Client) -> Vec<String> {
    let resource = resource("apiregistration.k8s.io", "APIService", "apiservices");
    let services: Api<DynamicObject> = Api::all_with(client.clone(), &resource);
    let Ok(list) = services.list(&ListParams::default()).await else { return Vec::new() };
    let unavailable = list.items.iter().filter_map(|service| {
        let conditions = service.data["status"]["conditions"].as_array()?;
        let available = conditions.iter().find(|condition| condition["type"] == "Available")?;
        (available["status"] == "False").then(|| {
            let message = available["message"].as_str().unwrap_or_default();
            format!("the API {} does not answer: {message}", service.name_any())
        })
    });
    unavailable.collect()
}

/// Who put a finalizer on an object, and when.
pub fn finalizer_manager(live: &DynamicObject, finalizer: &str) -> Option<(String, Option<Timestamp>)> {
    let key = format!("v:{finalizer:?}");
    let entries = live.metadata.managed_fields.as_ref()?;
    let entry = entries.iter().find(|entry| {
        let fields = entry.fields_v1.as_ref().map(|fields| &fields.0);
        fields.is_some_and(|fields| !fields["f:metadata"]["f:finalizers"][&key].is_null())
    })?;
    Some((entry.manager.clone()?, entry.time.as_ref().map(|time| time.0)))
}

/// A built-in kind, under `v1` of its group.
fn resource(group: &str, kind: &str, plural: &str) -> ApiResource {
    ApiResource {
        group: group.to_owned(),
        version: "v1".to_owned(),
        api_version: format!("{group}/v1"),
        kind: kind.to_owned(),
        plural: plural.to_owned(),
    }
}

/// A workload that may be who writes under some name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Workload {
    /// Its kind, of the group `apps`.
    pub kind: &'static str,
    /// Its namespace.
    pub namespace: String,
    /// Its name.
    pub name: String,
    /// How many of its pods are ready.
    pub ready: i64,
}

impl std::fmt::Display for Workload {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}/{}", self.kind, self.namespace, self.name)
    }
}

/// The workload that is called like a manager of fields: rather one of just that name, one that runs, one in the
/// namespace that is `near`.
pub async fn workload_called(client: &Client, manager: &str, near: Option<&str>) -> Option<Workload> {
    let is_it = |name: &str| name.contains(manager) || manager.contains(name);
    let likely = |one: &Workload| (one.name == manager, one.ready > 0, Some(one.namespace.as_str()) == near);
    let mut found: Option<Workload> = None;
    for (kind, plural, field) in [
        ("Deployment", "deployments", "readyReplicas"),
        ("StatefulSet", "statefulsets", "readyReplicas"),
        ("DaemonSet", "daemonsets", "numberReady"),
    ] {
        let workloads: Api<DynamicObject> = Api::all_with(client.clone(), &resource("apps", kind, plural));
        let list = workloads.list(&ListParams::default()).await.map(|list| list.items).unwrap_or_default();
        for one in list.iter().filter(|one| is_it(&one.name_any())) {
            let ready = one.data["status"][field].as_i64().unwrap_or_default();
            let (namespace, name) = (one.namespace().unwrap_or_default(), one.name_any());
            let candidate = Workload { kind, namespace, name, ready };
            if found.as_ref().is_none_or(|found| likely(found) < likely(&candidate)) {
                found = Some(candidate);
            }
        }
    }
    found
}

/// Whether a workload of that name runs, in words.
async fn likely_owner(client: &Client, manager: &str, near: Option<&str>) -> String {
    match workload_called(client, manager, near).await {
        None => format!("no workload that is called like {manager} runs: nobody will remove it"),
        Some(owner) if owner.ready == 0 => {
            format!("its likely owner, {owner}, does not run: none of its pods is ready")
        }
        Some(owner) => {
            format!("its likely owner, {owner}, runs: {} of its pods are ready", owner.ready)
        }
    }
}

/// What an object owns directly and is still there.
async fn dependents(client: &Client, id: &ObjectId, live: &DynamicObject) -> String {
    let Some(namespace) = &id.namespace else { return "objects of the whole cluster".to_owned() };
    let uid = live.uid().unwrap_or_default();
    let pods: Api<Pod> = Api::namespaced(client.clone(), namespace);
    let pods = pods.list(&ListParams::default()).await.map(|list| list.items).unwrap_or_default();
    let owned = pods.iter().filter(|pod| pod.owner_references().iter().any(|owner| owner.uid == uid));
    let names: Vec<String> = owned.map(|pod| format!("Pod {namespace}/{}", pod.name_any())).collect();
    if names.is_empty() { "objects that its own objects own".to_owned() } else { names.join(", ") }
}

/// The webhook that a refusal names, and whether anybody serves it.
async fn webhook(client: &Client, words: &str) -> Vec<String> {
    let Some((_, rest)) = words.split_once("webhook \"") else { return Vec::new() };
    let Some((name, _)) = rest.split_once('"') else { return Vec::new() };
    for (kind, plural) in [
        ("ValidatingWebhookConfiguration", "validatingwebhookconfigurations"),
        ("MutatingWebhookConfiguration", "mutatingwebhookconfigurations"),
    ] {
        let resource = resource("admissionregistration.k8s.io", kind, plural);
        let configurations: Api<DynamicObject> = Api::all_with(client.clone(), &resource);
        let Ok(list) = configurations.list(&ListParams::default()).await else { continue };
        for configuration in &list.items {
            let webhooks = configuration.data["webhooks"].as_array().map(Vec::as_slice).unwrap_or_default();
            if let Some(webhook) = webhooks.iter().find(|webhook| webhook["name"] == name) {
                let policy = webhook["failurePolicy"].as_str().unwrap_or("Fail");
                let mut told = vec![format!(
                    "the webhook is in {kind} {}, failurePolicy {policy}",
                    configuration.name_any()
                )];
                told.extend(served(client, &webhook["clientConfig"]["service"]).await);
                return told;
            }
        }
    }
    vec![format!("no webhook configuration has {name} any more")]
}

/// Whether a webhook's service has anybody behind it.
async fn served(client: &Client, service: &Value) -> Option<String> {
    let (namespace, name) = (service["namespace"].as_str()?, service["name"].as_str()?);
    let slices: Api<EndpointSlice> = Api::namespaced(client.clone(), namespace);
    let parameters = ListParams::default().labels(&format!("kubernetes.io/service-name={name}"));
    let list = slices.list(&parameters).await.ok()?;
    let endpoints = list.items.iter().flat_map(|slice| slice.endpoints.iter().flatten());
    let is_ready =
        |conditions: &k8s_openapi::api::discovery::v1::EndpointConditions| conditions.ready.unwrap_or(true);
    let ready = endpoints.filter(|endpoint| endpoint.conditions.as_ref().is_none_or(is_ready)).count();
    Some(match ready {
        0 => format!("it is served by Service {namespace}/{name}, behind which nothing is ready"),
        ready => format!("it is served by Service {namespace}/{name}, behind which {ready} are ready"),
    })
}
