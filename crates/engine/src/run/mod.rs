//! The runner: one loop over the steps of a plan.
//!
//! A step may begin when all steps before it are done. Steps that write become requests, so many at once as the
//! [width](crate::width) allows; steps that wait hold nothing but an entry in a table, and are looked at when a
//! [watch](crate::watches) tells of their object. So the loop sleeps until an answer, an event, a deadline or a wish to
//! stop, and the next layer costs one event.
//!
//! What fails stops only what comes after it. A request that may succeed later is sent again, with pauses that grow.

mod deadlines;
mod giving_up;
mod glance;
mod hook;
mod keeping;
mod request;
mod spans;
mod table;

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use kube::core::DynamicObject;
use objects::ObjectId;
use plan::output::{Barrier, StepKind, Within};
use plan::{ObjectIndex, Operation, Plan, StepIndex};
use tokio::task::JoinSet;
use tokio::time::Instant;

use crate::event::{Effect, Ending, Event};
use crate::pods::{Evidence, Patients, Surroundings};
use crate::trouble::{Trouble, sort, words};
use crate::watches::{News, Watches};
use crate::width::Width;
use crate::writer::Writer;
use crate::{Options, Stop, Work};

use deadlines::Deadlines;
use giving_up::{Failure, Inquired};
pub use glance::Glance;
use keeping::going;
use request::{Answer, Known, Refusal, Request};
use spans::Spans;
use table::{Standing, Table};

/// How a run went.
#[derive(Debug, Clone, Default)]
pub struct Outcome {
    /// The UID of each object of the plan, where one is known.
    pub uids: Vec<Option<String>>,
    /// The objects of the plan that are gone.
    pub gone: Vec<bool>,
    /// What was left where it is, and why.
    pub kept: Vec<(ObjectId, String)>,
    /// What failed, with the object it is about.
    pub failures: Vec<(Option<ObjectId>, String)>,
    /// Whether somebody asked it to stop.
    pub stopped: bool,
    /// What a run that waits for nothing would have had to wait for, with a word for machines and one for people.
    pub waiting: Vec<(ObjectId, String, String)>,
    /// The objects that such a run has applied, as the server answered.
    pub applied: Vec<(ObjectId, DynamicObject)>,
}

impl Outcome {
    /// Whether every step was done.
    pub fn is_success(&self) -> bool {
        self.failures.is_empty() && !self.stopped
    }
}

/// A run in progress.
pub(crate) struct Run<'a, Tell> {
    work: Work<'a>,
    plan: &'a Plan,
    writer: Writer,
    options: &'a Options,
    watches: Watches,
    width: Width,
    table: Table,
    deadlines: Deadlines,
    requests: JoinSet<Answer>,
    patients: Patients,
    surroundings: Surroundings,
    inquiries: JoinSet<Inquired>,
    begun: Instant,
    deleting_since: Option<Instant>,
    /// The UIDs of what goes: nothing else may go with a namespace or a definition.
    own: Arc<HashSet<String>>,
    outcome: Outcome,
    glance: Option<Glance<'a>>,
    /// The steps under way, if somebody traces them.
    spans: Spans,
    tell: Tell,
}

impl<'a, Tell: FnMut(Event)> Run<'a, Tell> {
    pub(crate) fn new(
        work: Work<'a>,
        writer: Writer,
        watches: Watches,
        options: &'a Options,
        tell: Tell,
    ) -> Self {
        let plan = work.plan;
        let surroundings = Surroundings::new(writer.client().clone());
        let outcome = Outcome {
            uids: plan.objects.iter().map(|object| object.uid.clone()).collect(),
            gone: vec![false; plan.objects.len()],
            ..Outcome::default()
        };
        Self {
            work,
            plan,
            writer,
            options,
            watches,
            width: Width::new(options.width),
            table: Table::new(plan),
            deadlines: Deadlines::default(),
            requests: JoinSet::new(),
            patients: Patients::new(plan),
            surroundings,
            inquiries: JoinSet::new(),
            begun: Instant::now(),
            deleting_since: None,
            own: Arc::new(going(plan)),
            outcome,
            glance: None,
            spans: Spans::default(),
            tell,
        }
    }

