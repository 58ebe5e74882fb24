//! A bare client that writes the same objects, 32 at once: nobody can be faster by more than chance. They have the marks of a
//! release, as those have that a release is made of.

use std::future::poll_fn;
use std::io;
use std::pin::pin;
use std::time::{Duration, Instant};

use futures_core::Stream;
use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::{DeleteParams, Patch, PatchParams};
use kube::runtime::watcher::{self, Event, watcher};
use kube::{Api, Client, ResourceExt};
use serde_json::{Value, json};
use tokio::task::AbortHandle;

use super::chart::FINALIZER;
use crate::at_once::at_once;

const WIDTH: usize = 32;
/// The release whose objects have a finalizer.
const HELD: &str = "held";

/// Applies, changes and deletes so many objects: how long each takes.
pub(crate) async fn maps(client: &Client, namespace: &str, count: usize) -> io::Result<[Duration; 3]> {
    let maps: Api<ConfigMap> = Api::namespaced(client.clone(), namespace);
    let install = apply(&maps, "maps", count, 1).await?;
    let change = apply(&maps, "maps", count, 2).await?;
    let delete = delete(&maps, count).await?;
    Ok([install, change, delete])
}

/// The metadata of an object of a release.
fn marked(release: &str, namespace: &str, name: &str) -> Value {
    json!({
        "name": name,
        "labels": {"app.kubernetes.io/managed-by": "Helm"},
        "annotations": {"meta.helm.sh/release-name": release, "meta.helm.sh/release-namespace": namespace},
    })
}

/// Applies so many objects of a release; those of `held` have a finalizer.
async fn apply(
    maps: &Api<ConfigMap>,
    release: &'static str,
    count: usize,
    version: u32,
) -> io::Result<Duration> {
    at_once(count, WIDTH, maps, move |maps, number| async move {
        let name = format!("map-{number}");
        let mut metadata = marked(release, maps.namespace().unwrap_or_default(), &name);
        if release == HELD {
            metadata["finalizers"] = json!([FINALIZER]);
        }
        let object = json!({
            "apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata,
            "data": {"version": version.to_string(), "text": "some settings of an application ".repeat(8)},
        });
        maps.patch(&name, &PatchParams::apply("floor"), &Patch::Apply(&object)).await.map(drop)
    })
    .await
}

async fn delete(maps: &Api<ConfigMap>, count: usize) -> io::Result<Duration> {
    at_once(count, WIDTH, maps, |maps, number| async move {
        maps.delete(&format!("map-{number}"), &DeleteParams::default()).await.map(drop)
    })
    .await
}

/// Makes so many Deployments, each when the one before is there.
pub(crate) async fn layers(client: &Client, namespace: &str, count: usize) -> io::Result<Duration> {
    let deployments: Api<Deployment> = Api::namespaced(client.clone(), namespace);
    let mut events = pin!(watcher(deployments.clone(), watcher::Config::default()));
    let begin = Instant::now();
    for number in 0..count {
        let name = format!("layer-{number}");
        let mut metadata = marked("layers", namespace, &name);
        metadata["annotations"]["helm.sh/layer"] = json!(name);
        let object = json!({
            "apiVersion": "apps/v1", "kind": "Deployment", "metadata": metadata,
            "spec": {"selector": {"matchLabels": {"app": name}}, "template": {
                "metadata": {"labels": {"app": name}}, "spec": {"containers": [{"name": "main", "image": "app"}]}
            }},
        });
        let parameters = PatchParams::apply("floor");
        deployments.patch(&name, &parameters, &Patch::Apply(&object)).await.map_err(io::Error::other)?;
        loop {
            match poll_fn(|context| events.as_mut().poll_next(context)).await {
                Some(Ok(Event::Apply(live) | Event::InitApply(live))) if live.name_any() == name => {
                    if is_ready(&live) {
                        break;
                    }
                }
                Some(_) => {}
                None => return Err(io::Error::other("the watch ended")),
            }
        }
    }
    Ok(begin.elapsed())
}

/// Whether a Deployment of one pod has it.
pub(crate) fn is_ready(live: &Deployment) -> bool {
    live.status.as_ref().is_some_and(|status| {
        status.available_replicas == Some(1) && status.observed_generation == live.metadata.generation
    })
}

/// Deletes so many objects whose finalizers go after a second, and waits until they are gone.
pub(crate) async fn held(client: &Client, namespace: &str, count: usize) -> io::Result<Duration> {
    let maps: Api<ConfigMap> = Api::namespaced(client.clone(), namespace);
    apply(&maps, HELD, count, 1).await?;
    let freeing = free(client, namespace);
    let mut events = pin!(watcher(maps.clone(), watcher::Config::default()));
    let mut left = count;
    let begin = Instant::now();
    let deleting = tokio::spawn(async move { delete(&maps, count).await });
    while left > 0 {
        match poll_fn(|context| events.as_mut().poll_next(context)).await {
            Some(Ok(Event::Delete(map))) if map.name_any().starts_with("map-") => left -= 1,
            Some(_) => {}
            None => return Err(io::Error::other("the watch ended")),
        }
    }
    deleting.await??;
    freeing.abort();
    Ok(begin.elapsed())
}

/// Takes the finalizer off whatever is being deleted, a second later, until it is aborted.
pub(crate) fn free(client: &Client, namespace: &str) -> AbortHandle {
    let maps: Api<ConfigMap> = Api::namespaced(client.clone(), namespace);
    let task = tokio::spawn(async move {
        let mut events = pin!(watcher(maps.clone(), watcher::Config::default()));
        while let Some(event) = poll_fn(|context| events.as_mut().poll_next(context)).await {
            let Ok(Event::Apply(map) | Event::InitApply(map)) = event else { continue };
            if map.metadata.deletion_timestamp.is_none() {
                continue;
            }
            let maps = maps.clone();
            tokio::spawn(async move {
                tokio::time::sleep(Duration::from_secs(1)).await;
                let change = Patch::Merge(json!({"metadata": {"finalizers": null}}));
                // It may be gone already.
                let _ = maps.patch(&map.name_any(), &PatchParams::default(), &change).await;
            });
        }
    });
    task.abort_handle()
}
