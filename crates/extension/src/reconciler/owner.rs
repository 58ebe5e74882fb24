//! What the owner of an object says, where its kind is known.

use kube::core::{ApiResource, DynamicObject};
use kube::{Client, ResourceExt};

use super::api;
use crate::status::ExtensionStatus;

/// A kind whose objects own those of a controller.
#[derive(Debug, Clone)]
pub(crate) struct OwnerKind {
    pub(crate) resource: ApiResource,
    pub(crate) namespaced: bool,
}

/// An object's owner: itself, and its status as far as it is an extension's.
pub(crate) struct Owner {
    pub(crate) object: DynamicObject,
    pub(crate) status: Option<ExtensionStatus>,
}

/// Reads the owner of an object, if it is of one of these kinds and still the one that is meant.
pub(crate) async fn owner(
    client: &Client,
    kinds: &[OwnerKind],
    object: &DynamicObject,
) -> Result<Option<Owner>, kube::Error> {
    for reference in object.owner_references() {
        let known = kinds.iter().find(|kind| {
            kind.resource.kind == reference.kind && kind.resource.api_version == reference.api_version
        });
        let Some(kind) = known else { continue };
        let namespace = object.namespace().filter(|_| kind.namespaced);
        let owners = api::<DynamicObject>(client, &kind.resource, namespace.as_deref());
        let found = owners.get_opt(&reference.name).await?;
        let Some(object) = found.filter(|found| found.uid().as_deref() == Some(&reference.uid)) else {
            continue;
        };
        let status = object.data.get("status").cloned();
        let status = status.and_then(|status| serde_json::from_value(status).ok());
        return Ok(Some(Owner { object, status }));
    }
    Ok(None)
}
