//! A Kubernetes API server in this process.

pub mod field;
pub mod kinds;
pub mod meta;
pub mod selectors;
pub mod status;
