//! What an actuator is given.

use std::fmt;
use std::sync::Arc;

use jiff::Timestamp;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use kube::api::{DeleteParams, Patch, PatchParams, Preconditions};
use kube::core::DynamicObject;
use kube::{Api, Client, ResourceExt};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::actuator::Extension;
use crate::events::Events;
use crate::force;
use crate::status::{OperationState, OperationType, Stripped};
use crate::writer::Writer;
use crate::{ActuatorError, Clock, Environment, Metrics, ObjectKey, Trigger};

/// The parts of a status that only the reconciler writes.
const OURS: [&str; 3] = ["lastOperation", "lastErrors", "observedGeneration"];

/// What an actuator is given: the object, and all that it needs to work on it.
pub struct Context<K> {
    /// The object. What is changed in its status is written when the actuator returns.
    pub object: K,
    pub(crate) operation: OperationType,
    pub(crate) environment: Environment,
    pub(crate) events: Events,
    pub(crate) writer: Arc<Writer>,
    pub(crate) trigger: Trigger,
    pub(crate) interrupted: CancellationToken,
    pub(crate) stopping: CancellationToken,
}

impl<K: Extension> Context<K> {
    /// Which operation this is.
    pub fn operation(&self) -> OperationType {
        self.operation
    }

    /// The object's key.
    pub fn key(&self) -> ObjectKey {
        ObjectKey::of(&self.object)
    }

    /// A client of the cluster that the object is in.
    pub fn client(&self) -> Client {
        self.environment.client.clone()
    }

    /// What time it is, by the clock that all timers go by.
    pub fn now(&self) -> Timestamp {
        self.environment.clock.now()
    }

    /// That clock.
    pub fn clock(&self) -> &Clock {
        &self.environment.clock
    }

    /// What is measured.
    pub fn metrics(&self) -> &Metrics {
        &self.environment.metrics
    }

    /// Wakes this controller for this or another object.
    pub fn trigger(&self) -> &Trigger {
        &self.trigger
    }

    /// Under which name fields are owned.
    pub fn manager(&self) -> &str {
        &self.environment.name
    }

    /// Is cancelled when the operation should come to an end: the object was changed or deleted meanwhile, or the
    /// process is being stopped. An actuator that takes long should return what it has then; it is called again.
    pub fn interrupted(&self) -> &CancellationToken {
        &self.interrupted
    }

    /// Is cancelled when the process is being stopped.
    pub fn stopping(&self) -> &CancellationToken {
        &self.stopping
    }

    /// Writes an Event about the object.
    pub async fn event(&self, reason: &str, note: &str) {
        self.events.tell(false, reason, self.operation.as_str(), note).await;
    }

    /// Writes an Event that somebody should look at.
    pub async fn warn(&self, reason: &str, note: &str) {
        self.events.tell(true, reason, self.operation.as_str(), note).await;
    }

    /// Writes what was changed in the status of the object, at once: intent, before it is acted on.
    pub async fn save(&mut self) -> Result<(), ActuatorError> {
        let mut status = status_of(&self.object);
        let with_ours = |mut stored: Value| {
            for key in OURS {
                match stored.get_mut(key) {
                    Some(value) => status[key] = value.take(),
                    None => drop(status.as_object_mut().and_then(|status| status.remove(key))),
                }
            }
            Some(status)
        };
        self.writer.change_status(with_ours).await?;
        Ok(())
    }

    /// Tells how far the operation is, in the object's status.
    pub async fn progress(&mut self, percent: u8, description: &str) -> Result<(), ActuatorError> {
        let (operation, now) = (self.operation, self.now());
        let telling = |mut status: Value| {
            status["lastOperation"] = json!({
                "type": operation,
                "state": OperationState::Processing,
                "progress": percent.min(99),
                "description": description,
                "lastUpdateTime": Time(now),
            });
            Some(status)
        };
        self.writer.change_status(telling).await?;
        Ok(())
    }

