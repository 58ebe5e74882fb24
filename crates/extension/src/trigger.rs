//! Waking a controller for one of its objects.

use std::fmt;

use jiff::Timestamp;
use tokio::sync::mpsc;

/// Which object of a kind: its namespace, if it has one, and its name.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ObjectKey {
    /// Its namespace.
    pub namespace: Option<String>,
    /// Its name.
    pub name: String,
}

impl ObjectKey {
    /// An object in a namespace.
    pub fn namespaced(namespace: impl Into<String>, name: impl Into<String>) -> Self {
        Self { namespace: Some(namespace.into()), name: name.into() }
    }

    /// The key of an object.
    pub fn of(object: &impl kube::Resource) -> Self {
        let meta = object.meta();
        Self { namespace: meta.namespace.clone(), name: meta.name.clone().unwrap_or_default() }
    }
}

impl fmt::Display for ObjectKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.namespace {
            Some(namespace) => write!(f, "{namespace}/{}", self.name),
            None => f.write_str(&self.name),
        }
    }
}

/// A wish for an object to be worked on.
#[derive(Debug)]
pub(crate) enum Wish {
    At(ObjectKey, Option<Timestamp>),
    /// All objects that this owner has.
    OwnedBy(String),
}

/// Wakes a controller: from a watch on something else, from a webhook, from another controller. Clones wake the same.
#[derive(Debug, Clone)]
pub struct Trigger(pub(crate) mpsc::UnboundedSender<Wish>);

impl Trigger {
    /// Has an object reconciled now; right after, if it just is.
    pub fn wake(&self, key: ObjectKey) {
        self.send(Wish::At(key, None));
    }

    /// Has an object reconciled at an instant.
    pub fn wake_at(&self, key: ObjectKey, instant: Timestamp) {
        self.send(Wish::At(key, Some(instant)));
    }

    /// Has all objects reconciled whose owner references name this UID.
    pub fn wake_owned_by(&self, uid: impl Into<String>) {
        self.send(Wish::OwnedBy(uid.into()));
    }

    pub(crate) fn send(&self, wish: Wish) {
        // A controller that has ended needs no waking.
        let _ = self.0.send(wish);
    }
}
