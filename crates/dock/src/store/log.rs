//! The latest changes, kept so that lists and watches can begin in the past.

use std::collections::VecDeque;
use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use serde_json::Value;

use super::{Compacted, Key, Revision, Stored};

/// So many changes are kept. A watch that falls behind further gets a 410 and lists again.
const KEPT: usize = 100_000;
/// So many bytes of them are kept, about: few large objects that change often must not fill the memory.
const KEPT_BYTES: usize = 256 << 20;

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

/// How many bytes an object takes in memory, about.
fn weight(value: &Value) -> usize {
    let inner = match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => 0,
        Value::String(text) => text.len(),
        Value::Array(items) => items.iter().map(weight).sum(),
        Value::Object(fields) => fields.iter().map(|(key, value)| key.len() + weight(value)).sum(),
    };
    size_of::<Value>() + inner
}

#[derive(Debug, Default)]
pub(super) struct Log {
    events: VecDeque<Arc<Event>>,
    /// What the events weigh together.
    weight: usize,
    /// The revision before the first event.
    start: Revision,
}

impl Log {
    /// A log with the changes that lead to a revision, as far back as they follow each other.
    pub(super) fn with(events: Vec<Arc<Event>>, revision: Revision) -> Self {
        let mut log = Self { start: revision, ..Self::default() };
        for event in events.into_iter().rev() {
            if event.revision != log.start {
                break;
            }
            log.start -= 1;
            log.weight += weight(&event.object);
            log.events.push_front(event);
        }
        log.shorten();
        log
    }

    pub(super) fn push(&mut self, event: Arc<Event>) {
        self.weight += weight(&event.object);
        self.events.push_back(event);
        self.shorten();
    }

    /// Forgets the oldest changes as long as there are too many.
    fn shorten(&mut self) {
        while self.events.len() > KEPT || self.weight > KEPT_BYTES {
            let Some(oldest) = self.events.pop_front() else { return };
            self.weight -= weight(&oldest.object);
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
        *self = Self { start: revision, ..Self::default() };
    }
}

#[cfg(test)]
mod tests {
    use super::super::ResourceKey;
    use super::*;

    fn event(revision: Revision, object: &Arc<Value>) -> Arc<Event> {
        let resource = ResourceKey { group: "".into(), resource: "secrets".into() };
        let key = Key { resource, namespace: "harbour".into(), name: "anchor".into() };
        let stored = Stored { key, revision, object: Arc::clone(object) };
        Arc::new(Event::new(EventKind::Modified, stored, None))
    }

    #[test]
    fn large_objects_push_out_older_changes_than_small_ones_do() {
        let megabyte = Arc::new(Value::String("x".repeat(1 << 20)));
        let small = Arc::new(Value::Null);
        let mut log = Log::default();
        for revision in 1..=1000 {
            log.push(event(revision, &megabyte));
        }
        assert_eq!(log.after(745).map(Iterator::count).ok(), Some(255));
        assert_eq!(log.after(744).map(Iterator::count).map_err(|gone| gone.oldest), Err(745));
        for revision in 1001..=2000 {
            log.push(event(revision, &small));
        }
        assert_eq!(log.after(1000).map(Iterator::count).ok(), Some(1000));
        let reread = Log::with((1..=1000).map(|revision| event(revision, &megabyte)).collect(), 1000);
        assert_eq!(reread.start, 745);
    }
}
