//! The custom resources of Slipway.
//!
//! A [`Bundle`] is a set of objects that belong together, with references between them; what it no longer lists goes
//! away, at once or after a delay. A [`DeployItem`] is a chart or a set of manifests with rules about how it is taken
//! out. Both are of the group `slipway.dev`; controllers in the crate `operator` act on them.
//!
//! The types are the one source of everything that describes them: [`definitions`] makes the
//! `CustomResourceDefinition`s that are installed, and the documentation of each field is what `kubectl explain`
//! prints.
//!
//! Older systems have objects of the same meaning: Smith its `Bundle` ([`smith`]), the Landscaper its `DeployItem`
//! ([`landscaper`]), Service Catalog its brokers, instances and bindings ([`service_catalog`]). [`mapped`] makes ours of theirs, field for field, so that what was written for them applies as it
//! stands; what has no counterpart here is refused by name, never dropped in silence.
//!
//! ```
//! let written = serde_json::json!({
//!     "apiVersion": "smith.atlassian.com/v1",
//!     "kind": "Bundle",
//!     "metadata": {"name": "my-bundle"},
//!     "spec": {"resources": []},
//! });
//! let ours = api::mapped(written)?;
//! assert_eq!(ours["apiVersion"], "slipway.dev/v1alpha1");
//! # Ok::<(), api::MappingError>(())
//! ```

mod annotations;
pub mod bundle;
mod crds;
pub mod deploy_item;
pub mod landscaper;
mod mapping;
pub mod service_catalog;
pub mod smith;

pub use annotations::{DELETE_WITHOUT_UNINSTALL, INTERRUPT};
pub use bundle::{Bundle, BundleSpec, BundleStatus};
pub use crds::{definitions, yaml};
pub use deploy_item::{DeployItem, DeployItemSpec, DeployItemStatus};
pub use mapping::{MappingError, mapped};

/// The group of these resources.
pub const GROUP: &str = "slipway.dev";
/// Their version.
pub const VERSION: &str = "v1alpha1";
