//! What a person reads when something goes wrong, and the exit code a script sees.

mod failure;
mod loading;
mod misspelt;
mod planning;
mod rendering;
mod snippet;
mod usage;
mod warning;

pub(crate) use failure::Failure;
pub(crate) use loading::{loading, short};
pub(crate) use planning::{planning, reading, rules};
pub(crate) use rendering::{Origin, rendering};
pub(crate) use snippet::Snippet;
pub(crate) use usage::{accepts_at_most, accepts_none, needs_at_least, needs_exactly, refused};
pub(crate) use warning::{debug, deprecated_flag, plain, warn};
