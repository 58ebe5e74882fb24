//! The configuration by which the API server finds and believes the webhook.

use std::net::SocketAddr;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use k8s_openapi::api::admissionregistration::v1::MutatingWebhookConfiguration;
use kube::api::{Patch, PatchParams};
use kube::{Api, Client};
use serde_json::{Value, json};

use super::{WebhookError, WebhookOptions};

/// How the API server reaches the webhook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reach {
    /// By a Service. Whoever installed the operator has made the configuration; it is only told whom to believe.
    Service {
        /// Its namespace.
        namespace: String,
        /// Its name.
        name: String,
    },
    /// By this host, on the port that is listened on. The configuration is made here.
    Host(String),
}

impl Reach {
    /// The names that the certificate is for.
    pub(super) fn names(&self) -> Vec<String> {
        match self {
            Self::Service { namespace, name } => {
                vec![format!("{name}.{namespace}.svc"), format!("{name}.{namespace}.svc.cluster.local")]
            }
            Self::Host(host) => vec![host.clone()],
        }
    }
}

/// Tells the API server how to reach the webhook, and whom to believe.
pub(super) async fn tell(
    client: &Client,
    options: &WebhookOptions,
    address: SocketAddr,
    certificate: &str,
) -> Result<(), WebhookError> {
    let configurations = Api::<MutatingWebhookConfiguration>::all(client.clone());
    let bundle = BASE64_STANDARD.encode(certificate);
    let name = &options.configuration;
    let reached = match &options.reach {
        Reach::Service { .. } => json!({"caBundle": bundle}),
        Reach::Host(host) => {
            json!({"caBundle": bundle, "url": format!("https://{host}:{}/identity", address.port())})
        }
    };
    let made = matches!(options.reach, Reach::Host(_));
    let body = json!({
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "MutatingWebhookConfiguration",
        "metadata": {"name": name},
        "webhooks": [webhook(&reached, made, &options.namespaces)],
    });
    let params = PatchParams::apply("slipway-operator").force();
    configurations.patch(name, &params, &Patch::Apply(&body)).await?;
    Ok(())
}

/// The webhook: all of it, or only whom to believe.
fn webhook(reached: &Value, all: bool, namespaces: &[String]) -> Value {
    let mut webhook = json!({"name": "identity.slipway.dev", "clientConfig": reached});
    if all {
        webhook["admissionReviewVersions"] = json!(["v1"]);
        webhook["sideEffects"] = json!("None");
        webhook["failurePolicy"] = json!("Fail");
        webhook["reinvocationPolicy"] = json!("IfNeeded");
        webhook["timeoutSeconds"] = json!(5);
        if !namespaces.is_empty() {
            // What this process does not look after must not wait for it.
            webhook["namespaceSelector"] = json!({"matchExpressions": [
                {"key": "kubernetes.io/metadata.name", "operator": "In", "values": namespaces},
            ]});
        }
        webhook["rules"] = json!([{
            "apiGroups": ["servicecatalog.slipway.dev"],
            "apiVersions": ["*"],
            "resources": ["serviceinstances", "servicebindings"],
            "operations": ["CREATE", "UPDATE"],
        }]);
    }
    webhook
}
