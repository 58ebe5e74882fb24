//! Where objects are kept: every state of every object has a revision, and every change can be followed.
//!
//! The present state is held in memory, ordered by key, with a log of the latest changes behind it: lists in pages and
//! watches from an older revision are answered from that log. What outlives the process is the [`Journal`]'s business:
//! it gets every change in order, and says when it is safe.

mod disk;
mod journal;
mod log;

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::Value;
use tokio::sync::mpsc;

pub use disk::{Disk, OpenError};
pub use journal::{Durable, Journal, JournalError, Memory, Saved};
pub use log::{Event, EventKind};

use log::Log;

/// Counts the changes of the whole store. It is what `resourceVersion` shows.
pub type Revision = u64;

/// Group and plural of a resource, as stored: all versions of a kind are one.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ResourceKey {
    /// The API group, empty for the core.
    pub group: Arc<str>,
    /// The plural.
    pub resource: Arc<str>,
}

/// Where an object is kept.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Key {
    /// What it is.
    pub resource: ResourceKey,
    /// Its namespace, empty for objects of the cluster.
    pub namespace: Arc<str>,
    /// Its name.
    pub name: Arc<str>,
}

/// An object as it is at one revision.
#[derive(Debug, Clone)]
pub struct Stored {
    /// Where it is kept.
    pub key: Key,
    /// The revision of its last change.
    pub revision: Revision,
    /// The object, with its `resourceVersion`.
    pub object: Arc<Value>,
}

/// What must be true of the present state for a change to be made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Expected {
    /// There is no such object.
    Absent,
    /// The object's last change is this one.
    At(Revision),
}

/// The present state is not the expected one.
#[derive(Debug, Clone, thiserror::Error)]
pub enum CommitError {
    /// Somebody else changed, created or removed the object.
    #[error("the object was changed meanwhile")]
    Changed(Option<Stored>),
    /// The change could not be made durable.
    #[error(transparent)]
    Journal(Arc<JournalError>),
}

/// The revision asked for is older than the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the revision is too old: the log begins at {oldest}")]
pub struct Compacted {
    /// The oldest revision that is still known.
    pub oldest: Revision,
}

/// What a list found, and when.
#[derive(Debug, Clone)]
pub struct Snapshot {
    /// The revision of the state that was read.
    pub revision: Revision,
    /// The objects in the order of their keys.
    pub objects: Vec<Stored>,
}

/// The part of the store that a list or a watch looks at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Range {
    /// Which resource.
    pub resource: ResourceKey,
    /// Which namespace; all of them if empty.
    pub namespace: Arc<str>,
}

/// Keeps objects. Clones are the same store.
#[derive(Debug, Clone)]
pub struct Store {
    inner: Arc<Mutex<Inner>>,
    journal: Arc<dyn Journal>,
}

#[derive(Debug)]
struct Inner {
    revision: Revision,
    objects: HashMap<ResourceKey, BTreeMap<Place, Stored>>,
    log: Log,
    followers: Vec<Follower>,
}

/// `NAMESPACE/NAME`: the order in which objects of a resource are listed, byte by byte, as the real server has it.
type Place = String;

#[derive(Debug)]
struct Follower {
    range: Option<Range>,
    sender: mpsc::UnboundedSender<Arc<Event>>,
}

impl Range {
    fn contains(&self, key: &Key) -> bool {
        self.resource == key.resource && (self.namespace.is_empty() || self.namespace == key.namespace)
    }
}

impl Key {
    /// Where the object stands among those of its resource.
    pub fn place(&self) -> String {
        if self.namespace.is_empty() {
            self.name.to_string()
        } else {
            format!("{}/{}", self.namespace, self.name)
        }
    }
}

impl Store {
    /// A store that forgets everything when it is dropped.
    pub fn memory() -> Self {
        Self::with_journal(Arc::new(Memory), Saved::default())
    }

