//! Taking out what is no longer listed: at once, or after its delay.

use std::collections::HashSet;

use api::bundle::{ObjectReference, PendingDeletion};
use engine::{Event, Glance, Outcome as Ran, Subjects, Work};
use extension::ActuatorError;
use jiff::{SignedDuration, Timestamp};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use kube::ResourceExt;
use kube::core::DynamicObject;
use objects::{GoDuration, ObjectId, parse_time};
use plan::input::{Entry, Inventory, Meaning, Policy, Spelling, Wanted};
use plan::output::{Kept, Reason, StepKind};
use plan::{Operation, Plan, Request};

use super::rounds::{Reconcile, holders, invalid, settle, stored_object, unreadable};

/// What is to go, and has not gone.
#[derive(Debug, Default)]
pub(super) struct Pending {
    /// What counts down.
    pub(super) counting: Vec<PendingDeletion>,
    /// What goes when something else has happened, with what that is.
    pub(super) to_delete: Vec<ObjectReference>,
    /// What was refused, by the server or by somebody's webhook.
    pub(super) failures: Vec<String>,
    /// Whose delay or stamp cannot be read, with what it says.
    pub(super) unreadable: Vec<String>,
    /// When the next countdown ends.
    pub(super) next: Option<Timestamp>,
    /// What is being deleted, and is not gone.
    pub(super) going: Vec<String>,
}

impl Reconcile<'_> {
    /// Takes out what is not listed, as far as that can be now.
    pub(super) async fn prune(
        &mut self,
        listed: &HashSet<ObjectId>,
        ready: bool,
    ) -> Result<Pending, ActuatorError> {
        let mut stored = self.kept.inventory.clone();
        let wanted: Vec<bool> = stored.entries.iter().map(|entry| listed.contains(&entry.id)).collect();
        stored.forget(&wanted);
        let policy = Policy { ready, ..Policy::default() };
        self.take_away(&stored, Operation::Prune, &policy).await
    }

    /// Takes objects of the inventory out, as far as that can be now.
    pub(super) async fn take_away(
        &mut self,
        stored: &Inventory,
        operation: Operation,
        policy: &Policy,
    ) -> Result<Pending, ActuatorError> {
        let mut pending = Pending::default();
        if stored.entries.is_empty() {
            return Ok(pending);
        }
        let ids: HashSet<&ObjectId> = stored.entries.iter().map(|entry| &entry.id).collect();
        let subjects = Subjects {
            stored: stored.entries.iter().map(stored_object).collect(),
            holders: holders(stored),
            ..Subjects::default()
        };
        let mut live = self.engine.judge(&subjects, &self.seen, &self.marks).await.map_err(unreadable)?;
        live.objects.retain(|id, _| ids.contains(id));
        let wanted = Wanted::nothing(&self.marks.namespace);
        let now = self.clock.now();
        let plan = plan::plan(&Request { operation, wanted: &wanted, stored, policy, live: &live, now })
            .map_err(|errors| invalid(errors.to_string()))?;
        let held = HashSet::new();
        let glance = Glance { seen: &self.seen, held: &held };
        let work = Work { plan: &plan, documents: &[], marks: &self.marks };
        let (options, mut stop, mut events) = (self.options(), self.stop.clone(), Vec::new());
        let tell = |event: Event| events.push(event);
        let outcome = self.engine.advance(work, &options, glance, &mut stop, tell).await;
        pending.read(&plan, &outcome, &events, self);
        settle(&mut self.kept.inventory, &plan, &outcome);
        self.events.extend(events);
        Ok(pending)
    }
}

