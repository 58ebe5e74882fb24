//! The request of one step that writes.

use std::time::Duration;

use jiff::Timestamp;
use kube::Error;
use objects::ObjectId;
use plan::input::Cascade;
use plan::output::{Change, StepKind};
use plan::{ObjectIndex, StepIndex};
use serde_json::Value;

use super::hook::Hook;
use super::table::Table;
use crate::Work;
use crate::event::{Effect, Event};
use crate::writer::{Applied, Deletion, Writer};

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
}

/// One object as requests name it.
struct Target {
    id: ObjectId,
    api_version: String,
    uid: Option<String>,
}

/// A request, complete.
pub(crate) struct Request {
    object: Option<ObjectIndex>,
    targets: Vec<Target>,
    act: Act,
}

enum Act {
    Apply { manifest: Value, change: Change },
    Delete { cascade: Cascade },
    Stamp { due: Option<Timestamp>, stamp: Timestamp },
    Restore,
    Strip,
    Hook(Box<Hook>),
}

impl Request {
    /// The request of a step; a reason if there can be none.
    pub(crate) fn of(
        work: &Work<'_>,
        step: StepIndex,
        uids: &[Option<String>],
        table: &Table,
        timeout: Duration,
    ) -> Result<Self, String> {
        let plan = work.plan;
        let target = |object: ObjectIndex| {
            let planned = plan.object(object);
            Target {
                id: planned.id.clone(),
                api_version: planned.api_version.clone(),
                uid: uids[object.at()].clone(),
            }
        };
        let kind = plan.step(step).kind;
        let act = match kind {
            StepKind::Apply { object, change } => {
                let manifest = work.manifest(object).ok_or_else(|| "its manifest is missing".to_owned())?;
                Act::Apply { manifest, change }
            }
            StepKind::Delete { cascade, .. } => Act::Delete { cascade },
            StepKind::Stamp { due, .. } => Act::Stamp { due, stamp: Timestamp::now() },
            StepKind::Restore { .. } => Act::Restore,
            StepKind::StripFinalizers { up_to } => {
                let targets = table.left_of(up_to).map(target).collect();
                return Ok(Self { object: None, targets, act: Act::Strip });
            }
            StepKind::RunHook { hook, event } => {
                let planned = plan.hooks[hook.at()].clone();
                let manifest =
                    work.document(planned.document).ok_or_else(|| "its manifest is missing".to_owned())?;
                let hook = Box::new(Hook { planned, moment: event, manifest, timeout });
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
            (Self::Apply { manifest, change }, Some(kind)) => {
                let (applied, effect) = match change {
                    Change::CreateIfAbsent => match writer.create(&kind, id, manifest).await? {
                        Some(made) => (made, Effect::Created),
                        None => (Applied::default(), Effect::Unchanged),
                    },
                    Change::Create => (writer.apply(&kind, id, manifest).await?, Effect::Created),
                    _ => (writer.apply(&kind, id, manifest).await?, Effect::Configured),
                };
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
            (Self::Delete { cascade }, Some(kind)) if uid.is_some() => {
                let uid = uid.unwrap_or_default();
                match writer.delete(&kind, id, uid, *cascade).await? {
                    Deletion::Accepted => done.events.push(Event::Deleting { object: id.clone() }),
                    Deletion::Gone => done.gone = object,
                }
            }
            (Self::Delete { .. }, None) => done.gone = object,
            (Self::Delete { .. }, Some(_)) => {
                let message = "its UID is not known: it is left alone".to_owned();
                done.events.push(Event::Kept { object: id.clone(), why: message });
            }
            (Self::Stamp { due, stamp }, Some(kind)) => {
                writer.stamp(&kind, id, uid.unwrap_or_default(), Some(*stamp)).await?;
                done.events.push(Event::Stamped { object: id.clone(), due: *due });
            }
            (Self::Restore, Some(kind)) => {
                writer.stamp(&kind, id, uid.unwrap_or_default(), None).await?;
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
