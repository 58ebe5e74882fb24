//! The flags that say which chart is meant and where it comes from.

use clap::Args;

use super::ConnectionFlags;

/// Version, repository and provenance of a chart that is named rather than given as a path.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Where the chart comes from")]
pub(crate) struct ChartSourceFlags {
    /// Version or range of versions of the chart; the newest stable one if not given
    #[arg(long, value_name = "RANGE")]
    pub(crate) version: Option<String>,

    /// Consider pre-releases too, as with --version '>0.0.0-0'
    #[arg(long)]
    pub(crate) devel: bool,

    /// URL of the repository that has the chart
    #[arg(long, value_name = "URL")]
    pub(crate) repo: Option<String>,

    /// Check the provenance of the packaged chart before using it
    #[arg(long)]
    pub(crate) verify: bool,

    /// Public keys to check it with
    #[arg(long, value_name = "FILE")]
    pub(crate) keyring: Option<String>,

    /// Send the credentials to every host that is asked, not only to the repository's
    #[arg(long)]
    pub(crate) pass_credentials: bool,

    #[command(flatten)]
    pub(crate) connection: ConnectionFlags,
}

impl ChartSourceFlags {
    /// The version asked for, with what `--devel` means.
    pub(crate) fn wanted_version(&self) -> &str {
        match self.version.as_deref() {
            None | Some("") if self.devel => ">0.0.0-0",
            version => version.unwrap_or_default(),
        }
    }
}
