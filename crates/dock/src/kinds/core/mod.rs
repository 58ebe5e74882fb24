//! The kinds of the core group that hold no pods.

pub(crate) mod balancer;
pub(crate) mod config;
pub(crate) mod event;
pub(crate) mod namespace;
pub(crate) mod node;
pub(crate) mod service;
pub(crate) mod service_account;
pub mod service_addresses;
