//! What the commands need to know about a kind of sets.

use api::bundle::{ObjectReference, PendingDeletion, Reference};
use api::{Bundle, DeployItem};
use controllers::Problem;
use engine::{Belongs, Engine};
use extension::{Extension, OperationState};
use k8s_openapi::NamespaceResourceScope;
use kube::{Resource, ResourceExt as _};
use objects::ObjectId;
use serde_json::Value;

/// A kind of sets.
pub(crate) trait Kind: Extension + Resource<Scope = NamespaceResourceScope> {
    /// The command that is about it.
    const COMMAND: &'static str;
    /// Whose inventories and trash are its own.
    const BELONGS: Belongs;

    /// What is wrong with it, before anything is done.
    fn check(&self, engine: &Engine) -> Vec<Problem>;
    /// As whom everything is done.
    fn account(&self) -> &str;
    /// Whether nothing is done.
    fn is_suspended(&self) -> bool;
    /// Whether it is to be taken down while it stays.
    fn is_taken_down(&self) -> bool;
    /// What it consists of, as far as that is known.
    fn parts(&self) -> Vec<Part>;
    /// What counts down.
    fn pending(&self) -> &[PendingDeletion];
    /// What is to go, or is going.
    fn going(&self) -> &[ObjectReference];
    /// More that is to be told of it: a heading and what is below it.
    fn more(&self) -> Vec<(&'static str, String)>;
    /// Others of its kind that it comes after.
    fn comes_after(&self) -> &[String];

    /// How it stands, by what the operator says about what is wanted now.
    fn standing(&self) -> Standing {
        let status = self.status();
        let generation = self.meta().generation;
        let last = status.and_then(|status| status.last_operation.as_ref());
        let ready = status.and_then(|status| status.condition("Ready"));
        // While an operation is under way only the conditions tell which generation it is about.
        let is_seen = status.is_some_and(|status| status.observed_generation == generation)
            || ready.is_some_and(|ready| ready.observed_generation == generation);
        let failed = last.filter(|last| is_seen && last.state == OperationState::Failed);
        Standing {
            is_seen,
            is_ready: is_seen && ready.is_some_and(|ready| ready.status == "True"),
            has_failed: failed.map(|last| last.description.clone()),
            words: last.map(|last| last.description.clone()).filter(|words| !words.is_empty()),
        }
    }
}

/// How a set stands.
#[derive(Debug, Clone)]
pub(crate) struct Standing {
    /// Whether the operator has seen what is wanted now.
    pub(crate) is_seen: bool,
    /// Whether what is wanted now is there.
    pub(crate) is_ready: bool,
    /// Why it waits for somebody to change something, if it does.
    pub(crate) has_failed: Option<String>,
    /// What the operator said last.
    pub(crate) words: Option<String>,
}

/// One part of a set.
#[derive(Debug, Clone)]
pub(crate) struct Part {
    /// How it is called.
    pub(crate) name: String,
    /// The object, if it is known which that is.
    pub(crate) object: Option<ObjectId>,
    /// How it stands, by the status; nothing if that does not say.
    pub(crate) state: Option<State>,
    /// What there is to say about that.
    pub(crate) message: String,
    /// The parts that it comes after.
    pub(crate) after: Vec<String>,
}

/// How a part stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum State {
    Blocked,
    InProgress,
    Ready,
    Error,
}

impl State {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Blocked => "Blocked",
            Self::InProgress => "InProgress",
            Self::Ready => "Ready",
            Self::Error => "Error",
        }
    }
}

impl Kind for Bundle {
    const COMMAND: &'static str = "bundle";
    const BELONGS: Belongs = Belongs::Bundle;

    fn check(&self, engine: &Engine) -> Vec<Problem> {
        controllers::bundle::check(self, engine)
    }

    fn account(&self) -> &str {
        self.service_account()
    }

    fn is_suspended(&self) -> bool {
        self.spec.suspend
    }

    fn is_taken_down(&self) -> bool {
        self.spec.exists_externally == Some(false)
    }

    fn parts(&self) -> Vec<Part> {
        let statuses = self.status.as_ref().map(|status| status.resource_statuses.as_slice());
        let namespace = self.namespace().unwrap_or_default();
        let part = |resource: &api::bundle::Resource| {
            let of = statuses.unwrap_or_default().iter().find(|of| of.name == resource.name);
            // What failed and is tried again is both; what it failed with says more.
            let holds = [State::Error, State::Blocked, State::InProgress, State::Ready].into_iter().find_map(
                |state| {
                    let condition =
                        of?.conditions.iter().find(|condition| condition.type_ == state.name())?;
                    (condition.status == "True").then(|| (state, condition.message.clone()))
                },
            );
            Part {
                name: resource.name.clone(),
                object: identity(&Value::Object(resource.spec.object.clone()), &namespace),
                state: holds.as_ref().map(|(state, _)| *state),
                message: holds.map(|(_, message)| message).unwrap_or_default(),
                after: resource
                    .references
                    .iter()
                    .map(|Reference { resource, .. }| resource.clone())
                    .collect(),
            }
        };
        self.spec.resources.iter().map(part).collect()
    }

