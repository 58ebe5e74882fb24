//! Where every step stands, and what is known of every object.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, HashMap};

use goyaml::Value;
use jiff::Timestamp;
use kube::ResourceExt;
use kube::core::DynamicObject;
use objects::ObjectId;
use objects::readiness::{self, Circumstances, Expression, Overrides, Status};
use plan::input::Rank;
use plan::output::{Gate, PlannedObject, StepKind, Successors};
use plan::{ObjectIndex, Plan, StepIndex};

use crate::watches::{News, Seen};
use crate::writer::Applied;

/// How a step stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// Something before it is not done.
    Held,
    /// It may begin.
    Ready,
    /// It has begun.
    UnderWay,
    /// It is done.
    Done,
    /// It failed, or something before it did.
    Off,
}

/// What a look at an object says about a step that waits for it.
pub(crate) enum Standing {
    Done,
    Failed(String),
    Waiting { reason: String, message: String, is_new: bool },
}

/// What is known of one object.
#[derive(Debug, Default)]
struct Known {
    live: Option<Box<DynamicObject>>,
    /// Whether anything was heard of it.
    heard: bool,
    gone: bool,
    /// Whether a step waits for it to become ready.
    awaited: bool,
    generation: Option<i64>,
    /// The revision that our own write has made: what is older no longer counts.
    version: Option<u64>,
    overrides: Overrides,
    /// What was told last about what it lacks.
    told: String,
}

/// Steps and objects of a run.
pub(crate) struct Table {
    states: Vec<State>,
    held_by: Vec<u32>,
    successors: Successors,
    ready: BinaryHeap<Reverse<StepIndex>>,
    left: usize,
    attempts: HashMap<StepIndex, u32>,
    objects: Vec<Known>,
    numbers: HashMap<ObjectId, ObjectIndex>,
    waiting: HashMap<ObjectIndex, Vec<StepIndex>>,
    ranks: Vec<(StepIndex, Rank)>,
    /// The objects that stay against what was planned, and whether that is because they are not ours.
    kept: BTreeMap<ObjectIndex, bool>,
    /// The objects whose delete is done, with their rank.
    deleted: Vec<(ObjectIndex, Rank)>,
}

impl Table {
    pub(crate) fn new(plan: &Plan) -> Self {
        let mut held_by = vec![0_u32; plan.steps.len()];
        plan.edges.iter().for_each(|edge| held_by[edge.to.at()] += 1);
        let mut table = Self {
            states: vec![State::Held; plan.steps.len()],
            successors: plan.successors(),
            ready: BinaryHeap::new(),
            left: plan.steps.len(),
            attempts: HashMap::new(),
            objects: plan.objects.iter().map(Known::of).collect(),
            numbers: plan
                .objects
                .iter()
                .enumerate()
                .map(|(n, object)| (object.id.clone(), n.into()))
                .collect(),
            waiting: HashMap::new(),
            ranks: Vec::new(),
            kept: BTreeMap::new(),
            deleted: Vec::new(),
            held_by,
        };
        for (step, planned) in plan.numbered() {
            if let StepKind::AwaitReady { object, .. } | StepKind::AwaitEstablished { object } = planned.kind
            {
                table.objects[object.at()].awaited = true;
            }
            if table.held_by[step.at()] == 0 {
                table.make_ready(step);
            }
        }
        table
    }

    fn make_ready(&mut self, step: StepIndex) {
        self.states[step.at()] = State::Ready;
        self.ready.push(Reverse(step));
    }

    /// Whether nothing is left to do.
    pub(crate) fn is_over(&self) -> bool {
        self.left == 0
    }

    /// The first step that may begin.
    pub(crate) fn peek(&self) -> Option<StepIndex> {
        self.ready.peek().map(|Reverse(step)| *step)
    }

    /// Takes the first step that may begin.
    pub(crate) fn take(&mut self, step: StepIndex) {
        self.ready.pop();
        self.states[step.at()] = State::UnderWay;
    }

    pub(crate) fn is_under_way(&self, step: StepIndex) -> bool {
        self.states[step.at()] == State::UnderWay
    }

    /// How often a step was tried, this time included.
    pub(crate) fn attempt(&mut self, step: StepIndex) -> u32 {
        let attempts = self.attempts.entry(step).or_default();
        *attempts += 1;
        *attempts
    }

    pub(crate) fn done(&mut self, step: StepIndex) {
        if !self.is_under_way(step) {
            return;
        }
        self.states[step.at()] = State::Done;
        self.left -= 1;
        let next: Vec<StepIndex> = self.successors.of(step).iter().map(|edge| edge.to).collect();
        for step in next {
            self.held_by[step.at()] -= 1;
            if self.held_by[step.at()] == 0 && self.states[step.at()] == State::Held {
                self.make_ready(step);
            }
        }
    }

