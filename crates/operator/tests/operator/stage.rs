//! What the tests share: a clock that is turned, and the kinds that policies are about.

use dock::Dock;
use extension::Clock;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::core::{ApiResource, DynamicObject};
use kube::{Api, Client};
use serde_json::json;

pub(crate) fn clock_of(dock: &Dock) -> Clock {
    let (now, sleep) = (dock.clock().clone(), dock.clock().clone());
    Clock::new(
        move || now.now(),
        move |instant| {
            let clock = sleep.clone();
            async move { clock.sleep_until(instant).await }
        },
    )
}

/// A kind with a spec and a status in which anything may be.
pub(crate) fn open(group: &str, kind: &str) -> (CustomResourceDefinition, ApiResource) {
    let plural = format!("{}s", kind.to_lowercase());
    let anything = json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true});
    let definition = serde_json::from_value(json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": format!("{plural}.{group}")},
        "spec": {
            "group": group,
            "scope": "Namespaced",
            "names": {"kind": kind, "plural": plural},
            "versions": [{
                "name": "v1alpha1", "served": true, "storage": true, "subresources": {"status": {}},
                "schema": {"openAPIV3Schema": {
                    "type": "object", "properties": {"spec": anything, "status": anything},
                }},
            }],
        },
    }))
    .unwrap();
    let resource = ApiResource {
        group: group.to_owned(),
        version: "v1alpha1".to_owned(),
        api_version: format!("{group}/v1alpha1"),
        kind: kind.to_owned(),
        plural,
    };
    (definition, resource)
}

pub(crate) fn objects(client: &Client, namespace: &str, resource: &ApiResource) -> Api<DynamicObject> {
    Api::namespaced_with(client.clone(), namespace, resource)
}
