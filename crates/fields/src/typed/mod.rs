//! Values seen through their schema: which fields they have, how two of them differ, and how one goes over another.

mod compare;
mod extent;
mod item;
mod merge;
mod place;
mod reconcile;
mod remove;
#[cfg(test)]
pub(crate) mod sample;
mod validate;

pub use compare::{Comparison, compare};
pub use extent::fields_of;
pub use merge::merge;
pub use reconcile::{reconcile, with_named_fields};
pub use remove::remove;
pub use validate::{Duplicates, ValidationError, ValidationErrors, validate};
