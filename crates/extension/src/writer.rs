//! Writes of the reconciler to its own object: always against the revision that was read, and only what has changed.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use kube::api::{Patch, PatchParams};
use kube::core::DynamicObject;
use kube::{Api, ResourceExt};
use serde_json::{Map, Value, json};
use tokio::sync::Mutex as Turn;

use crate::reconciler::digest;

/// How often a write is repeated when others wrote meanwhile.
const ATTEMPTS: usize = 4;

/// Writes to one object during one operation.
pub(crate) struct Writer {
    api: Api<DynamicObject>,
    name: String,
    uid: Option<String>,
    /// One write at a time.
    turn: Turn<()>,
    known: Mutex<Known>,
    /// Somebody else has changed what counts since the object was read.
    overtaken: AtomicBool,
}

/// The object as we know it.
#[derive(Clone)]
struct Known {
    /// The status as the actuator's types have it, the last time it was written or read.
    status: Value,
    /// What was to be written after that and may have been: nobody has waited for the answer, or it was lost.
    attempted: Vec<Value>,
    version: Option<String>,
    finalizers: Vec<String>,
    digest: u64,
}

impl Writer {
    pub(crate) fn new(api: Api<DynamicObject>, object: &DynamicObject, status: Value) -> Self {
        Self {
            api,
            name: object.name_any(),
            uid: object.uid(),
            turn: Turn::new(()),
            known: Mutex::new(Known {
                status,
                attempted: Vec::new(),
                version: object.resource_version(),
                finalizers: object.finalizers().to_vec(),
                digest: digest(&object.metadata),
            }),
            overtaken: AtomicBool::new(false),
        }
    }

    /// The revision that the last write made, and what of it counts for the queue.
    pub(crate) fn written(&self) -> (Option<String>, u64) {
        let known = self.known();
        (known.version, known.digest)
    }

    /// Whether somebody else has changed the object meanwhile.
    pub(crate) fn was_overtaken(&self) -> bool {
        self.overtaken.load(Ordering::Relaxed)
    }

    /// Writes what differs in the status from what is stored. An object that is gone is no error.
    pub(crate) async fn write_status(&self, status: Value) -> Result<(), kube::Error> {
        self.change_status(|_| Some(status)).await
    }

    /// The same with what is made of the status as it is stored, as far as the actuator's types know it. It is looked at
    /// when it is this write's turn: another may be under way that it must not undo.
    pub(crate) async fn change_status(
        &self,
        make: impl FnOnce(Value) -> Option<Value>,
    ) -> Result<(), kube::Error> {
        let _turn = self.turn.lock().await;
        let known = self.known();
        let Some(status) = make(known.status.clone()) else { return Ok(()) };
        let stored = std::iter::once(&known.status).chain(&known.attempted);
        let Some(changes) = stored.filter_map(|stored| difference(stored, &status)).reduce(joined) else {
            return Ok(());
        };
        self.change(|known| known.attempted.push(status.clone()));
        self.patch(true, &json!({"status": changes}), |_, _| {}).await?;
        self.change(|known| {
            known.status = status;
            known.attempted.clear();
        });
        Ok(())
    }

    /// Adds or removes the finalizer, and removes annotations, in one request if there is anything to change. Returns
    /// the object if it is still there afterwards.
    pub(crate) async fn write_metadata(
        &self,
        finalizer: Option<(&str, bool)>,
        without: &[&str],
    ) -> Result<Option<DynamicObject>, kube::Error> {
        let _turn = self.turn.lock().await;
        let mut metadata = Map::new();
        if finalizer.is_none() && without.is_empty() {
            return Ok(None);
        }
        if !without.is_empty() {
            let gone: Map<_, _> = without.iter().map(|key| ((*key).to_owned(), Value::Null)).collect();
            metadata.insert("annotations".to_owned(), gone.into());
        }
        self.patch(false, &json!({"metadata": metadata}), |known, body| {
            let Some((finalizer, wanted)) = finalizer else { return };
            let mut finalizers = known.finalizers.clone();
            finalizers.retain(|held| held != finalizer);
            if wanted {
                finalizers.push(finalizer.to_owned());
            }
            if let Some(metadata) = body.get_mut("metadata").and_then(Value::as_object_mut) {
                metadata.insert("finalizers".to_owned(), finalizers.into());
            }
        })
        .await
    }

