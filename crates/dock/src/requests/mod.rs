//! What the server does with a request for a resource.
//!
//! A request becomes a [`Call`]: which resource, which object, who asks, with which options. Reading answers from the
//! store. Writing goes the way of the real server: decode, default, take over managed fields, admission, preparation
//! and validation by the kind, then one conditional change of the store, repeated if somebody was quicker.

mod addresses;
mod body;
mod call;
mod commit;
mod create;
mod delete;
mod delete_collection;
mod lifecycle;
mod list;
mod managed;
mod metadata;
mod parts;
mod patch;
mod read;
mod reviews;
mod scale;
mod token;
mod update;
mod watch;

pub use call::{Call, Operation};
pub(crate) use delete::DeleteOptions;
pub(crate) use patch::PATCH_TYPES;
