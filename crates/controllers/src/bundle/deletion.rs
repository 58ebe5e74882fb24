//! Taking a Bundle out: all at once when it is deleted, or while it stays when it says that it should not exist.

use std::collections::HashSet;
use std::time::Duration;

use api::Bundle;
use engine::{LockError, Stop};
use extension::{ActuatorError, Context, ErrorCode, Outcome};
use kube::ResourceExt;
use objects::ObjectId;
use plan::Operation;
use plan::input::Policy;

use super::pending::{Pending, alone, in_trash};
use super::rounds::Reconcile;
use super::{BundleActuator, holder, lock_name};
use crate::ending::end;
use crate::force::let_go;

/// A Bundle that somebody else works on is looked at again after so long.
const LOCKED: Duration = Duration::from_secs(2);
/// What is being deleted is told of by watches; this is for what nobody may watch.
const AGAIN: Duration = Duration::from_mins(5);

impl BundleActuator {
    /// Takes out all that a deleted Bundle has. What has a delay goes to the trash, and outlives it.
    pub(super) async fn take_out(
        &self,
        context: &mut Context<Bundle>,
        force: bool,
    ) -> Result<Outcome, ActuatorError> {
        let bundle = context.object.clone();
        self.owed.forget(&bundle.uid().unwrap_or_default());
        let (stopper, stop) = Stop::new();
        let namespace = bundle.namespace().unwrap_or_default();
        let lock = match self.cluster.lock(&namespace, &lock_name(&bundle), &holder(context), stopper).await?
        {
            Ok(lock) => Some(lock),
            Err(LockError::Held { holder, since }) => {
                return Ok(Outcome::progress(1, format!("{holder} is at work on it since {since}"))
                    .requeue_after(LOCKED));
            }
            // No Lease can be made in a namespace that is going; there is nobody else either.
            Err(_) => None,
        };
        let result = self.take_out_locked(context, bundle, stop, force).await;
        if let Some(lock) = lock {
            lock.release().await;
        }
        result
    }

    async fn take_out_locked(
        &self,
        context: &mut Context<Bundle>,
        bundle: Bundle,
        stop: Stop,
        force: bool,
    ) -> Result<Outcome, ActuatorError> {
        let mut work = self.begin(bundle, context.clock(), stop).await?;
        let looked = work.look(&[]).await;
        if !force {
            looked?;
        }
        let stored = work.kept.inventory.clone();
        let pending = work.take_away(&stored, Operation::Uninstall, &Policy::default()).await;
        let pending = match pending {
            Err(error) if force => {
                work.store.remove().await?;
                return Ok(Outcome::done().describe(format!(
                    "Let go of {} objects, which may be left behind: {error}",
                    stored.entries.len()
                )));
            }
            pending => pending?,
        };
        work.follow();
        work.tell_deletions(context).await;
        let status = context.object.status.get_or_insert_default();
        status.pending_deletions.clone_from(&pending.counting);
        status.objects_to_delete.clone_from(&pending.to_delete);
        let left = if force {
            let mut left = pending.failures.clone();
            left.extend(let_go(context, &work.engine, &work.marks, &work.kept.inventory.entries).await);
            left
        } else {
            if !pending.failures.is_empty() {
                work.save().await?;
                let why = pending.failures.join("; ");
                return Err(ActuatorError::new(why).code(ErrorCode::CleanupResources));
            }
            if !pending.going.is_empty() {
                work.save().await?;
                let waiting = format!("Waiting for {} to go", pending.going.join(", "));
                return Ok(Outcome::progress(50, waiting).requeue_after(AGAIN));
            }
            Vec::new()
        };
        work.to_trash(&pending).await?;
        work.store.remove().await?;
        Ok(match left.as_slice() {
            [] if pending.counting.is_empty() => Outcome::done().describe("All objects are gone"),
            [] => Outcome::done().describe(format!(
                "{} objects count down in the trash, all others are gone",
                pending.counting.len()
            )),
            left => Outcome::done().describe(format!("Left behind: {}", left.join(", "))),
        })
    }

