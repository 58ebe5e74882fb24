//! Helm charts, from files on disk to manifests in the order Helm prints them.
//!
//! A chart goes through four rooms, each a module, and each can be visited alone:
//!
//! 1. [`mod@load`] reads a directory or an archive into a [`Chart`]: metadata, templates, default values, other files,
//!    and the charts in `charts/`. Archives are not trusted: sizes are bounded and paths that lead out are refused.
//! 2. [`values`] merges what a user gives (`-f`, `--set` and its relatives) into one tree. Numbers keep the kind that
//!    Go would give them, because templates can tell.
//! 3. [`prepare`] applies the rules between charts: aliases, tags, conditions, `import-values`, globals, and which
//!    null deletes what. Tables are shared references from here on, as they are in Helm, where a chart can see what
//!    another has put into a table they both hold. Then [`schema`] says whether the values are acceptable.
//! 4. [`render()`] runs the templates (`gotmpl` does that) and makes a [`Rendered`] of what they write: documents cut
//!    apart, heads read, hooks told from manifests, everything in install order. [`render::output`] turns it into
//!    the very bytes of `helm template`.
//!
//! Which charts took part, and what they declare about the order among them, is in [`declared`]: facts, from which
//! others plan.
//!
//! Around them stand [`mod@lint`], [`package`], [`mod@create`], [`mod@show`] and [`checks`], which are what the
//! commands of those names do; and [`remote`], the only part that talks to a network: repositories, registries,
//! locks and provenance.
//!
//! The measure of everything here is Helm 4.3.1. Output and acceptance are the same, and so are the words of errors,
//! quirks included; a comment says so where a rule looks odd. The exceptions are the words for schema violations,
//! and that charts of `apiVersion: v3`, which Helm loads but does not yet render, are rendered.
//!
//! ```no_run
//! use std::path::Path;
//! use std::rc::Rc;
//!
//! use chart::render::output::{self, Parts};
//! use chart::values::ValueOptions;
//! use chart::{RenderOptions, load, render};
//! use gotmpl::functions::Offline;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let loaded = load(Path::new("examples/shop"))?;
//! let options = ValueOptions { set: vec!["replicas=3".to_owned()], ..ValueOptions::default() };
//! let values = options.merge(&mut |_| Err("no files here".to_owned()))?;
//! let rendered = render(&loaded.chart, &values, &mut RenderOptions::new(Rc::new(Offline::default())))?;
//! assert!(output::template(&rendered, Parts::default()).starts_with("---"));
//! # Ok(())
//! # }
//! ```

pub mod capabilities;
mod chart;
pub mod checks;
pub mod create;
pub mod declared;
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
