//! Go's `text/template` with sprig and the functions Helm adds.

mod builtins;
mod error;
pub mod fmt;
pub mod functions;
mod parse;
pub mod value;

pub use functions::{FunctionError, Functions};
pub use value::Value;
