//! The Events about a set.

use jiff::Timestamp;
use k8s_openapi::api::core::v1::Event;
use kube::api::ListParams;
use kube::{Api, ResourceExt as _};
use serde::Serialize;

use super::Kind;
use crate::operation::Desk;

/// At most so many are shown: the newest.
const SHOWN: usize = 20;

/// One thing that happened.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Happened {
    pub(super) time: Option<Timestamp>,
    #[serde(rename = "type")]
    pub(super) kind: String,
    pub(super) reason: String,
    pub(super) note: String,
}

/// What happened to a set, the newest last. Whoever may not read Events sees none.
pub(super) fn about<K: Kind>(desk: &Desk, set: &K) -> Vec<Happened> {
    let (namespace, uid) = (set.namespace().unwrap_or_default(), set.uid().unwrap_or_default());
    let events: Api<Event> = Api::namespaced(desk.engine.client().clone(), &namespace);
    let parameters = ListParams::default().fields(&format!("involvedObject.uid={uid}"));
    let found = desk.cluster.wait(events.list(&parameters)).map(|list| list.items).unwrap_or_default();
    let mut told: Vec<Happened> = found.into_iter().map(happened).collect();
    told.sort_by_key(|one| one.time);
    told.split_off(told.len().saturating_sub(SHOWN))
}

fn happened(event: Event) -> Happened {
    let time = event.event_time.map(|time| time.0).or_else(|| event.last_timestamp.map(|time| time.0));
    Happened {
        time: time.or_else(|| event.metadata.creation_timestamp.map(|time| time.0)),
        kind: event.type_.unwrap_or_default(),
        reason: event.reason.unwrap_or_default(),
        note: event.message.unwrap_or_default(),
    }
}
