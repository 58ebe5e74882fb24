//! What the servers have to do.

use std::future::Future;
use std::io;
use std::pin::pin;
use std::time::Instant;

use futures_core::Stream;
use k8s_openapi::api::core::v1::{ConfigMap, Namespace};
use kube::api::{DeleteParams, ListParams, PostParams, WatchEvent, WatchParams};
use kube::{Api, Client, ResourceExt};
use serde_json::json;

use super::Arguments;
use super::peer::Peer;
use crate::at_once::at_once;

/// What one server does in a second, and what it takes.
pub(crate) struct Figures {
    pub(crate) creates: f64,
    pub(crate) gets: f64,
    pub(crate) lists: f64,
    pub(crate) events: f64,
    pub(crate) deletes: f64,
    /// In MiB.
    pub(crate) memory: f64,
}

/// How long the list is that is read again and again.
const LISTED: usize = 1000;
const LISTS: usize = 100;

pub(crate) async fn measure(peer: &Peer, arguments: &Arguments) -> io::Result<Figures> {
    let client = peer.client().await?;
    let (objects, width) = (arguments.objects, arguments.width);
    let work = namespace(&client, "work").await?;
    // The first requests find connections not made and code not loaded.
    rate(200.min(objects), width, &work, |maps, number| create(maps, format!("warm-{number}"))).await?;

    let creates = rate(objects, width, &work, |maps, number| create(maps, format!("map-{number}"))).await?;
    let gets = rate(objects, width, &work, |maps, number| async move {
        maps.get(&format!("map-{number}")).await.map(drop)
    })
    .await?;
    let deletes = rate(objects, width, &work, |maps, number| async move {
        maps.delete(&format!("map-{number}"), &DeleteParams::default()).await.map(drop)
    })
    .await?;

    let listed = namespace(&client, "listed").await?;
    rate(LISTED, width, &listed, |maps, number| create(maps, format!("map-{number}"))).await?;
    let lists = rate(LISTS, 2, &listed, |maps, _| async move {
        let list = maps.list(&ListParams::default()).await?;
        // The namespace has a certificate of its own beside.
        assert!(list.items.len() >= LISTED, "{} objects are listed", list.items.len());
        Ok(())
    })
    .await?;

    let watched = namespace(&client, "watched").await?;
    let events = fan_out(&watched, objects.min(500), arguments.watches, width).await?;

    let stored = namespace(&client, "stored").await?;
    let rest = arguments.stored.saturating_sub(LISTED);
    rate(rest, width, &stored, |maps, number| create(maps, format!("map-{number}"))).await?;
    Ok(Figures { creates, gets, lists, events, deletes, memory: peer.memory_now() })
}

async fn namespace(client: &Client, name: &str) -> io::Result<Api<ConfigMap>> {
    let object: Namespace = serde_json::from_value(json!({"metadata": {"name": name}}))?;
    Api::all(client.clone()).create(&PostParams::default(), &object).await.map_err(io::Error::other)?;
    Ok(Api::namespaced(client.clone(), name))
}

async fn create(maps: Api<ConfigMap>, name: String) -> Result<(), kube::Error> {
    let object = json!({
        "metadata": {"name": name, "labels": {"app": "bench"}},
        "data": {"settings.yaml": "replicas: 3\nimage: registry.example/app:1.2.3\n".repeat(8)},
    });
    let object: ConfigMap = serde_json::from_value(object).map_err(kube::Error::SerdeError)?;
    maps.create(&PostParams::default(), &object).await.map(drop)
}

/// Does something so many times, so many at once; how often in a second.
async fn rate<Work, Done>(count: usize, width: usize, maps: &Api<ConfigMap>, work: Work) -> io::Result<f64>
where
    Work: Fn(Api<ConfigMap>, usize) -> Done + Send + Sync + Copy + 'static,
    Done: Future<Output = Result<(), kube::Error>> + Send,
{
    Ok(count as f64 / at_once(count, width, maps, work).await?.as_secs_f64())
}

/// Creates objects while many watch; how many events arrive in a second, at all of them together.
async fn fan_out(maps: &Api<ConfigMap>, objects: usize, watches: usize, width: usize) -> io::Result<f64> {
    let version =
        maps.list(&ListParams::default()).await.map_err(io::Error::other)?.metadata.resource_version;
    let version = version.unwrap_or_default();
    let watching: Vec<_> = (0..watches)
        .map(|_| {
            let (maps, version) = (maps.clone(), version.clone());
            tokio::spawn(async move {
                let mut events = pin!(maps.watch(&WatchParams::default(), &version).await?);
                let mut seen = 0;
                while seen < objects {
                    match std::future::poll_fn(|context| events.as_mut().poll_next(context)).await {
                        Some(event) => seen += usize::from(is_ours(&event?)),
                        None => break,
                    }
                }
                Ok::<_, kube::Error>(seen)
            })
        })
        .collect();
    let begin = Instant::now();
    rate(objects, width, maps, |maps, number| create(maps, format!("map-{number}"))).await?;
    let mut seen = 0;
    for watch in watching {
        seen += watch.await?.map_err(io::Error::other)?;
    }
    if seen != objects * watches {
        return Err(io::Error::other(format!("{seen} events came, {} were due", objects * watches)));
    }
    Ok(seen as f64 / begin.elapsed().as_secs_f64())
}

fn is_ours(event: &WatchEvent<ConfigMap>) -> bool {
    matches!(event, WatchEvent::Added(map) if map.name_any().starts_with("map-"))
}
