//! The simulated controllers: what kube-controller-manager, kube-scheduler and kubelets make of objects.
//!
//! Each controller is a pure function: given an object and the [`World`] around it, it returns an [`Outcome`], the
//! requests it wants made and when it wants to look again. It makes no request itself, keeps nothing in mind and reads
//! no clock, so what it does can be tested by tables, and the same world always comes to the same end.
//!
//! [`Controllers`] is the loop around them, as a machine without threads or I/O. Whoever drives it
//!
//! 1. tells it every change of every object, in order ([`observe`](Controllers::observe)); it finds out
//!    [whom that concerns](interest) by its [index](index::Index), and notes the work in a [queue](queue::Queue),
//! 2. asks what is to be done ([`next`](Controllers::next), [`decide`](Controllers::decide)),
//! 3. makes those requests like any client, and tells how it went ([`done`](Controllers::done),
//!    [`refused`](Controllers::refused)),
//! 4. and, when nothing is left, waits for a change or for the [next moment](Controllers::next_moment) at which
//!    something is due.
//!
//! Work is looked at in the order in which it came up, and nothing is ever searched for in the whole cluster.
//! What a user [scripts](script) by annotations (delays, failures, finalizers, logs) is read here too.

pub mod action;
pub mod adoption;
pub mod autoscalers;
pub mod budgets;
pub mod collector;
mod condition;
pub mod controller;
pub mod daemonsets;
pub mod deployments;
mod drive;
pub mod expiry;
pub mod exposure;
mod hash;
pub mod history;
pub mod index;
pub mod interest;
pub mod jobs;
mod machine;
pub mod namespaces;
pub mod nodes;
pub mod object;
pub mod pods;
pub mod queue;
pub mod quotas;
pub mod recorder;
pub mod replicas;
pub mod script;
pub mod scripted;
pub mod selector;
pub mod statefulsets;
pub mod template;
pub mod view;
pub mod volumes;
pub mod world;

pub use action::{Action, Outcome};
pub use controller::{Actor, Controller};
pub(crate) use drive::log_of;
pub use drive::{Settled, start};
pub use machine::{Controllers, Refusal};
pub use queue::Work;
pub use view::Reader;
pub use world::{Key, Resource, World};

#[cfg(test)]
mod tank;
#[cfg(test)]
mod tests;