    fn pending(&self) -> &[PendingDeletion] {
        self.status.as_ref().map(|status| status.pending_deletions.as_slice()).unwrap_or_default()
    }

    fn going(&self) -> &[ObjectReference] {
        self.status.as_ref().map(|status| status.objects_to_delete.as_slice()).unwrap_or_default()
    }

    fn more(&self) -> Vec<(&'static str, String)> {
        Vec::new()
    }

    fn comes_after(&self) -> &[String] {
        &[]
    }
}

impl Kind for DeployItem {
    const COMMAND: &'static str = "deployitem";
    const BELONGS: Belongs = Belongs::DeployItem;

    fn check(&self, engine: &Engine) -> Vec<Problem> {
        controllers::deploy_item::check(self, engine)
    }

    fn account(&self) -> &str {
        self.service_account()
    }

    fn is_suspended(&self) -> bool {
        self.spec.suspend
    }

    fn is_taken_down(&self) -> bool {
        self.spec.exists_externally == Some(false)
    }

    fn parts(&self) -> Vec<Part> {
        let objects = self.status.as_ref().map(|status| status.objects.as_slice()).unwrap_or_default();
        let part = |object: &ObjectReference| Part {
            name: object.name.clone(),
            object: Some(id_of(object)),
            state: None,
            message: String::new(),
            after: Vec::new(),
        };
        objects.iter().map(part).collect()
    }

    fn pending(&self) -> &[PendingDeletion] {
        self.status.as_ref().map(|status| status.pending_deletions.as_slice()).unwrap_or_default()
    }

    fn going(&self) -> &[ObjectReference] {
        &[]
    }

    fn more(&self) -> Vec<(&'static str, String)> {
        let spec = &self.spec;
        let chart = spec.chart.as_ref().map(|chart| {
            let of = chart.repository.as_ref().map(|of| (format!("{} of {}", of.name, of.url), &of.version));
            let of = of.or_else(|| chart.oci.as_ref().map(|of| (of.reference.clone(), &of.version)));
            let of = of.map(|(of, version)| match version {
                Some(version) => format!("{of}, version {version}"),
                None => of,
            });
            let of = of.or_else(|| chart.config_map.as_ref().map(|of| format!("in ConfigMap {}", of.name)));
            of.unwrap_or_else(|| "an archive in the item itself".to_owned())
        });
        let mut more = vec![match chart {
            Some(chart) => ("Chart", chart),
            None => ("Manifests", spec.manifests.len().to_string()),
        }];
        if let Some(revision) = self.status.as_ref().and_then(|status| status.revision) {
            let name = spec.release_name.clone().unwrap_or_else(|| self.name_any());
            more.push(("Release", format!("{name}, revision {revision}")));
        }
        if let Some(target) = &spec.target {
            let cluster = target.kubeconfig.as_ref();
            let cluster = cluster.map(|of| format!("the cluster of Secret {}", of.name)).unwrap_or_default();
            let namespace = target.namespace.as_ref().map(|name| format!("namespace {name}"));
            let parts: Vec<String> =
                namespace.into_iter().chain(Some(cluster)).filter(|part| !part.is_empty()).collect();
            more.push(("Target", parts.join(" of ")));
        }
        if !spec.depends_on.is_empty() {
            more.push(("Depends on", spec.depends_on.join(", ")));
        }
        more
    }

    fn comes_after(&self) -> &[String] {
        &self.spec.depends_on
    }
}

/// Which object a status means.
pub(crate) fn id_of(object: &ObjectReference) -> ObjectId {
    ObjectId {
        group: object.group.clone(),
        kind: object.kind.clone(),
        namespace: object.namespace.clone(),
        name: object.name.clone(),
    }
}

/// Which object a definition means; nothing while its name waits for a value.
fn identity(document: &Value, namespace: &str) -> Option<ObjectId> {
    let text = |value: &Value| value.as_str().filter(|text| !text.contains("!{")).map(str::to_owned);
    Some(ObjectId {
        group: ObjectId::group_of(document["apiVersion"].as_str()?).to_owned(),
        kind: text(&document["kind"])?,
        namespace: match &document["metadata"]["namespace"] {
            Value::Null => Some(namespace.to_owned()),
            named => Some(text(named)?),
        },
        name: text(&document["metadata"]["name"])?,
    })
}