    /// Runs until nothing is left to do.
    pub(crate) async fn finish(mut self, stop: &mut Stop) -> Outcome {
        let writes = self.plan.steps.iter().filter(|step| step.kind.writes()).count();
        self.say(Event::Begun { steps: self.plan.steps.len(), writes });
        // What somebody asked to go before goes by the same rules.
        for object in going_already(self.plan) {
            self.follow_deleted(object);
        }
        while !self.table.is_over() {
            self.begin_what_may();
            if self.table.is_over() || self.outcome.stopped && self.requests.is_empty() {
                break;
            }
            let deadline = self.next_moment();
            tokio::select! {
                Some(answer) = self.requests.join_next(), if !self.requests.is_empty() => {
                    match answer {
                        Ok(answer) => self.answered(answer),
                        Err(error) if error.is_panic() => std::panic::resume_unwind(error.into_panic()),
                        Err(_) => {}
                    }
                }
                Some(news) = self.watches.next() => self.heard(news),
                Some(sighting) = self.surroundings.next() => {
                    self.patients.saw(sighting);
                    self.look_at_patients(Instant::now());
                }
                Some(Ok(inquired)) = self.inquiries.join_next(), if !self.inquiries.is_empty() => {
                    if self.table.is_under_way(inquired.step) {
                        self.failed(inquired.step, inquired.failure);
                    }
                }
                () = tokio::time::sleep_until(deadline) => {
                    let now = Instant::now();
                    self.look_at_patients(now);
                    self.time_is_over(now);
                }
                () = stop.asked(), if !self.outcome.stopped => {
                    // What is under way is finished; nothing new begins.
                    self.outcome.stopped = true;
                }
            }
        }
        let ending = match () {
            () if self.outcome.stopped => Ending::Stopped,
            () if self.outcome.failures.is_empty() => Ending::Done,
            () => Ending::Failed,
        };
        self.say(Event::Ended { outcome: ending });
        self.outcome
    }

    fn say(&mut self, event: Event) {
        (self.tell)(event);
    }

    fn id(&self, step: StepIndex) -> Option<ObjectId> {
        about(self.plan, step).cloned()
    }

    /// Begins every step that nothing holds back.
    fn begin_what_may(&mut self) {
        let now = Instant::now();
        while !self.outcome.stopped {
            let Some(step) = self.table.peek() else { return };
            let kind = self.plan.step(step).kind;
            if kind.writes() {
                let full = self.requests.len() >= self.width.get();
                if full || self.width.pause(now).is_some() {
                    return;
                }
            }
            self.table.take(step);
            self.spans.begin(self.plan, step);
            self.begin(step, kind, now);
        }
    }

    fn begin(&mut self, step: StepIndex, kind: StepKind, now: Instant) {
        match kind {
            StepKind::Barrier { at } => {
                if at == Barrier::Applied {
                    self.deleting_since = Some(now);
                }
                self.done(step);
            }
            StepKind::Unchanged { object } => {
                let object = self.plan.object(object).id.clone();
                self.say(Event::Applied { object, effect: Effect::Unchanged });
                self.done(step);
            }
            StepKind::Keep { object } => {
                let why = self.plan.step(step).reason.clone();
                let object = self.plan.object(object).id.clone();
                let why = self.plan.describe_reason(&why);
                self.outcome.kept.push((object.clone(), why.clone()));
                self.say(Event::Kept { object, why });
                self.done(step);
            }
            StepKind::Forget { object } => {
                self.outcome.gone[object.at()] = true;
                self.done(step);
            }
            StepKind::AwaitReady { within, .. } => {
                let own = match within {
                    Within::Operation => None,
                    Within::Own(span) => Some(now + span),
                };
                let whole = self.begun + self.options.timeout;
                self.wait(step, Some(own.map_or(whole, |own| own.min(whole))));
            }
            StepKind::AwaitEstablished { .. } => self.wait(step, Some(self.begun + self.options.timeout)),
            StepKind::AwaitGone { object } if self.table.is_kept(object) => self.done(step),
            StepKind::AwaitGone { .. } => self.wait(step, Some(self.deletion_deadline(now))),
            StepKind::AwaitRank { rank, .. } if self.glance.is_some() => {
                self.table.wait_for_rank(step, rank);
                self.look_at_ranks();
                self.leave_waiting(step);
            }
            StepKind::AwaitRank { rank, at_most } => {
                let deadline = at_most.map_or_else(|| self.deletion_deadline(now), |span| now + span);
                self.deadlines.add(deadline, step);
                self.table.wait_for_rank(step, rank);
                self.look_at_ranks();
            }
            StepKind::Apply { object, .. }
            | StepKind::Restore { object }
            | StepKind::Stamp { object, .. }
            | StepKind::Delete { object, .. }
                if self.is_held_back(object) =>
            {
                self.leave_out(step);
            }
            _ => self.send(step),
        }
    }

