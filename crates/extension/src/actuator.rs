//! What an extension author writes.

use std::fmt::Debug;
use std::future::Future;

use kube::Resource;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::status::ExtensionStatus;
use crate::{ActuatorError, Context, Outcome};

/// A custom resource whose status has an [`ExtensionStatus`] in it.
pub trait Extension:
    Resource<DynamicType = ()> + Clone + Debug + Serialize + DeserializeOwned + Send + Sync + 'static
{
    /// That part of its status.
    fn status(&self) -> Option<&ExtensionStatus>;

    /// The same, to be changed; a status is made where there is none.
    fn status_mut(&mut self) -> &mut ExtensionStatus;

    /// Which type of the kind it is (`spec.type`), where several extensions share one kind.
    fn extension_type(&self) -> Option<&str> {
        None
    }

    /// Which class of controllers it is for (`spec.class`).
    fn class(&self) -> Option<&str> {
        None
    }
}

/// What is done with an object. All five are for the author to say; each may be called again after it was cut off
/// anywhere, and must then bring about the same.
///
/// Whatever an actuator changes in the status of [`Context::object`] is written when it returns, or by
/// [`Context::save`]; it should not touch `last_operation`, `last_errors` and `observed_generation`, which are the
/// reconciler's.
pub trait Actuator: Send + Sync + 'static {
    /// The kind that it works on.
    type Object: Extension;

    /// Brings about what the spec says: at first, and whenever it has changed or somebody asks.
    fn reconcile(
        &self,
        context: &mut Context<Self::Object>,
    ) -> impl Future<Output = Result<Outcome, ActuatorError>> + Send;

    /// Takes down what the object stands for. The object goes when this is [done](Outcome::done).
    fn delete(
        &self,
        context: &mut Context<Self::Object>,
    ) -> impl Future<Output = Result<Outcome, ActuatorError>> + Send;

    /// Takes down what can be, and lets go of the rest: it must succeed even if something is orphaned, and say so in
    /// the [description](Outcome::describe) of its outcome. Where graceful deletion is possible, that is
    /// [`Actuator::delete`].
    fn force_delete(
        &self,
        context: &mut Context<Self::Object>,
    ) -> impl Future<Output = Result<Outcome, ActuatorError>> + Send;

    /// Hands over: exports to the `state` of the status what another controller needs, and touches nothing else. The
    /// finalizer is released when this is done.
    fn migrate(
        &self,
        context: &mut Context<Self::Object>,
    ) -> impl Future<Output = Result<Outcome, ActuatorError>> + Send;

    /// Takes over what exists, by the `state` of the status.
    fn restore(
        &self,
        context: &mut Context<Self::Object>,
    ) -> impl Future<Output = Result<Outcome, ActuatorError>> + Send;
}
