//! The controllers, put together: whose changes wake whom.

use extension::{Controller, Environment, ObjectKey, Reconciler, Waiting};
use k8s_openapi::api::core::v1::Secret;
use kube::core::{ApiResource, PartialObjectMeta};

use crate::desk::SECRET_LABEL;
use crate::kinds::{ServiceBinding, ServiceInstance};
use crate::{Bindings, Brokers, ClusterBrokers, Instances, Settings};

/// All controllers of the service catalog.
pub fn controllers(environment: &Environment, settings: &Settings) -> Vec<Box<dyn Controller>> {
    let (of_cluster, of_namespace) = (ClusterBrokers::new(settings.clone()), Brokers::new(settings.clone()));
    let (instances, bindings) = (Instances::new(settings.clone()), Bindings::new(settings.clone()));
    let (used_of_cluster, used_of_namespace) = (of_cluster.used.clone(), of_namespace.used.clone());
    let (held, awaiting) = (instances.held.clone(), bindings.waiting.clone());
    let instance = ApiResource::erase::<ServiceInstance>(&());
    let binding = ApiResource::erase::<ServiceBinding>(&());
    vec![
        Box::new(
            Reconciler::new(environment, of_cluster)
                .watches(instance.clone(), None, wakes(used_of_cluster.clone()))
                .watches(binding.clone(), None, wakes(used_of_cluster)),
        ),
        Box::new(
            Reconciler::new(environment, of_namespace)
                .watches(instance.clone(), None, wakes(used_of_namespace.clone()))
                .watches(binding.clone(), None, wakes(used_of_namespace)),
        ),
        Box::new(Reconciler::new(environment, instances).watches(binding, None, wakes(held))),
        Box::new(Reconciler::new(environment, bindings).watches(instance, None, wakes(awaiting)).watches(
            ApiResource::erase::<Secret>(&()),
            Some(SECRET_LABEL.to_owned()),
            owners,
        )),
    ]
}

/// Whom a change of an object concerns: those who wait for one in its namespace.
fn wakes(waiting: Waiting) -> impl Fn(&PartialObjectMeta) -> Vec<ObjectKey> + Send + Sync + 'static {
    move |changed| waiting.woken(changed.metadata.namespace.as_deref().unwrap_or_default())
}

/// The bindings that a Secret is of.
fn owners(secret: &PartialObjectMeta) -> Vec<ObjectKey> {
    let namespace = secret.metadata.namespace.clone().unwrap_or_default();
    let owners = secret.metadata.owner_references.iter().flatten();
    let bindings = owners.filter(|owner| owner.kind == "ServiceBinding");
    bindings.map(|owner| ObjectKey::namespaced(&*namespace, &*owner.name)).collect()
}
