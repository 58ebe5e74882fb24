//! What follows from a change: resources come and go with their definitions.

use fields::{FieldSet, OneVersion, Request};
use jiff::Timestamp;
use serde_json::{Value, json};

use super::call::Call;
use super::metadata::{self, finalizers, is_terminating};
use crate::crd::conditions::{begin_clean_up, finish_clean_up, is_cleaning_up, is_true, settle};
use crate::meta;
use crate::server::Server;
use crate::status::Status;
use crate::store::{Expected, Key, Range, ResourceKey, Stored};

const POLICIES: &str = "validatingadmissionpolicies";
const DEFINITIONS: (&str, &str) = ("apiextensions.k8s.io", "customresourcedefinitions");

impl Server {
    /// Nothing is made of a kind whose definition is being deleted.
    pub(super) fn check_definition(&self, call: &Call, object: &Value) -> Result<(), Status> {
        if !call.resource.is_custom() {
            return Ok(());
        }
        let Some(definition) = self.definition_of(&call.resource.key) else { return Ok(()) };
        if !is_true(&definition.object, "Terminating") {
            return Ok(());
        }
        Err(Status::forbidden(
            call.resource.name(),
            metadata::text(object, "name"),
            "create not allowed while custom resource definition is terminating",
        ))
    }

    /// The definition of a custom resource.
    fn definition_of(&self, resource: &ResourceKey) -> Option<Stored> {
        let name = format!("{}.{}", resource.resource, resource.group);
        let definitions = self.registry.by_key(DEFINITIONS.0, DEFINITIONS.1)?;
        self.store.get(&definitions.object_key("", &name))
    }

    /// Takes notice of an object that was created or changed.
    pub(crate) async fn after_change(&self, stored: &Stored) {
        if is_definition(&stored.key) {
            self.settle_definition(&stored.key).await;
        }
        if &*stored.key.resource.resource == POLICIES && self.controllers.get().is_some() {
            self.observe_policy(stored).await;
        }
    }

    /// Notes in a policy that it was looked at. Its types are not checked against those of other kinds.
    async fn observe_policy(&self, stored: &Stored) {
        let generation = &stored.object["metadata"]["generation"];
        if stored.object["status"]["observedGeneration"] == *generation {
            return;
        }
        let mut object = stored.object.as_ref().clone();
        object["status"] = json!({"observedGeneration": generation, "typeChecking": {}});
        // Whoever was quicker wrote a state that is looked at in its turn.
        let _ = self.store.put(&stored.key, Expected::At(stored.revision), object).await;
    }

    /// Takes notice of an object that is gone.
    pub(crate) async fn after_removal(&self, stored: &Stored) {
        if is_definition(&stored.key) {
            self.registry.undefine(&stored.object);
            return;
        }
        // The last object of a definition that is being deleted lets it go.
        let definition = self.definition_of(&stored.key.resource);
        if let Some(definition) = definition.filter(|definition| is_cleaning_up(&definition.object)) {
            Box::pin(self.settle_definition(&definition.key)).await;
        }
    }

    /// Brings a definition to where the server's own controllers would: its names accepted, it served; or, once it is
    /// deleted, its objects gone and then itself.
    async fn settle_definition(&self, key: &Key) {
        while let Some(stored) = self.store.get(key) {
            let cleaned = if is_cleaning_up(&stored.object) { self.clean_up(&stored).await } else { None };
            // The names of a definition that waits for its objects are looked at as those of any other.
            let Some(mut next) = cleaned.or_else(|| self.with_names(&stored)) else {
                self.registry.define(&stored.object);
                return;
            };
            own_status(&stored.object, &mut next, self.clock.now());
            if is_terminating(&next) && finalizers(&next).is_empty() {
                if self.store.remove(key, stored.revision).await.is_ok() {
                    self.registry.undefine(&next);
                    return;
                }
            } else {
                // Whoever was quicker is seen in the next turn.
                let _ = self.store.put(key, Expected::At(stored.revision), next).await;
            }
        }
    }

    /// What a definition becomes once its names are compared with those of others.
    fn with_names(&self, stored: &Stored) -> Option<Value> {
        let all = self.store.list(&Range { resource: stored.key.resource.clone(), namespace: "".into() });
        let all: Vec<&Value> = all.objects.iter().map(|stored| &*stored.object).collect();
        settle(&stored.object, &all, self.clock.now())
    }

    /// Deletes the objects of a definition; what it becomes then, if they are all gone.
    async fn clean_up(&self, definition: &Stored) -> Option<Value> {
        let now = self.clock.now();
        let names = &definition.object["spec"]["names"]["plural"];
        let group = definition.object["spec"]["group"].as_str().unwrap_or_default();
        let resource =
            ResourceKey { group: group.into(), resource: names.as_str().unwrap_or_default().into() };
        let range = Range { resource, namespace: "".into() };
        for stored in self.store.list(&range).objects {
            if is_terminating(&stored.object) {
                continue;
            }
            let mut object = stored.object.as_ref().clone();
            if finalizers(&object).is_empty() {
                let _ = self.store.remove(&stored.key, stored.revision).await;
            } else {
                let generation = object["metadata"]["generation"].as_i64().unwrap_or_default();
                let fields = metadata::fields(&mut object);
                if generation > 0 {
                    fields.insert("generation".into(), (generation + 1).into());
                }
                fields.insert("deletionTimestamp".into(), meta::moment(now).into());
                fields.insert("deletionGracePeriodSeconds".into(), 0.into());
                let _ = self.store.put(&stored.key, Expected::At(stored.revision), object).await;
            }
        }
        if self.store.list(&range).objects.is_empty() {
            return Some(finish_clean_up(&definition.object, now));
        }
        let begun = begin_clean_up(&definition.object, now);
        (begun != *definition.object).then_some(begun)
    }
}

/// Notes that the server itself wrote the status of a definition.
fn own_status(live: &Value, next: &mut Value, now: Timestamp) {
    let (group, version, kind) = (DEFINITIONS.0, "v1", "CustomResourceDefinition");
    let Some(view) = schema::builtin(group, version, kind) else { return };
    let api_version = format!("{group}/{version}");
    let request = Request {
        manager: "kube-apiserver",
        api_version: &api_version,
        kind,
        subresource: "status",
        view,
        reset: &FieldSet::of_fields(["metadata", "spec"]),
        rewritten: &FieldSet::default(),
        empty: &json!({"apiVersion": api_version, "kind": kind}),
        versions: &OneVersion,
        now,
    };
    request.update(Some(live), next);
}

fn is_definition(key: &Key) -> bool {
    (&*key.resource.group, &*key.resource.resource) == DEFINITIONS
}
