//! What makes objects come to life.
use crate::server::Server;
use std::sync::Arc;
/// Starts them.
pub fn start(_server: &Arc<Server>) {}
