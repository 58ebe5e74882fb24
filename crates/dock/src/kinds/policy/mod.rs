//! Kinds that say who may do what, and how much of it: roles, budgets, classes, leases.

pub(crate) mod access;
pub(crate) mod budget;
pub(crate) mod classes;
pub(crate) mod lease;
pub(crate) mod quota;
pub(crate) mod usage;
