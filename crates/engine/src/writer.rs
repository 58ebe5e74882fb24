//! The requests that change a cluster. Each can be sent again without harm.

use std::sync::{Arc, PoisonError, RwLock};

use jiff::Timestamp;
use k8s_openapi::api::core::v1::Pod;
use kube::api::{
    DeleteParams, ListParams, LogParams, Patch, PatchParams, PostParams, Preconditions, PropagationPolicy,
};
use kube::core::{DynamicObject, ObjectMeta};
use kube::{Api, Client, Error, ResourceExt};
use objects::ObjectId;
use plan::input::Cascade;
use serde_json::{Value, json};

use crate::removal::Removed;
use crate::served::{Kind, Served};
use crate::trouble::{Trouble, sort};
use crate::{Clock, Options, patience};

/// Writes to a cluster under one name. Clones are the same.
#[derive(Clone)]
pub(crate) struct Writer {
    client: Client,
    served: Arc<RwLock<Served>>,
    manager: Arc<str>,
    force_conflicts: bool,
    clock: Clock,
}

/// An object as the server answered that it is now.
#[derive(Debug, Default)]
pub(crate) struct Applied {
    pub(crate) uid: Option<String>,
    pub(crate) generation: Option<i64>,
    pub(crate) version: Option<String>,
    /// All of it, if that was asked for.
    pub(crate) live: Option<Box<DynamicObject>>,
}

impl Applied {
    fn of(metadata: &ObjectMeta) -> Self {
        Self {
            uid: metadata.uid.clone(),
            generation: metadata.generation,
            version: metadata.resource_version.clone(),
            live: None,
        }
    }

    fn whole(object: DynamicObject) -> Self {
        let applied = Self::of(&object.metadata);
        Self { live: Some(Box::new(object)), ..applied }
    }
}

/// How much of an object the server is to answer with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Answer {
    /// All of it: somebody waits for it to become ready, and it may be already.
    Whole,
    /// No more than says which object it is.
    Metadata,
}

impl Writer {
    pub(crate) fn new(client: Client, served: Served, options: &Options) -> Self {
        Self {
            client,
            served: Arc::new(RwLock::new(served)),
            manager: options.manager.as_str().into(),
            force_conflicts: options.force_conflicts,
            clock: options.clock.clone(),
        }
    }

    /// By which time countdowns begin and end.
    pub(crate) fn clock(&self) -> &Clock {
        &self.clock
    }

    /// The same, but it asks again when the server is busy or was not reached: a write may then have been done.
    pub(crate) fn patient(&self) -> Self {
        Self { client: patience::patient(&self.client), ..self.clone() }
    }

    pub(crate) fn client(&self) -> &Client {
        &self.client
    }

    /// The kind of an object under a version; the server is asked again if it did not know it before.
    pub(crate) async fn kind(&self, api_version: &str, kind: &str) -> Result<Option<Kind>, Error> {
        if let Some(kind) = self.known(api_version, kind) {
            return Ok(Some(kind));
        }
        let served = Served::ask(&self.client).await?;
        *self.served.write().unwrap_or_else(PoisonError::into_inner) = served;
        Ok(self.known(api_version, kind))
    }

    /// The kind as it was known last.
    pub(crate) fn known(&self, api_version: &str, kind: &str) -> Option<Kind> {
        let served = self.served.read().unwrap_or_else(PoisonError::into_inner);
        let id = ObjectId {
            group: ObjectId::group_of(api_version).to_owned(),
            kind: kind.to_owned(),
            namespace: None,
            name: String::new(),
        };
        // A version that is served no longer still names the same objects.
        served.kind(api_version, kind).or_else(|| served.kind_of(&id)).cloned()
    }

    pub(crate) fn api(&self, kind: &Kind, id: &ObjectId) -> Api<DynamicObject> {
        match id.namespace.as_deref().filter(|_| kind.namespaced) {
            Some(namespace) => Api::namespaced_with(self.client.clone(), namespace, &kind.resource),
            None => Api::all_with(self.client.clone(), &kind.resource),
        }
    }

