//! The kinds that sequences are about: how objects of them are made, changed, and asked for wrongly.

mod classes;
mod config;
mod custom;
mod definition;
mod endpoints;
mod networking;
mod pod;
mod policy;
mod rbac;
mod service;
mod storage;
mod workload;

use serde_json::{Value, json};

use crate::dice::Dice;
use crate::sequence::Group;

pub use custom::POOL;
pub use definition::{DEFINITION, GADGET, definition};

/// One kind.
#[derive(Debug)]
pub struct Kind {
    /// The group it is counted in.
    pub group: Group,
    /// Where its API version is served.
    pub prefix: &'static str,
    /// Its API version.
    pub api_version: &'static str,
    /// Its name.
    pub kind: &'static str,
    /// Its name in paths.
    pub plural: &'static str,
    /// Whether it lives in namespaces.
    pub namespaced: bool,
    /// The subresources that answer to get, update and patch.
    pub subresources: &'static [&'static str],
    /// Fields by which it can be selected.
    pub selectable: &'static [&'static str],
    /// Everything but apiVersion, kind and metadata, valid.
    pub make: fn(&mut Dice) -> Value,
    /// A change that is allowed, as a merge patch.
    pub change: fn(&mut Dice) -> Value,
    /// A change in the way of strategic merge patches.
    pub strategic: fn(&mut Dice) -> Value,
    /// A change of what a controller reports, below `status`.
    pub status: fn(&mut Dice) -> Value,
    /// A change that is refused, in most states.
    pub wrong: fn(&mut Dice) -> Value,
}

impl Kind {
    /// The path of a collection.
    pub fn collection(&self, namespace: &str) -> String {
        if self.namespaced {
            format!("{}/namespaces/{namespace}/{}", self.prefix, self.plural)
        } else {
            format!("{}/{}", self.prefix, self.plural)
        }
    }

    /// An object with a name, as it is sent to create it.
    pub fn object(&self, dice: &mut Dice, metadata: Value) -> Value {
        let mut object = (self.make)(dice);
        object["apiVersion"] = json!(self.api_version);
        object["kind"] = json!(self.kind);
        object["metadata"] = metadata;
        object
    }
}

/// All kinds that are there from the beginning, but for definitions of custom resources.
pub fn built_in() -> impl Iterator<Item = &'static Kind> {
    config::KINDS
        .iter()
        .chain(service::KINDS)
        .chain(pod::KINDS)
        .chain(workload::KINDS)
        .chain(storage::KINDS)
        .chain(rbac::KINDS)
        .chain(networking::KINDS)
        .chain(policy::KINDS)
        .chain(classes::KINDS)
        .chain(endpoints::KINDS)
}

/// The kinds of the custom resources that every server is given before it is asked.
pub fn custom() -> &'static [Kind] {
    custom::KINDS
}

/// The kinds of a group.
pub fn of(group: Group) -> Vec<&'static Kind> {
    let definition = std::iter::once(&DEFINITION);
    built_in().chain(custom()).chain(definition).filter(|kind| kind.group == group).collect()
}

/// A status that nobody reports.
fn no_status(_: &mut Dice) -> Value {
    json!({"status": {}})
}

/// One condition, as many kinds report them.
fn condition(dice: &mut Dice, types: &[&str]) -> Value {
    json!({
        "type": dice.pick(types),
        "status": dice.pick(&["True", "False", "Unknown"]),
        "reason": "Said",
        "message": dice.pick(&["so it is", ""]),
        "lastTransitionTime": "2026-01-02T03:04:05Z",
    })
}
