//! A chart's dependencies: what `Chart.yaml` wants, what `Chart.lock` settled, what lies in `charts/`.
//!
//! [`Manager::update`] settles versions anew, downloads them and writes the lock; [`Manager::build`] downloads what
//! the lock settled; [`list`] tells how things stand.
//!
//! Archives are first gathered in a directory beside `charts/` and moved in when all are there, so that a failed
//! download leaves `charts/` as it was.

mod build;
mod failure;
mod indexes;
pub mod list;
mod local;
mod lock;
mod missing;
mod replace;
mod resolve;

use std::path::PathBuf;
use std::time::SystemTime;

pub use failure::DependencyError;
pub use lock::{digest, digest_of_helm2};

use super::Remote;
use super::download::Verify;
use super::oci::Registry;

/// Brings `charts/` in line with what a chart wants.
#[derive(Debug)]
pub struct Manager<'a> {
    /// The user's repositories.
    pub remote: &'a Remote,
    /// For dependencies in registries.
    pub registry: &'a Registry,
    /// The chart's directory.
    pub chart: PathBuf,
    /// What is done about signatures.
    pub verify: Verify,
    /// The keyring to check them with.
    pub keyring: PathBuf,
    /// Use the indexes that are cached.
    pub skip_refresh: bool,
    /// Tell more.
    pub debug: bool,
    /// The time to give the files of archives made here, so that they come out the same every time.
    pub source_date: Option<SystemTime>,
}

#[cfg(test)]
mod tests;
