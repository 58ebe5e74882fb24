//! The SDK for controllers of custom resources that stand for something: objects in a cluster, or things outside of it.
//!
//! An [`Actuator`] says what is to be done with one object, in five methods: [reconcile](Actuator::reconcile),
//! [delete](Actuator::delete), [force-delete](Actuator::force_delete), [migrate](Actuator::migrate) and
//! [restore](Actuator::restore). All else is the [`Reconciler`]'s: it watches the kind, decides which of the five is due
//! ([`operation`]), holds the finalizer, writes `lastOperation`, `lastErrors`, conditions and `observedGeneration` into
//! the object's [status], repeats what failed, waits for instants, ends what takes too long, and tells of it all by
//! Events, logs and [`Metrics`].
//!
//! What an actuator gets is a [`Context`]: the object, whose status it may change, a client, the time, and how to tell
//! of progress. What it gives is an [`Outcome`] or an [`ActuatorError`]. Neither knows of queues.
//!
//! An actuator whose work is a set of objects need not write the five: it is an [`ObjectSet`], and [`GenericActuator`]
//! has them; each can be overridden.
//!
//! ## Force deletion
//!
//! Deletion that cannot succeed is ended by force only when all of this holds ([`force`]): the object is being deleted,
//! an error that blocks is on record, and somebody has confirmed it by annotation, on the object or on its owner.
//! Admission policies refuse the annotation otherwise; the reconciler does not believe them and looks again. Every
//! finalizer that is taken off an object goes on record before ([`Context::strip`]).
//!
//! ## Guarantees
//!
//! - One object is worked on by one task at a time. A change during an operation is not lost: it follows, and the
//!   actuator can hear of it ([`Context::interrupted`]).
//! - Annotations count whatever the generation is. The reconciler's own writes do not make it run again.
//! - An object that is as it should be costs nothing: no request, no timer, and of its content nothing is kept.
//! - Whatever is killed is run again from the start: actuators must be able to repeat themselves.

mod actuator;
pub mod annotations;
mod clock;
mod context;
mod environment;
mod error;
mod events;
pub mod force;
mod generic;
mod health;
mod kinds;
mod metrics;
pub mod operation;
mod outcome;
mod reconciler;
pub mod status;
mod trigger;
mod waiting;
mod writer;

pub use actuator::{Actuator, Extension};
pub use clock::Clock;
pub use context::Context;
pub use environment::{Environment, Scope};
pub use error::ActuatorError;
pub use generic::{Backing, GenericActuator, Inventory, Item, Member, ObjectSet};
pub use health::Health;
pub use metrics::Metrics;
pub use outcome::Outcome;
pub use reconciler::{Controller, Reconciler};
pub use status::{ErrorCode, ExtensionStatus, LastError, LastOperation, OperationState, OperationType};
pub use tokio_util::sync::CancellationToken;
pub use trigger::{ObjectKey, Trigger};
pub use waiting::Waiting;
