//! The loop around the controllers, as a machine: changes go in, work comes out.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use serde_json::Value;

use super::action::{Action, Announcement, Note, Outcome};
use super::controller::{Actor, Controller};
use super::index::Index;
use super::interest::{Change, concerned};
use super::queue::{Queue, Work};
use super::recorder::Recorder;
use super::view::{Reader, View};
use super::world::{CLAIMS, DEFINITIONS, Key};

/// The pause after a first refusal, and the longest one.
const FIRST_PAUSE: SignedDuration = SignedDuration::from_millis(500);
const LAST_PAUSE: SignedDuration = SignedDuration::from_secs(60);

/// How a request was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// Somebody else was quicker: look again and decide anew.
    Conflict,
    /// The namespace is going: nothing can be made in it, and nobody needs to know.
    NamespaceEnds,
    /// Anything else.
    Other,
}

#[derive(Debug, Clone)]
struct Setback {
    /// What to tell of it, if it is worth telling.
    message: Option<String>,
    times: u32,
}

/// The controllers with all that they keep up between two looks.
#[derive(Debug)]
pub struct Controllers {
    index: Index,
    queue: Queue,
    setbacks: HashMap<Work, Setback>,
    stalled: BTreeSet<Work>,
    recorder: Recorder,
    certificate: Arc<str>,
}

impl Controllers {
    /// Controllers that have seen nothing yet. Namespaces are given this certificate.
    pub fn new(certificate: impl Into<Arc<str>>) -> Self {
        Self {
            index: Index::default(),
            queue: Queue::default(),
            setbacks: HashMap::new(),
            stalled: BTreeSet::new(),
            recorder: Recorder::default(),
            certificate: certificate.into(),
        }
    }

    /// Learns what was there before. Everything is looked at once, as if it had just come.
    pub fn begin(&mut self, present: &[(Key, Arc<Value>)], now: Timestamp, reader: &dyn Reader) {
        for (key, object) in present {
            self.index.apply(key, None, Some(object), now);
        }
        for (key, object) in present {
            self.wake(Change { key, old: None, new: Some(object) }, reader);
        }
    }

    /// Learns of a change.
    pub fn observe(&mut self, change: Change<'_>, now: Timestamp, reader: &dyn Reader) {
        self.index.apply(change.key, change.old, change.new, now);
        self.wake(change, reader);
        if change.key.resource == DEFINITIONS {
            for work in std::mem::take(&mut self.stalled) {
                self.queue.add(work);
            }
        }
    }

    fn wake(&mut self, change: Change<'_>, reader: &dyn Reader) {
        for work in concerned(change, &self.index, reader) {
            self.queue.add(work);
        }
    }

    /// What is to be looked at now.
    pub fn next(&mut self, now: Timestamp) -> Option<Work> {
        self.queue.next(now)
    }

    /// When something is due next, if nothing changes before.
    pub fn next_moment(&self) -> Option<Timestamp> {
        self.queue.next_moment()
    }

    /// Whether nothing is to be looked at now, timers aside.
    pub fn is_idle(&self) -> bool {
        self.queue.is_idle()
    }

    /// What is known of where things are.
    pub fn index(&self) -> &Index {
        &self.index
    }

    /// What the controller wants done about the object. Nothing if the object is gone.
    pub fn decide(&self, work: &Work, now: Timestamp, reader: &dyn Reader) -> Outcome {
        let Some(object) = reader.get(&work.key) else { return Outcome::nothing() };
        let users: Vec<Arc<Value>> = if work.controller == Controller::Claims && work.key.resource == CLAIMS {
            let users = self.index.claim_users(&work.key.namespace, &work.key.name);
            users.filter_map(|key| reader.get(key)).collect()
        } else {
            Vec::new()
        };
        let refusal = self.setbacks.get(work).and_then(|setback| setback.message.as_deref());
        let view = View { index: &self.index, reader, now, refusal, certificate: &self.certificate };
        work.controller.decide(&work.key, &object, &users, &view)
    }

    /// Everything was done.
    pub fn done(&mut self, work: &Work, outcome: &Outcome) {
        let asked =
            outcome.actions.iter().any(|action| matches!(action, Action::Create { .. } | Action::Delete(_)));
        let failed_before = self.setbacks.get(work).is_some_and(|setback| setback.message.is_some());
        // What was refused is forgiven when it is granted, not when nobody asked.
        if asked || outcome.actions.is_empty() || !failed_before {
            let told = self.setbacks.remove(work).is_some_and(|setback| setback.message.is_some());
            if told {
                self.queue.add(work.clone());
            }
        }
        self.queue.schedule(work.clone(), outcome.again);
        for key in &outcome.wake {
            self.queue.add(Work { controller: work.controller, key: key.clone() });
        }
        if outcome.stalled {
            self.stalled.insert(work.clone());
        }
    }

    /// Something was refused, and what came after it was not asked for. It is tried again after a pause.
    pub fn refused(&mut self, work: &Work, refusal: Refusal, message: &str, now: Timestamp) {
        if refusal == Refusal::NamespaceEnds {
            self.setbacks.remove(work);
            self.queue.schedule(work.clone(), None);
            return;
        }
        let message = (refusal == Refusal::Other).then(|| message.to_owned());
        let setback = self.setbacks.entry(work.clone()).or_insert(Setback { message: None, times: 0 });
        let news = message.is_some() && setback.message != message;
        setback.message = message;
        let pause = FIRST_PAUSE.checked_mul(1 << setback.times.min(10)).unwrap_or(LAST_PAUSE).min(LAST_PAUSE);
        setback.times = setback.times.saturating_add(1);
        if news {
            // Once at once, so that the status can tell of it.
            self.queue.add(work.clone());
        }
        self.queue.schedule(work.clone(), now.checked_add(pause).ok());
    }

    /// The request by which a note is told.
    pub fn tell(&mut self, note: &Note, actor: Actor, now: Timestamp, reader: &dyn Reader) -> Action {
        self.recorder.record(note, actor, now, |key| reader.get(key).is_some())
    }

    /// What to tell of an object that was made.
    pub fn made(announcement: &Announcement, name: &str) -> Note {
        Note {
            about: announcement.about.clone(),
            warning: false,
            reason: announcement.made.into(),
            message: announcement.made_message.replace("{}", name),
        }
    }

    /// What to tell of an object that could not be made.
    pub fn not_made(announcement: &Announcement, why: &str) -> Note {
        Note {
            about: announcement.about.clone(),
            warning: true,
            reason: announcement.refused.into(),
            message: announcement.refused_message.replace("{}", why),
        }
    }
}
