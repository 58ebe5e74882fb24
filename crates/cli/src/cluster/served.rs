//! What a cluster serves: its version, and every kind under every version.

use std::collections::HashMap;

use chart::Capabilities;
use chart::capabilities::KubeVersion;
use kube::Client;
use kube::core::ApiResource;

/// The version of a cluster, and its kinds.
pub(crate) struct Served {
    version: String,
    /// `v1`, `apps/v1`, in the order of the server.
    versions: Vec<String>,
    kinds: HashMap<(String, String), Kind>,
}

/// One kind under one version.
#[derive(Clone, Debug)]
pub(crate) struct Kind {
    pub(crate) resource: ApiResource,
    pub(crate) namespaced: bool,
}

impl Served {
    /// Asks a cluster, with three requests.
    pub(crate) async fn ask(client: &Client) -> Result<Self, kube::Error> {
        let version = client.apiserver_version().await?.git_version;
        let mut served = Self { version, versions: Vec::new(), kinds: HashMap::new() };
        let core = client.list_core_api_versions_aggregated().await?;
        let others = client.list_api_groups_aggregated().await?;
        for group in core.items.into_iter().chain(others.items) {
            let name = group.metadata.and_then(|metadata| metadata.name).unwrap_or_default();
            for version in group.versions {
                let api_version = match &*name {
                    "" => version.version.clone().unwrap_or_default(),
                    name => format!("{name}/{}", version.version.clone().unwrap_or_default()),
                };
                served.versions.push(api_version.clone());
                for resource in version.resources {
                    let Some(of) = resource.response_kind else { continue };
                    let kind = of.kind.unwrap_or_default();
                    let api_resource = ApiResource {
                        group: name.clone(),
                        version: version.version.clone().unwrap_or_default(),
                        api_version: api_version.clone(),
                        kind: kind.clone(),
                        plural: resource.resource.unwrap_or_default(),
                    };
                    let namespaced = resource.scope.as_deref() == Some("Namespaced");
                    let found = Kind { resource: api_resource, namespaced };
                    served.kinds.insert((api_version.clone(), kind), found);
                }
            }
        }
        Ok(served)
    }

    /// One kind, if it is served.
    pub(crate) fn kind(&self, api_version: &str, kind: &str) -> Option<&Kind> {
        self.kinds.get(&(api_version.to_owned(), kind.to_owned()))
    }

    /// What templates are told about the cluster, as Helm tells it.
    pub(crate) fn capabilities(&self) -> Capabilities {
        let mut kinds: Vec<String> =
            self.kinds.keys().map(|(api_version, kind)| format!("{api_version}/{kind}")).collect();
        kinds.sort_unstable();
        let kube_version: KubeVersion = self.version.parse().unwrap_or_default();
        Capabilities { kube_version, api_versions: self.versions.iter().cloned().chain(kinds).collect() }
    }
}
