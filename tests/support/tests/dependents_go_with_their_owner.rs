//! Owner references: what an owner's deletion does to its dependents, in each propagation.

use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::{DeleteParams, PropagationPolicy};
use kube::{Api, ResourceExt};
use serde_json::json;
use support::{Cluster, Error, create, eventually, gone};

async fn family(maps: &Api<ConfigMap>) -> Result<(), Error> {
    let owner = create(maps, json!({"metadata": {"name": "owner"}})).await?;
    let reference = json!({
        "apiVersion": "v1", "kind": "ConfigMap", "name": "owner", "uid": owner.uid(), "blockOwnerDeletion": true,
    });
    create(maps, json!({"metadata": {"name": "dependent", "ownerReferences": [reference]}})).await?;
    Ok(())
}

#[tokio::test]
async fn background_takes_them_afterwards() -> Result<(), Error> {
    let cluster = Cluster::start().await?;
    let namespace = cluster.namespace().await?;
    let maps = namespace.api::<ConfigMap>();
    family(&maps).await?;
    maps.delete("owner", &DeleteParams::background()).await?;
    gone(&maps, "owner").await?;
    gone(&maps, "dependent").await?;
    namespace.remove().await
}

#[tokio::test]
async fn foreground_takes_them_before() -> Result<(), Error> {
    let cluster = Cluster::start().await?;
    let namespace = cluster.namespace().await?;
    let maps = namespace.api::<ConfigMap>();
    family(&maps).await?;
    maps.delete("owner", &DeleteParams::foreground()).await?;
    gone(&maps, "owner").await?;
    let left = maps.get_opt("dependent").await?;
    assert!(left.is_none(), "the owner went first: {left:?}");
    namespace.remove().await
}

#[tokio::test]
async fn orphan_leaves_them_and_takes_only_the_reference() -> Result<(), Error> {
    let cluster = Cluster::start().await?;
    let namespace = cluster.namespace().await?;
    let maps = namespace.api::<ConfigMap>();
    family(&maps).await?;
    let orphan =
        DeleteParams { propagation_policy: Some(PropagationPolicy::Orphan), ..DeleteParams::default() };
    maps.delete("owner", &orphan).await?;
    gone(&maps, "owner").await?;
    let dependent = eventually(&maps, "dependent", |map| map.owner_references().is_empty()).await?;
    assert!(dependent.metadata.deletion_timestamp.is_none());
    namespace.remove().await
}

#[tokio::test]
async fn a_dependent_of_an_owner_that_never_was_goes_too() -> Result<(), Error> {
    let cluster = Cluster::start().await?;
    let namespace = cluster.namespace().await?;
    let maps = namespace.api::<ConfigMap>();
    let reference = json!({
        "apiVersion": "v1", "kind": "ConfigMap", "name": "nobody", "uid": "11111111-2222-3333-4444-555555555555",
    });
    create(&maps, json!({"metadata": {"name": "lost", "ownerReferences": [reference]}})).await?;
    gone(&maps, "lost").await?;
    namespace.remove().await
}
