//! The request of one step that writes.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use kube::Error;
use objects::ObjectId;
use plan::input::Cascade;
use plan::output::{Change, Kept, Recheck, StepKind};
use plan::{ObjectIndex, StepIndex};
use serde_json::Value;

use super::hook::Hook;
use super::table::Table;
use crate::event::{Effect, Event};
use crate::observe::{Holder, ObserveError};
use crate::removal::{Removal, Removed, Way};
use crate::served::Kind;
use crate::writer::{Answer as Wanted, Applied, Writer};
use crate::{Marks, Options, Work};

/// What came of a step's request.
pub(crate) struct Answer {
    pub(crate) step: StepIndex,
    pub(crate) result: Result<Done, Refusal>,
    pub(crate) took: Duration,
}

/// Why a step could not be done.
pub(crate) enum Refusal {
    /// The server says so.
    Server(Error),
    /// Something else says so.
    Other(String),
}

impl From<ObserveError> for Refusal {
    fn from(error: ObserveError) -> Self {
        match error {
            ObserveError::Refused { source, .. } => Self::Server(*source),
            other => Self::Other(other.to_string()),
        }
    }
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Self {
        Self::Server(error)
    }
}

/// What a request has done.
#[derive(Default)]
pub(crate) struct Done {
    pub(crate) events: Vec<Event>,
    pub(crate) applied: Option<(ObjectIndex, Applied)>,
    pub(crate) gone: Option<ObjectIndex>,
    /// What was to go, and stays after all.
    pub(crate) stays: Option<Kept>,
}

/// One object as requests name it.
struct Target {
    id: ObjectId,
    api_version: String,
    uid: Option<String>,
    version: Option<String>,
}

/// A request, complete.
pub(crate) struct Request {
    object: Option<ObjectIndex>,
    targets: Vec<Target>,
    act: Act,
}

enum Act {
    Apply { manifest: Value, change: Change, answer: Wanted },
    Delete { cascade: Cascade, care: Care },
    Stamp { due: Option<Timestamp>, stamp: Timestamp, care: Care },
    Restore,
    Strip,
    Hook(Box<Hook>),
}

/// What is looked at again before something goes.
struct Care {
    recheck: Recheck,
    marks: Marks,
    own: Arc<HashSet<String>>,
    holder: Option<Holder>,
    fresh: bool,
}

impl Care {
    fn of<'a>(&'a self, kind: &'a Kind, target: &'a Target, uid: &'a str) -> Removal<'a> {
        Removal {
            kind,
            id: &target.id,
            uid,
            version: target.version.as_deref(),
            recheck: self.recheck,
            marks: &self.marks,
            own: &self.own,
            holder: self.holder.as_ref(),
            fresh: self.fresh,
        }
    }
}

/// What is known of the objects of a run when a request is made.
pub(crate) struct Known<'a> {
    pub(crate) uids: &'a [Option<String>],
    pub(crate) table: &'a Table,
    /// The UIDs of what goes.
    pub(crate) own: &'a Arc<HashSet<String>>,
    /// Everything was read for this very run.
    pub(crate) fresh: bool,
}

impl Request {
    /// The request of a step; a reason if there can be none.
    pub(crate) fn of(
        work: &Work<'_>,
        step: StepIndex,
        known: &Known<'_>,
        options: &Options,
    ) -> Result<Self, String> {
        let plan = work.plan;
        let Known { uids, table, own, fresh } = known;
        let target = |object: ObjectIndex| {
            let planned = plan.object(object);
            Target {
                id: planned.id.clone(),
                api_version: planned.api_version.clone(),
                uid: uids[object.at()].clone(),
                version: planned.resource_version.clone(),
            }
        };
        let care = |object: ObjectIndex, recheck: Recheck| Care {
            recheck,
            marks: work.marks.clone(),
            own: Arc::clone(own),
            holder: Holder::of(&plan.intent.entries[object.at()].id),
            fresh: *fresh,
        };
        let kind = plan.step(step).kind;
        let act = match kind {
            StepKind::Apply { object, change } => {
                let manifest = work.manifest(object).ok_or_else(|| "its manifest is missing".to_owned())?;
                let answer = if table.is_awaited(object) { Wanted::Whole } else { Wanted::Metadata };
                Act::Apply { manifest, change, answer }
            }
            StepKind::Delete { object, cascade, recheck, .. } => {
                Act::Delete { cascade, care: care(object, recheck) }
            }
            StepKind::Stamp { object, due } => {
                Act::Stamp { due, stamp: options.clock.now(), care: care(object, Recheck::default()) }
            }
            StepKind::Restore { .. } => Act::Restore,
            StepKind::StripFinalizers { up_to } => {
                let targets = table.left_of(up_to).map(target).collect();
                return Ok(Self { object: None, targets, act: Act::Strip });
            }
            StepKind::RunHook { hook, event } => {
                let planned = plan.hooks[hook.at()].clone();
                let manifest =
                    work.document(planned.document).ok_or_else(|| "its manifest is missing".to_owned())?;
                let hook = Box::new(Hook::new(planned, event, manifest, work.marks.clone(), options.timeout));
                return Ok(Self { object: None, targets: Vec::new(), act: Act::Hook(hook) });
            }
            _ => return Err("this step is not known".to_owned()),
        };
        let object = kind.object();
        Ok(Self { object, targets: object.map(target).into_iter().collect(), act })
    }

