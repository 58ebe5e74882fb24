//! What a user gives a chart: files of values and `--set` expressions, merged in Helm's order.

mod json_prefix;
mod options;
pub mod set;

pub use options::{Source, ValueOptions, ValuesError};
