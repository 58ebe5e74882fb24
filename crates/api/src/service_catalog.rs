//! Objects of Service Catalog (`servicecatalog.k8s.io/v1beta1`), made into ours: the shape is the same.

use serde_json::Value;

/// The group that takes the place of Service Catalog's.
const GROUP: &str = "servicecatalog.slipway.dev";

/// The version of Service Catalog's objects.
pub const API_VERSION: &str = "servicecatalog.k8s.io/v1beta1";

const KINDS: [&str; 8] = [
    "ClusterServiceBroker",
    "ServiceBroker",
    "ClusterServiceClass",
    "ServiceClass",
    "ClusterServicePlan",
    "ServicePlan",
    "ServiceInstance",
    "ServiceBinding",
];

/// Fields of a spec that Service Catalog's controllers fill in: ours are in the status.
const RESOLVED: [&str; 5] =
    ["clusterServiceClassRef", "clusterServicePlanRef", "serviceClassRef", "servicePlanRef", "userInfo"];

/// An object of Service Catalog's as ours. Other objects stay as they are.
///
/// What its controllers found out (the status, resolved references, who wrote it) and its finalizer are left out: they
/// are ours to find out.
pub(crate) fn mapped(mut object: Value) -> Value {
    let kind = object["kind"].as_str().unwrap_or_default().to_owned();
    if object["apiVersion"] != API_VERSION || !KINDS.contains(&kind.as_str()) {
        return object;
    }
    object["apiVersion"] = format!("{GROUP}/v1alpha1").into();
    if let Some(whole) = object.as_object_mut() {
        whole.remove("status");
    }
    if matches!(kind.as_str(), "ServiceInstance" | "ServiceBinding")
        && let Some(spec) = object["spec"].as_object_mut()
    {
        for field in RESOLVED {
            spec.remove(field);
        }
    }
    if let Some(finalizers) = object.pointer_mut("/metadata/finalizers").and_then(Value::as_array_mut) {
        finalizers.retain(|finalizer| finalizer != "kubernetes-incubator/service-catalog");
    }
    object
}
