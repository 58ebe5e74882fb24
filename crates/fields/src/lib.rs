//! Who owns which field: server-side apply and `metadata.managedFields`, as the Kubernetes API server has them.
//!
//! Every field of an object has owners: managers that set it, each by [`Operation::Apply`] or by
//! [`Operation::Update`]. Whoever applies an object states all that it wants; what it stated before and states no
//! longer is removed, unless others own it too; what others own and it would change is a conflict. Whoever updates an
//! object owns what it changed.
//!
//! - A field is a path of [`PathElement`]s; sets of them are [`FieldSet`]s, which stand in objects as `FieldsV1`.
//! - What the fields of a value are follows its schema ([`schema::View`]): a list of containers is a map by name, a
//!   selector is one value. The functions of [`typed`] see values that way: [`typed::fields_of`], [`typed::compare`],
//!   [`typed::merge`], [`typed::remove`], [`typed::validate`].
//! - [`Managers`] are the entries of `metadata.managedFields`.
//! - A server describes each write as a [`Request`] (whose manager [`manager_name`] tells), and calls [`Request::update`] or [`Request::apply`] with the
//!   stored object; then, when the new object is complete, [`keep_times`], so that a write that changes nothing is none.
//!   The owners of replicas pass through a `Scale` by [`scale::to_scale`] and [`scale::from_scale`].
//!
//! All functions are pure; time is an argument. Refusals ([`ApplyError`]) have the words of the real server.
//!
//! ```
//! use fields::{FieldSet, OneVersion, Request};
//! use schema::{Schema, Types};
//! use serde_json::json;
//!
//! let types = Types::default();
//! let config_map = Schema::object([
//!     ("apiVersion", Schema::string()),
//!     ("kind", Schema::string()),
//!     ("metadata", Schema::untyped()),
//!     ("data", Schema::map(Schema::string())),
//! ]);
//! let nothing = FieldSet::default();
//! let request = Request {
//!     manager: "alice",
//!     api_version: "v1",
//!     kind: "ConfigMap",
//!     subresource: "",
//!     view: types.view(&config_map),
//!     reset: &nothing,
//!     rewritten: &nothing,
//!     empty: &json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {}}),
//!     versions: &OneVersion,
//!     now: "2026-01-01T00:00:00Z".parse()?,
//! };
//! let config = |data| json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}, "data": data});
//!
//! // Alice applies two entries; Bob wants one of them otherwise.
//! let live = request.apply(None, &config(json!({"a": "1", "b": "2"})), false)?;
//! assert_eq!(live["metadata"]["managedFields"][0]["fieldsV1"], json!({"f:data": {"f:a": {}, "f:b": {}}}));
//! let bob = Request { manager: "bob", ..request };
//! let refused = bob.apply(Some(&live), &config(json!({"a": "3"})), false).unwrap_err();
//! assert_eq!(refused.to_string(), r#"Apply failed with 1 conflict: conflict with "alice": .data.a"#);
//!
//! // By force it is Bob's; what Alice applies no longer, and nobody else does, is gone.
//! let live = bob.apply(Some(&live), &config(json!({"a": "3"})), true)?;
//! let live = request.apply(Some(&live), &config(json!({})), false)?;
//! assert_eq!(live["data"], json!({"a": "3"}));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod agent;
mod apply;
mod codec;
mod conflict;
mod element;
mod gotext;
mod last_applied;
mod managers;
mod order;
mod prune;
mod refusal;
mod request;
pub mod scale;
mod set;
mod times;
pub mod typed;
mod versions;

pub use agent::manager_name;
pub use codec::FieldsError;
pub use conflict::{Conflict, Conflicts};
pub use element::{ElementError, PathElement};
pub use managers::{Entry, Managers, ManagersError, Operation};
pub use prune::PruneError;
pub use refusal::{ApplyError, ObjectName, ObjectType, VersionError};
pub use request::Request;
pub use set::FieldSet;
pub use times::keep_times;
pub use versions::{OneVersion, Versions};
