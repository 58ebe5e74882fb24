//! Where charts come from and go to: repositories, registries, the dependency lock, provenance.

mod files;
pub mod http;
pub mod paths;
pub mod url;