    async fn patch(
        &self,
        status: bool,
        body: &Value,
        complete: impl Fn(&Known, &mut Value),
    ) -> Result<Option<DynamicObject>, kube::Error> {
        let mut attempt = 1;
        loop {
            let mut body = body.clone();
            let known = self.known();
            complete(&known, &mut body);
            body["metadata"]["resourceVersion"] = json!(known.version);
            let (params, patch) = (PatchParams::default(), Patch::Merge(&body));
            let sent = if status {
                self.api.patch_status(&self.name, &params, &patch).await
            } else {
                self.api.patch(&self.name, &params, &patch).await
            };
            match sent {
                Ok(object) => {
                    self.learn(&object);
                    return Ok(Some(object));
                }
                Err(kube::Error::Api(refusal)) if refusal.code == 404 => return Ok(None),
                Err(kube::Error::Api(refusal)) if refusal.code == 409 && attempt < ATTEMPTS => attempt += 1,
                Err(error) => return Err(error),
            }
            let Some(object) = self.api.get_opt(&self.name).await? else { return Ok(None) };
            if object.uid() != self.uid {
                return Ok(None);
            }
            if digest(&object.metadata) != self.known().digest {
                self.overtaken.store(true, Ordering::Relaxed);
            }
            // What was handled is still what was read first: what others changed counts as new.
            self.change(|known| {
                known.version = object.resource_version();
                known.finalizers = object.finalizers().to_vec();
            });
        }
    }

    fn learn(&self, object: &DynamicObject) {
        let overtaken = self.was_overtaken();
        self.change(|known| {
            known.version = object.resource_version();
            known.finalizers = object.finalizers().to_vec();
            if !overtaken {
                known.digest = digest(&object.metadata);
            }
        });
    }

    fn known(&self) -> Known {
        self.known.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn change(&self, change: impl FnOnce(&mut Known)) {
        change(&mut self.known.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

/// What a merge patch must say to make the one into the other; nothing if they are the same.
fn difference(old: &Value, new: &Value) -> Option<Value> {
    if old == new {
        return None;
    }
    let (Value::Object(before), Value::Object(after)) = (old, new) else { return Some(new.clone()) };
    let mut changes = Map::new();
    for key in before.keys().filter(|key| !after.contains_key(*key)) {
        changes.insert(key.clone(), Value::Null);
    }
    for (key, value) in after {
        let change = match before.get(key) {
            None => Some(value.clone()),
            Some(old) => difference(old, value),
        };
        changes.extend(change.map(|change| (key.clone(), change)));
    }
    Some(changes.into())
}

/// All that two merge patches to the same end say.
fn joined(one: Value, other: Value) -> Value {
    match (one, other) {
        (Value::Object(mut one), Value::Object(other)) => {
            for (key, value) in other {
                let both = match one.remove(&key) {
                    Some(known) => joined(known, value),
                    None => value,
                };
                one.insert(key, both);
            }
            one.into()
        }
        (one, _) => one,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_have_been_written_is_put_right_too() {
        let end = json!({"a": 1, "in": {"x": 1}});
        let changes =
            |stored: &[Value]| stored.iter().filter_map(|stored| difference(stored, &end)).reduce(joined);
        assert_eq!(changes(&[end.clone(), end.clone()]), None);
        let attempted = json!({"a": 2, "b": 3, "in": {"x": 1, "y": 2}});
        let expected = json!({"a": 1, "b": null, "in": {"y": null}});
        assert_eq!(changes(&[end.clone(), attempted.clone()]), Some(expected));
        let expected = json!({"a": 1, "b": null, "in": {"x": 1, "y": null}});
        assert_eq!(changes(&[json!({"a": 1, "in": {"x": 0}}), attempted]), Some(expected));
    }

    #[test]
    fn only_what_differs_is_written() {
        for (old, new, expected) in [
            (json!({"a": 1}), json!({"a": 1}), None),
            (json!({"a": 1}), json!({"a": 2}), Some(json!({"a": 2}))),
            (
                json!({"a": 1, "b": {"c": 1, "d": 2}}),
                json!({"b": {"c": 1}}),
                Some(json!({"a": null, "b": {"d": null}})),
            ),
            (Value::Null, json!({"a": [1]}), Some(json!({"a": [1]}))),
            (json!({"a": [1, 2]}), json!({"a": [1]}), Some(json!({"a": [1]}))),
        ] {
            assert_eq!(difference(&old, &new), expected);
        }
    }
}
