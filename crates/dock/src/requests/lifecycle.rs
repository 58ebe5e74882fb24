//! What follows from a change: resources come and go with their definitions.

use serde_json::{Value, json};

use super::metadata::{self, finalizers, is_terminating};
use crate::crd::conditions::{begin_clean_up, finish_clean_up, is_cleaning_up, settle};
use crate::meta;
use crate::server::Server;
use crate::store::{Expected, Key, Range, ResourceKey, Stored};

const POLICIES: &str = "validatingadmissionpolicies";
const DEFINITIONS: (&str, &str) = ("apiextensions.k8s.io", "customresourcedefinitions");

impl Server {
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
        let name = format!("{}.{}", stored.key.resource.resource, stored.key.resource.group);
        if let Some(definitions) = self.registry.by_key(DEFINITIONS.0, DEFINITIONS.1) {
            let key = definitions.object_key("", &name);
            if self.store.get(&key).is_some_and(|stored| is_cleaning_up(&stored.object)) {
                Box::pin(self.settle_definition(&key)).await;
            }
        }
    }

    /// Brings a definition to where the server's own controllers would: its names accepted, it served; or, once it is
    /// deleted, its objects gone and then itself.
    async fn settle_definition(&self, key: &Key) {
        while let Some(stored) = self.store.get(key) {
            let next = if is_cleaning_up(&stored.object) {
                self.clean_up(&stored).await
            } else {
                let all = self.store.list(&Range { resource: key.resource.clone(), namespace: "".into() });
                let all: Vec<&Value> = all.objects.iter().map(|stored| &*stored.object).collect();
                settle(&stored.object, &all, self.clock.now())
            };
            let Some(next) = next else {
                self.registry.define(&stored.object);
                return;
            };
            if is_terminating(&next) && finalizers(&next).is_empty() {
                if self.store.remove(key, stored.revision, next.clone()).await.is_ok() {
                    self.registry.undefine(&next);
                    return;
                }
            } else {
                // Whoever was quicker is seen in the next turn.
                let _ = self.store.put(key, Expected::At(stored.revision), next).await;
            }
        }
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
                let _ = self.store.remove(&stored.key, stored.revision, object).await;
            } else {
                let fields = metadata::fields(&mut object);
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

fn is_definition(key: &Key) -> bool {
    (&*key.resource.group, &*key.resource.resource) == DEFINITIONS
}
