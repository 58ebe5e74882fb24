//! A journal in a file.
//!
//! Every change is one entry of the log and one change of the object's present state, in one transaction. Changes that
//! come while a transaction is being written share the next one, so that many writers cost one flush.

use std::path::Path;
use std::sync::{Arc, mpsc};
use std::thread;

use redb::{Database, ReadableTable, TableDefinition};
use serde_json::Value;
use tokio::sync::oneshot;

use super::journal::{Durable, Journal, JournalError, Saved};
use super::log::{Event, EventKind};
use super::{Key, ResourceKey, Revision, Stored};

/// Present objects: by their key, the revision of the last change and the object.
const OBJECTS: TableDefinition<'_, &str, (u64, &[u8])> = TableDefinition::new("objects");
/// The latest changes: by revision, what happened, to which key, the object, and what it was before.
const LOG: TableDefinition<'_, u64, Entry<'_>> = TableDefinition::new("log");
/// What happened, to which key, the object, and its revision and form before.
type Entry<'a> = (u8, &'a str, &'a [u8], u64, &'a [u8]);
/// The revision of the latest change, and the form of this file.
const STATE: TableDefinition<'_, &str, u64> = TableDefinition::new("state");

/// The form of the file: a newer one is not touched.
const FORM: u64 = 1;
/// So many changes are kept for watches that begin in the past.
const KEPT: u64 = 10_000;

/// A journal in a file. The file is held by this process alone.
#[derive(Debug)]
pub struct Disk {
    changes: mpsc::Sender<Change>,
}

type Change = (Arc<Event>, oneshot::Sender<Result<(), JournalError>>);

/// Why a file could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// Another process has it.
    #[error("the file is in use by another process")]
    InUse,
    /// It was written by a newer program.
    #[error("the file has form {found}, this program knows {known}")]
    Newer {
        /// The form of the file.
        found: u64,
        /// The form this program writes.
        known: u64,
    },
    /// It cannot be read.
    #[error("the file cannot be read: {0}")]
    Unreadable(String),
}

impl Disk {
    /// Opens a file, or makes it, and reads what it has.
    pub fn open(path: &Path) -> Result<(Self, Saved), OpenError> {
        let database = Database::create(path).map_err(|error| match error {
            redb::DatabaseError::DatabaseAlreadyOpen => OpenError::InUse,
            other => unreadable(other),
        })?;
        let saved = read(&database)?;
        let (changes, queue) = mpsc::channel();
        thread::Builder::new()
            .name("dock-journal".into())
            .spawn(move || write_all(&database, &queue))
            .map_err(unreadable)?;
        Ok((Self { changes }, saved))
    }
}

impl Journal for Disk {
    fn append(&self, event: Arc<Event>) -> Durable {
        let (done, durable) = oneshot::channel();
        let sent = self.changes.send((event, done)).is_ok();
        Box::pin(async move {
            let ended = || JournalError("the journal has ended".into());
            if sent { durable.await.map_err(|_| ended())? } else { Err(ended()) }
        })
    }
}

fn unreadable(error: impl std::fmt::Display) -> OpenError {
    OpenError::Unreadable(error.to_string())
}

fn read(database: &Database) -> Result<Saved, OpenError> {
    let transaction = database.begin_write().map_err(unreadable)?;
    let mut saved = Saved::default();
    {
        let mut state = transaction.open_table(STATE).map_err(unreadable)?;
        let form = state.get("form").map_err(unreadable)?.map(|form| form.value());
        match form {
            Some(found) if found > FORM => return Err(OpenError::Newer { found, known: FORM }),
            Some(_) => {}
            None => {
                state.insert("form", FORM).map_err(unreadable)?;
            }
        }
        saved.revision = state.get("revision").map_err(unreadable)?.map_or(0, |revision| revision.value());
        let objects = transaction.open_table(OBJECTS).map_err(unreadable)?;
        for entry in objects.iter().map_err(unreadable)? {
            let (key, value) = entry.map_err(unreadable)?;
            let (revision, json) = value.value();
            saved.objects.push(stored(key.value(), revision, json)?);
        }
        let log = transaction.open_table(LOG).map_err(unreadable)?;
        for entry in log.iter().map_err(unreadable)? {
            let (revision, value) = entry.map_err(unreadable)?;
            let (kind, key, json, previous_revision, previous) = value.value();
            let now = stored(key, revision.value(), json)?;
            let previous =
                if previous.is_empty() { None } else { Some(stored(key, previous_revision, previous)?) };
            saved.log.push(Arc::new(Event::new(kind_of(kind), now, previous)));
        }
    }
    transaction.commit().map_err(unreadable)?;
    Ok(saved)
}

fn stored(key: &str, revision: Revision, json: &[u8]) -> Result<Stored, OpenError> {
    let object: Value = serde_json::from_slice(json).map_err(unreadable)?;
    let mut parts = key.split('\0');
    let mut part = || Arc::from(parts.next().unwrap_or_default());
    let resource = ResourceKey { group: part(), resource: part() };
    Ok(Stored { key: Key { resource, namespace: part(), name: part() }, revision, object: Arc::new(object) })
}

fn written(key: &Key) -> String {
    [&key.resource.group, &key.resource.resource, &key.namespace, &key.name].map(|part| &**part).join("\0")
}

fn number_of(kind: EventKind) -> u8 {
    match kind {
        EventKind::Added => 0,
        EventKind::Modified => 1,
        EventKind::Deleted => 2,
    }
}

fn kind_of(number: u8) -> EventKind {
    match number {
        0 => EventKind::Added,
        1 => EventKind::Modified,
        _ => EventKind::Deleted,
    }
}

/// Writes changes until the store is dropped.
fn write_all(database: &Database, queue: &mpsc::Receiver<Change>) {
    while let Ok(first) = queue.recv() {
        let batch: Vec<Change> = std::iter::once(first).chain(queue.try_iter()).collect();
        let outcome = write(database, batch.iter().map(|(event, _)| event.as_ref()));
        for (_, done) in batch {
            // Who no longer waits for the answer does not need it.
            let _ = done.send(outcome.clone().map_err(JournalError));
        }
    }
}

fn write<'a>(database: &Database, events: impl Iterator<Item = &'a Event>) -> Result<(), String> {
    let failed = |error: &dyn std::fmt::Display| error.to_string();
    let transaction = database.begin_write().map_err(|error| failed(&error))?;
    {
        let mut objects = transaction.open_table(OBJECTS).map_err(|error| failed(&error))?;
        let mut log = transaction.open_table(LOG).map_err(|error| failed(&error))?;
        let mut state = transaction.open_table(STATE).map_err(|error| failed(&error))?;
        for event in events {
            let key = written(&event.key);
            let json = event.json();
            if event.kind == EventKind::Deleted {
                objects.remove(&*key).map_err(|error| failed(&error))?;
            } else {
                objects.insert(&*key, (event.revision, &*json)).map_err(|error| failed(&error))?;
            }
            let previous = event.previous.as_ref();
            let before = previous.map(|stored| stored.object.to_string()).unwrap_or_default();
            let before_revision = previous.map_or(0, |stored| stored.revision);
            let entry = (number_of(event.kind), &*key, &*json, before_revision, before.as_bytes());
            log.insert(event.revision, entry).map_err(|error| failed(&error))?;
            if let Some(old) = event.revision.checked_sub(KEPT) {
                log.remove(old).map_err(|error| failed(&error))?;
            }
            state.insert("revision", event.revision).map_err(|error| failed(&error))?;
        }
    }
    transaction.commit().map_err(|error| failed(&error))
}
