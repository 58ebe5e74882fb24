//! An actuator for whoever's work is a set of objects.
//!
//! The author says which objects there are to be, and of each what stands behind it ([`Backing`]). From that follow all
//! five operations; each is a method of [`ObjectSet`] and can be overridden.
//!
//! | operation | what is done |
//! |---|---|
//! | reconcile | what is to be there is applied, in order; what no longer is to be is deleted |
//! | delete | everything is deleted, the last first; what does not go within its time is an error that names its finalizers |
//! | force-delete | plain objects are deleted; those backed outside lose their finalizers, on record; the rest is left, and said to be |
//! | migrate | the list of objects is exported; nothing is touched |
//! | restore | the exported list is taken over, and reconciled |
//!
//! The list of what was made is in the status before anything is made, so that nothing is lost by a kill, and deletion
//! needs nothing else.

mod apply;
mod deletion;
mod force;
mod inventory;
mod item;
mod place;

use std::future::Future;

use kube::Client;

pub use inventory::{Inventory, Member};
pub use item::{Backing, Item};

use crate::{Actuator, ActuatorError, Context, Extension, Outcome};

/// A set of objects, which is what an extension's object stands for.
pub trait ObjectSet: Send + Sync + 'static {
    /// The kind that stands for it.
    type Object: Extension;

    /// The objects that are to be there, in the order in which they are made.
    fn objects(
        &self,
        context: &Context<Self::Object>,
    ) -> impl Future<Output = Result<Vec<Item>, ActuatorError>> + Send;

    /// A client of the other cluster, for items [in it](Item::in_target); none where there is no other cluster.
    fn target(
        &self,
        _context: &Context<Self::Object>,
    ) -> impl Future<Output = Result<Option<Client>, ActuatorError>> + Send {
        async { Ok(None) }
    }

    /// [`Actuator::reconcile`].
    fn reconcile(
        &self,
        context: &mut Context<Self::Object>,
    ) -> impl Future<Output = Result<Outcome, ActuatorError>> + Send
    where
        Self: Sized,
    {
        apply::reconcile(self, context)
    }

    /// [`Actuator::delete`].
    fn delete(
        &self,
        context: &mut Context<Self::Object>,
    ) -> impl Future<Output = Result<Outcome, ActuatorError>> + Send
    where
        Self: Sized,
    {
        deletion::delete(self, context)
    }

    /// [`Actuator::force_delete`].
    fn force_delete(
        &self,
        context: &mut Context<Self::Object>,
    ) -> impl Future<Output = Result<Outcome, ActuatorError>> + Send
    where
        Self: Sized,
    {
        force::force_delete(self, context)
    }

    /// [`Actuator::migrate`].
    fn migrate(
        &self,
        context: &mut Context<Self::Object>,
    ) -> impl Future<Output = Result<Outcome, ActuatorError>> + Send
    where
        Self: Sized,
    {
        async {
            let inventory = Inventory::of(&context.object)?;
            Ok(Outcome::done()
                .describe(format!("{} objects handed over as they are", inventory.members.len())))
        }
    }

    /// [`Actuator::restore`].
    fn restore(
        &self,
        context: &mut Context<Self::Object>,
    ) -> impl Future<Output = Result<Outcome, ActuatorError>> + Send
    where
        Self: Sized,
    {
        apply::reconcile(self, context)
    }
}

/// The actuator of an [`ObjectSet`].
#[derive(Debug, Clone)]
pub struct GenericActuator<S>(pub S);

impl<S: ObjectSet> Actuator for GenericActuator<S> {
    type Object = S::Object;

    async fn reconcile(&self, context: &mut Context<S::Object>) -> Result<Outcome, ActuatorError> {
        self.0.reconcile(context).await
    }

    async fn delete(&self, context: &mut Context<S::Object>) -> Result<Outcome, ActuatorError> {
        self.0.delete(context).await
    }

    async fn force_delete(&self, context: &mut Context<S::Object>) -> Result<Outcome, ActuatorError> {
        self.0.force_delete(context).await
    }

    async fn migrate(&self, context: &mut Context<S::Object>) -> Result<Outcome, ActuatorError> {
        self.0.migrate(context).await
    }

    async fn restore(&self, context: &mut Context<S::Object>) -> Result<Outcome, ActuatorError> {
        self.0.restore(context).await
    }
}
