//! The cluster of a test, and its own namespace in it.

use std::{env, fmt};

use dock::Dock;
use k8s_openapi::api::core::v1;
use kube::api::{DeleteParams, PostParams};
use kube::config::{KubeConfigOptions, Kubeconfig};
use kube::{Api, Client, Config, Resource, ResourceExt};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::Error;

/// What a cluster is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum On {
    /// The embedded one, in this process.
    Dock,
    /// A real control plane.
    ControlPlane,
}

/// A cluster that a test may do anything to, within namespaces of its own.
pub struct Cluster {
    on: On,
    dock: Option<Dock>,
    client: Client,
}

impl fmt::Debug for Cluster {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cluster").field("on", &self.on).finish_non_exhaustive()
    }
}

impl Cluster {
    /// The cluster that `SLIPWAY_CLUSTER` asks for; a dock of the test's own if it does not.
    pub async fn start() -> Result<Self, Error> {
        match env::var("SLIPWAY_CLUSTER").as_deref() {
            Err(_) | Ok("" | "dock") => Ok(Self::dock(Dock::builder().start().await)),
            Ok("control-plane") => Self::control_plane("admin").await,
            Ok(other) => Err(Error::Unknown(other.to_owned())),
        }
    }

    /// A dock that was started in a way of its own: with faults, with a clock that the test turns.
    pub fn dock(dock: Dock) -> Self {
        let client = Client::new(dock.clone(), "default");
        Self { on: On::Dock, dock: Some(dock), client }
    }

    /// The control plane, as one of the users that its kubeconfig names: `admin`, `alice` or `bob`.
    pub async fn control_plane(user: &str) -> Result<Self, Error> {
        // Another test of this process may have chosen the same.
        let _ = rustls::crypto::aws_lc_rs::default_provider().install_default();
        let path = env::var_os("SLIPWAY_KUBECONFIG").ok_or(Error::Nowhere)?;
        let kubeconfig = Kubeconfig::read_from(path)?;
        let options = KubeConfigOptions { context: Some(user.to_owned()), ..KubeConfigOptions::default() };
        let config = Config::from_custom_kubeconfig(kubeconfig, &options).await?;
        Ok(Self { on: On::ControlPlane, dock: None, client: Client::try_from(config)? })
    }

    /// Which cluster it is, for the few tests that can only be had on one.
    pub fn on(&self) -> On {
        self.on
    }

    /// The dock, where it is one.
    pub fn as_dock(&self) -> Option<&Dock> {
        self.dock.as_ref()
    }

    /// A client of it.
    pub fn client(&self) -> Client {
        self.client.clone()
    }

    /// A namespace that nobody else uses.
    pub async fn namespace(&self) -> Result<Namespace, Error> {
        let namespaces = Api::<v1::Namespace>::all(self.client());
        let made = create(&namespaces, serde_json::json!({"metadata": {"generateName": "test-"}})).await?;
        Ok(Namespace { client: self.client(), name: made.name_any() })
    }
}

/// A namespace of one test. What is in it is left behind when the test fails, to be looked at.
pub struct Namespace {
    client: Client,
    name: String,
}

impl fmt::Debug for Namespace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Namespace").field(&self.name).finish()
    }
}

impl Namespace {
    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The objects of a kind in it.
    pub fn api<K>(&self) -> Api<K>
    where
        K: Resource<Scope = k8s_openapi::NamespaceResourceScope>,
        K::DynamicType: Default,
    {
        Api::namespaced(self.client.clone(), &self.name)
    }

    /// Removes it with all that it holds, without waiting.
    pub async fn remove(self) -> Result<(), Error> {
        let namespaces = Api::<v1::Namespace>::all(self.client);
        namespaces.delete(&self.name, &DeleteParams::default()).await?;
        Ok(())
    }
}

/// Creates an object that is written as JSON, whose kind need not be said again.
pub async fn create<K>(api: &Api<K>, object: Value) -> Result<K, Error>
where
    K: Resource + Clone + std::fmt::Debug + Serialize + DeserializeOwned,
{
    Ok(api.create(&PostParams::default(), &serde_json::from_value(object)?).await?)
}
