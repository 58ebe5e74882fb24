//! `ResourceQuotas`: what is limited, and how much of it is used.

use std::sync::Arc;

use serde_json::{Value, json};

use super::action::Outcome;
use super::object::Object;
use super::world::{QUOTAS, Resource, World};
use crate::kinds::policy::usage::{Amounts, Counted};
use crate::kinds::quantity::Quantity;

/// Kinds whose objects count by names of their own.
const NAMED: [Resource; 7] = [
    Resource::core("pods"),
    Resource::core("services"),
    Resource::core("persistentvolumeclaims"),
    Resource::core("configmaps"),
    Resource::core("replicationcontrollers"),
    Resource::core("resourcequotas"),
    Resource::core("secrets"),
];

/// Counts what a quota limits.
pub fn reconcile(quota: &Value, world: &dyn World) -> Outcome {
    let hard = quota.at("spec.hard");
    let limited: Vec<&str> =
        hard.as_object().into_iter().flat_map(|hard| hard.keys().map(String::as_str)).collect();
    let mut resources = NAMED.to_vec();
    for name in &limited {
        let Some(counted) = name.strip_prefix("count/") else { continue };
        let (plural, group) = counted.split_once('.').unwrap_or((counted, ""));
        let resource = Resource { group: group.to_owned().into(), plural: plural.to_owned().into() };
        if !resources.contains(&resource) {
            resources.push(resource);
        }
    }
    let mut used = Amounts::new();
    for resource in resources {
        let counted = Counted { group: &resource.group, plural: &resource.plural };
        let own: Vec<&str> = limited.iter().copied().filter(|name| counted.counts_as(name)).collect();
        if own.is_empty() || counted.is_ignored() {
            continue;
        }
        used.extend(own.iter().map(|name| ((*name).to_owned(), Quantity::ZERO)));
        let objects: Vec<Arc<Value>> = world.list(&resource, quota.namespace());
        for object in objects.iter().filter(|object| counted.is_in_scope(quota, object)) {
            for (name, amount) in counted.usage(object, world.now()) {
                if let Some(sum) = used.get_mut(&name) {
                    *sum = sum.plus(amount);
                }
            }
        }
    }
    let used: serde_json::Map<String, Value> =
        used.into_iter().map(|(name, amount)| (name, json!(amount.to_string()))).collect();
    let mut status = json!({});
    if !limited.is_empty() {
        status["hard"] = hard.clone();
    }
    if !used.is_empty() {
        status["used"] = used.into();
    }
    let mut outcome = Outcome::nothing();
    outcome.update_status(&QUOTAS, quota, status);
    outcome
}

/// Whether a quota has to be counted anew because of a change of its own.
pub fn is_to_be_counted(old: Option<&Value>, new: &Value) -> bool {
    old.is_none_or(|old| old.at("spec") != new.at("spec")) || new.at("status.hard") != new.at("spec.hard")
}

/// Whether a change of an object may give something back. What it takes was counted when it was admitted.
pub fn gives_back(old: Option<&Value>, new: Option<&Value>) -> bool {
    let Some(old) = old else { return false };
    let Some(new) = new else { return true };
    ["status.phase", "spec.type", "spec.ports", "spec.resources", "status.allocatedResources"]
        .iter()
        .any(|field| old.at(field) != new.at(field))
}
