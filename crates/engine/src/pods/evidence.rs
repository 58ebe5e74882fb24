//! What is told with a failure: the last lines that a container logged, and the warnings about what is involved.

use std::time::Duration;

use k8s_openapi::api::core::v1::{Event, Pod};
use kube::api::{ListParams, LogParams};
use kube::{Api, Client};

use super::symptom::Symptom;

/// So many lines of a log are told.
const LINES: i64 = 8;
/// So many warnings.
const WARNINGS: usize = 5;
/// So long evidence is looked for at most: a failure is told in any case.
const PATIENCE: Duration = Duration::from_secs(5);

/// What is to be found out.
#[derive(Debug, Clone, Default)]
pub(crate) struct Inquiry {
    pub(crate) namespace: String,
    /// The pod and container that is in trouble; the container may be left to the server.
    pub(crate) container: Option<(String, Option<String>)>,
    /// What selects its pods, for when none was seen yet.
    pub(crate) labels: Option<String>,
    /// The UIDs of what warnings may be about.
    pub(crate) about: Vec<String>,
}

/// What was found out.
#[derive(Debug, Clone, Default)]
pub(crate) struct Evidence {
    pub(crate) log: Vec<String>,
    pub(crate) warnings: Vec<String>,
    pub(crate) hint: Option<String>,
}

impl Inquiry {
    /// Looks for evidence. What cannot be had is left out.
    pub(crate) async fn make(mut self, client: Client, symptom: Option<Symptom>) -> Evidence {
        let hint = symptom.as_ref().and_then(Symptom::hint).map(ToOwned::to_owned);
        let looking = async {
            if self.container.is_none() {
                self.find_pod(&client).await;
            }
            Evidence {
                log: self.log(&client).await,
                warnings: self.warnings(&client).await,
                hint: hint.clone(),
            }
        };
        let found = tokio::time::timeout(PATIENCE, looking).await;
        found.unwrap_or_else(|_| Evidence { hint, ..Evidence::default() })
    }

    /// A pod to ask, one that has failed if there is one.
    async fn find_pod(&mut self, client: &Client) {
        let Some(labels) = &self.labels else { return };
        let pods: Api<Pod> = Api::namespaced(client.clone(), &self.namespace);
        let Ok(list) = pods.list(&ListParams::default().labels(labels)).await else { return };
        let has_failed = |pod: &Pod| {
            pod.status
                .as_ref()
                .and_then(|status| status.phase.as_deref())
                .is_some_and(|phase| phase == "Failed")
        };
        let found = list.items.iter().max_by_key(|pod| has_failed(pod)).map(|pod| pod.metadata.clone());
        if let Some(metadata) = found {
            self.about.extend(metadata.uid);
            self.container = metadata.name.map(|name| (name, None));
        }
    }

    async fn log(&self, client: &Client) -> Vec<String> {
        let Some((pod, container)) = &self.container else { return Vec::new() };
        let pods: Api<Pod> = Api::namespaced(client.clone(), &self.namespace);
        // A container that was just started again has said nothing yet, but the one before has.
        for previous in [false, true] {
            let parameters = LogParams {
                container: container.clone(),
                tail_lines: Some(LINES),
                previous,
                ..LogParams::default()
            };
            let text = pods.logs(pod, &parameters).await.unwrap_or_default();
            if !text.trim().is_empty() {
                return text.trim_end().lines().map(ToOwned::to_owned).collect();
            }
        }
        Vec::new()
    }

    async fn warnings(&self, client: &Client) -> Vec<String> {
        let events: Api<Event> = Api::namespaced(client.clone(), &self.namespace);
        let mut found = Vec::new();
        for uid in &self.about {
            let parameters = ListParams::default().fields(&format!("involvedObject.uid={uid},type=Warning"));
            if let Ok(list) = events.list(&parameters).await {
                found.extend(list.items);
            }
        }
        found.sort_by_key(|event| event.last_timestamp.as_ref().map(|time| time.0));
        let latest = &found[found.len().saturating_sub(WARNINGS)..];
        latest.iter().map(describe).collect()
    }
}

fn describe(event: &Event) -> String {
    let about = &event.involved_object;
    let part = |part: &Option<String>| part.clone().unwrap_or_default();
    let times = event.count.filter(|count| *count > 1).map(|count| format!(" ({count} times)"));
    format!(
        "{} {}: {}: {}{}",
        part(&about.kind),
        part(&about.name),
        part(&event.reason),
        part(&event.message).trim(),
        times.unwrap_or_default()
    )
}

impl Evidence {
    /// A failure with all that was found out about it.
    pub(crate) fn put_to(&self, message: &str) -> String {
        let mut text = message.to_owned();
        let mut add = |title: &str, lines: &[String]| {
            for line in lines {
                text.push_str("\n    ");
                text.push_str(title);
                text.push_str(line);
            }
        };
        add("log: ", &self.log);
        add("event: ", &self.warnings);
        add("hint: ", self.hint.as_slice());
        text
    }
}
