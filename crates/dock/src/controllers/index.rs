//! Where things are: by owner, by UID, by namespace. Kept up by every change, so that nothing is ever searched for.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use jiff::Timestamp;
use serde_json::Value;

use super::object::Object;
use super::pods::scheduler::claim_names;
use super::world::{Key, PODS, REPLICA_SETS, REVISIONS, Resource};

/// Sets of keys by something.
type By<T> = HashMap<T, BTreeSet<Key>>;

/// An object as the index knows it.
#[derive(Debug, Clone)]
pub struct Entry {
    /// Where it is.
    pub key: Key,
    /// When it came.
    pub born: Timestamp,
    /// When its deletion began.
    pub doomed: Option<Timestamp>,
}

/// Where things are.
#[derive(Debug, Default)]
pub struct Index {
    objects: HashMap<Arc<str>, Entry>,
    dependents: By<Arc<str>>,
    namespaces: By<Arc<str>>,
    orphans: By<(Resource, Arc<str>)>,
    claim_users: By<(Arc<str>, String)>,
}

/// Whether orphans of this resource can be adopted.
fn is_adoptable(resource: &Resource) -> bool {
    [PODS, REPLICA_SETS, REVISIONS].contains(resource)
}

fn insert<T: Eq + std::hash::Hash>(by: &mut By<T>, what: T, key: &Key) {
    by.entry(what).or_default().insert(key.clone());
}

fn remove<T: Eq + std::hash::Hash>(by: &mut By<T>, what: &T, key: &Key) {
    if let Some(keys) = by.get_mut(what) {
        keys.remove(key);
        if keys.is_empty() {
            by.remove(what);
        }
    }
}

impl Index {
    /// Takes note of a change.
    pub fn apply(&mut self, key: &Key, old: Option<&Value>, new: Option<&Value>, now: Timestamp) {
        let replaced = old.zip(new).is_some_and(|(old, new)| old.uid() != new.uid());
        if let Some(old) = old {
            self.forget(key, old, new.is_none() || replaced);
        }
        if let Some(new) = new {
            self.learn(key, new, now);
        }
    }

    fn forget(&mut self, key: &Key, old: &Value, gone: bool) {
        for owner in old.owners() {
            remove(&mut self.dependents, &Arc::from(owner.text("uid")), key);
        }
        if is_adoptable(&key.resource) {
            remove(&mut self.orphans, &(key.resource.clone(), key.namespace.clone()), key);
        }
        if key.resource == PODS {
            for claim in claim_names(old) {
                remove(&mut self.claim_users, &(key.namespace.clone(), claim), key);
            }
        }
        if gone {
            self.objects.remove(old.uid());
            remove(&mut self.namespaces, &key.namespace, key);
        }
    }

    fn learn(&mut self, key: &Key, new: &Value, now: Timestamp) {
        let uid: Arc<str> = new.uid().into();
        let entry = self.objects.entry(uid).or_insert_with(|| Entry {
            key: key.clone(),
            // What was there before this process began is as old as it says.
            born: new
                .moment("metadata.creationTimestamp")
                .filter(|created| now.duration_since(*created).as_secs() > 2)
                .unwrap_or(now),
            doomed: None,
        });
        if new.is_deleting() && entry.doomed.is_none() {
            entry.doomed = Some(now);
        }
        for owner in new.owners() {
            insert(&mut self.dependents, owner.text("uid").into(), key);
        }
        if !key.namespace.is_empty() {
            insert(&mut self.namespaces, key.namespace.clone(), key);
        }
        if is_adoptable(&key.resource) && new.controller().is_none() {
            insert(&mut self.orphans, (key.resource.clone(), key.namespace.clone()), key);
        }
        if key.resource == PODS {
            for claim in claim_names(new) {
                insert(&mut self.claim_users, (key.namespace.clone(), claim), key);
            }
        }
    }

    /// The object with this UID.
    pub fn entry(&self, uid: &str) -> Option<&Entry> {
        self.objects.get(uid)
    }

    /// Who names this UID among its owners.
    pub fn dependents(&self, uid: &str) -> impl Iterator<Item = &Key> {
        self.dependents.get(uid).into_iter().flatten()
    }

    /// What is in a namespace.
    pub fn contents(&self, namespace: &str) -> impl Iterator<Item = &Key> {
        self.namespaces.get(namespace).into_iter().flatten()
    }

    /// What nobody controls.
    pub fn orphans(&self, resource: &Resource, namespace: &str) -> impl Iterator<Item = &Key> {
        self.orphans.get(&(resource.clone(), Arc::from(namespace))).into_iter().flatten()
    }

    /// The Pods that mount a claim.
    pub fn claim_users(&self, namespace: &str, claim: &str) -> impl Iterator<Item = &Key> {
        self.claim_users.get(&(Arc::from(namespace), claim.to_owned())).into_iter().flatten()
    }

    /// How many objects are known.
    pub fn len(&self) -> usize {
        self.objects.len()
    }

    /// Whether nothing is known.
    pub fn is_empty(&self) -> bool {
        self.objects.is_empty()
    }
}
