//! The server: what its requests share, and how it is started.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use serde_json::json;

use crate::admission::Registered;
use crate::clock::Clock;
use crate::controllers::Settled;
use crate::faults::{Fault, Faults, Which};
use crate::http::user::User;
use crate::meta;
use crate::registry::Registry;
use crate::store::{Expected, Store};
use crate::wire::openapi::Documents;

/// An API server in this process. Clones are the same server.
///
/// It is a [`tower_service::Service`], so that a client can be given it in place of a connection.
#[derive(Debug, Clone)]
pub struct Dock {
    server: Arc<Server>,
}

/// What the requests of a server share.
#[derive(Debug)]
pub struct Server {
    pub(crate) store: Store,
    pub(crate) registry: Registry,
    pub(crate) clock: Clock,
    pub(crate) tokens: Tokens,
    pub(crate) faults: Faults,
    pub(crate) documents: Documents,
    pub(crate) admission: Registered,
    pub(crate) asks_webhooks: bool,
    pub(crate) controllers: OnceLock<Settled>,
}

/// Who has which token.
#[derive(Debug, Default)]
pub(crate) struct Tokens(HashMap<String, User>);

impl Tokens {
    /// Whose token it is. A server without tokens is open: everybody is its administrator.
    pub(crate) fn user(&self, token: Option<&str>) -> Option<User> {
        match token {
            _ if self.0.is_empty() => Some(User::admin()),
            Some(token) => self.0.get(token).cloned(),
            None => None,
        }
    }
}

/// How a server is to be.
#[derive(Debug)]
pub struct Builder {
    store: Store,
    clock: Clock,
    tokens: HashMap<String, User>,
    controllers: bool,
    webhooks: bool,
    faults: Vec<(Which, Fault)>,
}

impl Dock {
    /// A server that keeps its objects in memory, on the time of this machine, open to everybody in this process.
    pub fn builder() -> Builder {
        Builder {
            store: Store::memory(),
            clock: Clock::real(),
            tokens: HashMap::new(),
            controllers: true,
            webhooks: true,
            faults: Vec::new(),
        }
    }

    /// A token that nobody can guess.
    pub fn random_token() -> String {
        meta::random_uid()
    }

    /// What the requests share.
    pub fn server(&self) -> &Arc<Server> {
        &self.server
    }

    /// Where its objects are kept.
    pub fn store(&self) -> &Store {
        &self.server.store
    }

    /// Its time.
    pub fn clock(&self) -> &Clock {
        &self.server.clock
    }

    /// The faults that it is to have.
    pub fn faults(&self) -> &Faults {
        &self.server.faults
    }
}

impl Builder {
    /// Keeps objects there.
    #[must_use]
    pub fn store(mut self, store: Store) -> Self {
        self.store = store;
        self
    }

    /// Takes the time from there.
    #[must_use]
    pub fn clock(mut self, clock: Clock) -> Self {
        self.clock = clock;
        self
    }

    /// Lets in whoever has this token; from then on nobody without one.
    #[must_use]
    pub fn token(mut self, token: impl Into<String>, user: User) -> Self {
        self.tokens.insert(token.into(), user);
        self
    }

    /// Whether workloads come to life, dependents are collected, and namespaces empty themselves.
    #[must_use]
    pub fn controllers(mut self, controllers: bool) -> Self {
        self.controllers = controllers;
        self
    }

    /// Whether webhooks are asked: a server that is a copy of another must not speak to those of the original.
    #[must_use]
    pub fn webhooks(mut self, webhooks: bool) -> Self {
        self.webhooks = webhooks;
        self
    }

    /// Lets the requests that are meant meet a fault.
    #[must_use]
    pub fn fault(mut self, which: Which, fault: Fault) -> Self {
        self.faults.push((which, fault));
        self
    }

    /// Starts the server. Must be called inside of a tokio runtime.
    pub async fn start(self) -> Dock {
        let faults = Faults::new(self.store.clone());
        for (which, fault) in self.faults {
            faults.inject(which, fault);
        }
        let server = Arc::new(Server {
            store: self.store,
            registry: Registry::default(),
            clock: self.clock,
            tokens: Tokens(self.tokens),
            faults,
            documents: Documents::default(),
            admission: Registered::default(),
            asks_webhooks: self.webhooks,
            controllers: OnceLock::new(),
        });
        server.bring_up().await;
        if self.controllers {
            crate::controllers::start(&server);
        }
        Dock { server }
    }
}

impl Server {
    /// Makes the objects that every cluster has, and serves the custom resources whose definitions are stored.
    async fn bring_up(&self) {
        let Some(namespaces) = self.registry.by_key("", "namespaces") else { return };
        for name in ["default", "kube-node-lease", "kube-public", "kube-system"] {
            let object = json!({
                "apiVersion": "v1",
                "kind": "Namespace",
                "metadata": {
                    "name": name,
                    "uid": meta::random_uid(),
                    "creationTimestamp": meta::moment(self.clock.now()),
                    "labels": {"kubernetes.io/metadata.name": name},
                },
                "spec": {"finalizers": ["kubernetes"]},
                "status": {"phase": "Active"},
            });
            // It is there already when the store was used before.
            let _ = self.store.put(&namespaces.object_key("", name), Expected::Absent, object).await;
        }
        if let Some(definitions) = self.registry.by_key("apiextensions.k8s.io", "customresourcedefinitions") {
            for stored in self.store.list(&definitions.range("")).objects {
                self.registry.define(&stored.object);
            }
        }
    }
}
