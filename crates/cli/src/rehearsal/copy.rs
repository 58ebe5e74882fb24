//! Objects of a live cluster as they were, and a store that goes on from there.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;

use dock::store::{Key, Memory, ResourceKey, Saved, Store, Stored};
use kube::ResourceExt;
use kube::core::DynamicObject;
use objects::ObjectId;
use serde_json::{Value, json};

/// Where an object is: group, plural, namespace and name.
pub(super) type Place = (String, String, String, String);

/// Objects of a cluster as they were.
#[derive(Default)]
pub(super) struct Copy {
    pub(super) objects: BTreeMap<Place, DynamicObject>,
    /// What the plan itself names.
    pub(super) own: HashSet<ObjectId>,
    /// What could not be read, and is therefore not in the copy.
    pub(super) unseen: BTreeSet<String>,
    pub(super) uids: HashSet<String>,
}

impl Copy {
    /// The objects.
    pub(super) fn objects(&self) -> impl Iterator<Item = (ObjectId, &DynamicObject)> {
        self.objects.iter().map(|((group, _, namespace, name), object)| {
            let kind = object.types.as_ref().map(|types| types.kind.clone()).unwrap_or_default();
            let namespace = Some(namespace.clone()).filter(|namespace| !namespace.is_empty());
            (ObjectId { group: group.clone(), kind, namespace, name: name.clone() }, object)
        })
    }

    /// Where an object of the copy is kept.
    pub(super) fn keys(&self) -> impl Iterator<Item = Key> {
        self.objects.keys().map(key)
    }

    /// An owner that was not copied would seem to be gone, and its dependents would be collected.
    pub(super) fn forget_missing_owners(&mut self) {
        for object in self.objects.values_mut() {
            if let Some(owners) = &mut object.metadata.owner_references {
                owners.retain(|owner| self.uids.contains(&owner.uid));
            }
        }
    }

    /// A store that has the objects, with their identities, their versions and those who own their fields.
    pub(super) fn store(&self) -> Store {
        let version = |object: &DynamicObject| object.resource_version()?.parse::<u64>().ok();
        let newest = self.objects.values().filter_map(version).max().unwrap_or_default();
        let stored = self.objects.iter().map(|(place, object)| {
            let revision = version(object).unwrap_or(newest).max(1);
            let mut value = serde_json::to_value(object).unwrap_or_default();
            value["metadata"]["resourceVersion"] = revision.to_string().into();
            as_it_goes_on(&mut value);
            Stored { key: key(place), revision, object: Arc::new(value) }
        });
        let saved = Saved { revision: newest + 1, objects: stored.collect(), log: Vec::new() };
        Store::with_journal(Arc::new(Memory), saved)
    }
}

fn key((group, plural, namespace, name): &Place) -> Key {
    Key {
        resource: ResourceKey { group: group.as_str().into(), resource: plural.as_str().into() },
        namespace: namespace.as_str().into(),
        name: name.as_str().into(),
    }
}

/// A pod that fails goes on failing, and a definition no longer needs the webhook that converts its objects.
fn as_it_goes_on(object: &mut Value) {
    match object["kind"].as_str() {
        Some("Pod") => {
            let statuses = object["status"]["containerStatuses"].as_array();
            let waiting = statuses.and_then(|all| {
                all.iter().find_map(|status| status["state"]["waiting"]["reason"].as_str().map(str::to_owned))
            });
            if let Some(reason) = waiting.filter(|reason| reason != "ContainerCreating") {
                object["metadata"]["annotations"][dock::controllers::script::FAIL] = reason.into();
            }
        }
        Some("CustomResourceDefinition") if object["spec"]["conversion"]["strategy"] == "Webhook" => {
            object["spec"]["conversion"] = json!({"strategy": "None"});
        }
        _ => {}
    }
}
