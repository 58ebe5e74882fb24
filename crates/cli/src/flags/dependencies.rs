//! The flags of the commands that fetch a chart's dependencies.

use clap::Args;

use super::ConnectionFlags;

/// How dependencies are fetched.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct DependencyFlags {
    /// Check the provenance of the packages
    #[arg(long)]
    pub(crate) verify: bool,

    /// Public keys to check them with
    #[arg(long, value_name = "FILE")]
    pub(crate) keyring: Option<String>,

    /// Use the cached repository indexes as they are
    #[arg(long)]
    pub(crate) skip_refresh: bool,

    #[command(flatten)]
    pub(crate) connection: ConnectionFlags,
}
