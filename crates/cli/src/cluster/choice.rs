//! Which cluster it is, and how it is reached.

use std::path::PathBuf;

use kube::config::{KubeConfigOptions, Kubeconfig, KubeconfigError};
use kube::{Client, Config};

use super::renewal::Renewing;
use super::{pod, proxy};
use crate::report::Failure;
use crate::settings;

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
        let client = engine::connect(config).map_err(|error| {
            Failure::new(format!("kubernetes cluster unreachable: {}", engine::with_causes(&error)))
        })?;
        Ok(Client::new(Renewing::new(self.clone(), client), namespace))
    }

    pub(super) async fn config(&self) -> Result<Config, Failure> {
        let wrong = |error: &dyn std::error::Error| {
            Failure::new(format!("kubernetes cluster unreachable: {}", engine::with_causes(error)))
                .hint("--kubeconfig names a kubeconfig file, --embedded uses a cluster that needs none")
        };
        let options = KubeConfigOptions {
            context: Some(self.context.clone()).filter(|context| !context.is_empty()),
            ..KubeConfigOptions::default()
        };
        let variable = |name: &str| std::env::var(name).ok();
        let (mut config, proxy) = match self.kubeconfig().map_err(|error| wrong(&error))? {
            Some(kubeconfig) => {
                if !self.context.is_empty()
                    && !kubeconfig.contexts.iter().any(|known| known.name == self.context)
                {
                    let known: Vec<&str> =
                        kubeconfig.contexts.iter().map(|known| known.name.as_str()).collect();
                    return Err(Failure::new(format!(
                        "kubernetes cluster unreachable: context {:?} does not exist",
                        self.context
                    ))
                    .hint(format!("the contexts are: {}", known.join(", "))));
                }
                let proxy = self.proxy_of(&kubeconfig);
                let config = Config::from_custom_kubeconfig(kubeconfig, &options).await;
                (config.map_err(|error| wrong(&error))?, proxy)
            }
            // Without a kubeconfig it may be a pod that this runs in, or a flag says all there is to say.
            None => match pod::surroundings(variable) {
                Some(config) => (config, None),
                None if !self.server.is_empty() => (Config::new(self.server_address()?), None),
                None => {
                    let files: Vec<String> =
                        settings::kubeconfig_files().iter().map(|file| file.display().to_string()).collect();
                    let missing = format!("there is no kubeconfig: {} is missing", files.join(", "));
                    return Err(wrong(&std::io::Error::other(missing)));
                }
            },
        };
        self.overrule(&mut config)?;
        let proxy = proxy.or_else(|| proxy::from_environment(&config.cluster_url, variable));
        config.proxy_url = match proxy {
            Some(proxy) => Some(proxy.parse().map_err(|error: http::uri::InvalidUri| wrong(&error))?),
            None => None,
        };
        Ok(config)
    }

    /// The kubeconfig: the file that a flag names, else those of `KUBECONFIG` together, else the user's. One that is not
    /// there says nothing, unless it was named by the flag.
    fn kubeconfig(&self) -> Result<Option<Kubeconfig>, KubeconfigError> {
        if let Some(file) = self.kubeconfig.as_deref().filter(|file| !file.is_empty()) {
            return Kubeconfig::read_from(file).map(Some);
        }
        let mut merged: Option<Kubeconfig> = None;
        for file in settings::kubeconfig_files().into_iter().filter(|file| file.exists()) {
            let read = Kubeconfig::read_from(file)?;
            merged = Some(match merged {
                Some(before) => before.merge(read)?,
                None => read,
            });
        }
        Ok(merged)
    }

    /// The proxy that the cluster of the chosen context names.
    fn proxy_of(&self, kubeconfig: &Kubeconfig) -> Option<String> {
        let wanted = match self.context.as_str() {
            "" => kubeconfig.current_context.as_deref()?,
            context => context,
        };
        let context = kubeconfig.contexts.iter().find(|context| context.name == wanted)?;
        let cluster = &context.context.as_ref()?.cluster;
        let cluster = kubeconfig.clusters.iter().find(|known| known.name == *cluster)?;
        cluster.cluster.as_ref()?.proxy_url.clone().filter(|proxy| !proxy.is_empty())
    }

    /// Flags beat the kubeconfig.
    fn overrule(&self, config: &mut Config) -> Result<(), Failure> {
        if !self.server.is_empty() {
            config.cluster_url = self.server_address()?;
        }
        if !self.token.is_empty() {
            let token = Some(self.token.clone().into());
            // Whatever else would say who asks is not asked any more; a certificate stays, as it does for Helm.
            let auth = &mut config.auth_info;
            (auth.token, auth.token_file, auth.exec, auth.auth_provider) = (token, None, None, None);
            (auth.username, auth.password) = (None, None);
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
