//! Service brokers to test against.
//!
//! [`Scripted`] is ours: a server on a loopback port that does what a broker does (instances, bindings, operations that
//! take a number of polls), unless it was told what to [answer](Scripted::next) to the next request of a sort: any code
//! and body, silence, a connection that breaks; with or without having done the work. It remembers everything that it
//! [saw](Seen).
//!
//! [`OpenBroker`] is a program in Python made with `openbrokerapi`, which nobody here wrote: it parses requests and
//! chooses codes in its own way. Where Python or the package is not to be had, [`OpenBroker::start`] says so, and tests
//! skip by name; with `SLIPWAY_REQUIRE_BROKER=1` that is a failure.

mod answer;
mod open;
mod scripted;
mod seen;
mod state;

pub use answer::{Answer, Manner};
pub use open::OpenBroker;
pub use scripted::Scripted;
pub use seen::{Route, Seen};
pub use state::{Behaviour, Bound, Instance, catalog};