    /// Sends it.
    pub(crate) async fn send(self, writer: &Writer) -> Result<Done, Refusal> {
        let mut done = Done::default();
        if let Act::Hook(hook) = &self.act {
            done.events = hook.run(writer).await?;
        }
        for target in &self.targets {
            self.act.perform(writer, target, self.object, &mut done).await?;
        }
        Ok(done)
    }
}

impl Act {
    async fn perform(
        &self,
        writer: &Writer,
        target: &Target,
        object: Option<ObjectIndex>,
        done: &mut Done,
    ) -> Result<(), Refusal> {
        let id = &target.id;
        let found = writer.kind(&target.api_version, &id.kind).await?;
        let uid = target.uid.as_deref();
        match (self, found) {
            (Self::Apply { manifest, change: Change::CreateIfAbsent, .. }, Some(kind)) => {
                let made = writer.create(&kind, id, manifest).await?;
                let effect = if made.is_some() { Effect::Created } else { Effect::Unchanged };
                done.events.push(Event::Applied { object: id.clone(), effect });
                done.applied = object.map(|object| (object, made.unwrap_or_default()));
            }
            (Self::Apply { manifest, change, answer }, Some(kind)) => {
                let applied = writer.apply(&kind, id, manifest, *answer).await?;
                let is_new = *change == Change::Create;
                let effect = if is_new { Effect::Created } else { Effect::Configured };
                done.events.push(Event::Applied { object: id.clone(), effect });
                done.applied = object.map(|object| (object, applied));
            }
            (Self::Apply { .. }, None) => {
                return Err(Refusal::Other(format!(
                    "no matches for kind {:?} in version {:?}: is its definition installed?",
                    id.kind, target.api_version
                )));
            }
            // Without a UID nobody knows that it is the object that was meant; without a kind there is none.
            (Self::Delete { cascade, care }, Some(kind)) if uid.is_some() => {
                let removal = care.of(&kind, target, uid.unwrap_or_default());
                match removal.act(writer, Way::Delete(*cascade)).await? {
                    Removed::Accepted => done.events.push(Event::Deleting { object: id.clone() }),
                    Removed::Gone => done.gone = object,
                    Removed::Stays(kept) => done.stays = Some(kept),
                }
            }
            (Self::Delete { .. }, None) => done.gone = object,
            (Self::Delete { .. }, Some(_)) => done.stays = Some(Kept::NotOurs { owner: None }),
            (Self::Stamp { due, stamp, care }, Some(kind)) => {
                let removal = care.of(&kind, target, uid.unwrap_or_default());
                match removal.act(writer, Way::Stamp(*stamp)).await? {
                    Removed::Accepted => {
                        done.events.push(Event::Stamped { object: id.clone(), due: *due });
                    }
                    Removed::Gone => done.gone = object,
                    Removed::Stays(kept) => done.stays = Some(kept),
                }
            }
            (Self::Restore, Some(kind)) => {
                writer.stamp(&kind, id, (uid.unwrap_or_default(), None), None).await?;
                done.events.push(Event::Restored { object: id.clone() });
            }
            (Self::Strip, Some(kind)) => {
                let finalizers = writer.strip(&kind, id, uid.unwrap_or_default()).await?;
                if !finalizers.is_empty() {
                    done.events.push(Event::Stripped { object: id.clone(), finalizers });
                }
            }
            (Self::Stamp { .. } | Self::Restore | Self::Strip, None) | (Self::Hook(_), _) => {}
        }
        Ok(())
    }
}
