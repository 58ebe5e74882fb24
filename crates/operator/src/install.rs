//! Installs what the operator needs in the cluster: the definitions of its kinds, and its policies.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::api::{Patch, PatchParams};
use kube::core::{ApiResource, DynamicObject, GroupVersionKind};
use kube::discovery::oneshot;
use kube::runtime::wait::{await_condition, conditions};
use kube::{Api, Client, ResourceExt};

/// Under which name the operator owns what it installs.
const MANAGER: &str = "slipway-operator";

/// Applies definitions, and waits until they are served.
pub async fn definitions(
    client: &Client,
    definitions: &[CustomResourceDefinition],
) -> Result<(), InstallError> {
    let api = Api::<CustomResourceDefinition>::all(client.clone());
    let params = PatchParams::apply(MANAGER).force();
    for definition in definitions {
        let name = definition.name_any();
        api.patch(&name, &params, &Patch::Apply(definition)).await?;
    }
    for definition in definitions {
        let name = definition.name_any();
        let established = conditions::is_crd_established();
        await_condition(api.clone(), &name, established)
            .await
            .map_err(|error| InstallError::NotEstablished { name, cause: error.to_string() })?;
    }
    Ok(())
}

/// Applies other objects of the whole cluster.
pub async fn objects(client: &Client, objects: &[DynamicObject]) -> Result<(), InstallError> {
    let params = PatchParams::apply(MANAGER).force();
    for object in objects {
        let types = object.types.clone().unwrap_or_default();
        let (group, version) = types.api_version.rsplit_once('/').unwrap_or(("", &types.api_version));
        let kind = GroupVersionKind::gvk(group, version, &types.kind);
        let (resource, _): (ApiResource, _) = oneshot::pinned_kind(client, &kind).await?;
        let api = Api::<DynamicObject>::all_with(client.clone(), &resource);
        api.patch(&object.name_any(), &params, &Patch::Apply(object)).await?;
    }
    Ok(())
}

/// Something could not be installed.
#[derive(Debug, thiserror::Error)]
pub enum InstallError {
    /// The server refuses it.
    #[error(transparent)]
    Server(#[from] kube::Error),
    /// A definition is there, and its kind is not served.
    #[error("the definition {name} is not served: {cause}")]
    NotEstablished {
        /// Which one.
        name: String,
        /// Why.
        cause: String,
    },
}
