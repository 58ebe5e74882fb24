//! What became of a change of the store.

use crate::status::Status;
use crate::store::{CommitError, Stored};

/// The stored state; nothing if somebody else was quicker, so that the change is to be tried again.
pub(super) fn committed(outcome: Result<Stored, CommitError>) -> Result<Option<Stored>, Status> {
    match outcome {
        Ok(stored) => Ok(Some(stored)),
        Err(CommitError::Changed(_)) => Ok(None),
        Err(CommitError::Journal(error)) => Err(Status::internal(error)),
    }
}
