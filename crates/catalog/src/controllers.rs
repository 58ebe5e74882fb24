//! The controllers, put together: whose changes wake whom.

use extension::{Actuator, Controller, Environment, ObjectKey, Reconciler, Waiting};
use k8s_openapi::api::core::v1::Secret;
use kube::core::{ApiResource, PartialObjectMeta};

use crate::desk::SECRET_LABEL;
use crate::kinds::{
    ClusterServiceBroker, ClusterServiceClass, ClusterServicePlan, ServiceBinding, ServiceBroker,
    ServiceClass, ServiceInstance, ServicePlan,
};
use crate::offers::Offers;
use crate::{Bindings, Brokers, ClusterBrokers, Instances, Settings};

/// All controllers of the service catalog. Brokers of the cluster are for those who look after all of it.
pub fn controllers(environment: &Environment, settings: &Settings) -> Vec<Box<dyn Controller>> {
    let everywhere = environment.scope.namespaces.is_empty();
    let offers = || Offers::new(everywhere);
    let of_namespace = Brokers::new(settings.clone());
    let (instances, bindings) =
        (Instances::new(settings.clone(), offers()), Bindings::new(settings.clone(), offers()));
    let used = of_namespace.used.clone();
    let (held, to_be_sold) = (instances.held.clone(), instances.offers.clone());
    let (awaiting, to_be_bound) = (bindings.waiting.clone(), bindings.offers.clone());
    let instance = ApiResource::erase::<ServiceInstance>(&());
    let binding = ApiResource::erase::<ServiceBinding>(&());
    let secret = ApiResource::erase::<Secret>(&());
    let mut all: Vec<Box<dyn Controller>> = Vec::new();
    if everywhere {
        let of_cluster = ClusterBrokers::new(settings.clone());
        let used = of_cluster.used.clone();
        all.push(Box::new(
            Reconciler::new(environment, of_cluster)
                .watches(instance.clone(), None, wakes(used.clone()))
                .watches(binding.clone(), None, wakes(used)),
        ));
    }
    all.push(Box::new(
        Reconciler::new(environment, of_namespace)
            .watches(instance.clone(), None, wakes(used.clone()))
            .watches(binding.clone(), None, wakes(used)),
    ));
    let instances = Reconciler::new(environment, instances).watches(binding, None, wakes(held));
    all.push(Box::new(hears(instances, &to_be_sold)));
    let bindings = Reconciler::new(environment, bindings).watches(instance, None, wakes(awaiting)).watches(
        secret,
        Some(SECRET_LABEL.to_owned()),
        owners,
    );
    all.push(Box::new(hears(bindings, &to_be_bound)));
    all
}

/// Whom a change of an object concerns: those who wait for one in its namespace.
fn wakes(waiting: Waiting) -> impl Fn(&PartialObjectMeta) -> Vec<ObjectKey> + Send + Sync + 'static {
    move |changed| waiting.woken(changed.metadata.namespace.as_deref().unwrap_or_default())
}

/// Wakes those who wait for something to be sold.
fn hears<A: Actuator>(mut reconciler: Reconciler<A>, offers: &Offers) -> Reconciler<A> {
    for of_namespace in [
        ApiResource::erase::<ServiceBroker>(&()),
        ApiResource::erase::<ServiceClass>(&()),
        ApiResource::erase::<ServicePlan>(&()),
    ] {
        let offers = offers.clone();
        reconciler = reconciler.watches(of_namespace, None, move |changed| offers.woken(changed));
    }
    for of_cluster in [
        ApiResource::erase::<ClusterServiceBroker>(&()),
        ApiResource::erase::<ClusterServiceClass>(&()),
        ApiResource::erase::<ClusterServicePlan>(&()),
    ] {
        let offers = offers.clone();
        reconciler = reconciler.watches_of_cluster(of_cluster, None, move |changed| offers.woken(changed));
    }
    reconciler
}

/// The bindings that a Secret is of.
fn owners(secret: &PartialObjectMeta) -> Vec<ObjectKey> {
    let namespace = secret.metadata.namespace.clone().unwrap_or_default();
    let owners = secret.metadata.owner_references.iter().flatten();
    let bindings = owners.filter(|owner| owner.kind == "ServiceBinding");
    bindings.map(|owner| ObjectKey::namespaced(&*namespace, &*owner.name)).collect()
}
