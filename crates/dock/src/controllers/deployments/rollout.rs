//! The way from the old `ReplicaSets` to the new one: rolling, or all at once.

use serde_json::Value;

use super::progress::{self, is_complete};
use super::sets::Sets;
use super::{max_surge, max_unavailable, replicas, scale, sum};
use crate::controllers::action::{Action, Outcome};
use crate::controllers::object::Object;
use crate::controllers::pods::is_terminal;
use crate::controllers::world::{PODS, World};

/// Old Pods go as new ones come.
pub(super) fn rolling(deployment: &Value, sets: &Sets, world: &dyn World) -> Outcome {
    let Some(new) = &sets.new else {
        return Outcome::of(sets.create(deployment, |key| world.get(key), world.now()));
    };
    let mut steps = grow(deployment, sets, new);
    if steps.is_empty() {
        steps = shrink(deployment, sets, new);
    }
    finish(deployment, sets, steps, world)
}

/// All old Pods go, then the new ones come.
pub(super) fn recreate(deployment: &Value, sets: &Sets, world: &dyn World) -> Outcome {
    let steps: Vec<Action> =
        sets.active_old().iter().flat_map(|old| scale(old, 0, deployment, false)).collect();
    if !steps.is_empty() || old_pods_run(sets, world) {
        return finish(deployment, sets, steps, world);
    }
    let Some(new) = &sets.new else {
        return Outcome::of(sets.create(deployment, |key| world.get(key), world.now()));
    };
    finish(deployment, sets, scale(new, replicas(deployment), deployment, false), world)
}

/// Ends a pass: what was scaled, the history beyond its limit, the status.
fn finish(deployment: &Value, sets: &Sets, mut steps: Vec<Action>, world: &dyn World) -> Outcome {
    if steps.is_empty() && is_complete(deployment, deployment.at("status")) {
        steps = sets.surplus_history(deployment);
    }
    let mut outcome = Outcome::of(steps);
    progress::report(deployment, sets, world.now(), &mut outcome);
    outcome
}

fn old_pods_run(sets: &Sets, world: &dyn World) -> bool {
    sum(&sets.old, "status.replicas") > 0
        || sets.old.iter().flat_map(|set| world.controlled(&PODS, set.uid())).any(|pod| !is_terminal(&pod))
}

fn grow(deployment: &Value, sets: &Sets, new: &Value) -> Vec<Action> {
    let (wanted, size) = (replicas(deployment), new.count("spec.replicas"));
    if size >= wanted {
        return scale(new, wanted, deployment, false);
    }
    let room = wanted + max_surge(deployment) - sum(sets.all(), "spec.replicas");
    if room <= 0 { Vec::new() } else { scale(new, size + room.min(wanted - size), deployment, false) }
}

fn shrink(deployment: &Value, sets: &Sets, new: &Value) -> Vec<Action> {
    let old = sets.active_old();
    if old.is_empty() {
        return Vec::new();
    }
    let least = replicas(deployment) - max_unavailable(deployment);
    let new_unavailable = new.count("spec.replicas") - new.count("status.availableReplicas");
    let most_removed = sum(sets.all(), "spec.replicas") - least - new_unavailable;
    if most_removed <= 0 {
        return Vec::new();
    }
    // Old Pods that do not serve go first: they would only hold things up.
    let mut sizes: Vec<i64> = old.iter().map(|set| set.count("spec.replicas")).collect();
    let mut removed = 0;
    for (set, size) in old.iter().zip(&mut sizes) {
        let idle = (*size - set.count("status.availableReplicas")).max(0);
        let cut = idle.min(most_removed - removed);
        *size -= cut;
        removed += cut;
    }
    let mut spare = sum(sets.all(), "status.availableReplicas") - least;
    for size in &mut sizes {
        let cut = (*size).min(spare.max(0));
        *size -= cut;
        spare -= cut;
    }
    old.iter().zip(sizes).flat_map(|(set, size)| scale(set, size, deployment, false)).collect()
}
