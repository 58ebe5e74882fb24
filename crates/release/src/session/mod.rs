//! Work on one release: locked, with the intent written before anything is done.

mod bring_back;
mod carry_out;
mod clean_up;
mod notices;
mod trash;
mod uninstall;
mod unlock;

use std::time::Duration;

use engine::{Engine, Event, Lock, LockError, Marks, ObserveError, Options, Outcome, Stop, Stopper, Work};
use jiff::Timestamp;
use plan::input::{Inventory, ReadError};
use plan::output::{Kept as WhyKept, Reason, StepKind};
use plan::{Plan, PlanErrors};

use crate::inventory::Kept;
use crate::record::{Record, Status};
use crate::release::{Prepared, Release};
use crate::storage::StorageError;
use crate::wanted::DocumentError;
use crate::written::RevisionError;

pub use bring_back::Choice;
pub use carry_out::Finish;
pub use trash::{InTrash, sweep_tombstones, trash};
pub use uninstall::Removal;
pub use unlock::{Unlocked, unlock};

/// Under which name everything is written.
pub const MANAGER: &str = "slipway";

/// A release that is being worked on. Nobody else works on it meanwhile.
#[derive(Debug)]
pub struct Session {
    release: Release,
    lock: Lock,
    stop: Stop,
}

/// Who works, and how it is interrupted.
#[derive(Debug)]
pub struct Worker {
    /// Who holds the lock while this runs.
    pub holder: String,
    /// How long a `pending-…` record of Helm's is taken to be a live one's.
    pub pending_grace: Duration,
    /// Told when the lock can no longer be kept.
    pub stopper: Stopper,
    /// Hears the wish to stop; belongs to `stopper`.
    pub stop: Stop,
}