    pub(crate) async fn get(&self, kind: &Kind, id: &ObjectId) -> Result<Option<DynamicObject>, Error> {
        self.api(kind, id).get_opt(&id.name).await
    }

    /// Applies an object as wanted, on the server's side.
    pub(crate) async fn apply(
        &self,
        kind: &Kind,
        id: &ObjectId,
        object: &Value,
        answer: Answer,
    ) -> Result<Applied, Error> {
        let mut parameters = PatchParams::apply(&self.manager);
        parameters.force = self.force_conflicts;
        match self.apply_with(kind, id, object, &parameters, answer).await {
            // Helm has worked on the same release, and whoever works on it now has the word.
            Err(error) if conflicts_with_helm(&error) => {
                self.apply_with(kind, id, object, &parameters.force(), answer).await
            }
            applied => applied,
        }
    }

    async fn apply_with(
        &self,
        kind: &Kind,
        id: &ObjectId,
        object: &Value,
        parameters: &PatchParams,
        answer: Answer,
    ) -> Result<Applied, Error> {
        let (api, change) = (self.api(kind, id), Patch::Apply(object));
        Ok(match answer {
            Answer::Whole => Applied::whole(api.patch(&id.name, parameters, &change).await?),
            Answer::Metadata => {
                Applied::of(&api.patch_metadata(&id.name, parameters, &change).await?.metadata)
            }
        })
    }

