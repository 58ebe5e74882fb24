//! What outlives the process.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use super::{Event, Revision, Stored};

/// Resolves when a change is safe.
pub type Durable = Pin<Box<dyn Future<Output = Result<(), JournalError>> + Send>>;

/// Takes changes in the order in which they happen, and makes them safe.
pub trait Journal: fmt::Debug + Send + Sync {
    /// Takes a change. The future ends when the change would survive the end of the process. Called in the order of the
    /// revisions, while the store is locked: it must not wait.
    fn append(&self, event: Arc<Event>) -> Durable;
}

/// A journal that keeps nothing.
#[derive(Debug, Clone, Copy)]
pub struct Memory;

/// What a journal had when it was opened.
#[derive(Debug, Default)]
pub struct Saved {
    /// The revision of the latest change.
    pub revision: Revision,
    /// The objects that were there.
    pub objects: Vec<Stored>,
    /// The latest changes, oldest first.
    pub log: Vec<Arc<Event>>,
}

/// A change could not be written.
#[derive(Debug, thiserror::Error)]
#[error("the change could not be stored: {0}")]
pub struct JournalError(pub String);

impl Journal for Memory {
    fn append(&self, _event: Arc<Event>) -> Durable {
        Box::pin(std::future::ready(Ok(())))
    }
}
