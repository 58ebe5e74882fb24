//! The controllers of Bundles and DeployItems: what the operator does with the objects that the crate `api` describes.
//!
//! Each is an [`Actuator`](extension::Actuator) under the generic reconciler, and works by the same planner and the same
//! runner as the command line. That of Bundles waits for nothing: what a plan would have to wait for is told by watches on the
//! [metadata](Watching) of the objects that belong to somebody, and the plan is made and run again then, as far as it
//! goes. So a thousand sets that are not ready cost a thousand entries in a table.
//!
//! Every write is done as the ServiceAccount that the custom resource names ([`Cluster`]). The inventory, which is
//! written before anything is done, is the operator's own.
//!
//! ## Guarantees
//!
//! - Nothing is deleted that is not in the inventory with its UID, marked as this set's, and no longer listed; and that
//!   is looked at again directly before.
//! - Whatever is killed is run again from what is stored.
//! - Countdowns end at their instant. Those of a set that was deleted go on ([`TrashController`]).

pub mod bundle;
mod cluster;
pub mod deploy_item;
mod ending;
mod force;
mod problem;
mod release_trash;
mod schedule;
mod trash;
mod watching;

pub use cluster::Cluster;
pub use problem::Problem;
pub use release_trash::ReleaseTrash;
pub use trash::TrashController;
pub use watching::Watching;

use extension::{Controller, Environment, ObjectKey, Reconciler};
use kube::core::{ApiResource, PartialObjectMeta};

/// What the controllers may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Features {
    /// Whether `existsExternally: false` takes down what a set has: the feature `DeclarativeDelete`.
    pub declarative_delete: bool,
    /// Whether the object goes when all that it stood for is gone by that: `--after-deletion=Delete`.
    pub delete_after: bool,
    /// How many objects of a kind are worked on at once, if somebody has said: `--concurrency`.
    pub at_once: Option<usize>,
}

impl Default for Features {
    fn default() -> Self {
        Self { declarative_delete: false, delete_after: true, at_once: None }
    }
}

/// The controllers of Bundles: that of the Bundles themselves, and that of what deleted ones have left behind.
pub fn bundles(environment: &Environment, features: Features) -> Vec<Box<dyn Controller>> {
    let cluster = Cluster::new(environment.client.clone());
    let watching = Watching::new(environment.client.clone(), engine::Belongs::Bundle, &environment.scope);
    let actuator = bundle::BundleActuator::new(cluster.clone(), watching.clone(), features);
    let at_once = features.at_once.unwrap_or(BUNDLES_AT_ONCE);
    let reconciler = Reconciler::new(environment, actuator).concurrency(at_once);
    watching.wakes(reconciler.trigger());
    let trash = TrashController::new(environment.clone(), cluster, engine::Belongs::Bundle);
    vec![Box::new(reconciler), Box::new(trash)]
}

/// The controllers of DeployItems: that of the items themselves, and that of what deleted ones have left behind.
pub fn deploy_items(environment: &Environment, features: Features) -> Vec<Box<dyn Controller>> {
    let cluster = Cluster::new(environment.client.clone());
    let actuator = deploy_item::DeployItemActuator::new(cluster.clone(), features);
    let at_once = features.at_once.unwrap_or(ITEMS_AT_ONCE);
    let waiting = actuator.waiting.clone();
    let concerned = move |changed: &PartialObjectMeta| {
        let key = ObjectKey::of(changed);
        let mut woken = waiting.woken(&key.to_string());
        woken.extend(waiting.woken(key.namespace.as_deref().unwrap_or_default()));
        woken
    };
    // An item's own time is what ends it; each holds a task and a thread while it waits.
    let reconciler = Reconciler::new(environment, actuator).timeout(LONGEST).concurrency(at_once).watches(
        ApiResource::erase::<api::DeployItem>(&()),
        None,
        concerned,
    );
    let trash = TrashController::new(environment.clone(), cluster, engine::Belongs::DeployItem);
    vec![Box::new(reconciler), Box::new(trash)]
}

/// No operation on a DeployItem takes longer, whatever it says.
const LONGEST: std::time::Duration = std::time::Duration::from_hours(24);
/// So many DeployItems are worked on at once.
const ITEMS_AT_ONCE: usize = 32;
/// So many Bundles are worked on at once: each mostly waits for the server, and countdowns of many may end together.
const BUNDLES_AT_ONCE: usize = 64;
