//! Slipway inside of a cluster.
//!
//! [`run()`] is the whole process: it may first ([`prepare()`]) install the [definitions](install) of its kinds and the [policies] that
//! guard them, answers probes and measurements ([`serve`]), waits until it is the [leader], and then runs all
//! [`Controllers`] until it is told to stop, or can no longer be sure to be the leader. Beside them it answers the
//! [webhook] that notes who changed an object.
//!
//! A controller is an actuator under the reconciler of crate `extension`, added in one line to
//! [`controllers`](controllers::controllers). What is optional is a [feature gate](Features).
//!
//! The process keeps nothing: all state is in the cluster. Several can run for one cluster: as spares, of which one is
//! the leader, or as shards, each with namespaces or labels of its own and a leader of its own.

pub mod controllers;
mod features;
pub mod install;
pub mod leader;
pub mod logs;
mod options;
pub mod policies;
mod run;
pub mod serve;
#[cfg(feature = "traces")]
pub mod traces;
pub mod webhook;

pub use controllers::Controllers;
pub use features::{Feature, FeatureError, Features};
pub use options::{AfterDeletion, Election, Options, Settings};
pub use run::{OperatorError, Prepared, prepare, run};
