//! The latest changes, kept so that lists and watches can begin in the past.

use std::collections::VecDeque;
use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use serde_json::Value;

use super::{Compacted, Key, Revision, Stored};

/// So many changes are kept. A watch that falls behind further gets a 410 and lists again.
const KEPT: usize = 100_000;

/// What happened to an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EventKind {
    /// It was created.
    Added,
    /// It was changed.
    Modified,
    /// It is gone.
    Deleted,
}

/// A change of one object.
#[derive(Debug)]
pub struct Event {
    /// What happened.
    pub kind: EventKind,
    /// To which object.
    pub key: Key,
    /// The revision of the change.
    pub revision: Revision,
    /// The object afterwards; its last state if it is gone.
    pub object: Arc<Value>,
    /// The object before.
    pub previous: Option<Stored>,
    /// The object as JSON, written once for all who watch.
    json: OnceLock<Bytes>,
}

impl Event {
    pub(super) fn new(kind: EventKind, stored: Stored, previous: Option<Stored>) -> Self {
        Self {
            kind,
            key: stored.key,
            revision: stored.revision,
            object: stored.object,
            previous,
            json: OnceLock::new(),
        }
    }

    /// The object as JSON in its stored version.
    pub fn json(&self) -> Bytes {
        self.json.get_or_init(|| Bytes::from(self.object.to_string())).clone()
    }
}

#[derive(Debug)]
pub(super) struct Log {
    events: VecDeque<Arc<Event>>,
    /// The revision before the first event.
    start: Revision,
}

impl Log {
    /// A log with the changes that lead to a revision, as far back as they follow each other.
    pub(super) fn with(events: Vec<Arc<Event>>, revision: Revision) -> Self {
        let mut start = revision;
        let mut kept = VecDeque::new();
        for event in events.into_iter().rev() {
            if event.revision != start {
                break;
            }
            start -= 1;
            kept.push_front(event);
        }
        Self { events: kept, start }
    }

    pub(super) fn push(&mut self, event: Arc<Event>) {
        self.events.push_back(event);
        if self.events.len() > KEPT
            && let Some(oldest) = self.events.pop_front()
        {
            self.start = oldest.revision;
        }
    }

    /// The changes after a revision, oldest first. One change has one revision, so they are found by counting.
    pub(super) fn after(&self, revision: Revision) -> Result<impl Iterator<Item = &Arc<Event>>, Compacted> {
        if revision < self.start {
            return Err(Compacted { oldest: self.start });
        }
        let skipped = usize::try_from(revision - self.start).unwrap_or(usize::MAX).min(self.events.len());
        Ok(self.events.range(skipped..))
    }

    /// The changes after a revision, newest first.
    pub(super) fn back_to(&self, revision: Revision) -> Result<impl Iterator<Item = &Arc<Event>>, Compacted> {
        if revision < self.start {
            return Err(Compacted { oldest: self.start });
        }
        let kept = usize::try_from(revision - self.start).unwrap_or(usize::MAX).min(self.events.len());
        Ok(self.events.range(kept..).rev())
    }

    pub(super) fn compact(&mut self, revision: Revision) {
        self.events.clear();
        self.start = revision;
    }
}
