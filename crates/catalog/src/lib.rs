//! The service catalog: controllers that buy from brokers, and give back.
//!
//! ```text
//!   ClusterServiceBroker ──▶ listing ──▶ classes and plans
//!   ServiceInstance ─┐                        │
//!                    ├─▶ desk: what is there ─┤
//!   ServiceBinding ──┘      │                 ▼
//!                           │             resolve: which plan, which broker
//!                           ▼
//!        life: decide ─▶ Step ─▶ intent is written ─▶ the broker is asked ─▶ learn ─▶ status, conditions
//! ```
//!
//! - [`kinds`] are the custom resources.
//! - [`life`] is the state machine, pure: what is due ([`life::decide`]), what an answer changes (`learn`), and
//!   what is told of it ([`life::conditions`]). Instances and bindings go through the same one. It is where the
//!   declarative delete is: refused, taken back, finished, and everything that can come in between.
//! - `desk` is the I/O around it. Before a broker is asked anything that changes something, what is asked is written into
//!   the status; identifiers are derived from the object's UID. So whoever is killed, and wherever, the next one asks the
//!   same question about the same thing, and brokers answer that without doing it twice.
//! - [`listing`] makes classes and plans from a catalog; [`resolve`] finds the plan that an instance names.
//! - `offers` has those that wait for a class, a plan or a broker. Like all that wait for another object they are woken when
//!   it changes, and do not ask again and again.
//!
//! The actuators are [`Instances`], [`Bindings`], [`ClusterBrokers`] and [`Brokers`]; [`controllers()`] puts them together.

mod connection;
mod controllers;
mod desk;
mod facts;
pub mod kinds;
pub mod life;
pub mod listing;
mod names;
mod offers;
mod relist;
pub mod resolve;
mod restrictions;
mod settings;

pub use controllers::controllers;
pub use desk::{Bindings, Instances};
pub use names::{external_id, object_name, parameter_checksum};
pub use relist::{Brokers, ClusterBrokers};
pub use settings::{AfterDeletion, Settings};
