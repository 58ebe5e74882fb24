//! How each resource stands, and what a Bundle says about itself.

use std::collections::{BTreeMap, HashMap, HashSet};

use api::Bundle;
use api::bundle::ResourceStatus;
use engine::{Event, Outcome as Ran};
use extension::status::{ConditionStatus, set_condition};
use extension::{ActuatorError, Context, ErrorCode, Outcome};
use jiff::{SignedDuration, Timestamp};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
use objects::{GoDuration, ObjectId};

use super::members::Member;
use super::pending::Pending;
use super::rounds::{Reconcile, invalid};

/// How one resource stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Standing {
    /// What it comes after is not ready.
    Blocked(String),
    /// It is applied, and lacks something.
    InProgress(String, String),
    Ready,
    /// It cannot be applied until somebody changes something.
    Refused(String),
    /// It was refused, and may not be the next time.
    Failed(String),
}

/// How all resources stand, by name.
#[derive(Debug, Clone, Default)]
pub(super) struct Standings {
    of: BTreeMap<String, Standing>,
    ids: BTreeMap<String, ObjectId>,
    order: Vec<String>,
}

impl Standings {
    pub(super) fn set(&mut self, name: &str, standing: Standing) {
        self.of.insert(name.to_owned(), standing);
    }

    pub(super) fn is_ready(&self, name: &str) -> bool {
        self.of.get(name) == Some(&Standing::Ready)
    }

    pub(super) fn all_ready(&self) -> bool {
        self.of.values().all(|standing| *standing == Standing::Ready)
    }

    /// All objects that are listed, by the names that they have now.
    pub(super) fn objects(&self) -> HashSet<ObjectId> {
        self.ids.values().cloned().collect()
    }

    pub(super) fn object(&self, name: &str) -> Option<&ObjectId> {
        self.ids.get(name)
    }

    /// Reads off a run how the resources stand that nothing was known about before.
    pub(super) fn read(&mut self, members: &[Member], events: &[Event], outcome: &Ran) {
        let mut found: HashMap<&ObjectId, Standing> = HashMap::new();
        for (id, reason, message) in &outcome.waiting {
            found.insert(id, Standing::InProgress(reason.clone(), message.clone()));
        }
        for event in events {
            match event {
                Event::Ready { object } => drop(found.insert(object, Standing::Ready)),
                Event::Failed { object: Some(object), message, .. } => {
                    found.insert(object, Standing::Failed(message.clone()));
                }
                _ => {}
            }
        }
        let applied: Vec<&ObjectId> = events
            .iter()
            .filter_map(|event| match event {
                Event::Applied { object, .. } => Some(object),
                _ => None,
            })
            .collect();
        for member in members {
            self.order.push(member.name.clone());
            self.ids.insert(member.name.clone(), member.id.clone());
            if self.of.contains_key(&member.name) {
                continue;
            }
            let standing = match found.get(&member.id) {
                Some(standing) => standing.clone(),
                // One that is not awaited is ready when it is there.
                None if applied.contains(&&member.id) => Standing::Ready,
                None => Standing::Blocked(String::new()),
            };
            self.of.insert(member.name.clone(), standing);
        }
    }

    /// Says that what takes longer to become ready than the Bundle allows has failed, and when the next will have.
    pub(super) fn overdue(
        &mut self,
        bundle: &Bundle,
        now: Timestamp,
    ) -> Result<Option<Timestamp>, ActuatorError> {
        let Some(within) = bundle.spec.readiness_timeout.as_deref() else { return Ok(None) };
        let within = within
            .trim()
            .parse::<GoDuration>()
            .ok()
            .and_then(GoDuration::to_std)
            .and_then(|within| SignedDuration::try_from(within).ok())
            .ok_or_else(|| invalid(format!("spec.readinessTimeout: {within} is no duration such as 10m")))?;
        let mut next: Option<Timestamp> = None;
        for (name, standing) in &mut self.of {
            let Standing::InProgress(_, message) = standing else { continue };
            let of = bundle.status.iter().flat_map(|status| &status.resource_statuses);
            let mut conditions = of.filter(|of| of.name == *name).flat_map(|of| &of.conditions);
            let since = conditions.find(|it| it.type_ == "InProgress" && it.status == "True");
            let since = since.map_or(now, |since| since.last_transition_time.0);
            let end = since.saturating_add(within).unwrap_or(Timestamp::MAX);
            if end <= now {
                *standing = Standing::Failed(format!("it is not ready after {within:#}: {message}"));
            } else {
                next = Some(next.map_or(end, |known| known.min(end)));
            }
        }
        Ok(next)
    }

