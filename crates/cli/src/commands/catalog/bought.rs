//! What instances and bindings have in common.

use std::fmt::Debug;

use catalog::kinds::{Backing, DELETED, FAILED, READY, ServiceBinding, ServiceInstance};
use extension::Extension;
use kube::core::NamespaceResourceScope;
use kube::{Resource, ResourceExt as _};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::waiting::Seen;

/// An instance or a binding.
pub(super) trait Bought:
    Extension
    + Resource<Scope = NamespaceResourceScope, DynamicType = ()>
    + Clone
    + Debug
    + Serialize
    + DeserializeOwned
    + Send
    + 'static
{
    /// What people call it, and the command.
    const WORD: &'static str;
    /// The commands that give it back.
    const GIVES_BACK: &'static str;

    /// How far it is at its broker.
    fn backing(&self) -> Option<&Backing>;
    /// The broker.
    fn broker(&self) -> Option<&str>;
    /// Whether the broker is to have it.
    fn exists_externally(&self) -> bool;
}

impl Bought for ServiceInstance {
    const WORD: &'static str = "instance";
    const GIVES_BACK: &'static str = "deprovision";

    fn backing(&self) -> Option<&Backing> {
        self.status.as_ref().map(|status| &status.backing)
    }

    fn broker(&self) -> Option<&str> {
        self.status.as_ref().and_then(|status| status.broker.as_deref())
    }

    fn exists_externally(&self) -> bool {
        self.spec.exists_externally()
    }
}

impl Bought for ServiceBinding {
    const WORD: &'static str = "binding";
    const GIVES_BACK: &'static str = "unbind";

    fn backing(&self) -> Option<&Backing> {
        self.status.as_ref().map(|status| &status.backing)
    }

    fn broker(&self) -> Option<&str> {
        self.status.as_ref().and_then(|status| status.broker.as_deref())
    }

    fn exists_externally(&self) -> bool {
        self.spec.exists_externally()
    }
}

/// Whether a condition holds of the spec as it is now, and its words.
pub(super) fn holds<K: Bought>(object: &K, kind: &str) -> Option<String> {
    let condition = object.status()?.condition(kind)?;
    let fresh = condition.observed_generation >= object.meta().generation;
    (fresh && condition.status == "True").then(|| condition.message.clone())
}

/// What an object says of itself while it is on its way.
pub(super) fn words<K: Bought>(object: &K) -> String {
    let Some(ready) = object.status().and_then(|status| status.condition(READY)) else {
        return String::new();
    };
    // What it said before its spec changed is old.
    if ready.status == "True" || ready.observed_generation < object.meta().generation {
        return String::new();
    }
    if ready.message.is_empty() {
        ready.reason.clone()
    } else {
        format!("{}: {}", ready.reason, ready.message)
    }
}

/// Judges an object that is to become ready.
pub(super) fn becomes_ready<K: Bought>(object: Option<&K>) -> Seen {
    let Some(object) = object else { return Seen::Failed("it was deleted".to_owned(), None) };
    if object.meta().deletion_timestamp.is_some() {
        return Seen::Failed("it is being deleted".to_owned(), None);
    }
    if holds(object, DELETED).is_some() {
        return Seen::Failed("the broker has it no more".to_owned(), None);
    }
    if let Some(refused) = holds(object, FAILED) {
        return Seen::Failed(refused, None);
    }
    if holds(object, READY).is_some() { Seen::Done } else { Seen::Going(words(object)) }
}

/// What would be left behind without anybody who looks after it.
pub(super) fn left_behind<K: Bought>(object: &K) -> Option<String> {
    let id = object.backing().and_then(|backing| backing.external_id.as_deref())?;
    let broker = object.broker().unwrap_or("its broker");
    Some(format!("what {broker} knows as {id}"))
}

/// Namespace and name, for people.
pub(super) fn place<K: Bought>(object: &K) -> (String, String) {
    (object.namespace().unwrap_or_default(), object.name_any())
}
