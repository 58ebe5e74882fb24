//! YAML exactly as Go's `sigs.k8s.io/yaml` reads and writes it.

mod base64;
mod compose;
mod document;
mod emit;
mod error;
mod gosyntax;
mod head;
pub mod json;
mod parse;
mod read;
mod resolve;
mod scan;
pub mod strconv;
mod text_key;
mod timestamp;
mod utf16;
mod value;

pub use document::{Document, Position};
pub use emit::{to_string, to_string_pretty};
pub use error::{Error, YamlError};
pub use head::Head;
pub use read::{from_slice, from_str, from_str_as, from_str_as_strict, from_str_strict};
pub use value::{Mapping, Number, Value};
