//! Bringing a Bundle up: rounds of planning and running, until nothing is new.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::time::Duration;

use api::Bundle;
use api::bundle::{Modifier, Reference, Resource};
use base64::Engine as _;
use engine::{
    Effect, Engine, Event, Glance, Holder, LockError, Marks, Options, Stop, StoredObject, Subjects, Work,
};
use extension::{ActuatorError, Clock, Context, ErrorCode, ObjectKey, Outcome};
use k8s_openapi::api::core::v1::Secret;
use kube::core::DynamicObject;
use kube::{Api, ResourceExt};
use objects::ObjectId;
use plan::input::{Entry, Inventory, Order, Owner, Policy, Wanted};
use plan::{Operation, Plan, Request};
use release::SetInventory;
use serde_json::{Value, json};

use super::graph::{self, Ordering};
use super::members::{Member, Resolved, members, wanted};
use super::pending::alone;
use super::references::{self, Values};
use super::status::{Standing, Standings};
use super::store::{Store, marks};
use super::{BundleActuator, holder, lock_name, readiness};

/// A request that fails is repeated for so long.
const PATIENCE: Duration = Duration::from_secs(30);
/// A Bundle that somebody else works on is looked at again after so long.
const LOCKED: Duration = Duration::from_secs(2);

/// One reconcile of a Bundle.
pub(super) struct Reconcile<'a> {
    pub(super) bundle: Bundle,
    pub(super) marks: Marks,
    pub(super) engine: Engine,
    pub(super) store: Store,
    pub(super) kept: SetInventory,
    /// The inventory as it is stored.
    pub(super) written: SetInventory,
    /// What the cluster has of all that is listed or in the inventory.
    pub(super) seen: HashMap<ObjectId, DynamicObject>,
    pub(super) stop: Stop,
    pub(super) clock: Clock,
    /// This process has not looked at the Bundle before.
    pub(super) is_first: bool,
    /// How many lists the watches had ended before anything was looked at.
    pub(super) lists: u64,
    pub(super) actuator: &'a BundleActuator,
    pub(super) events: Vec<Event>,
}

impl BundleActuator {
    /// Brings about what the spec lists.
    pub(super) async fn bring_up(&self, context: &mut Context<Bundle>) -> Result<Outcome, ActuatorError> {
        let bundle = context.object.clone();
        let order = match graph::order(&bundle.spec.resources) {
            Ok(order) => order,
            Err(error) => return Err(invalid(error.to_string())),
        };
        let (stopper, stop) = Stop::new();
        let namespace = bundle.namespace().unwrap_or_default();
        let lock = self.cluster.lock(&namespace, &lock_name(&bundle), &holder(context), stopper).await?;
        let lock = match lock {
            Ok(lock) => lock,
            Err(LockError::Held { holder, since }) => {
                return Ok(Outcome::progress(1, format!("{holder} is at work on it since {since}"))
                    .requeue_after(LOCKED));
            }
            Err(error) => return Err(ActuatorError::new(error.to_string())),
        };
        let result = self.bring_up_locked(context, bundle, &order, stop).await;
        lock.release().await;
        result
    }

    async fn bring_up_locked(
        &self,
        context: &mut Context<Bundle>,
        bundle: Bundle,
        order: &[Ordering],
        stop: Stop,
    ) -> Result<Outcome, ActuatorError> {
        let mut work = self.begin(bundle, context.clock(), stop).await?;
        if let Some(outcome) = work.expire(context).await? {
            return Ok(outcome);
        }
        let mut standings = work.rounds(order).await?;
        let (listed, ready) = (standings.objects(), standings.all_ready());
        let mut pending = work.prune(&listed, ready).await?;
        let overdue = standings.overdue(&work.bundle, context.now())?;
        pending.next = [pending.next, overdue].into_iter().flatten().min();
        work.save().await?;
        work.follow();
        work.tell(context, &standings).await;
        standings.settle(context, &work, &pending)
    }