    /// Takes everything down and keeps the Bundle: `existsExternally` is false.
    pub(super) async fn take_down(&self, context: &mut Context<Bundle>) -> Result<Outcome, ActuatorError> {
        if !self.features.declarative_delete {
            let words = "existsExternally is false, and the feature DeclarativeDelete is off";
            return Ok(Outcome::done().describe(words).condition(
                "Ready",
                false,
                "DeclarativeDeleteDisabled",
                words,
            ));
        }
        let bundle = context.object.clone();
        let deleted = bundle.status.as_ref().and_then(|status| status.extension.condition("Deleted"));
        if deleted.is_some_and(|condition| condition.status == "True") {
            return end(context, &self.features).await;
        }
        let (stopper, stop) = Stop::new();
        let namespace = bundle.namespace().unwrap_or_default();
        let lock = match self.cluster.lock(&namespace, &lock_name(&bundle), &holder(context), stopper).await?
        {
            Ok(lock) => lock,
            Err(LockError::Held { holder, since }) => {
                return Ok(Outcome::progress(1, format!("{holder} is at work on it since {since}"))
                    .requeue_after(LOCKED));
            }
            Err(error) => return Err(ActuatorError::new(error.to_string())),
        };
        let result = self.take_down_locked(context, bundle, stop).await;
        lock.release().await;
        result
    }

    async fn take_down_locked(
        &self,
        context: &mut Context<Bundle>,
        bundle: Bundle,
        stop: Stop,
    ) -> Result<Outcome, ActuatorError> {
        let mut work = self.begin(bundle, context.clock(), stop).await?;
        work.look(&[]).await?;
        let stored = work.kept.inventory.clone();
        let pending = work.take_away(&stored, Operation::Uninstall, &Policy::default()).await?;
        work.save().await?;
        work.follow();
        work.tell_deletions(context).await;
        let status = context.object.status.get_or_insert_default();
        status.pending_deletions.clone_from(&pending.counting);
        status.objects_to_delete.clone_from(&pending.to_delete);
        status.resource_statuses.clear();
        if !pending.failures.is_empty() {
            let why = pending.failures.join("; ");
            return Err(ActuatorError::new(why).code(ErrorCode::CleanupResources));
        }
        let is_over = pending.going.is_empty() && pending.counting.is_empty();
        let outcome = if is_over {
            Outcome::done().describe("All objects are gone")
        } else {
            Outcome::progress(50, "Objects are going, or count down").requeue_after(AGAIN)
        };
        let outcome = match pending.next {
            Some(due) => outcome.requeue_at(due),
            None if is_over => outcome.requeue_after(Duration::from_millis(1)),
            None => outcome,
        };
        let reason = if is_over { "Deleted" } else { "Deleting" };
        Ok(outcome.condition("Deleted", is_over, reason, "").condition(
            "Ready",
            false,
            reason,
            "existsExternally is false",
        ))
    }
}

impl Reconcile<'_> {
    /// Hands what counts down over to the trash, before the Bundle and its inventory go.
    async fn to_trash(&self, pending: &Pending) -> Result<(), ActuatorError> {
        let counting = |id: &ObjectId| {
            pending.counting.iter().any(|counting| {
                let object = &counting.object;
                object.group == id.group
                    && object.kind == id.kind
                    && object.namespace == id.namespace
                    && object.name == id.name
            })
        };
        let mut trash = in_trash(&self.kept.inventory, |entry| counting(&entry.id));
        if trash.entries.is_empty() {
            return Ok(());
        }
        // What an earlier Bundle of the name has left there goes on counting.
        let before = self.store.trash().await?.map(|before| before.inventory).unwrap_or_default();
        let has: HashSet<ObjectId> = trash.entries.iter().map(|entry| entry.id.clone()).collect();
        let others = before.entries.into_iter().filter(|entry| !has.contains(&entry.id));
        trash.entries.extend(others.map(alone));
        self.store.write_trash(trash, pending.next).await
    }
}
