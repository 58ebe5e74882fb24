//! Custom resources: their definitions, and what holds for the objects of each.
//!
//! A [`Definition`](definition::Definition) is read from a `CustomResourceDefinition`; [`definition`] fills it in and
//! checks it, [`conditions`] decides whether it is served. Each served version is compiled into a [`CustomVersion`],
//! which reads objects ([`prune`], [`defaulting`], [`metadata`]), checks them ([`check`], [`lists`]) and shows them as
//! tables ([`columns`]) and scales ([`scale`]).

mod apply;
pub mod check;
pub mod columns;
pub mod conditions;
mod correlate;
pub mod defaulting;
pub mod definition;
mod field_path;
pub mod formats;
pub mod lists;
pub mod metadata;
pub mod props;
pub mod prune;
mod resource;
mod rules;
pub mod scale;
pub mod structural;

pub use resource::{CustomVersion, rank};
