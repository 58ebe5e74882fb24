//! Questions to a cluster: some objects of one kind.

use std::collections::BTreeSet;

use engine::Kind;
use kube::api::{ListParams, TypeMeta};
use kube::core::{ApiResource, DynamicObject};
use kube::{Api, Client, ResourceExt};

/// So many objects of one kind and namespace are read one by one.
const FEW: usize = 4;
/// So many come with one answer.
const PAGE: u32 = 500;

/// Some objects of one kind.
#[derive(Clone)]
pub(super) struct Ask {
    pub(super) kind: Kind,
    pub(super) namespace: Option<String>,
    pub(super) which: Which,
}

#[derive(Clone)]
pub(super) enum Which {
    Named(BTreeSet<String>),
    All,
    Labelled(String),
    /// Those with an owner; only what is needed to know whose they are is read.
    Owned,
}

impl Ask {
    pub(super) fn what(&self) -> String {
        let plural = &self.kind.resource.plural;
        match &self.namespace {
            Some(namespace) => format!("{plural} in {namespace}"),
            None => plural.clone(),
        }
    }

    /// Whether there is no copy without it.
    pub(super) fn is_needed(&self) -> bool {
        matches!(self.which, Which::Named(_) | Which::Labelled(_)) && self.kind.namespaced
    }

    pub(super) async fn send(&self, client: Client) -> Result<Vec<DynamicObject>, kube::Error> {
        let resource = &self.kind.resource;
        let api: Api<DynamicObject> = match self.namespace.as_deref().filter(|_| self.kind.namespaced) {
            Some(namespace) => Api::namespaced_with(client, namespace, resource),
            None => Api::all_with(client, resource),
        };
        let mut found = match &self.which {
            Which::Named(names) if names.len() <= FEW => {
                let mut found = Vec::new();
                for name in names {
                    found.extend(api.get_opt(name).await?);
                }
                found
            }
            Which::Named(names) => {
                let mut found = pages(&api, ListParams::default()).await?;
                found.retain(|object| names.contains(&object.name_any()));
                found
            }
            Which::All => pages(&api, ListParams::default()).await?,
            Which::Labelled(labels) => pages(&api, ListParams::default().labels(labels)).await?,
            Which::Owned => owned(&api, resource).await?,
        };
        // Items of lists do not say what they are.
        for object in &mut found {
            let ApiResource { api_version, kind, .. } = resource.clone();
            object.types = Some(TypeMeta { api_version, kind });
        }
        Ok(found)
    }
}

async fn pages(api: &Api<DynamicObject>, parameters: ListParams) -> Result<Vec<DynamicObject>, kube::Error> {
    let mut parameters = parameters.limit(PAGE);
    let mut found = Vec::new();
    loop {
        let page = api.list(&parameters).await?;
        found.extend(page.items);
        match page.metadata.continue_.filter(|token| !token.is_empty()) {
            Some(token) => parameters = parameters.continue_token(&token),
            None => return Ok(found),
        }
    }
}

/// The objects that have owners, without what is in them.
async fn owned(api: &Api<DynamicObject>, resource: &ApiResource) -> Result<Vec<DynamicObject>, kube::Error> {
    let mut parameters = ListParams::default().limit(PAGE);
    let mut found = Vec::new();
    loop {
        let page = api.list_metadata(&parameters).await?;
        let have = page.items.into_iter().filter(|object| object.metadata.owner_references.is_some());
        found.extend(have.map(|object| {
            let mut made = DynamicObject::new("", resource);
            made.metadata = object.metadata;
            made
        }));
        match page.metadata.continue_.filter(|token| !token.is_empty()) {
            Some(token) => parameters = parameters.continue_token(&token),
            None => return Ok(found),
        }
    }
}
