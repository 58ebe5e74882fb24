//! What others may want to know of a run, as Events of the cluster: countdowns that began, were taken back or are over,
//! and finalizers that were removed by force.

use std::collections::HashSet;

use engine::{Event, Marks};
use jiff::Timestamp;
use k8s_openapi::api::core::v1::Event as ClusterEvent;
use kube::api::PostParams;
use kube::{Api, Client};
use objects::ObjectId;
use plan::Plan;
use plan::output::{Because, StepKind};
use serde_json::json;

use super::MANAGER;

/// Nobody reads more of one run.
const MOST: usize = 100;

/// What has been heard so far.
pub(super) struct Notices<'a> {
    plan: &'a Plan,
    expired: HashSet<&'a ObjectId>,
    found: Vec<(ObjectId, &'static str, String)>,
}

impl<'a> Notices<'a> {
    pub(super) fn new(plan: &'a Plan) -> Self {
        let expired = plan.steps.iter().filter_map(|step| match step.kind {
            StepKind::Delete { object, because: Because::Expired, .. } => Some(&plan.object(object).id),
            _ => None,
        });
        Self { plan, expired: expired.collect(), found: Vec::new() }
    }

    pub(super) fn hear(&mut self, event: &Event) {
        let (object, reason, message) = match event {
            Event::Stamped { object, due: Some(due) } => {
                (object, "DeletionDelayed", format!("it is no longer wanted, and goes at {due}"))
            }
            Event::Restored { object } => (object, "DeletionCancelled", "it is wanted again".to_owned()),
            Event::Deleting { object } if self.expired.contains(object) => {
                (object, "DeletionDelayOver", "its delay is over, and it is deleted".to_owned())
            }
            Event::Stripped { object, finalizers } => (
                object,
                "FinalizersRemoved",
                format!(
                    "finalizers {} were removed by force; what they stood for outside of the cluster may be left behind",
                    finalizers.join(", ")
                ),
            ),
            _ => return,
        };
        self.found.push((object.clone(), reason, message));
    }

    /// Writes them down. That this may fail is no reason to fail.
    pub(super) async fn write(self, client: &Client, marks: &Marks) {
        for (number, (object, reason, message)) in self.found.iter().take(MOST).enumerate() {
            let known = self.plan.objects.iter().find(|known| known.id == *object);
            let namespace = object.namespace.as_deref().unwrap_or("default");
            let now = Timestamp::now();
            let event = json!({
                "metadata": {
                    "name": format!("{}.{:x}{number:02x}", object.name, now.as_nanosecond()),
                    "namespace": namespace,
                },
                "involvedObject": {
                    "apiVersion": known.map(|known| known.api_version.as_str()),
                    "kind": object.kind,
                    "name": object.name,
                    "namespace": object.namespace,
                    "uid": known.and_then(|known| known.uid.as_deref()),
                },
                "reason": reason,
                "message": format!("release {}/{}: {message}", marks.namespace, marks.name),
                "type": if *reason == "FinalizersRemoved" { "Warning" } else { "Normal" },
                "source": {"component": MANAGER},
                "firstTimestamp": now.strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
                "lastTimestamp": now.strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
                "count": 1,
            });
            if let Ok(event) = serde_json::from_value::<ClusterEvent>(event) {
                let events: Api<ClusterEvent> = Api::namespaced(client.clone(), namespace);
                let _ = events.create(&PostParams::default(), &event).await;
            }
        }
    }
}
