//! The cluster, as commands of the catalog see it.

use kube::api::ListParams;
use kube::core::{ApiResource, DynamicObject, NamespaceResourceScope};
use kube::{Api, Client, Resource};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::cluster::{self, Cluster};
use crate::context::Context;
use crate::report::Failure;

/// The cluster and the namespace that a command works in.
pub(super) struct Counter {
    pub(super) cluster: Cluster,
    pub(super) namespace: String,
}

impl Counter {
    /// Connects to the cluster that the flags choose.
    pub(super) fn open(context: &Context) -> Result<Self, Failure> {
        let cluster = Cluster::connect(&context.settings.cluster())?;
        Ok(Self { cluster, namespace: context.settings.namespace() })
    }

    fn client(&self) -> Client {
        self.cluster.client()
    }

    /// Objects of the namespace, or of all.
    pub(super) fn api<K>(&self, everywhere: bool) -> Api<K>
    where
        K: Resource<Scope = NamespaceResourceScope>,
        K::DynamicType: Default,
    {
        if everywhere { Api::all(self.client()) } else { Api::namespaced(self.client(), &self.namespace) }
    }

    /// Objects of a kind that may be of the cluster or of the namespace.
    pub(super) fn dynamic(&self, resource: &ApiResource, of_cluster: bool) -> Api<DynamicObject> {
        if of_cluster {
            Api::all_with(self.client(), resource)
        } else {
            Api::namespaced_with(self.client(), &self.namespace, resource)
        }
    }

    /// All objects.
    pub(super) fn list<K>(&self, api: &Api<K>) -> Result<Vec<K>, Failure>
    where
        K: Clone + std::fmt::Debug + DeserializeOwned,
    {
        let listed = self.cluster.wait(api.list(&ListParams::default()));
        listed.map(|list| list.items).map_err(|error| failed("the service catalog", &error))
    }

    /// One object, if it is there. That the kind is not served is a failure, and not an object that is missing.
    pub(super) fn find<K>(&self, api: &Api<K>, name: &str) -> Result<Option<K>, Failure>
    where
        K: Clone + std::fmt::Debug + DeserializeOwned,
    {
        match self.cluster.wait(api.get(name)) {
            Ok(found) => Ok(Some(found)),
            Err(kube::Error::Api(status)) if status.code == 404 && is_named(&status) => Ok(None),
            Err(error) => Err(failed(name, &error)),
        }
    }

    /// One object, which must be there.
    pub(super) fn get<K>(&self, api: &Api<K>, word: &str, name: &str) -> Result<K, Failure>
    where
        K: Clone + std::fmt::Debug + DeserializeOwned,
    {
        self.find(api, name)?.ok_or_else(|| {
            Failure::new(format!("the {word} {name:?} is not there"))
                .hint(format!("'slipway catalog {word} list' shows those that are"))
        })
    }

    /// Waits for a change, and tells a refusal in the server's words.
    pub(super) fn wait<Made>(
        &self,
        name: &str,
        work: impl Future<Output = Result<Made, kube::Error>>,
    ) -> Result<Made, Failure> {
        self.cluster.wait(work).map_err(|error| failed(name, &error))
    }
}

/// Whether a refusal is about an object, and not about a kind that nobody knows.
fn is_named(status: &kube::core::Status) -> bool {
    status.details.as_ref().is_some_and(|details| !details.name.is_empty())
}

/// What became of a request, for people.
pub(super) fn failed(name: &str, error: &kube::Error) -> Failure {
    let kube::Error::Api(status) = error else { return cluster::unreachable(error) };
    if status.code == 404 && !is_named(status) {
        return Failure::new(
            "this cluster has no service catalog: it does not serve servicecatalog.slipway.dev",
        )
        .hint("'slipway operator --install-crds' and the chart of the operator bring it");
    }
    let failure = Failure::new(format!("{name}: {}", status.message));
    if status.message.contains("feature gate DeclarativeDelete") {
        return failure.hint(FEATURE);
    }
    if status.message.contains("spec.deletionProtection is true") {
        return failure
            .hint("'slipway catalog deprovision --declarative' and 'unbind --declarative' do that");
    }
    failure
}

/// How the declarative delete is turned on.
pub(super) const FEATURE: &str = "the operator turns it on with --feature-gates DeclarativeDelete=true \
(in its chart: featureGates.DeclarativeDelete); without it, leave --declarative out";

/// Objects as a list that other programs can read.
pub(super) fn list_of(items: &[Value]) -> Value {
    json!({"apiVersion": "v1", "kind": "List", "items": items})
}

/// An object without what only the server needs.
pub(super) fn plain(object: &impl serde::Serialize) -> Value {
    let mut value = serde_json::to_value(object).unwrap_or_default();
    if let Some(metadata) = value.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.remove("managedFields");
    }
    value
}
