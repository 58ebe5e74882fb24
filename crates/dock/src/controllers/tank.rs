//! A small water for trying controllers: objects with just those rules of the server that controllers depend on.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use super::action::{Action, Deletion, Note, Part, Propagation};
use super::collector::{FOREGROUND, ORPHAN};
use super::controller::Actor;
use super::interest::Change;
use super::machine::{Controllers, Refusal};
use super::nodes;
use super::object::{Object, set, stamp, unset};
use super::view::Reader;
use super::world::{EVENTS, Key, NAMESPACES, PODS, Resource, Served};

/// Kinds that the tank serves: API version, kind, plural, whether in namespaces.
const KINDS: &[(&str, &str, &str, bool)] = &[
    ("v1", "Namespace", "namespaces", false),
    ("v1", "Node", "nodes", false),
    ("v1", "Pod", "pods", true),
    ("v1", "Event", "events", true),
    ("v1", "Service", "services", true),
    ("v1", "ServiceAccount", "serviceaccounts", true),
    ("v1", "ConfigMap", "configmaps", true),
    ("v1", "Secret", "secrets", true),
    ("v1", "ReplicationController", "replicationcontrollers", true),
    ("v1", "PersistentVolume", "persistentvolumes", false),
    ("v1", "PersistentVolumeClaim", "persistentvolumeclaims", true),
    ("storage.k8s.io/v1", "StorageClass", "storageclasses", false),
    ("apps/v1", "Deployment", "deployments", true),
    ("apps/v1", "ReplicaSet", "replicasets", true),
    ("apps/v1", "StatefulSet", "statefulsets", true),
    ("apps/v1", "DaemonSet", "daemonsets", true),
    ("apps/v1", "ControllerRevision", "controllerrevisions", true),
    ("batch/v1", "Job", "jobs", true),
    ("policy/v1", "PodDisruptionBudget", "poddisruptionbudgets", true),
    ("autoscaling/v2", "HorizontalPodAutoscaler", "horizontalpodautoscalers", true),
    ("networking.k8s.io/v1", "Ingress", "ingresses", true),
    ("example.org/v1", "Widget", "widgets", true),
    ("example.org/v1", "Yard", "yards", false),
];

/// Why a request was refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Refused {
    NotFound,
    Conflict,
    Exists,
    NamespaceEnds,
    Scripted(String),
}

/// The objects.
#[derive(Debug, Default)]
pub(super) struct Shelf(BTreeMap<Key, Arc<Value>>);

impl Reader for Shelf {
    fn get(&self, key: &Key) -> Option<Arc<Value>> {
        self.0.get(key).cloned()
    }

    fn list(&self, resource: &Resource, namespace: &str) -> Vec<Arc<Value>> {
        self.0
            .iter()
            .filter(|(key, _)| {
                key.resource == *resource && (namespace.is_empty() || *key.namespace == *namespace)
            })
            .map(|(_, object)| object.clone())
            .collect()
    }

    fn serves(&self, api_version: &str, kind: &str) -> Option<Served> {
        let (version, _, plural, namespaced) =
            KINDS.iter().find(|(version, known, ..)| *version == api_version && *known == kind)?;
        let group = version.split_once('/').map_or("", |(group, _)| group);
        Some(Served { resource: Resource::of(group, plural), namespaced: *namespaced })
    }
}

/// Objects, controllers and a clock that stands until it is turned.
pub(super) struct Tank {
    pub(super) shelf: Shelf,
    pub(super) controllers: Controllers,
    pub(super) now: Timestamp,
    pub(super) log: Vec<String>,
    /// Refuses to make objects whose name begins so, with this message.
    pub(super) forbid: Option<(&'static str, &'static str)>,
    serial: u64,
}

