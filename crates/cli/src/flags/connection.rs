//! The flags that say how a server is reached and who is asking.

use chart::remote::http::{BasicAuth, TlsOptions};
use clap::Args;

/// Credentials and TLS for one repository or registry.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Connection")]
pub(crate) struct ConnectionFlags {
    /// User name at the repository or registry
    #[arg(long, value_name = "USER")]
    pub(crate) username: Option<String>,

    /// Password at the repository or registry
    #[arg(long, value_name = "PASSWORD")]
    pub(crate) password: Option<String>,

    /// Certificate to identify with
    #[arg(long, value_name = "FILE")]
    pub(crate) cert_file: Option<String>,

    /// Key of that certificate
    #[arg(long, value_name = "FILE")]
    pub(crate) key_file: Option<String>,

    /// Certificate authorities to trust
    #[arg(long, value_name = "FILE")]
    pub(crate) ca_file: Option<String>,

    /// Do not check the server's certificate
    #[arg(long)]
    pub(crate) insecure_skip_tls_verify: bool,

    /// Speak plain HTTP to registries
    #[arg(long)]
    pub(crate) plain_http: bool,
}

impl ConnectionFlags {
    /// Who is asking.
    pub(crate) fn auth(&self) -> BasicAuth {
        let or_empty = |text: &Option<String>| text.clone().unwrap_or_default();
        BasicAuth { username: or_empty(&self.username), password: or_empty(&self.password) }
    }

    /// With which certificates.
    pub(crate) fn tls(&self) -> TlsOptions {
        let or_empty = |text: &Option<String>| text.clone().unwrap_or_default();
        TlsOptions {
            cert_file: or_empty(&self.cert_file),
            key_file: or_empty(&self.key_file),
            ca_file: or_empty(&self.ca_file),
            insecure: self.insecure_skip_tls_verify,
        }
    }
}
