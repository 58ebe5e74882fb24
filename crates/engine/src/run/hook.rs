//! Runs one hook to its end.

use std::future::poll_fn;
use std::pin::pin;
use std::time::Duration;

use futures_core::Stream;
use jiff::Timestamp;
use kube::ResourceExt;
use kube::core::DynamicObject;
use kube::runtime::watcher::{self, watcher};
use objects::ObjectId;
use plan::input::{Cascade, HookDeletion, HookEvent};
use plan::output::PlannedHook;
use serde_json::Value;

use super::request::Refusal;
use crate::Marks;
use crate::event::Event;
use crate::observe::is_kept;
use crate::pauses::Pauses;
use crate::pods::hopeless;
use crate::removal::Removed;
use crate::served::Kind;
use crate::trouble::{Trouble, sort};
use crate::writer::Writer;

/// So many lines of a failed hook's log are told.
const LINES: i64 = 20;

/// So often an object that changes all the time is looked at before its deletion is given up for now.
const LOOKS: usize = 5;
/// The annotation that tells what this run has made from what was there.
const RUN: &str = "slipway.dev/hook-run";

/// A hook with what is sent for it.
pub(crate) struct Hook {
    planned: PlannedHook,
    moment: HookEvent,
    manifest: Value,
    marks: Marks,
    timeout: Duration,
    run: String,
}

/// How a hook's object stands.
enum Standing {
    Running,
    Succeeded,
    Failed(String),
}

/// What of the objects that have a hook's name is deleted.
#[derive(Clone, Copy)]
enum Meant<'a> {
    /// Whatever an earlier run has left.
    Earlier,
    /// The one with this UID.
    Made(&'a str),
}

impl Hook {
    pub(crate) fn new(
        planned: PlannedHook,
        moment: HookEvent,
        mut manifest: Value,
        marks: Marks,
        timeout: Duration,
    ) -> Self {
        let run = format!("{}-{}", std::process::id(), Timestamp::now().as_nanosecond());
        marks.put_on_hook(&mut manifest);
        manifest["metadata"]["annotations"][RUN] = run.as_str().into();
        Self { planned, moment, manifest, marks, timeout, run }
    }

    /// Runs it, with the deletions before and after that its policies ask for. What is refused for a while is asked again
    /// here: only the whole step could be repeated elsewhere, and a hook must not run twice.
    pub(crate) async fn run(&self, writer: &Writer) -> Result<Vec<Event>, Refusal> {
        let writer = &writer.patient();
        let id = &self.planned.id;
        let api_version = &self.planned.api_version;
        let kind = writer.kind(api_version, &id.kind).await?.ok_or_else(|| {
            Refusal::Other(format!("the server has no kind {:?} in {api_version}", id.kind))
        })?;
        let mut events = vec![Event::HookBegun { object: id.clone(), moment: self.moment }];
        let mut made = None;
        let outcome = match tokio::time::timeout(self.timeout, self.run_as(writer, &kind, &mut made)).await {
            Ok(outcome) => outcome,
            Err(_) => Err(Refusal::Other(format!("it is not done after {:?}", self.timeout))),
        };
        let deletion = if outcome.is_ok() { HookDeletion::HookSucceeded } else { HookDeletion::HookFailed };
        let outcome = match outcome {
            Err(Refusal::Other(why)) => Err(Refusal::Other(self.with_log(writer, why).await)),
            other => other,
        };
        if let Some(uid) = made.filter(|_| self.planned.deletions.contains(&deletion)) {
            self.remove(writer, &kind, Meant::Made(&uid)).await?;
        }
        outcome?;
        events.push(Event::HookDone { object: id.clone() });
        Ok(events)
    }

    async fn run_as(&self, writer: &Writer, kind: &Kind, made: &mut Option<String>) -> Result<(), Refusal> {
        let id = &self.planned.id;
        if self.planned.deletions.contains(&HookDeletion::BeforeHookCreation) {
            self.remove(writer, kind, Meant::Earlier).await?;
        }
        let runs = matches!((id.group.as_str(), id.kind.as_str()), ("batch", "Job") | ("", "Pod"));
        *made = if let Some(made) = writer.create(kind, id, &self.manifest).await? {
            made.uid
        } else {
            let live = writer.get(kind, id).await?;
            match live.filter(|live| live.annotations().get(RUN) == Some(&self.run) || is_kept(live)) {
                // What only has to be there is there, if it was kept on purpose.
                Some(live) if is_kept(&live) && !runs => return Ok(()),
                // It was made, and nobody was told so.
                Some(live) if !is_kept(&live) => live.uid(),
                _ => return Err(Refusal::Other(format!("{id} is there already"))),
            }
        };
        if !runs {
            return Ok(());
        }
        let mut failure = None;
        let ended = until(writer, kind, id, |object| match object.map(standing) {
            Some(Standing::Running) => false,
            Some(Standing::Succeeded) => true,
            Some(Standing::Failed(why)) => {
                failure = Some(why);
                true
            }
            None => {
                failure = Some("somebody deleted it".to_owned());
                true
            }
        });
        tokio::select! {
            ended = ended => ended?,
            symptom = hopeless(writer.client().clone(), id) => return Err(Refusal::Other(symptom.message)),
        }
        failure.map_or(Ok(()), |why| Err(Refusal::Other(why)))
    }