impl Pending {
    fn read(&mut self, plan: &Plan, outcome: &Ran, events: &[Event], work: &Reconcile<'_>) {
        let named = |id: &ObjectId, why: Option<String>| {
            let known = plan.objects.iter().find(|object| object.id == *id);
            reference(id, known.map_or("", |known| &known.api_version), why)
        };
        for step in &plan.steps {
            match (step.kind, &step.reason) {
                (StepKind::Keep { object }, Reason::Kept(kept)) => {
                    let id = &plan.object(object).id;
                    let why = plan.describe_reason(&step.reason);
                    match kept {
                        Kept::Counting { due } => self.count(id, named(id, None), Some(*due), work),
                        Kept::Unreadable { .. } => {
                            self.unreadable.push(format!("{id}: {why}"));
                            self.to_delete.push(named(id, Some(why)));
                        }
                        _ => self.to_delete.push(named(id, Some(why))),
                    }
                }
                (StepKind::Stamp { object, due }, _) => {
                    let id = &plan.object(object).id;
                    if events
                        .iter()
                        .any(|event| matches!(event, Event::Stamped { object, .. } if object == id))
                    {
                        self.count(id, named(id, None), due.map(whole_second), work);
                    }
                }
                _ => {}
            }
        }
        for (id, _, message) in &outcome.waiting {
            self.going.push(format!("{id}: {message}"));
            let one = named(id, Some(message.clone()));
            if !self.to_delete.contains(&one) {
                self.to_delete.push(one);
            }
        }
        for (id, message) in &outcome.failures {
            let about = id.as_ref().map(|id| format!("{id}: ")).unwrap_or_default();
            self.failures.push(format!("{about}{message}"));
            self.to_delete.extend(id.as_ref().map(|id| named(id, Some(message.clone()))));
        }
        self.to_delete.sort();
        self.to_delete.dedup();
        self.counting.sort_by(|a, b| a.object.cmp(&b.object));
    }

    fn count(
        &mut self,
        id: &ObjectId,
        object: ObjectReference,
        due: Option<Timestamp>,
        work: &Reconcile<'_>,
    ) {
        let since = work.seen.get(id).and_then(stamp_of).unwrap_or_else(|| whole_second(work.clock.now()));
        self.next = match (self.next, due) {
            (Some(known), Some(due)) => Some(known.min(due)),
            (known, due) => known.or(due),
        };
        self.counting.push(PendingDeletion { object, since: Time(since), due: due.map(Time) });
    }
}

/// A moment as a stamp says it, which has no fractions.
fn whole_second(moment: Timestamp) -> Timestamp {
    Timestamp::from_second(moment.as_second()).unwrap_or(moment)
}

/// Since when an object counts down.
pub(crate) fn stamp_of(object: &DynamicObject) -> Option<Timestamp> {
    annotation(object, Meaning::DeletionStamp).and_then(|stamp| parse_time(stamp.trim()))
}

/// When an object's countdown ends, by what is on it.
pub(crate) fn due_of(object: &DynamicObject) -> Option<Timestamp> {
    let delay = annotation(object, Meaning::DeletionDelay)?;
    let delay = delay.trim().parse::<GoDuration>().ok()?.to_std()?;
    stamp_of(object)?.checked_add(SignedDuration::try_from(delay).ok()?).ok()
}

fn annotation(object: &DynamicObject, meaning: Meaning) -> Option<String> {
    Spelling::all()
        .filter(|spelling| spelling.meaning() == meaning)
        .find_map(|spelling| object.annotations().get(spelling.key()).cloned())
}

/// An object as a status names it.
pub(crate) fn reference(id: &ObjectId, api_version: &str, why: Option<String>) -> ObjectReference {
    let version = api_version.rsplit('/').next().unwrap_or_default().to_owned();
    ObjectReference {
        group: id.group.clone(),
        version,
        kind: id.kind.clone(),
        namespace: id.namespace.clone(),
        name: id.name.clone(),
        why,
    }
}

/// Those entries of an inventory that count down, or that something which does cannot be without.
pub(crate) fn in_trash(inventory: &Inventory, is_counting: impl Fn(&Entry) -> bool) -> Inventory {
    let counting: Vec<&Entry> = inventory.entries.iter().filter(|entry| is_counting(entry)).collect();
    let holds = |entry: &Entry| {
        let is_namespace = entry.id.group.is_empty() && entry.id.kind == "Namespace";
        counting.iter().any(|counted| {
            let in_it = is_namespace && counted.id.namespace.as_ref() == Some(&entry.id.name);
            let of_it = entry
                .defines
                .as_ref()
                .is_some_and(|defined| defined.group == counted.id.group && defined.kind == counted.id.kind);
            in_it || of_it
        })
    };
    let gone: Vec<bool> =
        inventory.entries.iter().map(|entry| !(is_counting(entry) || holds(entry))).collect();
    let mut trash = inventory.clone();
    trash.forget(&gone);
    trash
}

/// An entry for another inventory than its own: what it says of others there is left out.
pub(super) fn alone(entry: Entry) -> Entry {
    Entry { backends: Vec::new(), needed_by: Vec::new(), account: None, chart: None, layer: None, ..entry }
}
