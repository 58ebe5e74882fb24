//! Classes and plans, of the cluster and of the namespace, as one list.

use catalog::kinds::{
    ClusterServiceClass, ClusterServicePlan, Offering, OfferingStatus, PlanOffer, ServiceClass, ServicePlan,
};
use kube::ResourceExt as _;
use kube::core::{ApiResource, DynamicObject};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::counter::{Counter, plain};
use super::scope::Scope;
use crate::report::Failure;

/// A class or plan.
pub(super) struct Sold<What> {
    /// Of the cluster, not of a namespace.
    pub(super) of_cluster: bool,
    pub(super) namespace: String,
    /// The name of the object.
    pub(super) name: String,
    pub(super) broker: String,
    /// The object of the class that a plan is of.
    pub(super) class: String,
    pub(super) what: What,
    pub(super) removed: bool,
    pub(super) object: Value,
}

impl<What: DeserializeOwned> Sold<What> {
    fn read(object: &DynamicObject, of_cluster: bool) -> Option<Self> {
        let spec = object.data.get("spec")?;
        let text = |path: &str| spec.pointer(path).and_then(Value::as_str).unwrap_or_default().to_owned();
        let (broker, class) = if of_cluster {
            (text("/clusterServiceBrokerName"), text("/clusterServiceClassRef/name"))
        } else {
            (text("/serviceBrokerName"), text("/serviceClassRef/name"))
        };
        let status = object.data.get("status").cloned().unwrap_or_default();
        let status: OfferingStatus = serde_json::from_value(status).unwrap_or_default();
        Some(Self {
            of_cluster,
            namespace: object.namespace().unwrap_or_default(),
            name: object.name_any(),
            broker,
            class,
            what: serde_json::from_value(spec.clone()).ok()?,
            removed: status.removed_from_broker_catalog,
            object: plain(object),
        })
    }
}

fn list<What: DeserializeOwned>(
    counter: &Counter,
    scope: Scope,
    of_cluster: &ApiResource,
    of_namespace: &ApiResource,
) -> Result<Vec<Sold<What>>, Failure> {
    let mut all = Vec::new();
    for (resource, cluster, wanted) in
        [(of_cluster, true, scope.has_cluster()), (of_namespace, false, scope.has_namespace())]
    {
        if wanted {
            let found = counter.list(&counter.dynamic(resource, cluster))?;
            all.extend(found.iter().filter_map(|object| Sold::read(object, cluster)));
        }
    }
    Ok(all)
}

/// What is sold, by name.
pub(super) fn classes(counter: &Counter, scope: Scope) -> Result<Vec<Sold<Offering>>, Failure> {
    let of_cluster = ApiResource::erase::<ClusterServiceClass>(&());
    let mut all: Vec<Sold<Offering>> =
        list(counter, scope, &of_cluster, &ApiResource::erase::<ServiceClass>(&()))?;
    all.sort_by(|a, b| (&a.what.external_name, &a.namespace).cmp(&(&b.what.external_name, &b.namespace)));
    Ok(all)
}

/// In which sizes, by name.
pub(super) fn plans(counter: &Counter, scope: Scope) -> Result<Vec<Sold<PlanOffer>>, Failure> {
    let of_cluster = ApiResource::erase::<ClusterServicePlan>(&());
    let mut all: Vec<Sold<PlanOffer>> =
        list(counter, scope, &of_cluster, &ApiResource::erase::<ServicePlan>(&()))?;
    all.sort_by(|a, b| (&a.what.external_name, &a.namespace).cmp(&(&b.what.external_name, &b.namespace)));
    Ok(all)
}

/// The plans of a class.
pub(super) fn of_class<'a>(
    plans: &'a [Sold<PlanOffer>],
    class: &'a Sold<Offering>,
) -> impl Iterator<Item = &'a Sold<PlanOffer>> {
    plans.iter().filter(|plan| plan.of_cluster == class.of_cluster && plan.class == class.name)
}

/// The class of that name: its name for users, or that of its object.
pub(super) fn class<'a>(
    classes: &'a [Sold<Offering>],
    name: &str,
    kube_name: bool,
) -> Result<&'a Sold<Offering>, Failure> {
    let is = |it: &&Sold<Offering>| if kube_name { it.name == name } else { it.what.external_name == name };
    let mut found = classes.iter().filter(is);
    match (found.next(), found.next()) {
        (Some(class), None) => Ok(class),
        (None, _) => Err(Failure::new(format!("the class {name:?} is not sold here"))
            .hint("'slipway catalog marketplace' shows what is")),
        (Some(_), Some(_)) => Err(Failure::new(format!("there are several classes {name:?}")).hint(
            "--scope chooses the cluster's or the namespace's, --kube-name goes by the names of the objects",
        )),
    }
}

/// The plan of a class: the only one if none is named.
pub(super) fn plan<'a>(
    plans: &'a [Sold<PlanOffer>],
    class: &'a Sold<Offering>,
    name: Option<&str>,
    kube_name: bool,
) -> Result<&'a Sold<PlanOffer>, Failure> {
    let all: Vec<_> = of_class(plans, class).collect();
    let names: Vec<&str> = all.iter().map(|plan| plan.what.external_name.as_str()).collect();
    let known = || format!("its plans are: {}", names.join(", "));
    let of = &class.what.external_name;
    let Some(name) = name else {
        return match all.as_slice() {
            [only] => Ok(only),
            _ => Err(Failure::usage(format!("the class {of:?} has {} plans: --plan chooses one", all.len()))
                .hint(known())),
        };
    };
    let is = |it: &&Sold<PlanOffer>| if kube_name { it.name == name } else { it.what.external_name == name };
    all.into_iter()
        .find(is)
        .ok_or_else(|| Failure::new(format!("the class {of:?} has no plan {name:?}")).hint(known()))
}
