//! The end of an object that outlived what it stood for: `existsExternally` is false, and all is gone.

use extension::{ActuatorError, Context, Extension, Outcome};
use k8s_openapi::NamespaceResourceScope;
use kube::api::{DeleteParams, Preconditions};
use kube::{Api, Resource, ResourceExt};

use crate::Features;

/// Deletes the object, if that is wanted.
pub(crate) async fn end<K>(context: &Context<K>, features: &Features) -> Result<Outcome, ActuatorError>
where
    K: Extension + Resource<Scope = NamespaceResourceScope>,
{
    if features.delete_after {
        let objects: Api<K> =
            Api::namespaced(context.client(), &context.object.namespace().unwrap_or_default());
        let preconditions = Preconditions { uid: context.object.uid(), resource_version: None };
        let parameters = DeleteParams::background().preconditions(preconditions);
        match objects.delete(&context.object.name_any(), &parameters).await {
            Err(kube::Error::Api(status)) if matches!(status.code, 404 | 409) => {}
            done => drop(done?),
        }
    }
    Ok(Outcome::done().describe("All objects are gone"))
}
