//! Taking an object away, after one more look.
//!
//! What was decided was decided upon one revision of an object. The delete carries that revision beside the UID, so
//! that the server refuses it when anything has changed since; then the object is read and judged again. A namespace or
//! definition is read in any case, together with what others have in it by now.

use std::collections::HashSet;

use jiff::Timestamp;
use objects::ObjectId;
use plan::input::Cascade;
use plan::output::{Kept, Recheck};

use crate::Marks;
use crate::observe::{Holder, ObserveError, foreign, seen};
use crate::served::{Kind, Served};
use crate::trouble::{Trouble, sort};
use crate::writer::Writer;

/// So often an object that changes all the time is looked at before there is a pause.
const LOOKS: usize = 5;

/// One object that is to go.
pub(crate) struct Removal<'a> {
    pub(crate) kind: &'a Kind,
    pub(crate) id: &'a ObjectId,
    /// The one that is meant.
    pub(crate) uid: &'a str,
    /// The revision that was decided upon.
    pub(crate) version: Option<&'a str>,
    pub(crate) recheck: Recheck,
    pub(crate) marks: &'a Marks,
    /// The UIDs of what goes, too, or is gone already.
    pub(crate) own: &'a HashSet<String>,
    /// What it would take along.
    pub(crate) holder: Option<&'a Holder>,
    /// The revision was read for this very run.
    pub(crate) fresh: bool,
}

/// What became of it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Removed {
    /// It was accepted; the object may still be there.
    Accepted,
    /// There is no such object, or it is another one.
    Gone,
    /// It stays after all.
    Stays(Kept),
}

/// What a look finds.
enum Look {
    /// The object, in this revision; nothing speaks against it.
    There(Option<String>),
    Ended(Removed),
}

/// How it goes.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Way {
    /// It is deleted.
    Delete(Cascade),
    /// Its countdown begins.
    Stamp(Timestamp),
}

impl Removal<'_> {
    /// Takes it away, unless there is a reason not to.
    pub(crate) async fn act(&self, writer: &Writer, way: Way) -> Result<Removed, ObserveError> {
        // A countdown that is over, and what takes others along, is looked at in any case; the former unless that was just
        // done, as the server refuses the delete if anything has changed since.
        let is_known = (self.fresh || !self.recheck.owners) && self.holder().is_none();
        let mut known = self.version.filter(|_| is_known);
        let mut read;
        let mut looks = 0;
        loop {
            if known.is_none() {
                read = match self.look(writer).await? {
                    Look::There(version) => version,
                    Look::Ended(removed) => return Ok(removed),
                };
                known = read.as_deref();
                looks += 1;
            }
            let meant = (self.uid, known);
            let sent = match way {
                Way::Delete(cascade) => writer.delete(self.kind, self.id, meant, cascade).await,
                Way::Stamp(stamp) => {
                    let stamped = writer.stamp(self.kind, self.id, meant, Some(stamp)).await;
                    stamped.map(|()| Removed::Accepted)
                }
            };
            match sent {
                Err(error) if sort(&error) == Trouble::NotFound => return Ok(Removed::Gone),
                Err(error) if sort(&error) == Trouble::Conflict && looks < LOOKS => known = None,
                sent => return sent.map_err(|error| ObserveError::new(self.id.to_string(), error)),
            }
        }
    }

    fn holder(&self) -> Option<&Holder> {
        self.holder.filter(|_| self.recheck.foreign)
    }

    async fn look(&self, writer: &Writer) -> Result<Look, ObserveError> {
        let read = writer.get(self.kind, self.id).await;
        let read = read.map_err(|error| ObserveError::new(self.id.to_string(), error))?;
        let Some(live) = read.map(|object| seen(&object, self.marks)) else {
            return Ok(Look::Ended(Removed::Gone));
        };
        if live.uid != self.uid {
            return Ok(Look::Ended(Removed::Gone));
        }
        // Whoever deletes it already is not overruled.
        if live.deleting.is_some() {
            return Ok(Look::Ended(Removed::Accepted));
        }
        if let Some(kept) = self.recheck.objection(&live, writer.clock().now()) {
            return Ok(Look::Ended(Removed::Stays(kept)));
        }
        if let Some(holder) = self.holder() {
            let client = writer.client();
            // Kinds may have come since the run began.
            let served =
                Served::ask(client).await.map_err(|error| ObserveError::new("what is served", error))?;
            let others = foreign(client, &served, self.id, holder, self.own, self.marks).await?;
            if !others.is_empty() {
                return Ok(Look::Ended(Removed::Stays(Kept::foreign(&others))));
            }
        }
        Ok(Look::There(live.resource_version))
    }
}
