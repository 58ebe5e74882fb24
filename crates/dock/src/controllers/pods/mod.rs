//! Pods: given a Node by the scheduler, brought to life and to their end by the kubelet, as scripted.

mod containers;
mod fate;
pub mod kubelet;
pub mod scheduler;
mod state;

pub use state::{is_active, is_available, is_ready, is_terminal, next_availability};