    /// Reads what is stored of a Bundle.
    pub(super) async fn begin(
        &self,
        bundle: Bundle,
        clock: &Clock,
        stop: Stop,
    ) -> Result<Reconcile<'_>, ActuatorError> {
        let marks = marks(&bundle);
        let store = self.store(&bundle);
        let written = store.read().await?;
        let mut kept = written.clone();
        kept.account = bundle.service_account().to_owned();
        let engine = self.cluster.as_account(&marks.namespace, bundle.service_account()).await?;
        let (seen, events, clock) = (HashMap::new(), Vec::new(), clock.clone());
        let (actuator, is_first, lists) = (self, false, self.watching.lists());
        Ok(Reconcile {
            bundle,
            marks,
            engine,
            store,
            kept,
            written,
            seen,
            stop,
            clock,
            is_first,
            lists,
            actuator,
            events,
        })
    }
}

impl Reconcile<'_> {
    fn resources(&self) -> Vec<Resource> {
        self.bundle.spec.resources.clone()
    }

    fn members(&self, order: &[Ordering], resolved: &Resolved) -> Vec<Member> {
        members(&self.bundle.spec.resources, order, resolved, &self.marks, &self.engine)
    }

    pub(super) fn options(&self) -> Options {
        Options {
            manager: release::MANAGER.to_owned(),
            force_conflicts: self.bundle.spec.force_conflicts.unwrap_or(true),
            timeout: PATIENCE,
            clock: by(&self.clock),
            ..Options::default()
        }
    }

    /// Rounds until nothing is new.
    async fn rounds(&mut self, order: &[Ordering]) -> Result<Standings, ActuatorError> {
        let mut resolved = Resolved::default();
        let first = self.members(order, &resolved);
        if self.actuator.cluster.know(first.iter().map(|member| &member.id)).await? {
            let (namespace, account) = (&self.marks.namespace, self.bundle.service_account());
            self.engine = self.actuator.cluster.as_account(namespace, account).await?;
        }
        let mut members = self.members(order, &resolved);
        self.take_over_trash(&members).await?;
        self.look(&members).await?;
        let declared = readiness::declared(&self.engine, members.iter().map(|member| &member.id)).await;
        loop {
            let standings = self.round(&members, &declared).await?;
            let news = self.resolve(&standings, &mut resolved).await?;
            if !news {
                return Ok(standings);
            }
            members = self.members(order, &resolved);
        }
    }

    /// What an earlier Bundle of this name has left behind, and this one lists, is this one's from now on.
    async fn take_over_trash(&mut self, members: &[Member]) -> Result<(), ActuatorError> {
        let has: HashSet<ObjectId> =
            self.kept.inventory.entries.iter().map(|entry| entry.id.clone()).collect();
        // What is new may be there. What is not may have been taken over by somebody who was killed before that was
        // written in the trash, too: for those a process looks once.
        let is_new = members.iter().any(|member| !has.contains(&member.id));
        if !is_new && !self.is_first {
            return Ok(());
        }
        let Some(trash) = self.store.trash().await? else { return Ok(()) };
        let listed: HashSet<&ObjectId> = members.iter().map(|member| &member.id).collect();
        let is_ours = |entry: &Entry| listed.contains(&entry.id) || has.contains(&entry.id);
        let ours: Vec<bool> = trash.inventory.entries.iter().map(is_ours).collect();
        if !ours.contains(&true) {
            return Ok(());
        }
        let mut taken = trash.inventory.clone();
        let is_other = |entry: &Entry| !is_ours(entry) || has.contains(&entry.id);
        taken.forget(&trash.inventory.entries.iter().map(is_other).collect::<Vec<bool>>());
        if !taken.entries.is_empty() {
            if has.is_empty() {
                self.kept.inventory = taken;
            } else {
                self.kept.inventory.entries.extend(taken.entries.into_iter().map(alone));
            }
            // Written here before it is taken from there: whoever is killed in between finds it twice, and never not at
            // all.
            self.store.write(&self.kept).await?;
            self.written = self.kept.clone();
        }
        let mut left = trash.inventory;
        left.forget(&ours);
        self.store.write_trash(left, Some(self.clock.now())).await
    }

    /// Reads all that is listed or in the inventory.
    pub(super) async fn look(&mut self, members: &[Member]) -> Result<(), ActuatorError> {
        let subjects = subjects(members, &Wanted::nothing(&self.marks.namespace), &self.kept.inventory);
        self.seen = self
            .engine
            .look(&subjects, &self.marks)
            .await
            .map_err(|error| ActuatorError::new(error.to_string()).code(ErrorCode::Unauthorized))?;
        Ok(())
    }

    /// One round: plan what there is, and run it as far as it goes.
    async fn round(
        &mut self,
        members: &[Member],
        declared: &HashMap<(String, String), plan::output::Readiness>,
    ) -> Result<Standings, ActuatorError> {
        let mut standings = Standings::default();
        let mut held: HashSet<ObjectId> = HashSet::new();
        let mut foreign: HashSet<ObjectId> = HashSet::new();
        for member in members {
            if let Some(problem) = self.not_ours(member) {
                foreign.insert(member.id.clone());
                standings.set(&member.name, Standing::Refused(problem));
            } else if let Some(problem) = &member.problem {
                standings.set(&member.name, Standing::Refused(problem.clone()));
            } else if let Some(problem) = self.is_fought_over(member) {
                standings.set(&member.name, Standing::Failed(problem));
            } else if member.unresolved {
                standings.set(&member.name, Standing::Blocked(String::new()));
            } else {
                continue;
            }
            held.insert(member.id.clone());
        }
        let wanted = wanted(members, &self.marks, &self.engine).map_err(invalid)?;
        let listed: HashSet<&ObjectId> = wanted.members.iter().map(|member| &member.id).collect();
        let stored = self.kept.inventory.clone();
        // What is no longer listed is for the prune that follows.
        held.extend(stored.entries.iter().map(|entry| &entry.id).filter(|id| !listed.contains(id)).cloned());
        let subjects = subjects(members, &wanted, &stored);
        let mut live = self.engine.judge(&subjects, &self.seen, &self.marks).await.map_err(unreadable)?;
        // The planner would refuse everything because of one object that is somebody else's.
        live.objects.retain(|id, _| !foreign.contains(id));
        let policy = Policy { order: Order::Ordered, wait: true, ..Policy::default() };
        let mut plan = plan::plan(&Request {
            operation: if stored.entries.is_empty() { Operation::Install } else { Operation::Upgrade },
            wanted: &wanted,
            stored: &stored,
            policy: &policy,
            live: &live,
            now: self.clock.now(),
        })
        .map_err(|errors| invalid(errors.to_string()))?;
        for object in &mut plan.objects {
            if object.readiness.is_none() {
                object.readiness = declared.get(&(object.id.group.clone(), object.id.kind.clone())).cloned();
            }
        }
        let intent = self.intent(plan.intent.clone(), &held);
        self.keep(intent).await?;
        let documents: Vec<Value> = members.iter().map(|member| member.document.clone()).collect();
        let work = Work { plan: &plan, documents: &documents, marks: &self.marks };
        let glance = Glance { seen: &self.seen, held: &held };
        let mut events = Vec::new();
        let (options, mut stop) = (self.options(), self.stop.clone());
        let tell = |event: Event| events.push(event);
        let outcome = self.engine.advance(work, &options, glance, &mut stop, tell).await;
        for event in &events {
            // What was applied before in the same words, and had to be again, was changed by somebody.
            if let Event::Applied { object, effect: Effect::Configured } = event
                && subjects.same.contains(object)
                && let Some(uid) = self.seen.get(object).and_then(ResourceExt::uid)
            {
                self.actuator.fights.note(uid, self.clock.now());
            }
        }
        for (id, object) in &outcome.applied {
            self.seen.insert(id.clone(), object.clone());
        }
        settle(&mut self.kept.inventory, &plan, &outcome);
        standings.read(members, &events, &outcome);
        self.events.extend(events);
        Ok(standings)
    }

    /// Why the object that is there is not put right for now.
    fn is_fought_over(&self, member: &Member) -> Option<String> {
        let live = self.seen.get(&member.id)?;
        self.actuator.fights.objection(&live.uid()?, live, self.clock.now())
    }

    /// Why the object that is there cannot be taken.
    fn not_ours(&self, member: &Member) -> Option<String> {
        let live = self.seen.get(&member.id)?;
        match self.marks.owner(&live.metadata) {
            Owner::Ours => None,
            Owner::Nobody => Some(format!(
                "{} is there and belongs to nobody: to hand it over, annotate it with {}: \"Bundle {}/{}\"",
                member.id,
                engine::OWNER,
                self.marks.namespace,
                self.marks.name
            )),
            Owner::Other(owner) => Some(format!("{} belongs to {owner}", member.id)),
        }
    }

    /// The inventory before a round: all that was there, and all that is about to be.
    fn intent(&self, mut planned: Inventory, held: &HashSet<ObjectId>) -> Inventory {
        let known: HashSet<ObjectId> =
            self.kept.inventory.entries.iter().map(|entry| entry.id.clone()).collect();
        // What is held back and was never applied is not there to be taken out.
        let without: Vec<bool> = planned
            .entries
            .iter()
            .map(|entry| held.contains(&entry.id) && !known.contains(&entry.id))
            .collect();
        planned.forget(&without);
        planned
    }

    /// Writes the inventory if it is another.
    async fn keep(&mut self, inventory: Inventory) -> Result<(), ActuatorError> {
        self.kept.inventory = inventory;
        let ids = |set: &SetInventory| -> Vec<(ObjectId, Option<String>)> {
            set.inventory.entries.iter().map(|entry| (entry.id.clone(), entry.delay.clone())).collect()
        };
        let is_known = ids(&self.kept).iter().all(|entry| ids(&self.written).contains(entry));
        if is_known { Ok(()) } else { self.save().await }
    }

    /// Writes the inventory as it is now.
    pub(super) async fn save(&mut self) -> Result<(), ActuatorError> {
        if self.kept != self.written {
            self.store.write(&self.kept).await?;
            self.written = self.kept.clone();
        }
        Ok(())
    }

    /// Finds the values that ready resources give to others. Says whether any is new.
    async fn resolve(&self, standings: &Standings, resolved: &mut Resolved) -> Result<bool, ActuatorError> {
        let mut news = false;
        for resource in self.resources() {
            if resolved.contains_key(&resource.name) {
                continue;
            }
            let named: Vec<&Reference> = resource
                .references
                .iter()
                .filter(|reference| reference.name.as_ref().is_some_and(|name| !name.is_empty()))
                .collect();
            let is_due = !named.is_empty()
                && resource.references.iter().all(|reference| standings.is_ready(&reference.resource));
            if !is_due {
                continue;
            }
            let mut values = Values::new();
            let mut found = Ok(());
            for reference in named {
                match self.value(reference, standings).await? {
                    Ok(Some((name, value))) => drop(values.insert(name, value)),
                    Ok(None) => {}
                    Err(why) => found = Err(why),
                }
            }
            resolved.insert(resource.name.clone(), found.map(|()| values));
            news = true;
        }
        Ok(news)
    }

    async fn value(
        &self,
        reference: &Reference,
        standings: &Standings,
    ) -> Result<Result<Option<(String, Value)>, String>, ActuatorError> {
        let object = standings.object(&reference.resource).and_then(|id| self.seen.get(id));
        let Some(object) = object else {
            return Ok(Err(format!("resource {:?} is not there", reference.resource)));
        };
        let data = match reference.modifier {
            None => serde_json::to_value(object).unwrap_or_default(),
            Some(Modifier::BindSecret) => match self.bound_secret(object).await? {
                Some(secret) => secret,
                None => {
                    return Ok(Err(format!("the Secret of binding {:?} is not there", object.name_any())));
                }
            },
        };
        Ok(references::value(reference, &data).map_err(|error| error.to_string()))
    }

    /// The Secret that a binding has made, with its values decoded. It is read as the Bundle's account.
    async fn bound_secret(&self, binding: &DynamicObject) -> Result<Option<Value>, ActuatorError> {
        let name =
            binding.data["spec"]["secretName"].as_str().map_or_else(|| binding.name_any(), str::to_owned);
        let namespace = binding.namespace().unwrap_or_default();
        let secrets: Api<Secret> = Api::namespaced(self.engine.client().clone(), &namespace);
        let Some(secret) = secrets.get_opt(&name).await? else { return Ok(None) };
        let decoded: BTreeMap<String, String> =
            secret.data.iter().flatten().map(|(key, value)| (key.clone(), text_of(&value.0))).collect();
        Ok(Some(json!({"metadata": secret.metadata, "data": decoded})))
    }

    /// Has the kinds of the Bundle watched, and says which revisions are known.
    pub(super) fn follow(&self) {
        let watching = &self.actuator.watching;
        for entry in &self.kept.inventory.entries {
            let served = self.engine.served();
            if let Some(kind) =
                served.kind(&entry.api_version, &entry.id.kind).or_else(|| served.kind_of(&entry.id))
                && kind.watchable
            {
                watching.follow(&kind.resource, kind.namespaced);
            }
        }
        let key = ObjectKey::namespaced(&self.marks.namespace, &self.marks.name);
        watching.knows(key, self.seen.iter(), self.lists);
        let gone = self.events.iter().filter_map(|event| match event {
            Event::Gone { object } => self.seen.get(object)?.uid(),
            _ => None,
        });
        watching.knows_gone(gone.collect(), self.clock.now());
    }
}

