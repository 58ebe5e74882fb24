//! What becomes of the claims of a `StatefulSet` when it shrinks or goes: whoever owns them takes them along.

use serde_json::Value;

use super::identity::{claims_of, end, ordinal, start};
use crate::controllers::action::{Action, Part};
use crate::controllers::object::{Object, controller_reference, set as put};
use crate::controllers::world::{CLAIMS, Key, World};

/// Gives the claims of a Pod the owners that the policy asks for.
pub(super) fn keep(set: &Value, pod: &Value, world: &dyn World) -> Vec<Action> {
    claims_of(set, pod)
        .iter()
        .filter_map(|claim| world.get(&Key::of(&CLAIMS, claim)))
        .filter_map(|claim| with_owners(set, pod, &claim))
        .map(|object| Action::Update { resource: CLAIMS, part: Part::Main, object })
        .collect()
}

/// Whether a claim still belongs to an earlier Pod of this name, and will go with it.
pub(super) fn is_stale(set: &Value, pod: &Value, world: &dyn World) -> bool {
    policy(set, "whenScaled") == "Delete"
        && claims_of(set, pod).iter().any(|claim| {
            world
                .get(&Key::of(&CLAIMS, claim))
                .is_some_and(|claim| claim.owners().iter().any(|owner| names(owner, pod)))
        })
}

fn policy<'a>(set: &'a Value, when: &str) -> &'a str {
    match set.at("spec.persistentVolumeClaimRetentionPolicy").get(when).and_then(Value::as_str) {
        Some(policy) => policy,
        None => "Retain",
    }
}

fn names(owner: &Value, object: &Value) -> bool {
    owner["kind"] == object["kind"]
        && owner["apiVersion"] == object["apiVersion"]
        && owner["name"] == object.name()
}

fn with_owners(set: &Value, pod: &Value, claim: &Value) -> Option<Value> {
    let (scaled, deleted) = (policy(set, "whenScaled") == "Delete", policy(set, "whenDeleted") == "Delete");
    let ours = |owner: &Value| names(owner, set) || names(owner, pod);
    let stale = claim.owners().iter().any(|owner| {
        (names(owner, set) && owner["uid"] != set.uid()) || (names(owner, pod) && owner["uid"] != pod.uid())
    });
    if stale {
        return None;
    }
    let foreign = claim.owners().iter().any(|owner| !ours(owner) && owner["controller"] == true);
    let mut owners: Vec<Value> = claim.owners().iter().filter(|owner| !ours(owner)).cloned().collect();
    if !(foreign && (scaled || deleted)) {
        let out_of_range = ordinal(pod).is_some_and(|place| !(start(set)..end(set)).contains(&place));
        if scaled && out_of_range {
            owners.push(controller_reference(pod));
        }
        if deleted && !(scaled && out_of_range) {
            owners.push(controller_reference(set));
        }
    }
    let same = owners.len() == claim.owners().len()
        && owners.iter().all(|owner| {
            claim
                .owners()
                .iter()
                .any(|old| old["uid"] == owner["uid"] && old["controller"] == owner["controller"])
        });
    if same {
        return None;
    }
    let mut object = claim.clone();
    put(&mut object, "metadata.ownerReferences", owners);
    Some(object)
}
