//! Sizes of `ReplicaSets` when a Deployment is resized in the midst of a rollout.

use std::cmp::Reverse;
use std::sync::Arc;

use serde_json::Value;

use super::sets::{Sets, knows_size, max_replicas_before, set_sizes};
use super::{SetList, is_rolling, max_surge, replicas, sum};
use crate::controllers::action::{Action, Note, Part};
use crate::controllers::object::{Object, set};
use crate::controllers::world::REPLICA_SETS;

/// Scales a set. Forced, its annotations are brought up to date even if its size is right.
pub(super) fn scale(target: &Value, size: i64, deployment: &Value, forced: bool) -> Vec<Action> {
    let before = target.count("spec.replicas");
    if before == size && !forced {
        return Vec::new();
    }
    let mut object = target.clone();
    set(&mut object, "spec.replicas", size);
    set_sizes(&mut object, deployment);
    if object == *target {
        return Vec::new();
    }
    let mut actions = vec![Action::Update { resource: REPLICA_SETS, part: Part::Main, object }];
    if before != size {
        let direction = if before < size { "up" } else { "down" };
        let message = format!("Scaled {direction} replica set {} from {before} to {size}", target.name());
        actions.push(Note::normal(deployment, "ScalingReplicaSet", message));
    }
    actions
}

/// Spreads the size of the Deployment over its sets, each by its share.
pub(super) fn proportionally(deployment: &Value, sets: &Sets) -> Vec<Action> {
    let wanted = replicas(deployment);
    let active: SetList = sets.all().filter(|set| set.count("spec.replicas") > 0).cloned().collect();
    if active.len() <= 1 {
        let youngest = sets.old.last();
        let Some(only) = active.first().or(sets.new.as_ref()).or(youngest) else { return Vec::new() };
        return scale(only, wanted, deployment, false);
    }
    if let Some(new) = &sets.new
        && new.count("spec.replicas") == wanted
        && knows_size(new, deployment)
        && new.count("status.availableReplicas") == wanted
    {
        return sets.active_old().iter().flat_map(|old| scale(old, 0, deployment, false)).collect();
    }
    if !is_rolling(deployment) {
        return Vec::new();
    }
    spread(deployment, active)
}

fn spread(deployment: &Value, mut active: SetList) -> Vec<Action> {
    let wanted = replicas(deployment);
    let allowed = if wanted > 0 { wanted + max_surge(deployment) } else { 0 };
    let to_add = allowed - sum(&active, "spec.replicas");
    let created = |set: &Arc<Value>| set.moment("metadata.creationTimestamp");
    if to_add > 0 {
        active.sort_by_key(|set| {
            (Reverse(set.count("spec.replicas")), Reverse(created(set)), set.name().to_owned())
        });
    } else if to_add < 0 {
        active.sort_by_key(|set| (Reverse(set.count("spec.replicas")), created(set), set.name().to_owned()));
    }
    let mut added = 0;
    let mut sizes = Vec::with_capacity(active.len());
    for set in &active {
        let share = share(set, deployment, to_add, added);
        sizes.push(set.count("spec.replicas") + share);
        added += share;
    }
    if to_add != 0
        && let Some(largest) = sizes.first_mut()
    {
        *largest = (*largest + to_add - added).max(0);
    }
    active.iter().zip(sizes).flat_map(|(set, size)| scale(set, size, deployment, true)).collect()
}

fn share(set: &Value, deployment: &Value, to_add: i64, added: i64) -> i64 {
    let size = set.count("spec.replicas");
    if size == 0 || to_add == 0 || to_add == added {
        return 0;
    }
    let wanted = replicas(deployment);
    let fraction = if wanted == 0 {
        -size
    } else {
        let most = wanted + max_surge(deployment);
        // Without the annotation the present size has to do.
        let before = max_replicas_before(set).unwrap_or_else(|| deployment.count("status.replicas").max(1));
        let new_size = (size as f64 * most as f64) / before as f64;
        new_size.round() as i64 - size
    };
    let left = to_add - added;
    if to_add > 0 { fraction.min(left) } else { fraction.max(left) }
}
