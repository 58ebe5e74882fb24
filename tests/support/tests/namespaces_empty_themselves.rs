//! A namespace that is deleted takes all that it holds along, and takes in nothing more.

use k8s_openapi::api::core::v1::{ConfigMap, Namespace, Secret};
use kube::Api;
use kube::api::{DeleteParams, Patch, PatchParams};
use serde_json::json;
use support::{Cluster, Error, create, eventually, gone};

#[tokio::test]
async fn once_nothing_holds_what_is_in_it() -> Result<(), Error> {
    let cluster = Cluster::start().await?;
    let namespace = cluster.namespace().await?;
    let (maps, secrets) = (namespace.api::<ConfigMap>(), namespace.api::<Secret>());
    create(&maps, json!({"metadata": {"name": "held", "finalizers": ["slipway.dev/test"]}})).await?;
    create(&secrets, json!({"metadata": {"name": "free"}})).await?;

    let namespaces = Api::<Namespace>::all(cluster.client());
    let name = namespace.name().to_owned();
    namespaces.delete(&name, &DeleteParams::default()).await?;
    gone(&secrets, "free").await?;
    let leaving = eventually(&namespaces, &name, |namespace| {
        let conditions = namespace.status.as_ref().and_then(|status| status.conditions.as_ref());
        conditions.is_some_and(|conditions| {
            conditions.iter().any(|condition| {
                condition.type_ == "NamespaceFinalizersRemaining" && condition.status == "True"
            })
        })
    })
    .await?;
    assert_eq!(leaving.status.and_then(|status| status.phase).as_deref(), Some("Terminating"));
    let refused = create(&maps, json!({"metadata": {"name": "late"}})).await;
    assert!(
        matches!(&refused, Err(Error::Kube(kube::Error::Api(status))) if status.code == 403),
        "{refused:?}"
    );

    maps.patch("held", &PatchParams::default(), &Patch::Merge(json!({"metadata": {"finalizers": null}})))
        .await?;
    gone(&namespaces, &name).await
}
