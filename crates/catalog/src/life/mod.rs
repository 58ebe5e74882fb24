//! The life of a thing at its broker, as pure functions: what is due, what an answer changes, what is told of it.
//!
//! Instances and bindings go through the same states. [`decide()`] looks at what is [known](Facts) and names the one
//! [`Step`] that is due; [`intend`] writes down what a broker is about to be asked; `learn` what its answer means.
//! Between the two a process may die: then [`Backing::in_flight`](crate::kinds::Backing) says that a question was
//! asked, and decide asks it again.
//!
//! What is certain is told apart from what is not. A broker that refuses has changed nothing, so that a declarative delete
//! that was refused, and only refused, can be taken back at once. After an answer that settles nothing, taking it back
//! first finds out (by a fetch where the broker can be asked, else by finishing the delete), and what is gone is bought
//! anew under another identifier.

mod conditions;
mod decide;
mod learn;
#[cfg(test)]
mod tests;

pub use conditions::{Told, conditions};
pub use decide::{Facts, Step, Thing, Unresolved, Wish, decide};
pub use learn::{Limits, answered, expire, fetched, forget, intend, polled, renew};
