//! Go's `text/template` with sprig and the functions Helm adds.

mod builtins;
mod error;
mod exec;
pub mod fmt;
pub mod functions;
pub mod gotime;
pub mod helm;
mod parse;
pub mod regexp;
pub mod semver;
mod set;
pub mod value;

pub use builtins::Builtin;
pub use error::{Error, Phase, Place};
pub use exec::{Limits, MissingKey};
pub use functions::{FunctionError, Functions};
pub use set::{Options, TemplateSet};
pub use value::Value;
