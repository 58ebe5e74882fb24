//! Which objects are to be worked on, and when. No I/O and no clock: time is an argument.
//!
//! Of an object that is as it should be, only a number is kept. An object that changed is kept until it is worked on,
//! so that this needs no further request.

use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};

use jiff::Timestamp;
use kube::ResourceExt;
use kube::core::DynamicObject;
use tokio_util::sync::CancellationToken;

use super::digest::{asks_once, digest, revision};
use crate::ObjectKey;

/// The objects of a kind, and what is to be done with them.
#[derive(Debug, Default)]
pub(crate) struct Queue {
    entries: HashMap<ObjectKey, Entry>,
    ready: VecDeque<ObjectKey>,
    timers: BTreeSet<(Timestamp, ObjectKey)>,
}

#[derive(Debug, Default)]
struct Entry {
    /// What was handled last.
    handled: Option<u64>,
    /// The revision of our own last write: what is told of older ones is known.
    written: u64,
    /// What was told last, while there is something to be done with it.
    pending: Option<Box<DynamicObject>>,
    /// What was told last is new.
    news: bool,
    /// Somebody asked to run once more, and it is not taken off yet.
    asked: bool,
    /// Somebody wants it to be run: a timer, a watch on something else, an annotation.
    wished: bool,
    running: Option<Run>,
    timer: Option<Timestamp>,
    /// How often it has failed or was not over, since it was last told of something new.
    attempts: u32,
    owners: Vec<String>,
}

#[derive(Debug)]
struct Run {
    interrupted: CancellationToken,
    /// What of the object counts, as it is being handled: what is told of that again is our own writing.
    of: Option<u64>,
    /// The object went meanwhile: with the end of this run it is forgotten.
    gone: bool,
}

/// How a run ended, for the queue.
#[derive(Debug, Clone, Default)]
pub(crate) struct Finished {
    /// The revision that it wrote last, and what of it counts; nothing if it did not get so far.
    pub(crate) handled: Option<(u64, u64)>,
    /// Others changed the object meanwhile.
    pub(crate) overtaken: bool,
    pub(crate) next: Next,
}

/// When to run again, if nothing happens before.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Next {
    /// Not by itself.
    #[default]
    Rest,
    /// At this instant; it went well.
    At(Timestamp),
    /// At this instant; it was not over.
    Repeat(Timestamp),
}

/// An object whose turn it is.
#[derive(Debug)]
pub(crate) struct Taken {
    pub(crate) key: ObjectKey,
    /// As it was told; to be read anew if not there.
    pub(crate) object: Option<Box<DynamicObject>>,
    pub(crate) attempts: u32,
    pub(crate) interrupted: CancellationToken,
}

impl Entry {
    fn is_gone(&self) -> bool {
        self.running.as_ref().is_some_and(|run| run.gone)
    }

    fn wanted(&self) -> bool {
        self.wished || self.news
    }
}

impl Queue {
    /// An object is there, as told by the watch.
    pub(crate) fn seen(&mut self, object: DynamicObject) {
        let key = ObjectKey::of(&object);
        let entry = self.entries.entry(key.clone()).or_default();
        entry.owners = object.owner_references().iter().map(|owner| owner.uid.clone()).collect();
        let asks = asks_once(&object.metadata);
        let newly_asked = asks && !entry.asked;
        entry.asked = asks;
        if revision(object.resource_version().as_deref()) <= entry.written {
            return;
        }
        let waiting = entry.wanted();
        let known = entry.running.as_ref().and_then(|run| run.of).or(entry.handled);
        if known != Some(digest(&object.metadata)) {
            entry.news = true;
            entry.attempts = 0;
            if let Some(running) = &mut entry.running {
                running.gone = false;
                running.interrupted.cancel();
            }
        }
        entry.wished |= newly_asked;
        if entry.wanted() {
            entry.pending = Some(Box::new(object));
            if !waiting && entry.running.is_none() {
                self.ready.push_back(key);
            }
        }
    }

    /// An object is gone.
    pub(crate) fn removed(&mut self, key: &ObjectKey) {
        let Some(entry) = self.entries.get_mut(key) else { return };
        if let Some(timer) = entry.timer.take() {
            self.timers.remove(&(timer, key.clone()));
        }
        match &mut entry.running {
            Some(running) => {
                running.interrupted.cancel();
                running.gone = true;
                entry.pending = None;
                (entry.news, entry.wished) = (false, false);
            }
            None => drop(self.entries.remove(key)),
        }
    }

