//! Who belongs to a controller: what it owns, as long as its selector matches, and orphans that match.

use std::sync::Arc;

use serde_json::{Value, json};

use super::action::Action;
use super::object::{Object, controller_reference};
use super::selector::{Selector, has_all};
use super::world::{Key, Resource, World};

/// What a controller found when it looked for its own.
#[derive(Debug)]
pub struct Claimed {
    /// What is its own already.
    pub owned: Vec<Arc<Value>>,
    /// The changes by which it adopts and releases others; to be made before anything else.
    pub changes: Vec<Action>,
}

/// Whether the selector of a controller matches. An empty one matches nothing.
pub fn selects(owner: &Value, object: &Value) -> bool {
    let selector = owner.at("spec.selector");
    if owner.kind() == "ReplicationController" {
        return selector.as_object().is_some_and(|wanted| !wanted.is_empty())
            && has_all(object.at("metadata.labels"), selector);
    }
    let selector = Selector::new(selector);
    !selector.is_empty() && selector.matches(object)
}

/// Finds what belongs to `owner`. Objects for which `relevant` does not hold are left as they are.
pub fn claim(
    owner: &Value,
    resource: &Resource,
    world: &dyn World,
    relevant: impl Fn(&Value) -> bool,
    finalizer: Option<&str>,
) -> Claimed {
    let mut claimed = Claimed { owned: Vec::new(), changes: Vec::new() };
    for object in world.controlled(resource, owner.uid()) {
        if !relevant(&object) {
            continue;
        }
        if selects(owner, &object) {
            claimed.owned.push(object);
        } else if !owner.is_deleting() {
            claimed.changes.push(release(owner, resource, &object, finalizer));
        }
    }
    if !owner.is_deleting() {
        for object in world.orphans(resource, owner.namespace()) {
            if relevant(&object) && !object.is_deleting() && selects(owner, &object) {
                claimed.changes.push(adopt(owner, resource, &object, finalizer));
            }
        }
    }
    claimed
}

fn adopt(owner: &Value, resource: &Resource, object: &Value, finalizer: Option<&str>) -> Action {
    let mut owners = object.owners().to_vec();
    owners.retain(|reference| reference["uid"] != owner.uid());
    owners.push(controller_reference(owner));
    let mut fields = vec![("ownerReferences", Value::from(owners))];
    if let Some(finalizer) = finalizer
        && !object.has_finalizer(finalizer)
    {
        let mut finalizers = object.items("metadata.finalizers").to_vec();
        finalizers.push(finalizer.into());
        fields.push(("finalizers", finalizers.into()));
    }
    Action::patch_metadata(Key::of(resource, object), object, &fields)
}

fn release(owner: &Value, resource: &Resource, object: &Value, finalizer: Option<&str>) -> Action {
    let left: Vec<&Value> =
        object.owners().iter().filter(|reference| reference["uid"] != owner.uid()).collect();
    let mut fields = vec![("ownerReferences", if left.is_empty() { Value::Null } else { json!(left) })];
    if let Some(finalizer) = finalizer {
        let left: Vec<&Value> =
            object.items("metadata.finalizers").iter().filter(|held| *held != finalizer).collect();
        fields.push(("finalizers", if left.is_empty() { Value::Null } else { json!(left) }));
    }
    Action::patch_metadata(Key::of(resource, object), object, &fields)
}