    fn deletion_deadline(&self, now: Instant) -> Instant {
        self.deleting_since.unwrap_or(now) + self.options.timeout
    }

    /// Enters a step into the table of those that wait for an object.
    fn wait(&mut self, step: StepIndex, deadline: Option<Instant>) {
        let Some(object) = self.plan.step(step).kind.object() else { return };
        let planned = self.plan.object(object);
        let (api_version, id) = (planned.api_version.clone(), planned.id.clone());
        if let Some(deadline) = deadline.filter(|_| self.glance.is_none()) {
            self.deadlines.add(deadline, step);
        }
        match self.writer.known(&api_version, &id.kind) {
            Some(kind) => {
                self.table.wait_for_object(step, object);
                // It may have been seen already.
                self.look_at(object);
                self.leave_waiting(step);
                if self.table.is_under_way(step) {
                    self.watches.follow(&kind, &id);
                }
            }
            // A kind that is not served has no objects.
            None if matches!(self.plan.step(step).kind, StepKind::AwaitGone { .. }) => {
                self.outcome.gone[object.at()] = true;
                self.done(step);
            }
            None => self.failed(step, format!("the server has no kind {:?} in {api_version}", id.kind)),
        }
    }

    /// Sends the request of a step.
    fn send(&mut self, step: StepIndex) {
        if let Some(kept) = self.is_held(step) {
            return self.stays(step, &kept);
        }
        let fresh = self.glance.is_some();
        let known = Known { uids: &self.outcome.uids, table: &self.table, own: &self.own, fresh };
        match Request::of(&self.work, step, &known, self.options) {
            Ok(request) => {
                let writer = self.writer.clone();
                self.requests.spawn(async move {
                    let begin = Instant::now();
                    let result = request.send(&writer).await;
                    Answer { step, result, took: begin.elapsed() }
                });
            }
            Err(message) => self.failed(step, message),
        }
    }

    fn answered(&mut self, answer: Answer) {
        let Answer { step, result, took } = answer;
        match result {
            Ok(done) => {
                self.width.answered(took);
                for event in done.events {
                    self.say(event);
                }
                if let Some((object, applied)) = done.applied {
                    self.outcome.uids[object.at()].clone_from(&applied.uid);
                    self.see_applied(object, applied.live.clone());
                    self.table.applied(object, applied);
                }
                if let Some(kept) = done.stays {
                    self.stays(step, &kept);
                    return self.look_at_ranks();
                }
                if let Some(object) = done.gone {
                    self.table.mark_gone(object);
                    self.outcome.gone[object.at()] = true;
                } else if let StepKind::Delete { object, .. } = self.plan.step(step).kind {
                    self.follow_deleted(object);
                }
                self.done(step);
                self.look_at_ranks();
            }
            Err(Refusal::Other(why)) => self.failed(step, why),
            Err(Refusal::Server(error)) => match sort(&error) {
                Trouble::Passing(pause) => self.try_again(step, pause, &error),
                // Somebody changed it while it was being changed: it is read again.
                Trouble::Conflict if !matches!(self.plan.step(step).kind, StepKind::Apply { .. }) => {
                    self.try_again(step, None, &error);
                }
                _ => self.failed(step, words(&error)),
            },
        }
    }

    /// From now on somebody waits for the end of an object.
    fn follow_deleted(&mut self, object: ObjectIndex) {
        let planned = self.plan.object(object);
        if let Some(rank) = planned.rank {
            self.table.mark_deleted(object, rank);
        }
        if self.glance.is_some() {
            return;
        }
        if let Some(kind) = self.writer.known(&planned.api_version, &planned.id.kind) {
            self.watches.follow(&kind, &planned.id);
        }
    }

    fn try_again(&mut self, step: StepIndex, pause: Option<Duration>, error: &kube::Error) {
        let now = Instant::now();
        if self.width.refused(pause, now) {
            let width = self.width.get();
            self.say(Event::Slowed { width });
        }
        let attempt = self.table.attempt(step);
        let wait = pause.unwrap_or_else(|| Duration::from_millis(100 << attempt.min(6)));
        if now + wait > self.begun + self.options.timeout.max(self.deletion_span(now)) {
            return self.failed(step, format!("gave up after {attempt} attempts: {}", words(error)));
        }
        self.deadlines.add(now + wait, step);
    }

    fn deletion_span(&self, now: Instant) -> Duration {
        self.deletion_deadline(now).saturating_duration_since(self.begun)
    }

