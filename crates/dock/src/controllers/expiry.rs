//! Events are kept for an hour.

use jiff::SignedDuration;
use serde_json::Value;

use super::action::{Action, Outcome};
use super::object::Object;
use super::world::{Key, World};

const KEPT: SignedDuration = SignedDuration::from_hours(1);

/// Removes an Event that was told long ago.
pub fn reconcile(key: &Key, event: &Value, world: &dyn World) -> Outcome {
    let told = ["lastTimestamp", "eventTime", "metadata.creationTimestamp"]
        .iter()
        .find_map(|path| event.moment(path));
    let due = told.and_then(|told| told.checked_add(KEPT).ok());
    match due {
        Some(due) if due > world.now() => Outcome { again: Some(due), ..Outcome::nothing() },
        _ if event.is_deleting() => Outcome::nothing(),
        _ => Outcome::of(vec![Action::delete(key.clone(), event)]),
    }
}
