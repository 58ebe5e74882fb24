//! Volumes: free, bound, or left behind by their claim.

use serde_json::{Value, json};

use super::{VOLUME_DELETION, VOLUME_PROTECTION, claim_of};
use crate::controllers::action::{Action, Outcome};
use crate::controllers::object::{Object, set, stamp};
use crate::controllers::world::{Key, VOLUMES, World};

/// Brings a volume one step on.
pub fn reconcile(volume: &Value, world: &dyn World) -> Outcome {
    let key = Key::of(&VOLUMES, volume);
    if !volume.is_deleting() && !volume.has_finalizer(VOLUME_PROTECTION) {
        let mut finalizers = volume.items("metadata.finalizers").to_vec();
        finalizers.push(VOLUME_PROTECTION.into());
        return Outcome::of(vec![Action::patch_metadata(key, volume, &[("finalizers", finalizers.into())])]);
    }
    let claim = claim_of(volume, world);
    let phase = match (&claim, volume.at("spec.claimRef").is_null(), volume.text("spec.claimRef.uid")) {
        (_, true, _) | (None, _, "") => "Available",
        (Some(claim), ..) if claim.text("spec.volumeName") == volume.name() => "Bound",
        // The claim has not chosen yet.
        (Some(_), ..) => match volume.text("status.phase") {
            "" | "Pending" => "Available",
            phase => phase,
        },
        (None, ..) => "Released",
    };
    if volume.is_deleting() && phase != "Bound" {
        let left: Vec<&Value> = volume
            .items("metadata.finalizers")
            .iter()
            .filter(|held| *held != VOLUME_PROTECTION && *held != VOLUME_DELETION)
            .collect();
        if left.len() < volume.items("metadata.finalizers").len() {
            let left = if left.is_empty() { Value::Null } else { json!(left) };
            return Outcome::of(vec![Action::patch_metadata(key, volume, &[("finalizers", left)])]);
        }
        return Outcome::nothing();
    }
    let mut outcome = Outcome::nothing();
    if volume.text("status.phase") != phase {
        let mut status = volume.at("status").clone();
        set(&mut status, "phase", phase);
        set(&mut status, "lastPhaseTransitionTime", stamp(world.now()));
        outcome.update_status(&VOLUMES, volume, status);
    } else if phase == "Released"
        && volume.text("spec.persistentVolumeReclaimPolicy") == "Delete"
        && !volume.is_deleting()
    {
        outcome.push(Action::delete(key, volume));
    }
    outcome
}
