//! Those who have a say, as they are registered: read and compiled once per state of their objects.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::Value;

use super::policy::{Binding, Policy};
use super::webhook::{Clients, Webhook};
use crate::server::Server;
use crate::store::{Key, Revision, Stored};

const GROUP: &str = "admissionregistration.k8s.io";

/// What admission keeps between requests.
#[derive(Debug, Default)]
pub(crate) struct Registered {
    policies: Cache<Policy>,
    bindings: Cache<Binding>,
    mutating: Cache<Vec<Arc<Webhook>>>,
    validating: Cache<Vec<Arc<Webhook>>>,
    pub(super) clients: Arc<Clients>,
}

/// What was made of stored objects, while they stay as they are.
struct Cache<T>(Mutex<HashMap<Key, (Revision, Arc<T>)>>);

impl<T> Default for Cache<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<T> fmt::Debug for Cache<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Cache")
    }
}

impl<T> Cache<T> {
    /// What `read` makes of each object, in their order.
    fn of(&self, stored: &[Stored], read: impl Fn(&Value) -> T) -> Vec<Arc<T>> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() > stored.len() {
            known.retain(|key, _| stored.iter().any(|present| present.key == *key));
        }
        let mut found = Vec::with_capacity(stored.len());
        for present in stored {
            let made = match known.get(&present.key) {
                Some((revision, made)) if *revision == present.revision => made.clone(),
                _ => {
                    let made = Arc::new(read(&present.object));
                    known.insert(present.key.clone(), (present.revision, made.clone()));
                    made
                }
            };
            found.push(made);
        }
        found
    }
}

impl Server {
    fn configurations(&self, plural: &str) -> Vec<Stored> {
        let Some(resource) = self.registry.by_key(GROUP, plural) else { return Vec::new() };
        self.store.list(&resource.range("")).objects
    }

    /// The validating policies and all bindings, by name.
    pub(super) fn policies(&self) -> (Vec<Arc<Policy>>, Vec<Arc<Binding>>) {
        let policies = self.configurations("validatingadmissionpolicies");
        if policies.is_empty() {
            return (Vec::new(), Vec::new());
        }
        let bindings = self.configurations("validatingadmissionpolicybindings");
        let known = &self.admission;
        (known.policies.of(&policies, Policy::read), known.bindings.of(&bindings, Binding::read))
    }

    /// The webhooks that may change objects, by the name of their configuration and in its order.
    pub(super) fn mutating_webhooks(&self) -> Vec<Arc<Webhook>> {
        if !self.asks_webhooks {
            return Vec::new();
        }
        let stored = self.configurations("mutatingwebhookconfigurations");
        self.admission
            .mutating
            .of(&stored, Webhook::read_all)
            .iter()
            .flat_map(|hooks| hooks.iter().cloned())
            .collect()
    }

    /// The webhooks that may refuse.
    pub(super) fn validating_webhooks(&self) -> Vec<Arc<Webhook>> {
        if !self.asks_webhooks {
            return Vec::new();
        }
        let stored = self.configurations("validatingwebhookconfigurations");
        self.admission
            .validating
            .of(&stored, Webhook::read_all)
            .iter()
            .flat_map(|hooks| hooks.iter().cloned())
            .collect()
    }
}
