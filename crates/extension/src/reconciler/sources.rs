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
                broke(&error, None, &mut failures).await;
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
                broke(&error, Some(&other.resource.kind), &mut failures).await;
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

/// Tells of a watch that broke, and waits: one that breaks again and again is not begun at once each time. A kind that
/// is not there is no fault of the watch: it is told once, and waited for.
async fn broke(error: &watcher::Error, kind: Option<&str>, failures: &mut u32) {
    let told = with_causes(error);
    if is_missing(error) {
        if *failures == 0 {
            tracing::info!(kind, "there is no such kind yet; it is waited for");
        } else {
            tracing::debug!(kind, error = told, "there is no such kind yet");
        }
        tokio::time::sleep(MISSING).await;
    } else {
        tracing::warn!(kind, error = told, "a watch broke and begins again");
        tokio::time::sleep(Duration::from_millis(100 << (*failures).min(8))).await;
    }
    *failures += 1;
}

/// So often it is looked whether a kind is there.
const MISSING: Duration = Duration::from_secs(1);

/// Whether a watch could not begin since the server knows no such kind.
fn is_missing(error: &watcher::Error) -> bool {
    let (watcher::Error::InitialListFailed(cause) | watcher::Error::WatchStartFailed(cause)) = error else {
        return false;
    };
    matches!(cause, kube::Error::Api(status) if status.code == 404)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_kind_that_is_not_there_is_waited_for_quietly() {
        let refused = |code: u16| {
            let mut status = kube::core::Status::failure("words", "Reason");
            status.code = code;
            watcher::Error::InitialListFailed(kube::Error::Api(status.boxed()))
        };
        assert!(is_missing(&refused(404)));
        assert!(!is_missing(&refused(403)) && !is_missing(&refused(503)));
    }
}