    /// Takes a step out, with all that comes after it. Returns how many others that are.
    pub(crate) fn failed(&mut self, step: StepIndex) -> usize {
        let before = self.left;
        let mut off = vec![step];
        while let Some(step) = off.pop() {
            if matches!(self.states[step.at()], State::Done | State::Off) {
                continue;
            }
            self.states[step.at()] = State::Off;
            self.left -= 1;
            off.extend(self.successors.of(step).iter().map(|edge| edge.to));
        }
        before - self.left - 1
    }

    pub(crate) fn wait_for_object(&mut self, step: StepIndex, object: ObjectIndex) {
        self.waiting.entry(object).or_default().push(step);
    }

    pub(crate) fn wait_for_rank(&mut self, step: StepIndex, rank: Rank) {
        self.ranks.push((step, rank));
    }

    /// The steps that wait for an object.
    pub(crate) fn waiting_for(&self, object: ObjectIndex) -> Vec<StepIndex> {
        let steps = self.waiting.get(&object).map(Vec::as_slice).unwrap_or_default();
        steps.iter().copied().filter(|step| self.is_under_way(*step)).collect()
    }

    /// Takes in what the server answered to our own write.
    pub(crate) fn applied(&mut self, object: ObjectIndex, applied: Applied) {
        let known = &mut self.objects[object.at()];
        known.generation = applied.generation;
        known.version = number(applied.version.as_deref());
        if let Some(live) = applied.live.filter(|_| known.awaited) {
            // A watch may have told already what somebody has made of it since, and says so only once.
            let is_overtaken = known.live.as_deref().is_some_and(|seen| {
                let revisions = number(seen.metadata.resource_version.as_deref()).zip(known.version);
                seen.uid() == live.uid() && revisions.is_some_and(|(seen, ours)| seen > ours)
            });
            if is_overtaken {
                return;
            }
            known.heard = true;
            known.gone = false;
            known.live = Some(live);
        }
    }

    /// Whether a step waits for an object to become ready.
    pub(crate) fn is_awaited(&self, object: ObjectIndex) -> bool {
        self.objects[object.at()].awaited
    }

    pub(crate) fn mark_deleted(&mut self, object: ObjectIndex, rank: Rank) {
        self.deleted.push((object, rank));
    }

    pub(crate) fn mark_gone(&mut self, object: ObjectIndex) {
        self.objects[object.at()].gone = true;
    }

    /// An object stays against what was planned.
    pub(crate) fn keep(&mut self, object: ObjectIndex, is_foreign: bool) {
        self.kept.insert(object, is_foreign);
    }

    pub(crate) fn is_kept(&self, object: ObjectIndex) -> bool {
        self.kept.contains_key(&object)
    }

    /// What stays against what was planned, and whether that is because it is not ours.
    pub(crate) fn kept(&self) -> impl Iterator<Item = (ObjectIndex, bool)> {
        self.kept.iter().map(|(object, is_foreign)| (*object, *is_foreign))
    }

    /// The live objects of a rank and of lower ones whose delete was sent and that are not gone.
    pub(crate) fn left_of(&self, rank: Rank) -> impl Iterator<Item = ObjectIndex> {
        let left =
            self.deleted.iter().filter(move |(object, of)| *of <= rank && !self.objects[object.at()].gone);
        left.map(|(object, _)| *object)
    }

    /// The steps that wait for a rank of which nothing is left.
    pub(crate) fn ranks_that_are_gone(&self) -> Vec<StepIndex> {
        let waiting = self.ranks.iter().filter(|(step, _)| self.is_under_way(*step));
        waiting.filter(|(_, rank)| self.left_of(*rank).next().is_none()).map(|(step, _)| *step).collect()
    }

    /// Takes in what a watch tells. Returns the object if it is one of the plan's.
    pub(crate) fn heard(&mut self, news: News, uids: &[Option<String>]) -> Option<ObjectIndex> {
        let object = *self.numbers.get(&news.id)?;
        let ours = uids[object.at()].as_deref();
        let known = &mut self.objects[object.at()];
        let is_older = |live: &DynamicObject| {
            known
                .version
                .zip(number(live.metadata.resource_version.as_deref()))
                .is_some_and(|(ours, seen)| seen < ours)
        };
        match &news.seen {
            // A watch may tell late of what was there before our own write.
            Seen::There(live) if is_older(live) => return None,
            Seen::Absent if known.version.is_some() => return None,
            _ => {}
        }
        known.heard = true;
        match news.seen {
            Seen::There(live) => {
                // Another object of the name means that ours is gone.
                known.gone = ours.is_some() && live.uid().as_deref() != ours;
                known.live = Some(live);
            }
            Seen::Gone(uid) => {
                known.gone |= ours.is_none() || uid.as_deref() == ours;
                known.live.take_if(|live| uid.is_none() || live.uid() == uid);
            }
            Seen::Absent => {
                known.gone = true;
                known.live = None;
            }
        }
        Some(object)
    }