    /// Writes everything into the status, and says how the operation went.
    pub(super) fn settle(
        &self,
        context: &mut Context<Bundle>,
        work: &Reconcile<'_>,
        pending: &Pending,
    ) -> Result<Outcome, ActuatorError> {
        let (now, generation) = (context.now(), context.object.metadata.generation);
        let status = context.object.status.get_or_insert_default();
        let mut before: HashMap<String, Vec<Condition>> =
            status.resource_statuses.drain(..).map(|of| (of.name, of.conditions)).collect();
        for name in &self.order {
            let Some(standing) = self.of.get(name) else { continue };
            let mut conditions = before.remove(name).unwrap_or_default();
            for (kind, is_true, reason, message) in self.conditions(standing, work, name) {
                let value = ConditionStatus::from(is_true);
                set_condition(&mut conditions, kind, value, reason, &message, generation, now);
            }
            status.resource_statuses.push(ResourceStatus { name: name.clone(), conditions });
        }
        status.pending_deletions.clone_from(&pending.counting);
        status.objects_to_delete.clone_from(&pending.to_delete);
        status.inventory = Some(work.store.secret_name());
        let trouble = self.trouble(pending);
        let is_ready = self.all_ready();
        let waiting = self.waiting();
        let unreadable = pending.unreadable.join("; ");
        if let Some(error) = trouble {
            let conditions = &mut status.extension.conditions;
            for (kind, is_true) in [("Ready", false), ("InProgress", error.is_retryable()), ("Error", true)] {
                let reason = if error.is_retryable() { "RetriableError" } else { "TerminalError" };
                let value = ConditionStatus::from(is_true);
                set_condition(conditions, kind, value, reason, &error.to_string(), generation, now);
            }
            return Err(error);
        }
        let outcome = if !is_ready {
            let describe = waiting.clone();
            // Watches tell of changes; this is for those that nobody may watch.
            Outcome::progress(50, describe).requeue_after(std::time::Duration::from_mins(10))
        } else if !pending.going.is_empty() {
            Outcome::progress(90, format!("Waiting for {} to go", pending.going.join(", ")))
                .requeue_after(std::time::Duration::from_mins(10))
        } else {
            Outcome::done().describe("All resources are ready")
        };
        let outcome = match pending.next {
            Some(due) => outcome.requeue_at(due),
            None => outcome,
        };
        let (reason, message) =
            if is_ready { ("Ready", "all resources are ready") } else { ("InProgress", &*waiting) };
        let outcome = outcome
            .condition("Ready", is_ready, reason, message)
            .condition("InProgress", !is_ready, reason, message)
            .condition("Error", false, "NoError", "")
            .condition("Suspended", false, "NotSuspended", "");
        Ok(if pending.unreadable.is_empty() {
            outcome.condition("DelaysReadable", true, "Readable", "")
        } else {
            outcome.condition("DelaysReadable", false, "Unreadable", unreadable)
        })
    }

    /// What stands against the Bundle, if anything does.
    fn trouble(&self, pending: &Pending) -> Option<ActuatorError> {
        let mut errors = Vec::new();
        for (name, standing) in &self.of {
            match standing {
                Standing::Refused(why) => errors.push(
                    ActuatorError::new(format!("resource {name:?}: {why}"))
                        .code(ErrorCode::ConfigurationProblem)
                        .task(name.clone()),
                ),
                Standing::Failed(why) => {
                    errors.push(ActuatorError::new(format!("resource {name:?}: {why}")).task(name.clone()));
                }
                _ => {}
            }
        }
        for failure in &pending.failures {
            errors.push(ActuatorError::new(failure.clone()).code(ErrorCode::CleanupResources));
        }
        errors.into_iter().reduce(ActuatorError::and)
    }

    fn waiting(&self) -> String {
        let waiting = self.of.iter().filter_map(|(name, standing)| match standing {
            Standing::InProgress(_, message) => Some(format!("{name}: {message}")),
            Standing::Blocked(_) => Some(format!("{name} is blocked")),
            _ => None,
        });
        format!("Waiting for {}", waiting.collect::<Vec<String>>().join(", "))
    }

