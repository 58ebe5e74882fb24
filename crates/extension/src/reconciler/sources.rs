//! Watches: one for the kind, and one for each other kind that concerns it.

use std::collections::HashSet;
use std::future::poll_fn;
use std::pin::pin;
use std::time::Duration;

use futures_core::Stream;
use kube::Api;
use kube::core::{DynamicObject, PartialObjectMeta};
use kube::runtime::watcher::{self, Event, watcher};
use tokio::sync::mpsc;

use super::Secondary;
use crate::error::with_causes;
use crate::{ObjectKey, Trigger};

/// What a watch of the kind tells.
#[derive(Debug)]
pub(crate) enum News {
    There(Box<DynamicObject>),
    Gone(ObjectKey),
    /// All that is there in a namespace, or everywhere, has been told: nothing else is.
    Complete(Option<String>, HashSet<ObjectKey>),
}

/// Watches the objects of the kind in one namespace, or everywhere, for as long as somebody listens.
pub(crate) async fn watch(
    api: Api<DynamicObject>,
    labels: Option<String>,
    namespace: Option<String>,
    tell: mpsc::Sender<News>,
) {
    let mut events = pin!(watcher(api, config(labels.as_deref())));
    let mut told = HashSet::new();
    let mut failures = 0;
    while let Some(event) = poll_fn(|context| events.as_mut().poll_next(context)).await {
        let event = match event {
            Ok(event) => event,
            Err(error) => {
                tracing::warn!(error = with_causes(&error), "a watch broke and begins again");
                pause(&mut failures).await;
                continue;
            }
        };
        failures = 0;
        let news = match event {
            Event::Init => {
                told.clear();
                continue;
            }
            Event::InitApply(object) => {
                told.insert(ObjectKey::of(&object));
                News::There(Box::new(object))
            }
            Event::InitDone => News::Complete(namespace.clone(), std::mem::take(&mut told)),
            Event::Apply(object) => News::There(Box::new(object)),
            Event::Delete(object) => News::Gone(ObjectKey::of(&object)),
        };
        if tell.send(news).await.is_err() {
            return;
        }
    }
}

/// Watches another kind, by its metadata, and wakes those whom it concerns.
pub(crate) async fn watch_other(api: Api<PartialObjectMeta>, other: Secondary, trigger: Trigger) {
    let mut events = pin!(watcher(api, config(other.labels.as_deref())));
    let mut failures = 0;
    while let Some(event) = poll_fn(|context| events.as_mut().poll_next(context)).await {
        match event {
            Ok(Event::InitApply(object) | Event::Apply(object) | Event::Delete(object)) => {
                for wish in (other.map)(&object) {
                    trigger.send(wish);
                }
            }
            Ok(Event::Init | Event::InitDone) => {}
            Err(error) => {
                let (error, kind) = (with_causes(&error), &other.resource.kind);
                tracing::warn!(error, kind, "a watch broke and begins again");
                pause(&mut failures).await;
                continue;
            }
        }
        failures = 0;
    }
}

fn config(labels: Option<&str>) -> watcher::Config {
    let config = watcher::Config::default();
    labels.map_or(config.clone(), |labels| config.labels(labels))
}

/// A watch that breaks again and again is not begun at once each time.
async fn pause(failures: &mut u32) {
    tokio::time::sleep(Duration::from_millis(100 << (*failures).min(8))).await;
    *failures += 1;
}
