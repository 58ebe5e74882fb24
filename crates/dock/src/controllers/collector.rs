//! Garbage collection: an object goes when all its owners are gone.
//!
//! Owners are told apart by UID; a reference that names another kind, name or namespace than the object with that UID
//! has counts for nothing. What is deleted in the foreground waits for those dependents that block it, and what is
//! orphaned is first taken out of its dependents' references.

use serde_json::{Value, json};

use super::action::{Action, Deletion, Note, Outcome, Propagation};
use super::object::Object;
use super::world::{Key, Placed, World};

/// Keeps an owner until the dependents that block it are gone.
pub const FOREGROUND: &str = "foregroundDeletion";
/// Keeps an owner until its dependents no longer refer to it.
pub const ORPHAN: &str = "orphan";

/// What the owner of a reference is like.
enum Owner {
    /// It is there, and does not wait for its dependents.
    Solid,
    /// It is not there.
    Dangling,
    /// It is being deleted in the foreground.
    Waiting,
}

/// Why nothing can be said of a reference.
enum Unclear {
    /// Its kind is not served (yet).
    UnknownKind,
    /// An object of the cluster cannot belong to one in a namespace.
    OutOfReach,
}

/// Looks at an object: removes it if all its owners are gone, and goes on with its own deletion.
pub fn reconcile(key: &Key, item: &Value, world: &dyn World) -> Outcome {
    if item.is_deleting() {
        return if item.has_finalizer(ORPHAN) {
            orphan(key, item, world)
        } else if is_waiting(item) {
            wait_for_dependents(key, item, world)
        } else {
            Outcome::nothing()
        };
    }
    if item.owners().is_empty() {
        return Outcome::nothing();
    }
    let mut outcome = Outcome::of(misplaced_owners(key, item, world));
    let (mut solid, mut removable, mut waiting) = (false, Vec::new(), false);
    for reference in item.owners() {
        match classify(reference, key, world) {
            Ok(Owner::Solid) => solid = true,
            Ok(Owner::Dangling) => removable.push(&reference["uid"]),
            Ok(Owner::Waiting) => {
                waiting = true;
                removable.push(&reference["uid"]);
            }
            Err(Unclear::UnknownKind) => return Outcome { stalled: true, ..Outcome::nothing() },
            Err(Unclear::OutOfReach) => return outcome,
        }
    }
    if solid {
        if !removable.is_empty() {
            outcome.push(without_owners(key.clone(), item, &removable));
        }
        return outcome;
    }
    let dependents = world.dependents(item.uid());
    if waiting && !dependents.is_empty() {
        // Two that wait for each other would wait for ever: this one stops blocking its owners.
        if dependents.iter().any(|(_, dependent)| is_waiting(dependent))
            && let Some(unblocked) = unblocked(key, item)
        {
            outcome.push(unblocked);
            outcome.wake.push(key.clone());
            return outcome;
        }
        outcome.push(delete(key, item, Propagation::Foreground));
        return outcome;
    }
    let propagation = if item.has_finalizer(ORPHAN) {
        Propagation::Orphan
    } else if item.has_finalizer(FOREGROUND) {
        Propagation::Foreground
    } else {
        Propagation::Background
    };
    outcome.push(delete(key, item, propagation));
    outcome
}

/// Whether an object is being deleted in the foreground.
pub fn is_waiting(object: &Value) -> bool {
    object.is_deleting() && object.has_finalizer(FOREGROUND)
}

/// Whether a dependent blocks the deletion of the owner with this UID.
pub fn blocks(dependent: &Value, owner: &str) -> bool {
    dependent
        .owners()
        .iter()
        .any(|reference| reference["uid"] == owner && reference["blockOwnerDeletion"] == true)
}

fn classify(reference: &Value, item: &Key, world: &dyn World) -> Result<Owner, Unclear> {
    let served =
        world.serves(reference.text("apiVersion"), reference.text("kind")).ok_or(Unclear::UnknownKind)?;
    let namespace = if served.namespaced { &*item.namespace } else { "" };
    if served.namespaced && namespace.is_empty() {
        return Err(Unclear::OutOfReach);
    }
    let owner = world.get(&Key::new(&served.resource, namespace, reference.text("name")));
    Ok(match owner {
        Some(owner) if owner.at("metadata.uid") == &reference["uid"] => {
            if is_waiting(&owner) {
                Owner::Waiting
            } else {
                Owner::Solid
            }
        }
        _ => Owner::Dangling,
    })
}

/// Tells of references to objects that are there, but in another namespace.
fn misplaced_owners(key: &Key, item: &Value, world: &dyn World) -> Vec<Action> {
    let mut notes = Vec::new();
    for reference in item.owners() {
        let Some(owner) = world.locate(reference.text("uid")) else { continue };
        if !owner.namespace.is_empty() && owner.namespace != key.namespace {
            let identity = format!(
                "[{}/{}, namespace: {}, name: {}, uid: {}]",
                reference.text("apiVersion"),
                reference.text("kind"),
                key.namespace,
                reference.text("name"),
                reference.text("uid"),
            );
            notes.push(Note::warning(
                item,
                "OwnerRefInvalidNamespace",
                format!("ownerRef {identity} does not exist in namespace {:?}", key.namespace),
            ));
        }
    }
    notes
}

fn wait_for_dependents(key: &Key, item: &Value, world: &dyn World) -> Outcome {
    let blocking: Vec<Placed> = world
        .dependents(item.uid())
        .into_iter()
        .filter(|(_, dependent)| blocks(dependent, item.uid()))
        .collect();
    if blocking.is_empty() {
        return Outcome::of(vec![Action::remove_finalizer(key.clone(), item, FOREGROUND)]);
    }
    let wake =
        blocking.into_iter().filter(|(_, dependent)| !dependent.is_deleting()).map(|(key, _)| key).collect();
    Outcome { wake, ..Outcome::nothing() }
}

fn orphan(key: &Key, item: &Value, world: &dyn World) -> Outcome {
    let uid = json!(item.uid());
    let mut actions: Vec<Action> = world
        .dependents(item.uid())
        .into_iter()
        .map(|(dependent, object)| without_owners(dependent, &object, &[&uid]))
        .collect();
    actions.push(Action::remove_finalizer(key.clone(), item, ORPHAN));
    Outcome::of(actions)
}

fn without_owners(key: Key, item: &Value, removed: &[&Value]) -> Action {
    let left: Vec<&Value> = item.owners().iter().filter(|owner| !removed.contains(&&owner["uid"])).collect();
    let left = if left.is_empty() { Value::Null } else { json!(left) };
    Action::patch_metadata(key, item, &[("ownerReferences", left)])
}

fn unblocked(key: &Key, item: &Value) -> Option<Action> {
    let mut owners = item.owners().to_vec();
    let mut changed = false;
    for owner in &mut owners {
        if owner["blockOwnerDeletion"] == true {
            owner["blockOwnerDeletion"] = false.into();
            changed = true;
        }
    }
    changed.then(|| Action::patch_metadata(key.clone(), item, &[("ownerReferences", owners.into())]))
}

fn delete(key: &Key, item: &Value, propagation: Propagation) -> Action {
    Action::Delete(Deletion {
        key: key.clone(),
        uid: item.uid().to_owned(),
        revision: Some(item.text("metadata.resourceVersion").to_owned()),
        propagation: Some(propagation),
        grace_seconds: None,
        announce: None,
    })
}
