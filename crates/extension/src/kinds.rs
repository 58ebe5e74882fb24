//! Under which path a cluster serves a kind: asked once, then known.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use kube::Client;
use kube::core::{ApiResource, GroupVersionKind};
use kube::discovery::{Scope, oneshot};

/// The kinds of a cluster that somebody asked for. Clones share it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Kinds(Arc<Mutex<HashMap<GroupVersionKind, (ApiResource, bool)>>>);

impl Kinds {
    /// How a kind is served, and whether its objects are in namespaces.
    pub(crate) async fn find(
        &self,
        client: &Client,
        kind: &GroupVersionKind,
    ) -> Result<(ApiResource, bool), kube::Error> {
        if let Some(known) = self.0.lock().unwrap_or_else(PoisonError::into_inner).get(kind) {
            return Ok(known.clone());
        }
        let (resource, capabilities) = oneshot::pinned_kind(client, kind).await?;
        let found = (resource, capabilities.scope == Scope::Namespaced);
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(kind.clone(), found.clone());
        Ok(found)
    }
}