    /// An object as it was seen last, unless that was before it was applied.
    pub(crate) fn live(&self, object: ObjectIndex) -> Option<&DynamicObject> {
        let known = &self.objects[object.at()];
        let applied = known.generation;
        known.live.as_deref().filter(|live| applied.is_none() || live.metadata.generation >= applied)
    }

    /// How a step that waits for an object stands.
    pub(crate) fn judge(&mut self, plan: &Plan, kind: StepKind, object: ObjectIndex) -> Standing {
        let known = &mut self.objects[object.at()];
        let waiting = |known: &mut Known, reason: String, message: String| {
            // Before anything was heard there is nothing to tell.
            let is_new = known.heard && known.told != message;
            known.told.clone_from(&message);
            Standing::Waiting { reason, message, is_new }
        };
        if matches!(kind, StepKind::AwaitGone { .. }) {
            return match () {
                () if known.gone => Standing::Done,
                () => {
                    let message = known.why_not_gone();
                    waiting(known, "Terminating".to_owned(), message)
                }
            };
        }
        let Some(live) = known.live.as_deref() else {
            // Nothing heard yet, or deleted by somebody: the next event tells.
            return waiting(known, "NotFound".to_owned(), "it is not there".to_owned());
        };
        let value = match serde_json::to_string(live).ok().and_then(|text| goyaml::json::from_str(&text).ok())
        {
            Some(value) => value,
            None => Value::Null,
        };
        let circumstances = Circumstances {
            now: Timestamp::now(),
            applied_generation: known.generation,
            gate: match kind {
                StepKind::AwaitReady { gate: Gate::Complete, .. } => readiness::Gate::Followed,
                _ => readiness::Gate::Last,
            },
            waits_for_consumer: plan.object(object).id.kind == "PersistentVolumeClaim",
        };
        let found = readiness::assess(&value, &known.overrides, &circumstances);
        match found.verdict.status {
            Status::Current => Standing::Done,
            Status::Failed => Standing::Failed(found.verdict.message),
            _ => waiting(known, found.verdict.reason, found.verdict.message),
        }
    }

    /// What a wait that is over was waiting for.
    pub(crate) fn what_is_missing(&self, plan: &Plan, kind: StepKind) -> String {
        let Some(object) = kind.object() else { return "time is over".to_owned() };
        let known = &self.objects[object.at()];
        let said = if known.told.is_empty() { "nothing was heard of it" } else { &known.told };
        format!("{} is not ready in time: {said}", plan.object(object).id)
    }

    /// What is not gone although its time is over.
    pub(crate) fn what_is_left(&self, plan: &Plan, kind: StepKind) -> String {
        let left: Vec<ObjectIndex> = match kind {
            StepKind::AwaitRank { rank, .. } => self.left_of(rank).collect(),
            kind => kind.object().into_iter().collect(),
        };
        let named: Vec<String> = left
            .iter()
            .map(|object| {
                format!("{} ({})", plan.object(*object).id, self.objects[object.at()].why_not_gone())
            })
            .collect();
        format!("not gone in time: {}", named.join(", "))
    }
}

/// A revision as a number: servers count them.
fn number(version: Option<&str>) -> Option<u64> {
    version?.parse().ok()
}

impl Known {
    fn of(object: &PlannedObject) -> Self {
        let parse = |texts: &[String]| texts.iter().filter_map(|text| Expression::parse(text).ok()).collect();
        let overrides = object.readiness.as_ref().map_or_else(Overrides::default, |readiness| Overrides {
            success: parse(&readiness.success),
            failure: parse(&readiness.failure),
            timeout: None,
        });
        Self { overrides, ..Self::default() }
    }

    fn why_not_gone(&self) -> String {
        let Some(live) = &self.live else { return "nothing was heard of it".to_owned() };
        match live.finalizers() {
            [] if live.metadata.deletion_timestamp.is_none() => "it is not being deleted".to_owned(),
            [] => "it is being deleted".to_owned(),
            finalizers => format!("finalizers {}", finalizers.join(", ")),
        }
    }
}
