//! Helm charts: loading, values, dependencies, rendering, repositories.

mod chart;
mod file;
pub mod load;
mod metadata;
pub mod remote;

pub use chart::{ApiVersion, Chart};
pub use file::File;
pub use load::{LoadError, load, load_archive, load_dir};
pub use metadata::{Dependency, ImportValue, Lock, Maintainer, Metadata, MetadataError};
