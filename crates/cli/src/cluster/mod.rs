//! The cluster that a command works on: that of a kubeconfig, or the embedded one.

mod choice;
mod lookup;
mod pod;
mod proxy;
mod renewal;

use std::path::PathBuf;

use chart::Capabilities;
use engine::Served;
use kube::Client;
use release::StorageError;
use tokio::runtime::Runtime;

pub(crate) use choice::{Choice, Connection};

use crate::report::Failure;

/// A cluster that answers, and the runtime on which it is asked.
pub(crate) struct Cluster {
    runtime: Runtime,
    client: Client,
}

impl Cluster {
    /// Connects to the cluster that was chosen.
    pub(crate) fn connect(choice: &Choice) -> Result<Self, Failure> {
        // An embedded cluster lives on it too, beside the command that asks.
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
        let client = match choice {
            Choice::Embedded(directory) => runtime.block_on(embedded(directory.clone()))?,
            Choice::Kubeconfig(connection) => runtime.block_on(connection.client())?,
        };
        Ok(Self { runtime, client })
    }

    /// A cluster that lives on a runtime of its own.
    pub(crate) fn on(runtime: Runtime, client: Client) -> Self {
        Self { runtime, client }
    }

    /// Runs asynchronous work to its end.
    pub(crate) fn wait<Work: Future>(&self, work: Work) -> Work::Output {
        self.runtime.block_on(work)
    }

    /// Runs work beside the command.
    pub(crate) fn spawn(&self, work: impl Future<Output = ()> + Send + 'static) {
        self.runtime.spawn(work);
    }

    /// A client of it.
    pub(crate) fn client(&self) -> Client {
        self.client.clone()
    }

    /// What it serves.
    pub(crate) fn served(&self) -> Result<Served, Failure> {
        self.wait(Served::ask(&self.client)).map_err(|error| unreachable(&error))
    }
}

/// What templates are told about a cluster, as Helm tells it.
pub(crate) fn capabilities(served: &Served) -> Capabilities {
    let kinds = served.kinds_by_version();
    Capabilities {
        kube_version: served.version.parse().unwrap_or_default(),
        api_versions: served.api_versions.iter().cloned().chain(kinds).collect(),
    }
}

async fn embedded(directory: PathBuf) -> Result<Client, Failure> {
    let cluster = dock::embedded::Embedded::open(&directory).await.map_err(|error| {
        Failure::new(format!("the embedded cluster cannot be used: {error}"))
            .hint("SLIPWAY_DATA names the directory that it is kept in")
    })?;
    Ok(Client::new(cluster, "default"))
}

pub(crate) fn unreachable(error: &kube::Error) -> Failure {
    Failure::new(format!("kubernetes cluster unreachable: {}", engine::with_causes(error)))
        .hint("--kubeconfig and --kube-context choose another cluster, --embedded one that needs none")
}

/// Records that cannot be had: the cluster refuses, or cannot be reached.
pub(crate) fn unreadable(error: &StorageError) -> Failure {
    match error {
        StorageError::Cluster { source, .. } if !matches!(**source, kube::Error::Api(_)) => {
            unreachable(source)
        }
        StorageError::Cluster { source, .. } if matches!(&**source, kube::Error::Api(status) if status.code == 401) => {
            Failure::new(
                "kubernetes cluster unreachable: the server has asked for the client to provide credentials",
            )
        }
        error => Failure::new(error.to_string()),
    }
}
