//! Volumes, claims to them, and classes of storage.

pub(crate) mod claim;
pub(crate) mod driver;
pub(crate) mod sources;
pub(crate) mod volume;
