//! Setting a release free that somebody left behind in the middle of their work.

use engine::{Engine, Lock, Marks};
use jiff::Timestamp;

use super::{ReleaseError, lock_name};
use crate::record::Status;
use crate::storage::Storage;

/// What stood in the way, and does no longer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Unlocked {
    /// Who held the lock.
    pub holder: Option<String>,
    /// The revision that was not finished, and how it stood.
    pub revision: Option<(u32, Status)>,
}

/// Takes the lock from whoever left it behind, and marks an unfinished revision as failed. A holder that is alive keeps
/// the lock, unless `even_if_alive` says that it is not to.
pub async fn unlock(engine: &Engine, marks: &Marks, even_if_alive: bool) -> Result<Unlocked, ReleaseError> {
    let client = engine.client().clone();
    let storage = Storage::new(client.clone(), &marks.namespace);
    let newest = storage.newest(&marks.name).await?.ok_or(ReleaseError::NotFound)?;
    let holder = Lock::take_away(client, &marks.namespace, &lock_name(&marks.name), even_if_alive).await?;
    let status = newest.record.info.status;
    if !status.is_pending() {
        return Ok(Unlocked { holder, revision: None });
    }
    let mut record = newest.record.clone();
    record.info.status = Status::Failed;
    record.info.description = format!("Unlocked: it was left behind as {status}");
    storage.update(&newest, &record, Timestamp::now()).await?;
    Ok(Unlocked { holder, revision: Some((record.version, status)) })
}
