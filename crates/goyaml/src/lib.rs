//! YAML exactly as Go's `sigs.k8s.io/yaml` reads and writes it.

mod value;

pub use value::{Mapping, Value};