/// Why a release cannot be worked on.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReleaseError {
    /// Somebody else is at work.
    #[error(transparent)]
    Lock(#[from] LockError),
    /// Records cannot be read or written.
    #[error(transparent)]
    Storage(#[from] StorageError),
    /// The cluster cannot be looked at.
    #[error(transparent)]
    Observe(#[from] ObserveError),
    /// There can be no plan.
    #[error(transparent)]
    Plan(#[from] PlanErrors),
    /// Something rendered cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// Something stored cannot be read.
    #[error(transparent)]
    Revision(#[from] RevisionError),
    /// A document cannot be sent.
    #[error(transparent)]
    Document(#[from] DocumentError),
    /// Helm may be at work, or was when it ended.
    #[error("another operation (install/upgrade/rollback) is in progress: it is {status} since {since}")]
    Pending {
        /// What it is doing.
        status: Status,
        /// Since when.
        since: String,
    },
    /// There is no such release.
    #[error("release: not found")]
    NotFound,
    /// No revision has such an object.
    #[error("no stored revision has {0}")]
    NoSuchObject(String),
    /// There is nothing to bring back.
    #[error("{0} is there: nothing has to be brought back")]
    IsThere(objects::ObjectId),
}

/// An operation that has run.
#[derive(Debug)]
pub struct Deployed {
    /// The record, as it was stored last.
    pub record: Record,
    /// How the run went.
    pub outcome: Outcome,
    /// The plan that was run.
    pub plan: Plan,
}

impl Session {
    /// Begins to work on a release: takes its lock and reads it.
    pub async fn begin(engine: Engine, marks: Marks, worker: Worker) -> Result<Self, ReleaseError> {
        let Worker { holder, pending_grace, stopper, stop } = worker;
        let lock_name = lock_name(&marks.name);
        let lock = engine.lock(&marks.namespace, &lock_name, &holder, stopper).await?;
        // What releases of the namespace could be brought back from goes when its time is over. That this may fail is no
        // reason to fail.
        let sweeping = Box::pin(sweep_tombstones(&engine, Some(&marks.namespace)));
        let reading = Box::pin(Release::read(engine.clone(), marks.clone(), pending_grace));
        match tokio::join!(sweeping, reading).1 {
            Ok(release) => Ok(Self { release, lock, stop }),
            Err(error) => {
                lock.release().await;
                Err(error)
            }
        }
    }

    /// Ends it, and lets others.
    pub async fn end(self) {
        self.lock.release().await;
    }

    /// The release, as it was read.
    pub fn release(&self) -> &Release {
        &self.release
    }

    /// Runs the tests of the release, and writes down how they went.
    pub async fn test(
        &mut self,
        prepared: Prepared,
        options: &Options,
        tell: &mut dyn FnMut(Event),
    ) -> Result<Deployed, ReleaseError> {
        let began = Timestamp::now();
        let outcome = self.run(&prepared, options, tell).await;
        let Prepared { plan, mut record, .. } = prepared;
        let ran: Vec<&str> = plan.hooks.iter().map(|hook| hook.id.name.as_str()).collect();
        let failed = |name: &str| {
            let about = |(object, _): &(Option<objects::ObjectId>, String)| {
                object.as_ref().is_some_and(|object| object.name == name)
            };
            outcome.failures.iter().any(about)
        };
        for hook in record.hooks.iter_mut().filter(|hook| ran.contains(&hook.name.as_str())) {
            let phase = if failed(&hook.name) { "Failed" } else { "Succeeded" };
            hook.others.insert(
                "last_run".to_owned(),
                serde_json::json!({
                    "started_at": began.to_string(),
                    "completed_at": Timestamp::now().to_string(),
                    "phase": phase,
                }),
            );
        }
        self.rewrite(&record).await?;
        Ok(Deployed { record, outcome, plan })
    }

    /// Runs a plan, and tells the cluster what of it others may want to know.
    async fn run(&self, prepared: &Prepared, options: &Options, tell: &mut dyn FnMut(Event)) -> Outcome {
        let Prepared { plan, documents, .. } = prepared;
        let mut notices = notices::Notices::new(plan);
        let mut both = |event: Event| {
            notices.hear(&event);
            tell(event);
        };
        let work = Work { plan, documents, marks: &self.release.marks };
        let engine = &self.release.engine;
        let outcome = engine.run(work, options, &mut self.stop.clone(), &mut both).await;
        notices.write(engine.client(), &self.release.marks).await;
        outcome
    }

    /// Writes the newest record anew.
    async fn rewrite(&mut self, record: &Record) -> Result<(), ReleaseError> {
        let release = &mut self.release;
        if let Some(last) = release.history.last_mut() {
            *last = release.storage.update(last, record, Timestamp::now()).await?;
        }
        Ok(())
    }
}

/// What the Lease of a release is called.
pub(crate) fn lock_name(release: &str) -> String {
    format!("slipway.{release}")
}

/// Puts into an inventory what a run has found out: the UIDs of what there is, what is gone, and what counts down.
fn settle(inventory: &mut Inventory, prepared: &Prepared, outcome: &Outcome) {
    for (entry, uid) in inventory.entries.iter_mut().zip(&outcome.uids) {
        if uid.is_some() {
            entry.uid.clone_from(uid);
        }
    }
    for object in counting(&prepared.plan) {
        let entry = &mut inventory.entries[object.at()];
        if entry.delay.is_none() {
            entry.delay = prepared.live.get(&entry.id).and_then(|live| live.delay.clone());
        }
    }
    inventory.forget(&outcome.gone);
}

/// The objects that are in the trash when a plan has run, and those that hold them.
fn counting(plan: &Plan) -> impl Iterator<Item = plan::ObjectIndex> {
    plan.steps.iter().filter_map(|step| match (step.kind, &step.reason) {
        (StepKind::Stamp { object, .. }, _) => Some(object),
        (StepKind::Keep { object }, Reason::Kept(WhyKept::Counting { .. } | WhyKept::Holds { .. })) => {
            Some(object)
        }
        _ => None,
    })
}

/// The inventory of a revision that is about to be made.
fn intent(prepared: &Prepared) -> Kept {
    let Prepared { plan, record, origins, .. } = prepared;
    Kept::new(record, plan.sequenced, origins.clone(), plan.intent.clone())
}
