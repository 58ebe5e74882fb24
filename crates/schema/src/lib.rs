//! What the API server knows of the structure of objects.
//!
//! Three things follow the structure of an object rather than its JSON: server-side apply (a list of containers is a
//! map by name), strategic merge patches (the same lists, with Go's own merge keys), and the check for unknown fields.
//! They all walk a [`View`]: a place in a [`Schema`], together with the [`Types`] its names refer to.
//!
//! The built-in kinds come from the types of `k8s-openapi`, which a build script turns into one compressed table; what
//! those types do not say (which lists are maps or sets, which keys a strategic merge uses) stands in a table of facts
//! written by hand. Custom kinds bring their own schema, read from their definition.
//!
//! ```
//! use schema::{ListKind, Schema, Shape, Types};
//!
//! let ports = Schema::list(Schema::object([("port", Schema::integer()), ("protocol", Schema::string())]), ListKind::Map(vec!["port".into()]));
//! let service = Schema::object([("ports", ports)]);
//! let types = Types::default();
//! let view = types.view(&service).field("ports").unwrap();
//! assert!(matches!(view.shape(), Shape::List { kind: ListKind::Map(_), .. }));
//! ```

mod builtin;
mod decode;
mod json;
mod patch;
mod scalar;
mod structure;

pub use builtin::{Kind, Scope, builtin, documented_types, kinds, types};
pub use decode::{DecodeError, Decoded, check_fields, convert, decode, respelled_lists, strict_error};
pub use json::{SyntaxError, Text, Tree, show, show_all};
pub use patch::{
    MAX_OPERATIONS, Merged, OperationError, PatchError, Patched, StrategicError, json_patch, merge_patch,
    strategic_merge_patch,
};
pub use scalar::{Moment, Quantity, QuantityError, TimeError};
pub use structure::{Encoding, ListKind, MapKind, Omit, Patching, Scalar, Schema, Shape, Types, View};
