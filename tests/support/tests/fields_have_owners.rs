//! Server-side apply: who applied a field owns it, and others are refused unless they insist.

use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::{Patch, PatchParams};
use serde_json::{Value, json};
use support::{Cluster, Error};

fn settings(data: &Value) -> Patch<Value> {
    Patch::Apply(
        json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "settings"}, "data": data}),
    )
}

#[tokio::test]
async fn and_what_an_owner_no_longer_wants_goes() -> Result<(), Error> {
    let cluster = Cluster::start().await?;
    let namespace = cluster.namespace().await?;
    let maps = namespace.api::<ConfigMap>();
    let (one, other) = (PatchParams::apply("one"), PatchParams::apply("other"));
    maps.patch("settings", &one, &settings(&json!({"shared": "1", "mine": "1"}))).await?;
    maps.patch("settings", &other, &settings(&json!({"shared": "1", "yours": "2"}))).await?;

    let refused = maps.patch("settings", &other, &settings(&json!({"shared": "2", "yours": "2"}))).await;
    assert!(matches!(&refused, Err(kube::Error::Api(status)) if status.code == 409), "{refused:?}");
    let insists = PatchParams::apply("other").force();
    maps.patch("settings", &insists, &settings(&json!({"shared": "2", "yours": "2"}))).await?;

    let map = maps.patch("settings", &one, &settings(&json!({}))).await?;
    let data = serde_json::to_value(map.data)?;
    assert_eq!(data, json!({"shared": "2", "yours": "2"}));
    namespace.remove().await
}
