//! What is not the release's own, or is to be kept, survives every operation that deletes: whether that was so when the
//! plan was made, or came about between the plan and the delete.

use std::time::Duration;

use engine::{Event, Options, Outcome, RELEASE_NAME};
use k8s_openapi::api::core::v1::{ConfigMap, Namespace};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::api::{DeleteParams, Patch, PatchParams};
use kube::core::{ApiResource, DynamicObject, GroupVersionKind};
use kube::{Api, Resource, ResourceExt};
use plan::Operation;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use support::{Cluster, create};

use crate::release::{Release, Result};

/// Everything that deletes.
const PATHS: [Operation; 3] =
    [Operation::Uninstall, Operation::Upgrade, Operation::Rollback { sequenced: false }];

/// When somebody else acts.
#[derive(Debug, Clone, Copy, PartialEq)]
enum When {
    BeforeThePlan,
    BeforeTheDelete,
}

const TIMES: [When; 2] = [When::BeforeThePlan, When::BeforeTheDelete];

/// Installs objects beside one that stays and one that goes, and takes them away while somebody does something.
async fn take_away(
    release: &mut Release,
    (operation, when): (Operation, When),
    texts: &[&str],
    somebody: impl AsyncFn(&Release) -> Result,
) -> Result<Outcome> {
    let (stays, goes) = (config_map("stays"), config_map("goes"));
    let options = Options { timeout: Duration::from_secs(30), ..Options::default() };
    let all: Vec<&str> = texts.iter().copied().chain([stays.as_str(), &goes]).collect();
    let outcome = release.run(Operation::Install, &all, &options).await?;
    assert!(outcome.is_success(), "{:?}", outcome.failures);
    if when == When::BeforeThePlan {
        somebody(release).await?;
    }
    let wanted: &[&str] = if operation == Operation::Uninstall { &[] } else { &[&stays] };
    let outcome = release
        .run_while(operation, wanted, &options, async |release| {
            if when == When::BeforeTheDelete { somebody(release).await } else { Ok(()) }
        })
        .await?;
    assert!(outcome.is_success(), "{operation} {when:?}: {:?}", outcome.failures);
    let maps = release.namespace.api::<ConfigMap>();
    assert!(maps.get_opt("goes").await?.is_none(), "{operation} {when:?}: {:#?}", release.events);
    assert_eq!(maps.get_opt("stays").await?.is_some(), operation != Operation::Uninstall);
    Ok(outcome)
}

fn config_map(name: &str) -> String {
    format!("apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {name}}}\n")
}

async fn patch<K>(api: &Api<K>, name: &str, change: Value) -> Result
where
    K: Resource + Clone + DeserializeOwned + std::fmt::Debug,
{
    api.patch(name, &PatchParams::default(), &Patch::Merge(change)).await?;
    Ok(())
}

/// Deletes an object and makes another with all its marks: only the UID tells them apart.
async fn make_anew(maps: &Api<ConfigMap>, name: &str) -> Result {
    let old = maps.get(name).await?;
    maps.delete(name, &DeleteParams::default()).await?;
    support::gone(maps, name).await?;
    let marks = json!({"labels": old.labels(), "annotations": old.annotations(), "name": name});
    create(maps, json!({"metadata": marks})).await?;
    Ok(())
}

/// Whether an object is there, and nobody deletes it.
async fn survives<K>(api: &Api<K>, name: &str) -> Result<bool>
where
    K: Resource + Clone + DeserializeOwned + std::fmt::Debug,
{
    let live = api.get_opt(name).await?;
    Ok(live.is_some_and(|live| live.meta().deletion_timestamp.is_none()))
}

fn told(release: &Release, name: &str, words: &str) -> bool {
    release.events.iter().any(
        |event| matches!(event, Event::Kept { object, why } if object.name == name && why.contains(words)),
    )
}

#[tokio::test]
async fn an_object_that_somebody_made_anew() -> Result {
    let cluster = Cluster::start().await?;
    for case in PATHS.into_iter().flat_map(|path| TIMES.map(|when| (path, when))) {
        let mut release = Release::new(&cluster).await?;
        take_away(&mut release, case, &[&config_map("shop")], async |release| {
            make_anew(&release.namespace.api(), "shop").await
        })
        .await?;
        assert!(survives(&release.namespace.api::<ConfigMap>(), "shop").await?, "{case:?}");
        release.namespace.remove().await?;
    }
    Ok(())
}

