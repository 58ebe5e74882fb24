//! Custom resources: their definitions, and what holds for the objects of each.

pub mod check;
mod correlate;
pub mod defaulting;
pub mod definition;
mod field_path;
pub mod formats;
pub mod lists;
pub mod metadata;
pub mod props;
pub mod prune;
pub mod structural;
