//! The flags that every command takes.

use clap::Args;

/// Flags of every command; the environment fills in what is not given.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Global options")]
pub(crate) struct GlobalFlags {
    /// Namespace to work in
    #[arg(short, long, global = true, value_name = "NAME")]
    pub(crate) namespace: Option<String>,

    /// Tell more about what is being done
    #[arg(long, global = true)]
    pub(crate) debug: bool,

    /// When to use colours: never, auto or always
    #[arg(long, alias = "colour", global = true, value_name = "WHEN")]
    pub(crate) color: Option<String>,

    /// Work on the embedded cluster, which needs no other
    #[arg(long, global = true)]
    pub(crate) embedded: bool,

    /// Path of the kubeconfig file
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) kubeconfig: Option<String>,

    /// Name of the kubeconfig context to use
    #[arg(long, global = true, value_name = "NAME")]
    pub(crate) kube_context: Option<String>,

    /// Address of the Kubernetes API server
    #[arg(long, global = true, value_name = "URL", hide_short_help = true)]
    pub(crate) kube_apiserver: Option<String>,

    /// Group to act as (can be given several times)
    #[arg(long = "kube-as-group", global = true, value_name = "GROUP", hide_short_help = true)]
    pub(crate) kube_as_groups: Vec<String>,

    /// User to act as
    #[arg(long, global = true, value_name = "USER", hide_short_help = true)]
    pub(crate) kube_as_user: Option<String>,

    /// Certificate authority of the Kubernetes API server
    #[arg(long, global = true, value_name = "FILE", hide_short_help = true)]
    pub(crate) kube_ca_file: Option<String>,

    /// Do not check the certificate of the Kubernetes API server
    #[arg(long, global = true, hide_short_help = true)]
    pub(crate) kube_insecure_skip_tls_verify: bool,

    /// Server name to expect in the certificate of the Kubernetes API server
    #[arg(long, global = true, value_name = "NAME", hide_short_help = true)]
    pub(crate) kube_tls_server_name: Option<String>,

    /// Bearer token for the Kubernetes API server
    #[arg(long, global = true, value_name = "TOKEN", hide_short_help = true)]
    pub(crate) kube_token: Option<String>,

    /// Requests that may be sent to the Kubernetes API at once
    #[arg(long, global = true, value_name = "COUNT", hide_short_help = true)]
    pub(crate) burst_limit: Option<i64>,

    /// Requests per second to the Kubernetes API, bursts apart
    #[arg(long, global = true, value_name = "RATE", hide_short_help = true)]
    pub(crate) qps: Option<f32>,

    /// File with the credentials of registries
    #[arg(long, global = true, value_name = "FILE", hide_short_help = true)]
    pub(crate) registry_config: Option<String>,

    /// File with the names and URLs of repositories
    #[arg(long, global = true, value_name = "FILE", hide_short_help = true)]
    pub(crate) repository_config: Option<String>,

    /// Directory of the cached repository indexes
    #[arg(long, global = true, value_name = "DIRECTORY", hide_short_help = true)]
    pub(crate) repository_cache: Option<String>,

    /// Directory of cached charts
    #[arg(long, global = true, value_name = "DIRECTORY", hide_short_help = true)]
    pub(crate) content_cache: Option<String>,
}
