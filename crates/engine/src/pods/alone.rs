//! The pods of one object that is waited for by itself: a hook's.

use std::future::{pending, poll_fn};
use std::pin::pin;

use futures_core::Stream;
use k8s_openapi::api::core::v1::Pod;
use kube::runtime::watcher::{self, Event, watcher};
use kube::{Api, Client};
use objects::ObjectId;
use tokio::time::Instant;

use super::symptom::{Symptom, Weight};
use crate::pauses::Pauses;

/// Returns with what the pods of a Job, or a pod, will not recover from; never, if there is nothing.
pub(crate) async fn hopeless(client: Client, id: &ObjectId) -> Symptom {
    let Some(namespace) = &id.namespace else { return pending().await };
    let is_job = id.kind == "Job";
    let config = watcher::Config::default();
    let config = if is_job {
        config.labels(&format!("batch.kubernetes.io/job-name={}", id.name))
    } else {
        config.fields(&format!("metadata.name={}", id.name))
    };
    let mut events = pin!(watcher(Api::<Pod>::namespaced(client, namespace), config));
    let mut worst: Option<(Symptom, Instant)> = None;
    let mut pauses = Pauses::default();
    loop {
        let due = worst.as_ref().and_then(|(symptom, since)| match symptom.weight {
            Weight::Lasts(span) => Some(*since + span),
            // Whatever is missing may come while the release goes on.
            Weight::Note | Weight::Unless(_) => None,
        });
        let over = async {
            match due {
                Some(due) => tokio::time::sleep_until(due).await,
                None => pending().await,
            }
        };
        tokio::select! {
            event = poll_fn(|context| events.as_mut().poll_next(context)) => match event {
                None => return pending().await,
                Some(Ok(Event::InitApply(pod) | Event::Apply(pod))) => {
                    let now = Instant::now();
                    worst = Symptom::of(&pod, is_job).map(|symptom| match worst.take() {
                        Some((old, since)) if old.weight == symptom.weight => (symptom, since),
                        _ => (symptom, now),
                    });
                }
                // The watcher begins again by itself.
                Some(Err(_)) => pauses.wait().await,
                Some(Ok(_)) => pauses.end(),
            },
            () = over => if let Some((symptom, _)) = worst { return symptom },
        }
    }
}