/// The time of a controller, for a run.
pub(crate) fn by(clock: &Clock) -> engine::Clock {
    let clock = clock.clone();
    engine::Clock::new(move || clock.now())
}

/// What is asked about all that is listed or in an inventory.
fn subjects(members: &[Member], wanted: &Wanted, stored: &Inventory) -> Subjects {
    let digests: HashMap<_, _> = stored.entries.iter().map(|entry| (&entry.id, entry.digest)).collect();
    let same = wanted.members.iter().filter(|member| digests.get(&member.id) == Some(&member.digest));
    let real = members.iter().filter(|member| member.id.kind != "Invalid" || member.problem.is_none());
    Subjects {
        wanted: real.map(|member| (member.id.clone(), member.document.clone())).collect(),
        stored: stored.entries.iter().map(stored_object).collect(),
        same: same.map(|member| member.id.clone()).collect(),
        holders: Vec::new(),
    }
}

fn text_of(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => base64::engine::general_purpose::STANDARD.encode(bytes),
    }
}

/// Puts into an inventory what a run has found out: the UIDs of what there is, and what is gone.
pub(crate) fn settle(inventory: &mut Inventory, plan: &Plan, outcome: &engine::Outcome) {
    let places: HashMap<&ObjectId, usize> =
        plan.objects.iter().enumerate().map(|(place, object)| (&object.id, place)).collect();
    let mut gone = Vec::with_capacity(inventory.entries.len());
    for entry in &mut inventory.entries {
        let place = places.get(&entry.id).copied();
        if let Some(uid) = place.and_then(|place| outcome.uids[place].clone()) {
            entry.uid = Some(uid);
        }
        gone.push(place.is_some_and(|place| outcome.gone[place]));
    }
    inventory.forget(&gone);
}

pub(crate) fn stored_object(entry: &Entry) -> StoredObject {
    StoredObject { id: entry.id.clone(), api_version: entry.api_version.clone(), uid: entry.uid.clone() }
}

/// The objects in an inventory that would take others along.
pub(super) fn holders(inventory: &Inventory) -> Vec<(ObjectId, Holder)> {
    let holder = |entry: &Entry| Some((entry.id.clone(), Holder::of(&entry.id)?));
    inventory.entries.iter().filter_map(holder).collect()
}

/// Something in the spec will not pass by itself.
pub(super) fn invalid(why: impl Into<String>) -> ActuatorError {
    ActuatorError::new(why).code(ErrorCode::ConfigurationProblem).fatal()
}

#[expect(clippy::needless_pass_by_value, reason = "it is what map_err gives")]
pub(super) fn unreadable(error: engine::ObserveError) -> ActuatorError {
    ActuatorError::new(error.to_string())
}
