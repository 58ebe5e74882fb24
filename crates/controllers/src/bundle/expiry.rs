//! What is due goes at once: a countdown that ends needs neither the rest of its Bundle read nor a plan of all of it.
//!
//! A thousand countdowns may end in one second. So the end of one looks at nothing but what is due, as long as the
//! Bundle was ready and nothing else was on its way out; everything else about the Bundle is looked at a moment later,
//! once for all of them.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use api::Bundle;
use extension::{ActuatorError, Context, OperationType, Outcome};
use jiff::{SignedDuration, Timestamp};
use kube::ResourceExt;
use objects::ObjectId;
use plan::Operation;
use plan::input::{Inventory, Policy};

use super::rounds::Reconcile;
use api::bundle::{ObjectReference, PendingDeletion};

/// After so long, whatever else may have changed is looked at, however many countdowns end meanwhile.
const MOMENT: Duration = Duration::from_secs(5);

/// The Bundles that this process has looked at, by UID, and since when only at a part of them. Clones are the same.
#[derive(Debug, Clone, Default)]
pub(super) struct Owed(Arc<Mutex<HashMap<String, Option<Timestamp>>>>);

impl Owed {
    /// Notes that only a part of a Bundle is looked at, and says when all of it is to be; nothing if that is now.
    fn note(&self, uid: &str, now: Timestamp) -> Option<Timestamp> {
        let mut owed = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // What a process that has ended said may be long ago: all of it is looked at first.
        let since = *owed.get_mut(uid)?.get_or_insert(now);
        let all = since.saturating_add(SignedDuration::try_from(MOMENT).unwrap_or_default()).ok()?;
        (now < all).then_some(all)
    }

    /// All of a Bundle is looked at now. Says whether that is the first time.
    fn settle(&self, uid: String) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(uid, None).is_none()
    }

    /// A Bundle is taken out.
    pub(super) fn forget(&self, uid: &str) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(uid);
    }
}

impl Reconcile<'_> {
    /// Takes out what is due and nothing else, if that can be done without looking at the rest.
    pub(super) async fn expire(
        &mut self,
        context: &mut Context<Bundle>,
    ) -> Result<Option<Outcome>, ActuatorError> {
        let (now, uid) = (self.clock.now(), self.bundle.uid().unwrap_or_default());
        let due = due_of(&self.bundle, now);
        let is_calm = context.operation() == OperationType::Reconcile
            && is_settled(&self.bundle)
            && !self.actuator.watching.has_news(&context.key());
        let all = if due.is_empty() || !is_calm { None } else { self.actuator.owed.note(&uid, now) };
        let Some(all) = all else {
            self.is_first = self.actuator.owed.settle(uid);
            self.actuator.watching.hears(&context.key());
            return Ok(None);
        };
        let stored = only(&self.kept.inventory, &due);
        let kept = std::mem::replace(&mut self.kept.inventory, stored.clone());
        let looked = self.look(&[]).await;
        self.kept.inventory = kept;
        looked?;
        let pending = self.take_away(&stored, Operation::Prune, &Policy::default()).await?;
        self.save().await?;
        if !pending.failures.is_empty() || !pending.unreadable.is_empty() {
            // All of it is looked at, and told.
            return Ok(None);
        }
        self.follow();
        self.tell_deletions(context).await;
        let status = context.object.status.get_or_insert_default();
        status.pending_deletions.retain(|pending| !due.contains(&id_of(&pending.object)));
        status.pending_deletions.extend(pending.counting);
        status.pending_deletions.sort_by(|a, b| a.object.cmp(&b.object));
        status.objects_to_delete.clone_from(&pending.to_delete);
        let next =
            status.pending_deletions.iter().filter_map(|pending| pending.due.as_ref()).map(|due| due.0);
        let next = next.min().map_or(all, |next| next.min(all));
        Ok(Some(Outcome::done().requeue_at(next)))
    }
}

/// Whether what was said last of a Bundle is about what it wants now, and nothing was under way.
fn is_settled(bundle: &Bundle) -> bool {
    let Some(status) = &bundle.status else { return false };
    status.extension.observed_generation == bundle.metadata.generation
        && status.extension.last_errors.is_empty()
        && status.objects_to_delete.is_empty()
        && status.extension.condition("Ready").is_some_and(|ready| ready.status == "True")
}

/// The objects whose countdown is over, by what was said last.
fn due_of(bundle: &Bundle, now: Timestamp) -> HashSet<ObjectId> {
    let pending = bundle.status.iter().flat_map(|status| &status.pending_deletions);
    let is_due = |pending: &&PendingDeletion| pending.due.as_ref().is_some_and(|due| due.0 <= now);
    pending.filter(is_due).map(|pending| id_of(&pending.object)).collect()
}

/// Those entries of an inventory that are about these objects.
fn only(inventory: &Inventory, objects: &HashSet<ObjectId>) -> Inventory {
    let others: Vec<bool> = inventory.entries.iter().map(|entry| !objects.contains(&entry.id)).collect();
    let mut only = inventory.clone();
    only.forget(&others);
    only
}

fn id_of(object: &ObjectReference) -> ObjectId {
    ObjectId {
        group: object.group.clone(),
        kind: object.kind.clone(),
        namespace: object.namespace.clone(),
        name: object.name.clone(),
    }
}
