//! The definitions of these resources, as they are installed.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::CustomResourceExt;

use crate::{Bundle, DeployItem};

/// All definitions, in the order in which they are installed.
pub fn definitions() -> Vec<CustomResourceDefinition> {
    vec![Bundle::crd(), DeployItem::crd()]
}

/// All definitions as one YAML file of several documents.
pub fn yaml() -> String {
    let written = definitions().into_iter().map(|definition| {
        let value = serde_json::to_value(definition).unwrap_or_default();
        let text = goyaml::json::from_str(&value.to_string()).ok().map(|value| goyaml::to_string(&value));
        format!("---\n{}", text.and_then(Result::ok).unwrap_or_default())
    });
    written.collect()
}
