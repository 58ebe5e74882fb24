//! What a cluster serves: its version, and every kind under every version.

use std::collections::HashMap;
use std::sync::Arc;

use kube::Client;
use kube::core::{ApiResource, TypeMeta};
use objects::ObjectId;

/// The version of a cluster, and its kinds. Clones share what was found.
#[derive(Debug, Clone, Default)]
pub struct Served {
    /// As the server calls it: `v1.36.4`.
    pub version: String,
    /// `v1`, `apps/v1`, in the order of the server.
    pub api_versions: Vec<String>,
    kinds: Arc<HashMap<(String, String), Kind>>,
    preferred: Arc<HashMap<(String, String), Kind>>,
}

/// One kind under one version.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Kind {
    /// Its names.
    pub resource: ApiResource,
    /// Whether its objects live in namespaces.
    pub namespaced: bool,
    /// Whether its objects can be deleted.
    pub deletable: bool,
    /// Whether its objects can be watched.
    pub watchable: bool,
}

impl Kind {
    /// What its objects say that they are.
    pub(crate) fn types(&self) -> TypeMeta {
        TypeMeta { api_version: self.resource.api_version.clone(), kind: self.resource.kind.clone() }
    }
}

impl Served {
    /// Asks a cluster, with three requests.
    pub async fn ask(client: &Client) -> Result<Self, kube::Error> {
        // The first request makes the connection that the others share.
        let version = client.apiserver_version().await?.git_version;
        let (core, others) = tokio::try_join!(
            client.list_core_api_versions_aggregated(),
            client.list_api_groups_aggregated(),
        )?;
        let mut served = Self { version, ..Self::default() };
        let (mut kinds, mut preferred) = (HashMap::new(), HashMap::new());
        for group in core.items.into_iter().chain(others.items) {
            let name = group.metadata.and_then(|metadata| metadata.name).unwrap_or_default();
            for version in group.versions {
                let number = version.version.unwrap_or_default();
                let api_version = if name.is_empty() { number.clone() } else { format!("{name}/{number}") };
                served.api_versions.push(api_version.clone());
                for resource in version.resources {
                    let Some(kind) = resource.response_kind.and_then(|of| of.kind) else { continue };
                    let can = |verb: &str| resource.verbs.iter().any(|known| known == verb);
                    let found = Kind {
                        namespaced: resource.scope.as_deref() == Some("Namespaced"),
                        deletable: can("delete"),
                        watchable: can("watch"),
                        resource: ApiResource {
                            group: name.clone(),
                            version: number.clone(),
                            api_version: api_version.clone(),
                            kind: kind.clone(),
                            plural: resource.resource.clone().unwrap_or_default(),
                        },
                    };
                    // The server names the version that it prefers first.
                    preferred.entry((name.clone(), kind.clone())).or_insert_with(|| found.clone());
                    kinds.insert((api_version.clone(), kind), found);
                }
            }
        }
        Ok(Self { kinds: Arc::new(kinds), preferred: Arc::new(preferred), ..served })
    }

    /// A kind under one version.
    pub fn kind(&self, api_version: &str, kind: &str) -> Option<&Kind> {
        self.kinds.get(&(api_version.to_owned(), kind.to_owned()))
    }

    /// The kind of an object, under the version that the server prefers.
    pub fn kind_of(&self, id: &ObjectId) -> Option<&Kind> {
        self.preferred.get(&(id.group.clone(), id.kind.clone()))
    }

    /// Every kind once, under the version that the server prefers.
    pub fn kinds(&self) -> impl Iterator<Item = &Kind> {
        self.preferred.values()
    }

    /// Every kind under every version, as templates are told: `apps/v1/Deployment`.
    pub fn kinds_by_version(&self) -> Vec<String> {
        let mut kinds: Vec<String> =
            self.kinds.keys().map(|(api_version, kind)| format!("{api_version}/{kind}")).collect();
        kinds.sort_unstable();
        kinds
    }
}
