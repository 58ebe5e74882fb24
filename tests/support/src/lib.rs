//! One end-to-end test, two clusters.
//!
//! A test asks for a [`Cluster`] and for a [`Namespace`] of its own in it, and works with a [`kube::Client`] from then on.
//! Which cluster it is, the test does not say: `cargo test` gives it a dock in its own process, which is there within
//! milliseconds and needs nothing; with `SLIPWAY_CLUSTER=control-plane` (`just e2e`) it is the real control plane that
//! `tests/control-plane/up` has started and that `SLIPWAY_KUBECONFIG` points to.
//!
//! What takes time is waited for by a watch: [`eventually`] ends with the event that makes a condition true, [`gone`]
//! with the one that tells of the removal, and both give up after [`PATIENCE`]. No test sleeps.
//!
//! ```no_run
//! # async fn example() -> Result<(), support::Error> {
//! use k8s_openapi::api::core::v1::ConfigMap;
//!
//! let cluster = support::Cluster::start().await?;
//! let namespace = cluster.namespace().await?;
//! let maps = namespace.api::<ConfigMap>();
//! support::create(&maps, serde_json::json!({"metadata": {"name": "settings"}})).await?;
//! support::eventually(&maps, "settings", |map| map.metadata.uid.is_some()).await?;
//! # Ok(())
//! # }
//! ```

mod cluster;
mod error;
mod gate;
mod wait;

pub use cluster::{Cluster, Namespace, On, create};
pub use error::Error;
pub use gate::{Gate, Mishap, Side};
pub use wait::{PATIENCE, eventually, every, gone};
