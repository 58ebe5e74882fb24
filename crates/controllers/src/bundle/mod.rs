//! The controller of Bundles.
//!
//! A reconcile goes in rounds. In each, every resource whose references have values becomes a document, all of them
//! become one plan with the inventory and with what the cluster has, and the plan is run as far as it goes without
//! waiting. What has become ready gives values to others, and the next round follows, until nothing is new. Then, and
//! only when all is ready, what is no longer listed is taken out, at once or after its delay.

mod check;
mod deletion;
mod expiry;
mod fights;
pub mod graph;
mod members;
mod pending;
mod readiness;
pub mod references;
mod rounds;
mod status;
mod store;

use extension::{Actuator, ActuatorError, Context, ErrorCode, Outcome};
use kube::ResourceExt;
use release::SetInventory;

pub use check::check;
pub(crate) use pending::{due_of, in_trash, reference, stamp_of};
pub(crate) use rounds::{by, settle, stored_object};

use crate::{Cluster, Features, Watching};
use api::Bundle;

/// What is done with Bundles.
#[derive(Debug, Clone)]
pub struct BundleActuator {
    cluster: Cluster,
    watching: Watching,
    features: Features,
    owed: expiry::Owed,
    fights: fights::Fights,
}

impl BundleActuator {
    /// Works on a cluster, and has what belongs to Bundles watched.
    pub fn new(cluster: Cluster, watching: Watching, features: Features) -> Self {
        Self { cluster, watching, features, owed: expiry::Owed::default(), fights: fights::Fights::default() }
    }
}

impl Actuator for BundleActuator {
    type Object = Bundle;

    async fn reconcile(&self, context: &mut Context<Bundle>) -> Result<Outcome, ActuatorError> {
        if context.object.spec.suspend {
            return Ok(Outcome::done().describe("Suspended: nothing is done").condition(
                "Suspended",
                true,
                "Suspended",
                "spec.suspend is true",
            ));
        }
        if context.object.spec.exists_externally == Some(false) {
            return self.take_down(context).await;
        }
        self.bring_up(context).await
    }

    async fn delete(&self, context: &mut Context<Bundle>) -> Result<Outcome, ActuatorError> {
        self.take_out(context, false).await
    }

    async fn force_delete(&self, context: &mut Context<Bundle>) -> Result<Outcome, ActuatorError> {
        self.take_out(context, true).await
    }

    async fn migrate(&self, context: &mut Context<Bundle>) -> Result<Outcome, ActuatorError> {
        let store = self.store(&context.object);
        let kept = store.read().await?;
        let state = serde_json::to_value(&kept).map_err(|error| ActuatorError::new(error.to_string()))?;
        let status = context.object.status.get_or_insert_default();
        status.extension.state = Some(state);
        Ok(Outcome::done()
            .describe(format!("Handed over {} objects as they are", kept.inventory.entries.len())))
    }

    async fn restore(&self, context: &mut Context<Bundle>) -> Result<Outcome, ActuatorError> {
        let state = context.object.status.as_ref().and_then(|status| status.extension.state.clone());
        if let Some(state) = state {
            let kept: SetInventory = serde_json::from_value(state).map_err(|error| {
                ActuatorError::new(format!("status.state cannot be read: {error}"))
                    .code(ErrorCode::ConfigurationProblem)
                    .fatal()
            })?;
            self.store(&context.object).write(&kept).await?;
        }
        self.bring_up(context).await
    }
}

/// Who holds the Lease of a Bundle while it is worked on: whoever leads the operator.
fn holder(context: &Context<Bundle>) -> String {
    format!("{} (bundles)", context.manager())
}

/// The name under which the Lease of a Bundle is held.
fn lock_name(bundle: &Bundle) -> String {
    format!("slipway.bundle.{}", bundle.name_any())
}