    /// Takes the finalizers off an object and deletes it: for force deletion, where whoever set them cannot do what
    /// they stand for any more. Those of the API server itself stay ([`force::is_protected`]). It is on record before it
    /// is done: in the status, as an Event, and in the log. Says what was taken off.
    pub async fn strip(
        &mut self,
        api: &Api<DynamicObject>,
        object: &DynamicObject,
    ) -> Result<Vec<String>, ActuatorError> {
        self.strip_unless(api, object, force::is_protected).await
    }

    /// The same for an object that this controller has deleted in the foreground: then it is not waited for what the
    /// object owns, either.
    pub async fn strip_in_foreground(
        &mut self,
        api: &Api<DynamicObject>,
        object: &DynamicObject,
    ) -> Result<Vec<String>, ActuatorError> {
        let stays = |finalizer: &str| finalizer != force::FOREGROUND && force::is_protected(finalizer);
        self.strip_unless(api, object, stays).await
    }

    async fn strip_unless(
        &mut self,
        api: &Api<DynamicObject>,
        object: &DynamicObject,
        stays: impl Fn(&str) -> bool,
    ) -> Result<Vec<String>, ActuatorError> {
        let name = object.name_any();
        let uid = object.uid().unwrap_or_default();
        let (kept, finalizers): (Vec<String>, Vec<String>) =
            object.finalizers().iter().cloned().partition(|finalizer| stays(finalizer));
        let types = object.types.clone().unwrap_or_default();
        if !finalizers.is_empty() {
            let stripped = Stripped {
                api_version: types.api_version,
                kind: types.kind.clone(),
                namespace: object.namespace(),
                name: name.clone(),
                uid: uid.clone(),
                finalizers: finalizers.clone(),
                time: Time(self.now()),
            };
            let known = &mut self.object.status_mut().stripped;
            if !known.iter().any(|known| known.uid == uid && known.finalizers == finalizers) {
                known.push(stripped);
                self.save().await?;
                let note = format!(
                    "took the finalizers {} off {} {}: what they stand for is not done",
                    finalizers.join(", "),
                    types.kind,
                    object
                        .namespace()
                        .map_or_else(|| name.clone(), |namespace| format!("{namespace}/{name}")),
                );
                tracing::warn!(%note);
                self.warn("FinalizersStripped", &note).await;
            }
        }
        // Deleted first: without its finalizers it would otherwise live on for a moment, and could be given new ones.
        if object.metadata.deletion_timestamp.is_none() {
            let preconditions = Preconditions { uid: Some(uid.clone()), resource_version: None };
            absent(
                api.delete(&name, &DeleteParams::background().preconditions(preconditions)).await.map(drop),
            )?;
        }
        if !finalizers.is_empty() {
            let body = json!({"metadata": {"uid": uid, "finalizers": kept}});
            let patched = api.patch(&name, &PatchParams::default(), &Patch::Merge(&body)).await;
            absent(patched.map(drop))?;
            self.metrics().count(
                "slipway_finalizers_stripped_total",
                "Objects whose finalizers force deletion has taken off.",
                &[("kind", &types.kind)],
            );
        }
        Ok(finalizers)
    }
}

/// What is gone, or is another object by now, need not be taken away.
fn absent(done: Result<(), kube::Error>) -> Result<(), kube::Error> {
    match done {
        Err(kube::Error::Api(refusal)) if matches!(refusal.code, 404 | 409) => Ok(()),
        done => done,
    }
}

/// The status of an object, as its types have it.
pub(crate) fn status_of<K: Extension>(object: &K) -> Value {
    let written = serde_json::to_value(object).unwrap_or_default();
    match written {
        Value::Object(mut fields) => fields.remove("status").unwrap_or_default(),
        _ => Value::Null,
    }
}

impl<K: Extension> fmt::Debug for Context<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Context")
            .field("operation", &self.operation)
            .field("key", &self.key())
            .finish_non_exhaustive()
    }
}
