//! Which cluster it is, and how it is reached.

use std::path::PathBuf;

use kube::config::{KubeConfigOptions, Kubeconfig};
use kube::{Client, Config};

use super::renewal::Renewing;
use crate::report::Failure;

/// The cluster that flags and environment choose.
#[derive(Clone, Debug)]
pub(crate) enum Choice {
    /// The embedded one, kept in this directory.
    Embedded(PathBuf),
    /// One of a kubeconfig, or the one that this runs in.
    Kubeconfig(Box<Connection>),
}

/// How a cluster is reached; what is empty is left to the kubeconfig.
#[derive(Clone, Debug, Default)]
pub(crate) struct Connection {
    pub(crate) kubeconfig: Option<String>,
    pub(crate) context: String,
    pub(crate) server: String,
    pub(crate) token: String,
    pub(crate) as_user: String,
    pub(crate) as_groups: Vec<String>,
    pub(crate) authority_file: String,
    pub(crate) skip_tls_verify: bool,
    pub(crate) tls_server_name: String,
}

impl Connection {
    /// A client of that cluster.
    pub(super) async fn client(&self) -> Result<Client, Failure> {
        // Somebody else in this process may have chosen the same.
        let _ = rustls::crypto::aws_lc_rs::default_provider().install_default();
        let config = self.config().await?;
        let namespace = config.default_namespace.clone();
        let client = Client::try_from(config).map_err(|error| {
            Failure::new(format!("Kubernetes cluster unreachable: {}", engine::with_causes(&error)))
        })?;
        Ok(Client::new(Renewing::new(self.clone(), client), namespace))
    }

    pub(super) async fn config(&self) -> Result<Config, Failure> {
        let wrong = |error: &dyn std::error::Error| {
            Failure::new(format!("Kubernetes cluster unreachable: {}", engine::with_causes(error)))
                .hint("--kubeconfig names a kubeconfig file, --embedded uses a cluster that needs none")
        };
        let options = KubeConfigOptions {
            context: Some(self.context.clone()).filter(|context| !context.is_empty()),
            ..KubeConfigOptions::default()
        };
        let mut config = match self.kubeconfig.as_deref().filter(|file| !file.is_empty()) {
            Some(file) => {
                let kubeconfig = Kubeconfig::read_from(file).map_err(|error| wrong(&error))?;
                Config::from_custom_kubeconfig(kubeconfig, &options).await.map_err(|error| wrong(&error))?
            }
            None => match Config::from_kubeconfig(&options).await {
                Ok(config) => config,
                // Without a kubeconfig it may be a pod that this runs in, or a flag says all there is to say.
                Err(error) => match Config::incluster() {
                    Ok(config) => config,
                    Err(_) if !self.server.is_empty() => Config::new(self.server_address()?),
                    Err(_) => return Err(wrong(&error)),
                },
            },
        };
        self.overrule(&mut config)?;
        // Whoever asks decides what is asked again, and how many at once.
        config.default_retry = false;
        Ok(config)
    }

    /// Flags beat the kubeconfig.
    fn overrule(&self, config: &mut Config) -> Result<(), Failure> {
        if !self.server.is_empty() {
            config.cluster_url = self.server_address()?;
        }
        if !self.token.is_empty() {
            config.auth_info.token = Some(self.token.clone().into());
        }
        if !self.as_user.is_empty() {
            config.auth_info.impersonate = Some(self.as_user.clone());
        }
        if !self.as_groups.is_empty() {
            config.auth_info.impersonate_groups = Some(self.as_groups.clone());
        }
        if !self.authority_file.is_empty() {
            config.root_cert = None;
            config.root_cert_file = Some(PathBuf::from(&self.authority_file));
        }
        if self.skip_tls_verify {
            config.accept_invalid_certs = true;
        }
        if !self.tls_server_name.is_empty() {
            config.tls_server_name = Some(self.tls_server_name.clone());
        }
        Ok(())
    }

    fn server_address(&self) -> Result<http::Uri, Failure> {
        self.server.parse().map_err(|error| {
            Failure::usage(format!("invalid address of the API server {:?}: {error}", self.server))
        })
    }
}
