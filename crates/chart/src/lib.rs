//! Helm charts: loading, values, dependencies, rendering, repositories.

pub mod capabilities;
mod chart;
pub mod checks;
pub mod create;
mod decode;
mod file;
mod glob;
pub mod ignore;
pub mod lint;
pub mod load;
mod metadata;
pub mod package;
mod path;
pub mod prepare;
pub mod remote;
pub mod render;
pub mod schema;
pub mod show;
mod validate;
pub mod values;

pub use capabilities::Capabilities;
pub use chart::{ApiVersion, Chart};
pub use decode::DecodeError;
pub use file::File;
pub use load::{LoadError, Loaded, load};
pub use metadata::{Dependency, Lock, Maintainer, Metadata};
pub use render::{RenderError, RenderOptions, Rendered, render};
pub use validate::MetadataError;
