//! How long it takes from one layer's being ready to the next layer's being there, as a watch sees it.

use std::collections::HashMap;
use std::future::{Future, poll_fn};
use std::io;
use std::pin::pin;
use std::time::{Duration, Instant};

use futures_core::Stream;
use k8s_openapi::api::apps::v1::Deployment;
use kube::runtime::watcher::{self, Event, watcher};
use kube::{Api, Client, ResourceExt};

use super::floor::is_ready;

/// Watches so many layers from now on; the answer has a gap for each but the first.
pub(crate) fn watch(
    client: &Client,
    namespace: &str,
    count: usize,
) -> impl Future<Output = io::Result<Vec<Duration>>> + use<> {
    let deployments: Api<Deployment> = Api::namespaced(client.clone(), namespace);
    let watching = tokio::spawn(async move {
        let mut events = pin!(watcher(deployments, watcher::Config::default()));
        let (mut seen, mut ready) = (HashMap::new(), HashMap::new());
        while ready.len() < count {
            let Some(event) = poll_fn(|context| events.as_mut().poll_next(context)).await else { break };
            let Ok(Event::Apply(live) | Event::InitApply(live)) = event else { continue };
            let (name, now) = (live.name_any(), Instant::now());
            seen.entry(name.clone()).or_insert(now);
            if is_ready(&live) {
                ready.entry(name).or_insert(now);
            }
        }
        let gap = |number: usize| {
            let before: &Instant = ready.get(&format!("layer-{}", number - 1))?;
            Some(seen.get(&format!("layer-{number}"))?.saturating_duration_since(*before))
        };
        (1..count).filter_map(gap).collect()
    });
    async { watching.await.map_err(io::Error::other) }
}
