//! Objects of Service Catalog (`servicecatalog.k8s.io/v1beta1`), made into ours: the shape is the same.

use serde_json::Value;

use super::GROUP;

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
pub fn mapped(mut object: Value) -> Value {
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::kinds::{ServiceBinding, ServiceInstance};

    #[test]
    fn an_instance_with_the_field_of_the_seed_is_ours_as_it_stands() {
        let written = json!({
            "apiVersion": API_VERSION,
            "kind": "ServiceInstance",
            "metadata": {"name": "ups-instance", "namespace": "test-ns", "finalizers": ["kubernetes-incubator/service-catalog"]},
            "spec": {
                "clusterServiceClassExternalName": "user-provided-service",
                "clusterServicePlanExternalName": "default",
                "clusterServiceClassRef": {"name": "4f6e6cf6"},
                "externalID": "a5b9c6d3",
                "userInfo": {"username": "forged"},
                "parameters": {"credentials": {"param-1": "value-1"}},
                "parametersFrom": [{"secretKeyRef": {"name": "s", "key": "k"}}],
                "existsExternally": true,
            },
            "status": {"conditions": []},
        });
        let ours: ServiceInstance = serde_json::from_value(mapped(written)).unwrap();
        assert_eq!(
            ours.spec.plan.cluster_service_class_external_name.as_deref(),
            Some("user-provided-service")
        );
        assert_eq!(ours.spec.external_id.as_deref(), Some("a5b9c6d3"));
        assert_eq!(ours.spec.exists_externally, Some(true));
        assert_eq!(ours.spec.parameters_from[0].secret_key_ref.key, "k");
        assert_eq!((ours.spec.user_info, ours.status), (None, None));
        assert_eq!(ours.metadata.finalizers, Some(Vec::new()));
    }

    #[test]
    fn a_binding_keeps_its_transforms_and_others_stay_as_they_are() {
        let written = json!({
            "apiVersion": API_VERSION, "kind": "ServiceBinding", "metadata": {"name": "b"},
            "spec": {
                "instanceRef": {"name": "ups-instance"}, "secretName": "ups-binding",
                "secretTransforms": [{"renameKey": {"from": "a", "to": "b"}}],
            },
        });
        let ours: ServiceBinding = serde_json::from_value(mapped(written)).unwrap();
        assert_eq!(ours.secret_name(), "ups-binding");
        assert!(ours.spec.secret_transforms[0].rename_key.is_some());
        let other = json!({"apiVersion": "v1", "kind": "ConfigMap"});
        assert_eq!(mapped(other.clone()), other);
    }
}
