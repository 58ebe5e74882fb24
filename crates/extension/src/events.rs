//! Kubernetes Events about an object. Each is written by itself: what force deletion did must not be lost in a count.

use k8s_openapi::api::core::v1::ObjectReference;
use k8s_openapi::api::events::v1::Event;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::MicroTime;
use kube::api::{ObjectMeta, PostParams};
use kube::{Api, Client, Resource};

use crate::{Clock, Environment};

/// How long the note of an Event may be.
const LONGEST: usize = 1024;

/// Writes Events about one object.
#[derive(Clone)]
pub(crate) struct Events {
    client: Client,
    clock: Clock,
    reporter: String,
    about: ObjectReference,
}

impl Events {
    pub(crate) fn about<K: Resource<DynamicType = ()>>(environment: &Environment, object: &K) -> Self {
        let Environment { client, clock, name, .. } = environment.clone();
        Self { client, clock, reporter: name, about: object.object_ref(&()) }
    }

    /// Writes one. That it could not be written is no reason to stop: it is logged.
    pub(crate) async fn tell(&self, warning: bool, reason: &str, action: &str, note: &str) {
        // No two have the same name, also when the clock stands.
        let unique = jiff::Timestamp::now().as_nanosecond();
        let name = self.about.name.as_deref().unwrap_or(&self.reporter);
        let event = Event {
            metadata: ObjectMeta {
                name: Some(format!("{}.{:x}", shortened(name, 200), unique)),
                namespace: self.about.namespace.clone(),
                ..ObjectMeta::default()
            },
            action: Some(action.to_owned()),
            reason: Some(reason.to_owned()),
            event_time: Some(MicroTime(self.clock.now())),
            regarding: Some(self.about.clone()),
            note: Some(shortened(note, LONGEST).to_owned()),
            reporting_controller: Some(self.reporter.clone()),
            reporting_instance: Some(self.reporter.clone()),
            type_: Some(if warning { "Warning" } else { "Normal" }.to_owned()),
            ..Event::default()
        };
        let namespace = self.about.namespace.as_deref().unwrap_or("default");
        let events = Api::<Event>::namespaced(self.client.clone(), namespace);
        if let Err(error) = events.create(&PostParams::default(), &event).await {
            tracing::warn!(%error, reason, note, "an event could not be written");
        }
    }
}

fn shortened(text: &str, longest: usize) -> &str {
    &text[..text.floor_char_boundary(longest.min(text.len()))]
}