impl Tank {
    /// An empty cluster with a Node, a default class of storage and the Namespace `default`.
    pub(super) fn new() -> Self {
        let mut tank = Self {
            shelf: Shelf::default(),
            controllers: Controllers::new("CERTIFICATE"),
            now: Timestamp::from_second(1_800_000_000).unwrap(),
            log: Vec::new(),
            forbid: None,
            serial: 0,
        };
        tank.create(nodes::simulated());
        tank.create(nodes::default_storage_class());
        tank.create(json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "default"}}));
        tank.settle();
        tank.log.clear();
        tank
    }

    pub(super) fn key(&self, kind: &str, path: &str) -> Key {
        let (version, ..) = KINDS.iter().find(|(_, known, ..)| *known == kind).expect("a known kind");
        let served = self.shelf.serves(version, kind).unwrap();
        let (namespace, name) =
            path.split_once('/').unwrap_or((if served.namespaced { "default" } else { "" }, path));
        Key::new(&served.resource, namespace, name)
    }

    pub(super) fn find(&self, kind: &str, path: &str) -> Option<Arc<Value>> {
        self.shelf.get(&self.key(kind, path))
    }

    pub(super) fn get(&self, kind: &str, path: &str) -> Arc<Value> {
        self.find(kind, path).unwrap_or_else(|| panic!("no {kind} {path}\n{}", self.log.join("\n")))
    }

    pub(super) fn all(&self, kind: &str) -> Vec<Arc<Value>> {
        self.shelf.0.values().filter(|object| object.kind() == kind).cloned().collect()
    }

    pub(super) fn names(&self, kind: &str) -> Vec<String> {
        self.all(kind).iter().map(|object| object.name().to_owned()).collect()
    }

    /// The reasons of the Events about an object.
    pub(super) fn told(&self, name: &str) -> Vec<String> {
        let mut events = self.all("Event");
        events.retain(|event| event.text("involvedObject.name") == name);
        events.sort_by_key(|event| event.count("metadata.serial"));
        events.iter().map(|event| format!("{}: {}", event.text("reason"), event.text("message"))).collect()
    }

    pub(super) fn create(&mut self, object: Value) -> Arc<Value> {
        self.try_create(object).unwrap()
    }

    pub(super) fn try_create(&mut self, mut object: Value) -> Result<Arc<Value>, Refused> {
        let served = self.shelf.serves(object.text("apiVersion"), object.kind()).expect("a known kind");
        if served.namespaced && object.namespace().is_empty() {
            set(&mut object, "metadata.namespace", "default");
        }
        if served.namespaced
            && self.find("Namespace", object.namespace()).is_none_or(|namespace| namespace.is_deleting())
        {
            return Err(Refused::NamespaceEnds);
        }
        self.serial += 1;
        if object.name().is_empty() {
            let name = format!("{}{:05}", object.text("metadata.generateName"), self.serial);
            set(&mut object, "metadata.name", name);
        }
        if let Some((prefix, why)) = self.forbid
            && object.name().starts_with(prefix)
        {
            return Err(Refused::Scripted(why.into()));
        }
        let key = Key::of(&served.resource, &object);
        if self.shelf.get(&key).is_some() {
            return Err(Refused::Exists);
        }
        set(&mut object, "metadata.uid", format!("uid-{}", self.serial));
        set(&mut object, "metadata.serial", self.serial);
        set(&mut object, "metadata.creationTimestamp", stamp(self.now));
        unset(&mut object, "metadata.deletionTimestamp");
        if object.get("spec").is_some() {
            set(&mut object, "metadata.generation", 1);
        }
        match object.kind() {
            "Namespace" => {
                object["spec"] = json!({ "finalizers": ["kubernetes"] });
                object["status"] = json!({ "phase": "Active" });
            }
            "Pod" => object["status"] = json!({ "phase": "Pending", "qosClass": "BestEffort" }),
            "PersistentVolumeClaim" => object["status"] = json!({ "phase": "Pending" }),
            _ => {}
        }
        Ok(self.store(&key, object))
    }

    fn store(&mut self, key: &Key, mut object: Value) -> Arc<Value> {
        let old = self.shelf.get(key);
        let mut compared = object.clone();
        if let Some(old) = &old {
            compared["metadata"]["resourceVersion"] = old["metadata"]["resourceVersion"].clone();
            if compared == **old {
                return old.clone();
            }
        }
        self.serial += 1;
        set(&mut object, "metadata.resourceVersion", self.serial.to_string());
        let finalizers = !object.items("metadata.finalizers").is_empty()
            || (key.resource == NAMESPACES && !object.items("spec.finalizers").is_empty());
        let grace = key.resource == PODS && object.count("metadata.deletionGracePeriodSeconds") > 0;
        let object = Arc::new(object);
        let new = if object.is_deleting() && !finalizers && !grace { None } else { Some(object.clone()) };
        match &new {
            Some(new) => self.shelf.0.insert(key.clone(), new.clone()),
            None => self.shelf.0.remove(key),
        };
        if new.is_none() {
            self.log.push(format!("gone {key}"));
        }
        let change = Change { key, old: old.as_deref(), new: new.as_deref() };
        self.controllers.observe(change, self.now, &self.shelf);
        object
    }

    /// Changes an object as a user does.
    pub(super) fn edit(&mut self, kind: &str, path: &str, change: impl FnOnce(&mut Value)) -> Arc<Value> {
        let key = self.key(kind, path);
        let mut object = (*self.get(kind, path)).clone();
        change(&mut object);
        self.update(&key, object).unwrap()
    }

    fn update(&mut self, key: &Key, mut object: Value) -> Result<Arc<Value>, Refused> {
        let old = self.current(key, &object)?;
        if object["spec"] != old["spec"] {
            set(&mut object, "metadata.generation", old.generation() + 1);
        }
        if object.items("metadata.finalizers").is_empty() {
            unset(&mut object, "metadata.finalizers");
        }
        Ok(self.store(key, object))
    }

    fn current(&self, key: &Key, object: &Value) -> Result<Arc<Value>, Refused> {
        let old = self.shelf.get(key).ok_or(Refused::NotFound)?;
        for field in ["metadata.uid", "metadata.resourceVersion"] {
            if !object.text(field).is_empty() && object.text(field) != old.text(field) {
                return Err(Refused::Conflict);
            }
        }
        Ok(old)
    }

    pub(super) fn delete(&mut self, kind: &str, path: &str, propagation: Option<Propagation>) {
        let key = self.key(kind, path);
        let uid = self.get(kind, path).uid().to_owned();
        let deletion =
            Deletion { key, uid, revision: None, propagation, grace_seconds: None, announce: None };
        self.remove(&deletion).unwrap();
    }

    fn remove(&mut self, deletion: &Deletion) -> Result<(), Refused> {
        let old = self.shelf.get(&deletion.key).ok_or(Refused::NotFound)?;
        let revision = deletion.revision.as_deref().unwrap_or(old.text("metadata.resourceVersion"));
        if old.uid() != deletion.uid || old.text("metadata.resourceVersion") != revision {
            return Err(Refused::Conflict);
        }
        let mut object = (*old).clone();
        let mut finalizers: Vec<Value> = object.items("metadata.finalizers").to_vec();
        if let Some(propagation) = deletion.propagation {
            finalizers.retain(|held| held != ORPHAN && held != FOREGROUND);
            match propagation {
                Propagation::Foreground => finalizers.push(FOREGROUND.into()),
                Propagation::Orphan => finalizers.push(ORPHAN.into()),
                Propagation::Background => {}
            }
        }
        if finalizers.is_empty() {
            unset(&mut object, "metadata.finalizers");
        } else {
            set(&mut object, "metadata.finalizers", finalizers);
        }
        let grace = match deletion.grace_seconds {
            Some(seconds) => seconds,
            None if deletion.key.resource == PODS
                && !object.text("spec.nodeName").is_empty()
                && !super::pods::is_terminal(&object) =>
            {
                object.int("spec.terminationGracePeriodSeconds").unwrap_or(30)
            }
            None => 0,
        };
        let shorter = object.int("metadata.deletionGracePeriodSeconds").is_none_or(|before| grace < before);
        if shorter {
            set(&mut object, "metadata.deletionGracePeriodSeconds", grace);
        }
        if !object.is_deleting() {
            set(
                &mut object,
                "metadata.deletionTimestamp",
                stamp(self.now + SignedDuration::from_secs(grace)),
            );
            if deletion.key.resource == NAMESPACES {
                set(&mut object, "status.phase", "Terminating");
            }
        }
        self.store(&deletion.key, object);
        Ok(())
    }

    fn perform(&mut self, action: &Action, actor: Actor) -> Result<(), Refused> {
        match action {
            Action::Create { object, announce, .. } => {
                let made = self.try_create(object.clone());
                let note = announce.as_ref().map(|announce| match &made {
                    Ok(made) => Controllers::made(announce, made.name()),
                    Err(why) => Controllers::not_made(announce, &format!("{why:?}")),
                });
                let made = made?;
                if made.kind() != "Event" {
                    self.log.push(format!("create {} {}", made.kind(), made.name()));
                }
                if let Some(note) = note {
                    self.tell(&note, actor);
                }
            }
            Action::Update { resource, part, object } => {
                let key = Key::of(resource, object);
                let old = self.current(&key, object)?;
                let mut new = (*old).clone();
                match part {
                    Part::Main => {
                        new = object.clone();
                        match old.get("status") {
                            Some(status) => new["status"] = status.clone(),
                            None => unset(&mut new, "status"),
                        }
                    }
                    Part::Status => {
                        new["status"] = object["status"].clone();
                        if let Some(annotations) = object.at("metadata").get("annotations") {
                            set(&mut new, "metadata.annotations", annotations.clone());
                        }
                    }
                    Part::Finalize => set(&mut new, "spec.finalizers", object.at("spec.finalizers").clone()),
                }
                self.log.push(format!("update {part:?} {key}"));
                self.update(&key, new)?;
            }
            Action::Patch { key, patch } => {
                let old = self.current(key, patch)?;
                let mut new = (*old).clone();
                merge(&mut new, patch);
                if key.resource != EVENTS {
                    self.log.push(format!("patch {key} {patch}"));
                }
                self.update(key, new)?;
            }
            Action::Bind { key, uid, node } => {
                let old = self.shelf.get(key).filter(|pod| pod.uid() == uid).ok_or(Refused::NotFound)?;
                let mut new = (*old).clone();
                set(&mut new, "spec.nodeName", node.as_str());
                self.log.push(format!("bind {key} {node}"));
                self.store(key, new);
            }
            Action::Delete(deletion) => {
                let how = deletion.propagation.map_or("", Propagation::as_str);
                if deletion.key.resource != EVENTS {
                    self.log.push(format!("delete {} {how}", deletion.key));
                }
                self.remove(deletion)?;
                if let Some(note) = &deletion.announce {
                    self.tell(note, actor);
                }
            }
            Action::Note(note) => self.tell(note, actor),
        }
        Ok(())
    }

    fn tell(&mut self, note: &Note, actor: Actor) {
        let action = self.controllers.tell(note, actor, self.now, &self.shelf);
        // Events may be lost.
        let _ = self.perform(&action, actor);
    }

    /// Lets the controllers work until nothing is left to do at the present time.
    pub(super) fn settle(&mut self) {
        for _ in 0..100_000 {
            if !self.step() {
                return;
            }
        }
        panic!("it never settles:\n{}", self.log[self.log.len().saturating_sub(60)..].join("\n"));
    }

    /// Lets one controller look at one object. False if there was nothing to look at.
    pub(super) fn step(&mut self) -> bool {
        let Some(work) = self.controllers.next(self.now) else { return false };
        let outcome = self.controllers.decide(&work, self.now, &self.shelf);
        for action in &outcome.actions {
            match self.perform(action, work.controller.actor()) {
                Ok(()) => {}
                Err(Refused::NotFound) if !matches!(action, Action::Create { .. }) => {}
                Err(Refused::NamespaceEnds) => {
                    self.controllers.refused(&work, Refusal::NamespaceEnds, "", self.now);
                    return true;
                }
                Err(Refused::Conflict) => {
                    self.log.push(format!("conflict {action:?}"));
                    self.controllers.refused(&work, Refusal::Conflict, "", self.now);
                    return true;
                }
                Err(other) => {
                    let message = match other {
                        Refused::Scripted(why) => why,
                        other => format!("{other:?}"),
                    };
                    self.controllers.refused(&work, Refusal::Other, &message, self.now);
                    return true;
                }
            }
        }
        self.controllers.done(&work, &outcome);
        true
    }

    /// Turns the clock, and lets the controllers work on the way whenever something is due.
    pub(super) fn turn(&mut self, seconds: i64) {
        self.settle();
        let end = self.now + SignedDuration::from_secs(seconds);
        while let Some(moment) = self.controllers.next_moment()
            && moment <= end
        {
            self.now = self.now.max(moment);
            self.settle();
        }
        self.now = end;
        self.settle();
    }
}

fn merge(target: &mut Value, patch: &Value) {
    let Some(fields) = patch.as_object() else {
        *target = patch.clone();
        return;
    };
    if !target.is_object() {
        *target = json!({});
    }
    for (field, value) in fields {
        if value.is_null() {
            unset(target, field);
        } else {
            merge(&mut target[field.as_str()], value);
        }
    }
}