#[tokio::test]
async fn an_object_that_another_release_owns() -> Result {
    let cluster = Cluster::start().await?;
    for case in PATHS.into_iter().flat_map(|path| TIMES.map(|when| (path, when))) {
        let mut release = Release::new(&cluster).await?;
        take_away(&mut release, case, &[&config_map("shop")], async |release| {
            let change = json!({"metadata": {"annotations": {RELEASE_NAME: "other"}}});
            patch(&release.namespace.api::<ConfigMap>(), "shop", change).await
        })
        .await?;
        assert!(survives(&release.namespace.api::<ConfigMap>(), "shop").await?, "{case:?}");
        assert!(told(&release, "shop", "/other"), "{case:?}: {:#?}", release.events);
        release.namespace.remove().await?;
    }
    Ok(())
}

#[tokio::test]
async fn an_object_that_is_to_be_kept() -> Result {
    let cluster = Cluster::start().await?;
    for case in PATHS.into_iter().flat_map(|path| TIMES.map(|when| (path, when))) {
        let mut release = Release::new(&cluster).await?;
        take_away(&mut release, case, &[&config_map("shop")], async |release| {
            let change = json!({"metadata": {"annotations": {"helm.sh/resource-policy": "keep"}}});
            patch(&release.namespace.api::<ConfigMap>(), "shop", change).await
        })
        .await?;
        assert!(survives(&release.namespace.api::<ConfigMap>(), "shop").await?, "{case:?}");
        assert!(told(&release, "shop", "keep"), "{case:?}: {:#?}", release.events);
        release.namespace.remove().await?;
    }
    Ok(())
}

/// Many of one kind are not read one by one, and not whole: what tells them apart is seen all the same.
#[tokio::test]
async fn such_objects_among_many() -> Result {
    let cluster = Cluster::start().await?;
    for path in PATHS {
        let case = (path, When::BeforeThePlan);
        let mut release = Release::new(&cluster).await?;
        let texts = ["anew", "taken", "kept", "one", "another", "a-third"].map(config_map);
        take_away(&mut release, case, &texts.each_ref().map(String::as_str), async |release| {
            let maps = release.namespace.api::<ConfigMap>();
            make_anew(&maps, "anew").await?;
            patch(&maps, "taken", json!({"metadata": {"annotations": {RELEASE_NAME: "other"}}})).await?;
            let keep = json!({"metadata": {"annotations": {"helm.sh/resource-policy": "keep"}}});
            patch(&maps, "kept", keep).await
        })
        .await?;
        let maps = release.namespace.api::<ConfigMap>();
        for name in ["anew", "taken", "kept"] {
            assert!(survives(&maps, name).await?, "{name} {case:?}: {:#?}", release.events);
        }
        for name in ["one", "another", "a-third"] {
            assert!(maps.get_opt(name).await?.is_none(), "{name} {case:?}: {:#?}", release.events);
        }
        release.namespace.remove().await?;
    }
    Ok(())
}

#[tokio::test]
async fn an_object_whose_countdown_has_just_begun() -> Result {
    let cluster = Cluster::start().await?;
    for path in PATHS {
        let case = (path, When::BeforeTheDelete);
        let mut release = Release::new(&cluster).await?;
        take_away(&mut release, case, &[&config_map("shop")], async |release| {
            let change = json!({"metadata": {"annotations": {"slipway.dev/deletion-delay": "1h"}}});
            patch(&release.namespace.api::<ConfigMap>(), "shop", change).await
        })
        .await?;
        assert!(survives(&release.namespace.api::<ConfigMap>(), "shop").await?, "{case:?}");
        release.namespace.remove().await?;
    }
    Ok(())
}

