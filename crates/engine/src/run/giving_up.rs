//! Waits that end before their time, because of what the pods say.

use plan::StepIndex;
use tokio::time::Instant;

use super::Run;
use crate::event::Event;
use crate::pods::{Evidence, Finding, Symptom};

/// A failure with what was found out about it.
pub(super) struct Inquired {
    pub(super) step: StepIndex,
    pub(super) failure: Failure,
}

/// Why a step failed.
#[derive(Default)]
pub(super) struct Failure {
    pub(super) reason: Option<String>,
    pub(super) message: String,
    pub(super) evidence: Evidence,
}

impl From<String> for Failure {
    fn from(message: String) -> Self {
        Self { message, ..Self::default() }
    }
}

impl<Tell: FnMut(Event)> Run<'_, Tell> {
    /// Fails a step that waits for a workload, with what can be found out about its pods.
    pub(super) fn give_up(&mut self, step: StepIndex, message: String, symptom: Option<Symptom>) {
        if self.glance.is_some() {
            return self.failed(step, message);
        }
        let object = self.plan.step(step).kind.object();
        let inquiry = object.and_then(|object| self.patients.inquire(object, self.table.live(object)));
        let Some((seen, inquiry)) = inquiry else { return self.failed(step, message) };
        let symptom = symptom.or(seen);
        let message = match &symptom {
            Some(symptom) if symptom.message != message && !message.contains(&symptom.message) => {
                format!("{message}; {}", symptom.message)
            }
            _ => message,
        };
        let client = self.writer.client().clone();
        self.inquiries.spawn(async move {
            let reason = symptom.as_ref().map(|symptom| symptom.reason.clone());
            let evidence = inquiry.make(client, symptom).await;
            Inquired { step, failure: Failure { reason, message, evidence } }
        });
    }

    /// Looks at the pods of what is not ready.
    pub(super) fn look_at_patients(&mut self, now: Instant) {
        let (look, leave) = self.patients.namespaces(now);
        for namespace in look {
            self.surroundings.look_at(namespace);
        }
        for namespace in leave {
            self.surroundings.leave(namespace);
        }
        let table = &self.table;
        for finding in self.patients.assess(|object| table.live(object), now) {
            match finding {
                Finding::Told { object, reason, message } => {
                    let object = self.plan.object(object).id.clone();
                    self.say(Event::Waiting { object, reason, message });
                }
                Finding::Hopeless { object, symptom } => {
                    for step in self.table.waiting_for(object) {
                        self.give_up(step, symptom.message.clone(), Some(symptom.clone()));
                    }
                }
            }
        }
    }
}