    /// Deletes the hook's object and waits until it is gone. Hooks have no UID that is stored: what an earlier run left is
    /// known by what its annotations say, and anything else that has the name is somebody else's.
    async fn remove(&self, writer: &Writer, kind: &Kind, meant: Meant<'_>) -> Result<(), Refusal> {
        let id = &self.planned.id;
        for look in 1.. {
            let Some(live) = writer.get(kind, id).await? else { return Ok(()) };
            let stranger = self.marks.stranger(&live.metadata);
            let uid = live.uid().unwrap_or_default();
            match (meant, stranger) {
                (Meant::Earlier, Some(why)) => {
                    return Err(Refusal::Other(format!("{id} has the hook's name, but {why}")));
                }
                (Meant::Made(made), stranger) if stranger.is_some() || uid != made => return Ok(()),
                _ if is_kept(&live) => return Ok(()),
                _ => {}
            }
            let version = live.resource_version();
            match writer.delete(kind, id, (&uid, version.as_deref()), Cascade::Foreground).await {
                // Whoever has changed it may have changed whose it is.
                Err(error) if sort(&error) == Trouble::Conflict && look < LOOKS => {}
                Err(error) if sort(&error) == Trouble::NotFound => return Ok(()),
                Err(error) => return Err(error.into()),
                Ok(Removed::Gone | Removed::Stays(_)) => return Ok(()),
                Ok(Removed::Accepted) => {
                    let is_another = |object: Option<&DynamicObject>| {
                        object.and_then(ResourceExt::uid).as_ref() != Some(&uid)
                    };
                    return until(writer, kind, id, is_another).await;
                }
            }
        }
        Ok(())
    }

    /// Why it failed, with the last that its pods said.
    async fn with_log(&self, writer: &Writer, why: String) -> String {
        let log = writer.last_words(&self.planned.id, LINES).await;
        if log.is_empty() { why } else { format!("{why}\n{log}") }
    }
}

fn standing(object: &DynamicObject) -> Standing {
    let status = &object.data["status"];
    let said = |value: &Value| value["message"].as_str().unwrap_or_default().to_owned();
    match status["phase"].as_str() {
        Some("Succeeded") => return Standing::Succeeded,
        Some("Failed") => return Standing::Failed(format!("the pod failed: {}", said(status))),
        _ => {}
    }
    let conditions = status["conditions"].as_array().map(Vec::as_slice).unwrap_or_default();
    let holds = |kind: &str| {
        conditions.iter().find(|condition| condition["type"] == kind && condition["status"] == "True")
    };
    match (holds("Failed"), holds("Complete")) {
        (Some(failed), _) => Standing::Failed(format!("the job failed: {}", said(failed))),
        (None, Some(_)) => Standing::Succeeded,
        (None, None) => Standing::Running,
    }
}

/// Watches one object until a condition holds; it is given nothing when the object is not there.
async fn until(
    writer: &Writer,
    kind: &Kind,
    id: &ObjectId,
    mut holds: impl FnMut(Option<&DynamicObject>) -> bool,
) -> Result<(), Refusal> {
    let config = watcher::Config::default().fields(&format!("metadata.name={}", id.name));
    let mut events = pin!(watcher(writer.api(kind, id), config));
    let mut there: Option<DynamicObject> = None;
    let mut pauses = Pauses::default();
    while let Some(event) = poll_fn(|context| events.as_mut().poll_next(context)).await {
        match event {
            // The watcher begins again by itself.
            Err(_) => {
                pauses.wait().await;
                continue;
            }
            Ok(watcher::Event::Init) => {
                there = None;
                continue;
            }
            Ok(watcher::Event::InitApply(object)) => {
                there = Some(object);
                continue;
            }
            Ok(watcher::Event::InitDone) => pauses.end(),
            Ok(watcher::Event::Apply(object)) => there = Some(object),
            Ok(watcher::Event::Delete(_)) => there = None,
        }
        if holds(there.as_ref()) {
            return Ok(());
        }
    }
    Err(Refusal::Other("the watch ended".to_owned()))
}