    /// Creates an object; nothing if there is one of its name already.
    pub(crate) async fn create(
        &self,
        kind: &Kind,
        id: &ObjectId,
        object: &Value,
    ) -> Result<Option<Applied>, Error> {
        let parameters =
            PostParams { field_manager: Some(self.manager.to_string()), ..PostParams::default() };
        let object = serde_json::from_value(object.clone()).map_err(Error::SerdeError)?;
        match self.api(kind, id).create(&parameters, &object).await {
            Ok(made) => Ok(Some(Applied::whole(made))),
            Err(Error::Api(status)) if status.reason == "AlreadyExists" => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Deletes exactly the object with this UID and, if one is given, in this revision.
    pub(crate) async fn delete(
        &self,
        kind: &Kind,
        id: &ObjectId,
        (uid, version): (&str, Option<&str>),
        cascade: Cascade,
    ) -> Result<Removed, Error> {
        let parameters = DeleteParams {
            propagation_policy: Some(match cascade {
                Cascade::Foreground => PropagationPolicy::Foreground,
                Cascade::Background => PropagationPolicy::Background,
                Cascade::Orphan => PropagationPolicy::Orphan,
            }),
            preconditions: Some(Preconditions {
                uid: Some(uid.to_owned()),
                resource_version: version.map(ToOwned::to_owned),
            }),
            ..DeleteParams::default()
        };
        // The object is the answer while it is still there; a status says that it was removed at once.
        let answer = self.api(kind, id).delete(&id.name, &parameters).await?;
        Ok(if answer.is_left() { Removed::Accepted } else { Removed::Gone })
    }

    /// Takes finalizers off an object that is being deleted, if it is still the one with this UID. Those that the API
    /// server needs itself stay. Returns what was taken off.
    pub(crate) async fn strip(&self, kind: &Kind, id: &ObjectId, uid: &str) -> Result<Vec<String>, Error> {
        let Some(live) = self.get(kind, id).await? else { return Ok(Vec::new()) };
        if live.uid().as_deref() != Some(uid) || live.metadata.deletion_timestamp.is_none() {
            return Ok(Vec::new());
        }
        let finalizers = live.metadata.finalizers.clone().unwrap_or_default();
        let (kept, stripped): (Vec<String>, Vec<String>) =
            finalizers.into_iter().partition(|finalizer| plan::is_protected(finalizer));
        if stripped.is_empty() {
            return Ok(stripped);
        }
        // Whoever changes the object meanwhile is not overruled: the next attempt reads it again.
        let change = json!({"metadata": {
            "uid": uid,
            "resourceVersion": live.resource_version(),
            "finalizers": kept,
        }});
        match self.api(kind, id).patch(&id.name, &self.parameters(), &Patch::Merge(&change)).await {
            Ok(_) => Ok(stripped),
            Err(error) if sort(&error) == Trouble::NotFound => Ok(stripped),
            Err(error) => Err(error),
        }
    }

    /// Writes or removes the stamp with which a countdown begins.
    pub(crate) async fn stamp(
        &self,
        kind: &Kind,
        id: &ObjectId,
        (uid, version): (&str, Option<&str>),
        stamp: Option<Timestamp>,
    ) -> Result<(), Error> {
        let stamp = stamp.map(|stamp| stamp.strftime("%Y-%m-%dT%H:%M:%SZ").to_string());
        let mut change = json!({"metadata": {"uid": uid, "annotations": {plan::input::STAMP: stamp}}});
        if let Some(version) = version {
            change["metadata"]["resourceVersion"] = version.into();
        }
        self.api(kind, id).patch(&id.name, &self.parameters(), &Patch::Merge(&change)).await?;
        Ok(())
    }

    /// The last lines that the pods of a hook have logged; nothing where they cannot be had.
    pub(crate) async fn last_words(&self, id: &ObjectId, lines: i64) -> String {
        let Some(namespace) = &id.namespace else { return String::new() };
        let pods: Api<Pod> = Api::namespaced(self.client.clone(), namespace);
        let names = if id.kind == "Pod" {
            vec![id.name.clone()]
        } else {
            let of_job = ListParams::default().labels(&format!("batch.kubernetes.io/job-name={}", id.name));
            let Ok(list) = pods.list(&of_job).await else { return String::new() };
            list.items.iter().map(ResourceExt::name_any).collect()
        };
        let parameters = LogParams { tail_lines: Some(lines), ..LogParams::default() };
        let mut said = Vec::new();
        for name in names {
            if let Ok(text) = pods.logs(&name, &parameters).await
                && !text.trim().is_empty()
            {
                said.push(format!("{name}: {}", text.trim_end()));
            }
        }
        said.join("\n")
    }

    fn parameters(&self) -> PatchParams {
        PatchParams { field_manager: Some(self.manager.to_string()), ..PatchParams::default() }
    }
}

/// Whether fields are owned by Helm, and by nobody else who minds.
fn conflicts_with_helm(error: &Error) -> bool {
    let Error::Api(status) = error else { return false };
    let causes = status.details.as_ref().map(|details| details.causes.as_slice()).unwrap_or_default();
    !causes.is_empty()
        && causes.iter().all(|cause| {
            let manager =
                cause.message.strip_prefix("conflict with \"").and_then(|rest| rest.split('"').next());
            cause.reason == "FieldManagerConflict" && manager.is_some_and(is_helm)
        })
}

/// Whether a manager of fields is Helm, which calls itself as its program is called: `helm`, `helm3`.
fn is_helm(manager: &str) -> bool {
    manager.strip_prefix("helm").is_some_and(|rest| {
        rest.bytes().all(|letter| letter.is_ascii_digit() || matches!(letter, b'.' | b'-' | b'v'))
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_helm_gives_way() {
        let conflict = |managers: &[&str]| {
            let causes: Vec<Value> = managers
                .iter()
                .map(|manager| {
                    json!({
                        "reason": "FieldManagerConflict",
                        "message": format!("conflict with {manager:?} using v1"),
                        "field": ".data.a",
                    })
                })
                .collect();
            let status = json!({"code": 409, "reason": "Conflict", "details": {"causes": causes}});
            Error::Api(Box::new(serde_json::from_value(status).unwrap_or_default()))
        };
        for (managers, expected) in [
            (&["helm"][..], true),
            (&["helm4", "helm-3.17"], true),
            (&["helm", "kubectl-edit"], false),
            (&["helm-controller"], false),
            (&[], false),
        ] {
            assert_eq!(conflicts_with_helm(&conflict(managers)), expected, "{managers:?}");
        }
    }
}
