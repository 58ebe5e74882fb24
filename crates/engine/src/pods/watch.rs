//! Watches what is around the workloads of a namespace: their pods, `ReplicaSet`s, and warnings.

use std::collections::HashMap;
use std::fmt::Debug;
use std::future::poll_fn;
use std::pin::pin;

use futures_core::Stream;
use k8s_openapi::NamespaceResourceScope;
use k8s_openapi::api::apps::v1::ReplicaSet;
use k8s_openapi::api::core::v1::{Event as Warning, Pod};
use kube::runtime::watcher::{self, Event, watcher};
use kube::{Api, Client, Resource};
use serde::de::DeserializeOwned;
use tokio::sync::mpsc;
use tokio::task::AbortHandle;

use crate::pauses::Pauses;

/// Something that was seen in a namespace.
#[derive(Debug)]
pub(crate) enum Sighting {
    Pod(Box<Pod>),
    /// The pod with this UID is gone.
    PodGone(Option<String>),
    Set(Box<ReplicaSet>),
    /// A warning that is new, or was repeated.
    Warning(Box<Warning>),
}

/// The watches of all namespaces that are looked at. They end when this is dropped.
pub(crate) struct Surroundings {
    client: Client,
    running: HashMap<String, Vec<AbortHandle>>,
    sender: mpsc::UnboundedSender<Sighting>,
    receiver: mpsc::UnboundedReceiver<Sighting>,
}

impl Drop for Surroundings {
    fn drop(&mut self) {
        self.running.values().flatten().for_each(AbortHandle::abort);
    }
}

impl Surroundings {
    pub(crate) fn new(client: Client) -> Self {
        let (sender, receiver) = mpsc::unbounded_channel();
        Self { client, running: HashMap::new(), sender, receiver }
    }

    /// Looks at a namespace from now on.
    pub(crate) fn look_at(&mut self, namespace: &str) {
        if self.running.contains_key(namespace) {
            return;
        }
        let (client, sender) = (&self.client, &self.sender);
        let pods =
            follow(
                client,
                namespace,
                sender,
                watcher::Config::default(),
                |event: Event<Pod>, _| match event {
                    Event::InitApply(pod) | Event::Apply(pod) => Some(Sighting::Pod(Box::new(pod))),
                    Event::Delete(pod) => Some(Sighting::PodGone(pod.metadata.uid)),
                    _ => None,
                },
            );
        let sets =
            follow(client, namespace, sender, watcher::Config::default(), |event: Event<ReplicaSet>, _| {
                match event {
                    Event::InitApply(set) | Event::Apply(set) => Some(Sighting::Set(Box::new(set))),
                    _ => None,
                }
            });
        // Warnings that were there before may be about what has passed: only what is new or repeated counts.
        let config = watcher::Config::default().fields("type=Warning");
        let warnings =
            follow(client, namespace, sender, config, |event: Event<Warning>, is_first| match event {
                Event::Apply(warning) => Some(Sighting::Warning(Box::new(warning))),
                Event::InitApply(warning) if !is_first => Some(Sighting::Warning(Box::new(warning))),
                _ => None,
            });
        self.running.insert(namespace.to_owned(), vec![pods, sets, warnings]);
    }

    /// Looks at a namespace no longer.
    pub(crate) fn leave(&mut self, namespace: &str) {
        self.running.remove(namespace).iter().flatten().for_each(AbortHandle::abort);
    }

    /// The next thing that is seen.
    pub(crate) async fn next(&mut self) -> Option<Sighting> {
        self.receiver.recv().await
    }
}

/// Follows one kind in a namespace. `read` is told whether the first list is not over yet.
fn follow<K>(
    client: &Client,
    namespace: &str,
    sender: &mpsc::UnboundedSender<Sighting>,
    config: watcher::Config,
    read: impl Fn(Event<K>, bool) -> Option<Sighting> + Send + 'static,
) -> AbortHandle
where
    K: Resource<Scope = NamespaceResourceScope> + Clone + Debug + DeserializeOwned + Send + 'static,
    K::DynamicType: Default,
{
    let api: Api<K> = Api::namespaced(client.clone(), namespace);
    let sender = sender.clone();
    let task = tokio::spawn(async move {
        let mut events = pin!(watcher(api, config));
        let (mut is_first, mut pauses) = (true, Pauses::default());
        while let Some(event) = poll_fn(|context| events.as_mut().poll_next(context)).await {
            let Ok(event) = event else {
                // Whoever may not watch this is told less; the watcher begins again by itself.
                pauses.wait().await;
                continue;
            };
            pauses.end();
            let is_over = matches!(event, Event::InitDone);
            if let Some(sighting) = read(event, is_first)
                && sender.send(sighting).is_err()
            {
                return;
            }
            is_first &= !is_over;
        }
    });
    task.abort_handle()
}
