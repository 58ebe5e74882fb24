//! The flags that say which chart is meant and where it comes from.

use std::path::{Path, PathBuf};

use chart::remote::locate::SourceOptions;
use clap::Args;

use super::ConnectionFlags;
use crate::context::Context;
use crate::network::{OnError, wait};
use crate::report::{Failure, debug};

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
    /// The path of the chart that the user names; it is fetched if it is not on this machine.
    pub(crate) fn locate(&self, name: &str, context: &Context) -> Result<PathBuf, Failure> {
        let options = self.options(context);
        if context.settings.debug {
            debug("Original chart version", &[("version", &self.version.as_deref().unwrap_or_default())]);
        }
        let local = Path::new(name.trim());
        // The common case needs no runtime.
        let path = if options.repository.is_empty() && !options.verify && local.exists() {
            std::path::absolute(local)?
        } else {
            wait(context.remote().locate_chart(name, &options, &mut OnError))??
        };
        if context.settings.debug {
            debug("Chart path", &[("path", &path.display())]);
        }
        Ok(path)
    }

    /// These flags as the library wants them.
    pub(crate) fn options(&self, context: &Context) -> SourceOptions {
        SourceOptions {
            version: self.wanted_version().to_owned(),
            repository: self.repo.clone().unwrap_or_default(),
            auth: self.connection.auth(),
            pass_credentials_all: self.pass_credentials,
            tls: self.connection.tls(),
            plain_http: self.connection.plain_http,
            verify: self.verify,
            keyring: context.settings.keyring(self.keyring.as_deref()),
        }
    }

    /// The version asked for, with what `--devel` means.
    fn wanted_version(&self) -> &str {
        match self.version.as_deref() {
            None | Some("") if self.devel => ">0.0.0-0",
            version => version.unwrap_or_default(),
        }
    }
}