    /// A store whose changes go to a journal, with what the journal had.
    pub fn with_journal(journal: Arc<dyn Journal>, saved: Saved) -> Self {
        let mut objects: HashMap<ResourceKey, BTreeMap<Place, Stored>> = HashMap::new();
        for stored in saved.objects {
            objects.entry(stored.key.resource.clone()).or_default().insert(stored.key.place(), stored);
        }
        let revision = saved.revision.max(1);
        let log = Log::with(saved.log, revision);
        Self { inner: Arc::new(Mutex::new(Inner { revision, objects, log, followers: Vec::new() })), journal }
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The revision of the latest change.
    pub fn revision(&self) -> Revision {
        self.lock().revision
    }

    /// An object as it is now.
    pub fn get(&self, key: &Key) -> Option<Stored> {
        self.lock().objects.get(&key.resource)?.get(&key.place()).cloned()
    }

    /// All objects of a range as they are now.
    pub fn list(&self, range: &Range) -> Snapshot {
        let inner = self.lock();
        Snapshot { revision: inner.revision, objects: inner.present(range) }
    }

    /// All objects of a range as they were at a revision.
    pub fn list_at(&self, range: &Range, revision: Revision) -> Result<Snapshot, Compacted> {
        let inner = self.lock();
        let mut objects: BTreeMap<Place, Stored> =
            inner.present(range).into_iter().map(|stored| (stored.key.place(), stored)).collect();
        for event in inner.log.back_to(revision)? {
            if !range.contains(&event.key) {
                continue;
            }
            match &event.previous {
                Some(previous) => objects.insert(event.key.place(), previous.clone()),
                None => objects.remove(&event.key.place()),
            };
        }
        Ok(Snapshot { revision, objects: objects.into_values().collect() })
    }

    /// Which resources have any objects.
    pub fn resources(&self) -> Vec<ResourceKey> {
        let inner = self.lock();
        inner.objects.iter().filter(|(_, objects)| !objects.is_empty()).map(|(key, _)| key.clone()).collect()
    }

    /// Puts an object in its place. The object gets the revision as its `resourceVersion`.
    ///
    /// Returns once the journal has it.
    pub async fn put(&self, key: &Key, expected: Expected, object: Value) -> Result<Stored, CommitError> {
        let (stored, durable) = {
            let mut inner = self.lock();
            let previous = inner.check(key, expected)?;
            let revision = inner.revision + 1;
            let stored =
                Stored { key: key.clone(), revision, object: Arc::new(with_revision(object, revision)) };
            let kind = if previous.is_some() { EventKind::Modified } else { EventKind::Added };
            let event = Event::new(kind, stored.clone(), previous);
            inner.objects.entry(key.resource.clone()).or_default().insert(key.place(), stored.clone());
            (stored, self.publish(&mut inner, event))
        };
        durable.await.map_err(|error| CommitError::Journal(Arc::new(error)))?;
        Ok(stored)
    }

    /// Takes an object away. What followers are told is the state it was last stored in, with the revision of the
    /// removal: a change that takes away the last finalizer is itself never stored, so they see that finalizer.
    pub async fn remove(&self, key: &Key, expected: Revision) -> Result<Stored, CommitError> {
        let (stored, durable) = {
            let mut inner = self.lock();
            let previous = inner.check(key, Expected::At(expected))?;
            let revision = inner.revision + 1;
            let last = previous.as_ref().map(|previous| previous.object.as_ref().clone()).unwrap_or_default();
            let stored =
                Stored { key: key.clone(), revision, object: Arc::new(with_revision(last, revision)) };
            if let Some(objects) = inner.objects.get_mut(&key.resource) {
                objects.remove(&key.place());
            }
            let event = Event::new(EventKind::Deleted, stored.clone(), previous);
            (stored, self.publish(&mut inner, event))
        };
        durable.await.map_err(|error| CommitError::Journal(Arc::new(error)))?;
        Ok(stored)
    }

    fn publish(&self, inner: &mut Inner, event: Event) -> journal::Durable {
        let event = Arc::new(event);
        inner.revision = event.revision;
        inner.followers.retain(|follower| match &follower.range {
            Some(range) if !range.contains(&event.key) => !follower.sender.is_closed(),
            _ => follower.sender.send(event.clone()).is_ok(),
        });
        inner.log.push(event.clone());
        self.journal.append(event)
    }

    /// Every change of a range after a revision, old ones first, then new ones as they happen.
    pub fn follow(
        &self,
        range: Range,
        after: Revision,
    ) -> Result<mpsc::UnboundedReceiver<Arc<Event>>, Compacted> {
        let mut inner = self.lock();
        let (sender, receiver) = mpsc::unbounded_channel();
        for event in inner.log.after(after)? {
            if range.contains(&event.key) {
                // The receiver is alive: it is returned below.
                let _ = sender.send(event.clone());
            }
        }
        inner.followers.push(Follower { range: Some(range), sender });
        Ok(receiver)
    }

    /// The present state of a range, and every change of it from then on: nothing is missed between the two.
    pub fn list_and_follow(&self, range: Range) -> (Snapshot, mpsc::UnboundedReceiver<Arc<Event>>) {
        let mut inner = self.lock();
        let (sender, receiver) = mpsc::unbounded_channel();
        let snapshot = Snapshot { revision: inner.revision, objects: inner.present(&range) };
        inner.followers.push(Follower { range: Some(range), sender });
        (snapshot, receiver)
    }

    /// Everything there is, and every change of anything from then on.
    pub fn follow_all(&self) -> (Vec<Stored>, mpsc::UnboundedReceiver<Arc<Event>>) {
        let mut inner = self.lock();
        let (sender, receiver) = mpsc::unbounded_channel();
        let present = inner.objects.values().flat_map(BTreeMap::values).cloned().collect();
        inner.followers.push(Follower { range: None, sender });
        (present, receiver)
    }

    /// Forgets the log up to the present: lists and watches of older revisions answer 410 from now on.
    pub fn compact(&self) {
        let mut inner = self.lock();
        let revision = inner.revision;
        inner.log.compact(revision);
    }

    /// Ends every watch, as a server that restarts does.
    pub fn drop_followers(&self) {
        self.lock().followers.retain(|follower| follower.range.is_none());
    }
}

impl Inner {
    fn present(&self, range: &Range) -> Vec<Stored> {
        let Some(objects) = self.objects.get(&range.resource) else { return Vec::new() };
        if range.namespace.is_empty() {
            return objects.values().cloned().collect();
        }
        let first = format!("{}/", range.namespace);
        let inside = |(_, stored): &(&Place, &Stored)| stored.key.namespace == range.namespace;
        objects.range(first..).take_while(inside).map(|(_, stored)| stored.clone()).collect()
    }

    fn check(&self, key: &Key, expected: Expected) -> Result<Option<Stored>, CommitError> {
        let present = self.objects.get(&key.resource).and_then(|objects| objects.get(&key.place()));
        let holds = match (expected, present) {
            (Expected::Absent, None) => true,
            (Expected::At(revision), Some(present)) => present.revision == revision,
            _ => false,
        };
        if holds { Ok(present.cloned()) } else { Err(CommitError::Changed(present.cloned())) }
    }
}

fn with_revision(mut object: Value, revision: Revision) -> Value {
    object["metadata"]["resourceVersion"] = revision.to_string().into();
    object
}
