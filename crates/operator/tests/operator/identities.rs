//! Who changed an object last: noted by the webhook, which the API server really asks.

use std::net::SocketAddr;

use extension::{CancellationToken, Clock};
use kube::api::{Patch, PatchParams, PostParams};
use operator::install;
use operator::webhook::{self, Reach, WebhookOptions};
use serde_json::json;
use support::Cluster;

use crate::stage::{objects, open};

#[tokio::test(flavor = "multi_thread")]
async fn the_identity_is_written_by_the_webhook_and_by_nobody_else() {
    let cluster = Cluster::dock(dock::Dock::builder().start().await);
    let client = cluster.client();
    let (definition, resource) = open("servicecatalog.slipway.dev", "ServiceInstance");
    install::definitions(&client, &[definition]).await.unwrap();
    let options = WebhookOptions {
        listen: SocketAddr::from(([127, 0, 0, 1], 0)),
        namespace: "default".to_owned(),
        secret: "slipway-webhook".to_owned(),
        configuration: "slipway-webhook".to_owned(),
        reach: Reach::Host("127.0.0.1".to_owned()),
        namespaces: Vec::new(),
    };
    let stop = CancellationToken::new();
    webhook::serve(&client, &options, &Clock::real(), stop.clone()).await.unwrap();

    let namespace = cluster.namespace().await.unwrap();
    let instances = objects(&client, namespace.name(), &resource);
    let forged = json!({"username": "eve"});
    let object = serde_json::from_value(json!({
        "apiVersion": "servicecatalog.slipway.dev/v1alpha1", "kind": "ServiceInstance",
        "metadata": {"name": "database"}, "spec": {"plan": "small", "userInfo": forged},
    }))
    .unwrap();
    let made = instances.create(&PostParams::default(), &object).await.unwrap();
    let who = made.data["spec"]["userInfo"].clone();
    assert_eq!(who["username"], "kubernetes-admin");
    assert!(who["groups"].as_array().unwrap().contains(&json!("system:masters")));

    let patch = |patch: serde_json::Value| {
        let instances = instances.clone();
        async move { instances.patch("database", &PatchParams::default(), &Patch::Merge(&patch)).await.unwrap() }
    };
    let lied = patch(json!({"spec": {"userInfo": {"username": "eve"}}})).await;
    assert_eq!(lied.data["spec"]["userInfo"], who);
    let dropped = patch(json!({"spec": {"userInfo": null}})).await;
    assert_eq!(dropped.data["spec"]["userInfo"], who);

    // Another process finds the authority that was made, and does not make another.
    let secrets = kube::Api::<k8s_openapi::api::core::v1::Secret>::namespaced(client.clone(), "default");
    let before = secrets.get("slipway-webhook").await.unwrap();
    webhook::serve(&client, &options, &Clock::real(), stop.clone()).await.unwrap();
    assert_eq!(secrets.get("slipway-webhook").await.unwrap().data, before.data);
    patch(json!({"spec": {"plan": "large"}})).await;
    stop.cancel();
}