    fn done(&mut self, step: StepIndex) {
        self.spans.done(step);
        self.table.done(step);
    }

    fn failed(&mut self, step: StepIndex, failure: impl Into<Failure>) {
        let Failure { reason, message, evidence } = failure.into();
        let object = self.id(step);
        if let Some(object) = self.plan.step(step).kind.object() {
            self.patients.discharge(object);
        }
        let skipped = self.table.failed(step);
        let text = evidence.put_to(&message);
        self.spans.failed(step, &message);
        let Evidence { log, warnings, hint } = evidence;
        self.say(Event::Failed { object: object.clone(), reason, message, log, warnings, hint, skipped });
        self.outcome.failures.push((object, text));
        if self.options.fail_fast {
            self.outcome.stopped = true;
        }
    }

    /// News of an object: who waits for it is looked at.
    fn heard(&mut self, news: News) {
        let Some(object) = self.table.heard(news, &self.outcome.uids) else { return };
        self.look_at(object);
        self.look_at_ranks();
    }

    fn look_at(&mut self, object: ObjectIndex) {
        for step in self.table.waiting_for(object) {
            let kind = self.plan.step(step).kind;

            match self.table.judge(self.plan, kind, object) {
                Standing::Done => {
                    let id = self.plan.object(object).id.clone();
                    if matches!(kind, StepKind::AwaitGone { .. }) {
                        self.outcome.gone[object.at()] = true;
                        self.say(Event::Gone { object: id });
                    } else {
                        self.patients.discharge(object);
                        self.say(Event::Ready { object: id });
                    }
                    self.done(step);
                }
                Standing::Failed(message) => self.give_up(step, message, None),
                Standing::Waiting { reason, message, is_new } => {
                    if matches!(kind, StepKind::AwaitReady { .. }) && self.glance.is_none() {
                        self.patients.unready(object, Instant::now());
                    }
                    if is_new {
                        let object = self.plan.object(object).id.clone();
                        self.say(Event::Waiting { object, reason, message });
                    }
                }
            }
        }
    }

    fn look_at_ranks(&mut self) {
        for step in self.table.ranks_that_are_gone() {
            self.done(step);
        }
    }

    fn next_moment(&self) -> Instant {
        let now = Instant::now();
        let far = now + Duration::from_hours(1);
        let deadline = self.deadlines.next().unwrap_or(far);
        let deadline = self.patients.next_moment(now).map_or(deadline, |moment| moment.min(deadline));
        self.width.pause(now).map_or(deadline, |pause| pause.min(deadline))
    }

    /// A deadline has passed: a wait is over, or a request may be sent again.
    fn time_is_over(&mut self, now: Instant) {
        for step in self.deadlines.passed(now) {
            if !self.table.is_under_way(step) {
                continue;
            }
            let kind = self.plan.step(step).kind;
            match kind {
                StepKind::AwaitRank { at_most: Some(_), .. } => self.done(step),
                StepKind::AwaitGone { .. } | StepKind::AwaitRank { .. } => {
                    let message = self.table.what_is_left(self.plan, kind);
                    if self.plan.operation == Operation::Uninstall {
                        self.failed(step, message);
                    } else {
                        // What an upgrade leaves behind stays in the inventory for the next command.
                        self.say(Event::Warning { message });
                        self.done(step);
                    }
                }
                // A pause is over; a hook writes as well as it waits.
                kind if kind.writes() => self.send(step),
                kind => {
                    let message = self.table.what_is_missing(self.plan, kind);
                    self.give_up(step, message, None);
                }
            }
        }
    }
}

/// What a step is about.
fn about(plan: &Plan, step: StepIndex) -> Option<&ObjectId> {
    match plan.step(step).kind {
        StepKind::RunHook { hook, .. } => plan.hooks.get(hook.at()).map(|hook| &hook.id),
        kind => kind.object().map(|object| &plan.object(object).id),
    }
}

/// The objects whose end a plan awaits without deleting them.
fn going_already(plan: &Plan) -> Vec<ObjectIndex> {
    let deleted: HashSet<ObjectIndex> = plan
        .steps
        .iter()
        .filter(|step| matches!(step.kind, StepKind::Delete { .. }))
        .filter_map(|step| step.kind.object())
        .collect();
    let awaited = plan.steps.iter().filter_map(|step| match step.kind {
        StepKind::AwaitGone { object } => Some(object),
        _ => None,
    });
    awaited.filter(|object| !deleted.contains(object) && plan.object(*object).rank.is_some()).collect()
}