#[tokio::test]
async fn resources_of_others_under_our_definition() -> Result {
    let cluster = Cluster::start().await?;
    for case in PATHS.into_iter().flat_map(|path| TIMES.map(|when| (path, when))) {
        let mut release = Release::new(&cluster).await?;
        let group = format!("{}.example.com", release.namespace.name());
        let name = format!("buoys.{group}");
        let definition = format!(
            "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {{name: {name}}}\nspec:\n  group: {group}\n  scope: Namespaced\n  names: {{kind: Buoy, plural: buoys}}\n  versions: [{{name: v1, served: true, storage: true, schema: {{openAPIV3Schema: {{type: object}}}}}}]\n"
        );
        let resource =
            ApiResource::from_gvk_with_plural(&GroupVersionKind::gvk(&group, "v1", "Buoy"), "buoys");
        let buoys: Api<DynamicObject> =
            Api::namespaced_with(cluster.client(), release.namespace.name(), &resource);
        take_away(&mut release, case, &[&definition], async |_| {
            let buoy =
                json!({"apiVersion": format!("{group}/v1"), "kind": "Buoy", "metadata": {"name": "theirs"}});
            create(&buoys, buoy).await?;
            Ok(())
        })
        .await?;
        let definitions: Api<CustomResourceDefinition> = Api::all(cluster.client());
        assert!(survives(&definitions, &name).await?, "{case:?}: {:#?}", release.events);
        assert!(survives(&buoys, "theirs").await?, "{case:?}");
        assert!(told(&release, &name, "theirs"), "{case:?}: {:#?}", release.events);
        definitions.delete(&name, &DeleteParams::default()).await?;
        release.namespace.remove().await?;
    }
    Ok(())
}

/// Takes a namespace of the release's own away in which somebody does something; whether it is still there.
async fn take_namespace(
    cluster: &Cluster,
    case: (Operation, When),
    somebody: impl AsyncFn(&Api<ConfigMap>) -> Result,
) -> Result<bool> {
    let mut release = Release::new(cluster).await?;
    let name = format!("{}-inner", release.namespace.name());
    let namespace = format!("apiVersion: v1\nkind: Namespace\nmetadata: {{name: {name}}}\n");
    let ours = config_map("ours").replace("name: ours", &format!("name: ours, namespace: {name}"));
    let maps: Api<ConfigMap> = Api::namespaced(cluster.client(), &name);
    take_away(&mut release, case, &[&namespace, &ours], async |_| somebody(&maps).await).await?;
    let namespaces: Api<Namespace> = Api::all(cluster.client());
    let is_there = survives(&namespaces, &name).await?;
    if is_there {
        namespaces.delete(&name, &DeleteParams::default()).await?;
    }
    release.namespace.remove().await?;
    Ok(is_there)
}

#[tokio::test]
async fn a_namespace_full_of_other_peoples_things() -> Result {
    let cluster = Cluster::start().await?;
    for case in PATHS.into_iter().flat_map(|path| TIMES.map(|when| (path, when))) {
        let theirs = async |maps: &Api<ConfigMap>| {
            create(maps, json!({"metadata": {"name": "theirs"}})).await?;
            Ok(())
        };
        assert!(take_namespace(&cluster, case, theirs).await?, "{case:?}");
        assert!(!take_namespace(&cluster, case, async |_| Ok(())).await?, "{case:?}");
    }
    Ok(())
}

#[tokio::test]
async fn a_namespace_with_what_is_kept_or_was_made_anew() -> Result {
    let cluster = Cluster::start().await?;
    for case in PATHS.into_iter().flat_map(|path| TIMES.map(|when| (path, when))) {
        let keep = async |maps: &Api<ConfigMap>| {
            let change = json!({"metadata": {"annotations": {"helm.sh/resource-policy": "keep"}}});
            patch(maps, "ours", change).await
        };
        assert!(take_namespace(&cluster, case, keep).await?, "{case:?}");
        let make_anew = async |maps: &Api<ConfigMap>| {
            maps.delete("ours", &DeleteParams::default()).await?;
            support::gone(maps, "ours").await?;
            create(maps, json!({"metadata": {"name": "ours"}})).await?;
            Ok(())
        };
        assert!(take_namespace(&cluster, case, make_anew).await?, "{case:?}");
    }
    Ok(())
}
