//! Kubernetes objects as Slipway handles them before a cluster is in sight.
//!
//! What lives here is pure: nothing in this crate reads a file, a clock or a network.
//!
//! - [`ObjectId`] says *which* object is meant: API group, kind, namespace and name. The API version is left out on
//!   purpose. An object that a chart moves from `apps/v1beta1` to `apps/v1` is still the same object, and whoever
//!   compares the old and the new set of a release must see that, or deletes what it has just upgraded.
//! - [`Manifest`] is one rendered YAML document: its text exactly as the template wrote it, the [`Source`] it came
//!   from, and the [`Head`] that ordering and hooks need (`apiVersion`, `kind`, `metadata`). The text is never
//!   re-serialised, so what is shown, hashed, stored and applied is one and the same.
//! - [`KindOrder`] is the order in which kinds go in and come out, as Helm has it. The two orders are not each
//!   other's reverse: on the way out a Service leaves before the workloads behind it.
//! - [`Kinds`] knows which kinds have a namespace and who defines them: the API server, the set itself, or
//!   somebody else.
//! - [`GoDuration`] is a span of time as users write it: `1h30m`, or `7d`.
//! - [`read_objects`] reads a text of several documents and lists, and remembers where everything stands.
//! - [`read_in_halves`] reads many documents on two processors.
//! - [`readiness`] tells when an object is ready: kstatus, and what charts and ordering add to it.
//! - [`jsonpath`] is Kubernetes' dialect of JSONPath, which finds things inside of an object.
//!
//! ```
//! use objects::{Head, KindOrder, ObjectId};
//!
//! let head = Head { api_version: "apps/v1".into(), kind: "Deployment".into(), name: "web".into(), ..Head::default() };
//! assert_eq!(head.id("shop").to_string(), "Deployment.apps shop/web");
//!
//! let mut kinds = ["Deployment", "Widget", "Namespace", "Gadget"];
//! KindOrder::Install.sort_by_key(&mut kinds, |kind| kind);
//! assert_eq!(kinds, ["Namespace", "Deployment", "Gadget", "Widget"]);
//! # let _: ObjectId = head.id("shop");
//! ```

mod annotation_list;
mod duration;
mod go_text;
mod halves;
mod identity;
pub mod jsonpath;
mod kind_order;
pub mod kinds;
mod manifest;
mod moment;
pub mod readiness;
mod stream;

pub use annotation_list::{ListError, annotation_list};
pub use duration::{GoDuration, GoDurationError};
pub use halves::read_in_halves;
pub use identity::ObjectId;
pub use kind_order::KindOrder;
pub use kinds::{Definition, DefinitionError, Kinds, Origin, Scope};
pub use manifest::{Head, Manifest, Source};
pub use moment::parse_time;
pub use stream::{Located, StreamError, StreamProblem, read_objects};
