//! What the cluster knows about an instance or binding, read for one decision.

use crate::kinds::{
    ClusterServiceClass, ClusterServicePlan, ParametersFrom, PlanReference, SecretKey, ServiceClass,
    ServicePlan, UserInfo,
};
use extension::ActuatorError;
use k8s_openapi::api::core::v1::{Namespace, Secret};
use kube::api::ListParams;
use kube::{Api, Client, ResourceExt};
use osb::Identity;
use serde_json::{Map, Value};

use crate::life::Unresolved;
use crate::resolve::{Class, Plan, Resolved, is_cluster, resolve};

/// The plan that a reference names.
pub(crate) async fn plan_of(
    client: &Client,
    namespace: &str,
    reference: &PlanReference,
) -> Result<Result<Resolved, Unresolved>, ActuatorError> {
    let all = ListParams::default();
    let (classes, plans) = if is_cluster(reference) == Some(false) {
        let classes = Api::<ServiceClass>::namespaced(client.clone(), namespace).list(&all).await?;
        let plans = Api::<ServicePlan>::namespaced(client.clone(), namespace).list(&all).await?;
        let class = |it: ServiceClass| Class {
            name: it.name_any(),
            removed: it.status.is_some_and(|status| status.removed_from_broker_catalog),
            broker: it.spec.service_broker_name,
            offering: it.spec.offering,
        };
        let plan = |it: ServicePlan| Plan {
            name: it.name_any(),
            removed: it.status.is_some_and(|status| status.removed_from_broker_catalog),
            class: it.spec.service_class_ref.name,
            offer: it.spec.offer,
        };
        (
            classes.items.into_iter().map(class).collect::<Vec<_>>(),
            plans.items.into_iter().map(plan).collect::<Vec<_>>(),
        )
    } else {
        let classes = Api::<ClusterServiceClass>::all(client.clone()).list(&all).await?;
        let plans = Api::<ClusterServicePlan>::all(client.clone()).list(&all).await?;
        let class = |it: ClusterServiceClass| Class {
            name: it.name_any(),
            removed: it.status.is_some_and(|status| status.removed_from_broker_catalog),
            broker: it.spec.cluster_service_broker_name,
            offering: it.spec.offering,
        };
        let plan = |it: ClusterServicePlan| Plan {
            name: it.name_any(),
            removed: it.status.is_some_and(|status| status.removed_from_broker_catalog),
            class: it.spec.cluster_service_class_ref.name,
            offer: it.spec.offer,
        };
        (classes.items.into_iter().map(class).collect(), plans.items.into_iter().map(plan).collect())
    };
    Ok(resolve(reference, &classes, &plans))
}

/// Parameters, with those that are kept in Secrets.
pub(crate) async fn parameters(
    client: &Client,
    namespace: &str,
    written: Option<&Map<String, Value>>,
    from: &[ParametersFrom],
) -> Result<Result<Option<Map<String, Value>>, Unresolved>, ActuatorError> {
    let secrets = Api::<Secret>::namespaced(client.clone(), namespace);
    let mut read = std::collections::BTreeMap::new();
    for source in from {
        let name = &source.secret_key_ref.name;
        if !read.contains_key(name) {
            read.insert(name.clone(), secrets.get_opt(name).await?);
        }
    }
    let look = |place: &SecretKey| {
        let secret = read.get(&place.name)?.as_ref()?;
        Some(secret.data.as_ref()?.get(&place.key)?.0.clone())
    };
    let collected = ParametersFrom::collect(written, from, look);
    Ok(collected.map_err(|error| Unresolved { reason: "ErrorWithParameters", message: error.to_string() }))
}

/// What a broker is told about where a thing is: the cluster and the namespace, by their UIDs.
pub(crate) struct Place {
    pub(crate) cluster: String,
    pub(crate) namespace_uid: String,
}

pub(crate) async fn place(client: &Client, namespace: &str) -> Result<Place, ActuatorError> {
    let namespaces = Api::<Namespace>::all(client.clone());
    let uid = |found: Result<Option<Namespace>, kube::Error>| match found {
        Ok(found) => Ok(found.and_then(|found| found.uid()).unwrap_or_default()),
        // An operator of some namespaces may not look at others.
        Err(kube::Error::Api(refusal)) if refusal.code == 403 => Ok(String::new()),
        Err(error) => Err(error),
    };
    // The namespace that is there as long as the cluster is.
    let cluster = uid(namespaces.get_opt("kube-system").await)?;
    let own = uid(namespaces.get_opt(namespace).await)?;
    let or = |uid: String, other: &str| if uid.is_empty() { other.to_owned() } else { uid };
    Ok(Place { cluster: or(cluster, "kubernetes"), namespace_uid: or(own, namespace) })
}

impl Place {
    pub(crate) fn context(&self, namespace: &str, field: &str, name: &str) -> Map<String, Value> {
        [("platform", "kubernetes"), ("namespace", namespace), ("clusterid", &self.cluster), (field, name)]
            .map(|(key, value)| (key.to_owned(), Value::from(value)))
            .into_iter()
            .collect()
    }
}

/// The user, as a broker is told.
pub(crate) fn identity(user: Option<&UserInfo>) -> Option<Identity> {
    let user = user.filter(|user| !user.username.is_empty())?;
    Some(Identity {
        username: user.username.clone(),
        uid: user.uid.clone(),
        groups: user.groups.clone(),
        extra: user.extra.clone(),
    })
}
