//! Go's `text/template` with sprig and the functions Helm adds.

mod builtins;
mod error;
pub mod fmt;
pub mod functions;
pub mod gotime;
mod parse;
pub mod regexp;
pub mod semver;
pub mod value;

pub use functions::{FunctionError, Functions};
pub use value::Value;
