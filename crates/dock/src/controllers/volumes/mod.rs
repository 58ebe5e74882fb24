//! Storage: claims get volumes, made for them where their class can; volumes go the way that their policy says.

mod claims;
mod persistent;
mod quantity;

pub use claims::reconcile as reconcile_claim;
pub use persistent::reconcile as reconcile_volume;

use serde_json::Value;

use super::object::Object;
use super::world::{CLAIMS, Key, World};

/// Keeps a claim while Pods use it.
pub const CLAIM_PROTECTION: &str = "kubernetes.io/pvc-protection";
/// Keeps a volume while a claim has it.
pub const VOLUME_PROTECTION: &str = "kubernetes.io/pv-protection";
/// Keeps a volume that was made for a claim until its storage is gone.
const VOLUME_DELETION: &str = "kubernetes.io/pv-controller";
/// A binding that is done.
const BIND_COMPLETED: &str = "pv.kubernetes.io/bind-completed";
/// A binding that the controller chose.
const BOUND_BY_CONTROLLER: &str = "pv.kubernetes.io/bound-by-controller";

/// The name of the volume that is made for a claim.
pub fn volume_name(claim: &Value) -> String {
    format!("pvc-{}", claim.uid())
}

/// The claim that a volume refers to, if it is still the same one.
fn claim_of(volume: &Value, world: &dyn World) -> Option<std::sync::Arc<Value>> {
    let reference = volume.at("spec.claimRef");
    let claim = world.get(&Key::new(&CLAIMS, reference.text("namespace"), reference.text("name")))?;
    let uid = reference.text("uid");
    (uid.is_empty() || uid == claim.uid()).then_some(claim)
}
