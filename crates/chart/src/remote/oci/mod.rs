//! Charts in OCI registries.
//!
//! A chart is an image manifest with a config (the metadata as JSON), a layer (the archive), and perhaps a second
//! layer (the provenance file). [`Registry`] speaks the distribution protocol for exactly this much: it
//! [pulls](Registry::pull) and [pushes](Registry::push) charts, lists [tags](Registry::tags), and
//! [logs in](Registry::login) and out. Underneath, `transport` sends requests and answers challenges, and
//! [`credentials`] finds names and passwords in Helm's and Docker's files and their helpers.

mod annotations;
mod auth;
pub mod credentials;
mod failure;
mod login;
mod manifest;
mod pull;
mod push;
mod reference;
mod tags;
mod transport;

use std::path::PathBuf;
use std::sync::Mutex;

pub use failure::OciError;
pub use manifest::{
    CHART_MEDIA_TYPE, CONFIG_MEDIA_TYPE, Descriptor, LEGACY_CHART_MEDIA_TYPE, PROVENANCE_MEDIA_TYPE,
};
pub use pull::{Pulled, Wanted};
pub use push::Pushed;
pub use reference::{Reference, is_oci};
pub use tags::{Located, matching_tag};

use super::http::{BasicAuth, Http, TlsOptions};
use super::paths::Paths;

/// How to speak with registries.
#[derive(Debug, Clone, Default)]
pub struct RegistryOptions {
    /// Where credentials are kept: Helm's own file.
    pub config: PathBuf,
    /// Where they are looked for next: Docker's.
    pub docker_config: Option<PathBuf>,
    /// Credentials that were given on the command line; they win.
    pub auth: BasicAuth,
    /// Certificates.
    pub tls: TlsOptions,
    /// Speak HTTP, not HTTPS.
    pub plain_http: bool,
}

impl RegistryOptions {
    /// Options with the credential files of these paths.
    pub fn new(paths: &Paths) -> Self {
        Self {
            config: paths.registry_config.clone(),
            docker_config: paths.docker_config.clone(),
            ..Self::default()
        }
    }
}

/// A client of registries.
#[derive(Debug)]
pub struct Registry {
    options: RegistryOptions,
    http: Http,
    tokens: Mutex<auth::Tokens>,
    patience: transport::Patience,
}

impl Registry {
    /// A client with these options. Nothing is read or sent yet.
    pub fn new(http: Http, options: RegistryOptions) -> Self {
        Self { options, http, tokens: Mutex::default(), patience: transport::Patience::default() }
    }

    /// The options it was made with.
    pub fn options(&self) -> &RegistryOptions {
        &self.options
    }

    /// With no pauses between retries.
    #[cfg(test)]
    pub(crate) fn impatient(mut self) -> Self {
        self.patience = transport::Patience::none();
        self
    }

    fn address(&self, reference: &Reference, rest: &str) -> String {
        format!("{}://{}/v2/{}/{rest}", self.scheme(), reference.host(), reference.repository)
    }

    fn scheme(&self) -> &'static str {
        if self.options.plain_http { "http" } else { "https" }
    }
}

/// What Helm adds when a version's `+` became a `_` on its way through a registry.
const UNDERSCORE_NOTE: &str = "
OCI artifact references (e.g. tags) do not support the plus sign (+). To support
storing semantic versions, Helm adopts the convention of changing plus (+) to
an underscore (_) in chart version tags when pushing to a registry and back to
a plus (+) when pulling from a registry.
";

#[cfg(test)]
mod tests;