    /// A watch has told all that is there in its part of the cluster: nothing else is.
    pub(crate) fn only(&mut self, told: &HashSet<ObjectKey>, part: impl Fn(&ObjectKey) -> bool) {
        let gone: Vec<_> =
            self.entries.keys().filter(|key| part(key) && !told.contains(key)).cloned().collect();
        for key in gone {
            self.removed(&key);
        }
    }

    /// Somebody wants an object to be run, now or at an instant. One that is not there is nobody's.
    pub(crate) fn wish(&mut self, key: &ObjectKey, at: Option<Timestamp>) {
        match at {
            Some(at) => self.set_timer(key, at),
            None => self.want(key),
        }
    }

    /// The objects that an owner has.
    pub(crate) fn owned_by(&self, uid: &str) -> Vec<ObjectKey> {
        let owned = self.entries.iter().filter(|(_, entry)| entry.owners.iter().any(|owner| owner == uid));
        owned.map(|(key, _)| key.clone()).collect()
    }

    /// The next object whose turn it is.
    pub(crate) fn take(&mut self, now: Timestamp, stop: &CancellationToken) -> Option<Taken> {
        while let Some((timer, key)) = self.timers.first().cloned() {
            if timer > now {
                break;
            }
            self.timers.pop_first();
            if let Some(entry) = self.entries.get_mut(&key) {
                entry.timer = None;
            }
            self.want(&key);
        }
        while let Some(key) = self.ready.pop_front() {
            let Some(entry) = self.entries.get_mut(&key) else { continue };
            if !entry.wanted() || entry.running.is_some() {
                continue;
            }
            (entry.news, entry.wished) = (false, false);
            let interrupted = stop.child_token();
            let of = entry.pending.as_ref().map(|object| digest(&object.metadata)).or(entry.handled);
            entry.running = Some(Run { interrupted: interrupted.clone(), of, gone: false });
            if let Some(timer) = entry.timer.take() {
                self.timers.remove(&(timer, key.clone()));
            }
            let (object, attempts) = (entry.pending.take(), entry.attempts);
            return Some(Taken { key, object, attempts, interrupted });
        }
        None
    }

    /// A run has ended.
    pub(crate) fn finished(&mut self, key: &ObjectKey, how: &Finished) {
        let Some(entry) = self.entries.get_mut(key) else { return };
        if entry.running.take().is_some_and(|run| run.gone) {
            self.entries.remove(key);
            return;
        }
        if let Some((written, handled)) = how.handled {
            entry.handled = Some(handled);
            if written != u64::MAX {
                entry.written = written;
            }
        }
        // What was told during the run may be our own writing, or be older than it.
        if let Some(pending) = &entry.pending {
            entry.news = revision(pending.resource_version().as_deref()) > entry.written
                && entry.handled != Some(digest(&pending.metadata));
        }
        entry.wished |= how.overtaken;
        if !entry.news {
            entry.pending = None;
        }
        match how.next {
            Next::Rest => entry.attempts = 0,
            Next::At(at) => {
                entry.attempts = 0;
                self.set_timer(key, at);
            }
            Next::Repeat(at) => {
                entry.attempts = entry.attempts.saturating_add(1);
                self.set_timer(key, at);
            }
        }
        if self.entries.get(key).is_some_and(Entry::wanted) {
            self.ready.push_back(key.clone());
        }
    }

    /// How often an object has failed in a row.
    pub(crate) fn attempts(&self, key: &ObjectKey) -> u32 {
        self.entries.get(key).map_or(0, |entry| entry.attempts)
    }

    /// When the next timer ends.
    pub(crate) fn earliest(&self) -> Option<Timestamp> {
        self.timers.first().map(|(at, _)| *at)
    }

    /// How many there are, and how many wait for their turn.
    pub(crate) fn sizes(&self) -> (usize, usize) {
        (self.entries.len(), self.ready.len())
    }

    fn want(&mut self, key: &ObjectKey) {
        let Some(entry) = self.entries.get_mut(key).filter(|entry| !entry.is_gone()) else { return };
        let waiting = entry.wanted();
        entry.wished = true;
        if !waiting && entry.running.is_none() {
            self.ready.push_back(key.clone());
        }
    }

    /// The earlier of two instants counts: whoever is called too early asks again.
    fn set_timer(&mut self, key: &ObjectKey, at: Timestamp) {
        let Some(entry) = self.entries.get_mut(key).filter(|entry| !entry.is_gone()) else { return };
        if entry.timer.is_some_and(|timer| timer <= at) {
            return;
        }
        if let Some(timer) = entry.timer.replace(at) {
            self.timers.remove(&(timer, key.clone()));
        }
        self.timers.insert((at, key.clone()));
    }
}

#[cfg(test)]
mod tests;
