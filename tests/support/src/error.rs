//! Why a test cannot go on.

/// What went wrong in a test's cluster.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The cluster refused, or could not be asked.
    #[error(transparent)]
    Kube(#[from] kube::Error),
    /// The kubeconfig cannot be used.
    #[error("SLIPWAY_KUBECONFIG: {0}")]
    Kubeconfig(#[from] kube::config::KubeconfigError),
    /// The word is none that stands for a cluster.
    #[error("SLIPWAY_CLUSTER={0}: it is either dock or control-plane")]
    Unknown(String),
    /// The control plane is wanted, but where it is was not said.
    #[error("SLIPWAY_CLUSTER=control-plane needs SLIPWAY_KUBECONFIG, which tests/control-plane/up prints")]
    Nowhere,
    /// A socket is not to be had.
    #[error(transparent)]
    Socket(#[from] std::io::Error),
    /// An object is not what its kind wants.
    #[error("the object cannot be read: {0}")]
    Object(#[from] serde_json::Error),
    /// A watch broke.
    #[error(transparent)]
    Watch(#[from] kube::runtime::watcher::Error),
    /// It did not happen in time.
    #[error("{what} did not happen within {seconds} s; last seen: {last}")]
    Late {
        /// What was waited for.
        what: String,
        /// How long.
        seconds: u64,
        /// The objects as they were in the end.
        last: String,
    },
}