    fn conditions(
        &self,
        standing: &Standing,
        work: &Reconcile<'_>,
        name: &str,
    ) -> [(&'static str, bool, &'static str, String); 4] {
        let blocked = matches!(standing, Standing::Blocked(_));
        let in_progress = matches!(standing, Standing::InProgress(..) | Standing::Failed(_));
        let error = matches!(standing, Standing::Refused(_) | Standing::Failed(_));
        let message = match standing {
            Standing::Blocked(_) => {
                format!("dependencies are not ready: {}", self.needed(work, name).join(", "))
            }
            Standing::InProgress(_, message) | Standing::Refused(message) | Standing::Failed(message) => {
                message.clone()
            }
            Standing::Ready => String::new(),
        };
        let reason = match standing {
            Standing::Blocked(_) => "DependenciesNotReady",
            Standing::InProgress(..) => "InProgress",
            Standing::Ready => "Ready",
            Standing::Refused(_) => "TerminalError",
            Standing::Failed(_) => "RetriableError",
        };
        let said = |is: bool| if is { message.clone() } else { String::new() };
        [
            ("Blocked", blocked, reason, said(blocked)),
            ("InProgress", in_progress, reason, said(in_progress)),
            ("Ready", *standing == Standing::Ready, reason, said(*standing != Standing::Ready)),
            ("Error", error, reason, said(error)),
        ]
    }

    /// What a blocked resource waits for: what it refers to, or else whatever is not ready.
    fn needed(&self, work: &Reconcile<'_>, name: &str) -> Vec<String> {
        let resource = work.bundle.spec.resources.iter().find(|resource| resource.name == name);
        let references = resource.map(|resource| resource.references.as_slice()).unwrap_or_default();
        let mut needed: Vec<String> = references
            .iter()
            .map(|reference| reference.resource.clone())
            .filter(|to| !self.is_ready(to))
            .collect();
        if needed.is_empty() {
            let others = self.of.iter().filter(|(other, standing)| {
                *other != name && !matches!(standing, Standing::Ready | Standing::Blocked(_))
            });
            needed = others.map(|(other, _)| other.clone()).collect();
        }
        needed
    }
}

impl Reconcile<'_> {
    /// Tells the cluster what others may want to know: what became ready, what failed, and what counts down.
    pub(super) async fn tell(&self, context: &Context<Bundle>, standings: &Standings) {
        let before: HashMap<&str, bool> = context
            .object
            .status
            .iter()
            .flat_map(|status| &status.resource_statuses)
            .map(|of| {
                (of.name.as_str(), of.conditions.iter().any(|it| it.type_ == "Ready" && it.status == "True"))
            })
            .collect();
        let was_in = |name: &str, kind: &str| {
            let of = context.object.status.iter().flat_map(|status| &status.resource_statuses);
            let mut of = of.filter(|of| of.name == name).flat_map(|of| &of.conditions);
            of.any(|condition| condition.type_ == kind && condition.status == "True")
        };
        for (name, standing) in &standings.of {
            match standing {
                Standing::Ready if before.get(name.as_str()) != Some(&true) => {
                    context.event("ResourceReady", &format!("resource {name} is ready")).await;
                    self.count(context, "ResourceReady");
                }
                Standing::Refused(why) | Standing::Failed(why) if !was_in(name, "Error") => {
                    context.warn("ResourceError", &format!("resource {name}: {why}")).await;
                    self.count(context, "ResourceError");
                }
                Standing::InProgress(_, why) if !was_in(name, "InProgress") => {
                    context.event("ResourceInProgress", &format!("resource {name}: {why}")).await;
                    self.count(context, "ResourceInProgress");
                }
                _ => {}
            }
        }
        self.tell_deletions(context).await;
    }

    /// Tells of every start, cancel and end of a countdown, and of what was deleted.
    pub(super) async fn tell_deletions(&self, context: &Context<Bundle>) {
        for event in &self.events {
            let (reason, note) = match event {
                Event::Stamped { object, due } => {
                    let due = due.map(|due| format!(", and goes at {due}")).unwrap_or_default();
                    ("DeletionDelayed", format!("{object} is no longer listed{due}"))
                }
                Event::Restored { object } => ("DeletionCancelled", format!("{object} is listed again")),
                Event::Deleting { object } => ("ResourceDeleted", format!("{object} is deleted")),
                _ => continue,
            };
            context.event(reason, &note).await;
            self.count(context, reason);
        }
    }

    fn count(&self, context: &Context<Bundle>, reason: &str) {
        let labels = [("namespace", self.marks.namespace.as_str()), ("reason", reason)];
        context.metrics().count(
            "slipway_bundle_transitions_total",
            "What happened to the resources of Bundles.",
            &labels,
        );
    }
}
