//! An object with a finalizer stays until the finalizer is taken away.

use k8s_openapi::api::core::v1::ConfigMap;
use kube::ResourceExt;
use kube::api::{DeleteParams, Patch, PatchParams, Preconditions};
use serde_json::json;
use support::{Cluster, Error, create, eventually, gone};

#[tokio::test]
async fn until_it_is_taken_away() -> Result<(), Error> {
    let cluster = Cluster::start().await?;
    let namespace = cluster.namespace().await?;
    let maps = namespace.api::<ConfigMap>();
    create(&maps, json!({"metadata": {"name": "held", "finalizers": ["slipway.dev/test"]}})).await?;

    let answer = maps.delete("held", &DeleteParams::default()).await?;
    assert!(answer.is_left(), "it was deleted at once");
    let held = eventually(&maps, "held", |map| map.metadata.deletion_timestamp.is_some()).await?;
    assert_eq!(held.metadata.deletion_grace_period_seconds, Some(0));

    let free = json!({"metadata": {"finalizers": null}});
    maps.patch("held", &PatchParams::default(), &Patch::Merge(free)).await?;
    gone(&maps, "held").await?;
    namespace.remove().await
}

#[tokio::test]
async fn and_no_other_object_of_the_name_is_deleted_in_its_place() -> Result<(), Error> {
    let cluster = Cluster::start().await?;
    let namespace = cluster.namespace().await?;
    let maps = namespace.api::<ConfigMap>();
    let first = create(&maps, json!({"metadata": {"name": "again"}})).await?;
    maps.delete("again", &DeleteParams::default()).await?;
    gone(&maps, "again").await?;
    let second = create(&maps, json!({"metadata": {"name": "again"}})).await?;

    let only_first = DeleteParams {
        preconditions: Some(Preconditions { uid: first.uid(), resource_version: None }),
        ..DeleteParams::default()
    };
    let refused = maps.delete("again", &only_first).await;
    assert!(matches!(&refused, Err(kube::Error::Api(status)) if status.code == 409), "{refused:?}");
    assert_eq!(maps.get("again").await?.uid(), second.uid());
    namespace.remove().await
}
