//! What becomes of a stored object that is not wanted: a chain of questions, each with its own answer.

use std::collections::HashSet;

use jiff::{SignedDuration, Timestamp};
use objects::{ObjectId, parse_time};

use crate::input::{Entry, Live, LiveObject, Owner, Policy};
use crate::output::{Because, Forgotten, Kept, Operation, Recheck, UnreadableField};
use crate::span;

/// How many foreign objects are named.
const NAMED: usize = 5;

/// What becomes of an object.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Fate {
    /// It is deleted.
    Delete { because: Because, recheck: Recheck },
    /// Somebody deletes it already; it is only awaited.
    Terminating,
    /// Its countdown begins.
    Stamp { due: Timestamp },
    /// It stays.
    Keep(Kept),
    /// There is nothing to delete.
    Forget(Forgotten),
}

impl Fate {
    /// Whether the object is still there when the plan has run.
    pub(crate) fn stays(&self) -> bool {
        matches!(self, Self::Stamp { .. } | Self::Keep(_))
    }
}

/// Who asks.
pub(crate) struct Judge<'a> {
    pub(crate) operation: Operation,
    pub(crate) policy: &'a Policy,
    pub(crate) live: &'a Live,
    pub(crate) now: Timestamp,
    /// The namespace of the release.
    pub(crate) own_namespace: &'a str,
    /// The UIDs of wanted objects.
    pub(crate) wanted_uids: HashSet<&'a str>,
}

impl Judge<'_> {
    /// What becomes of one stored object.
    pub(crate) fn fate(&self, entry: &Entry) -> Fate {
        let live = self.live.get(&entry.id);
        if self.live.known {
            match live {
                None => return Fate::Forget(Forgotten::Gone),
                Some(live) => {
                    if let Some(fate) = self.not_ours(entry, live) {
                        return fate;
                    }
                }
            }
        }
        if entry.keep || live.is_some_and(|live| live.keep) {
            return Fate::Keep(Kept::Policy);
        }
        if entry.from_crds && !self.policy.delete_crds {
            return Fate::Keep(Kept::Definitions);
        }
        let because = match self.operation {
            Operation::Uninstall => Because::Uninstalled,
            _ => Because::NotWanted,
        };
        // Only a prune belongs to an owner that goes on living and may be in trouble.
        let held_back = self.operation == Operation::Prune && !self.policy.ready && !self.policy.purge;
        if let Some(fate) = self.delayed(entry, live, held_back) {
            return fate;
        }
        if held_back {
            return Fate::Keep(Kept::OwnerNotReady);
        }
        self.delete(&entry.id, because)
    }

    fn not_ours(&self, entry: &Entry, live: &LiveObject) -> Option<Fate> {
        if entry.uid.as_ref().is_some_and(|uid| *uid != live.uid) {
            return Some(Fate::Forget(Forgotten::Replaced));
        }
        if self.wanted_uids.contains(live.uid.as_str()) {
            return Some(Fate::Forget(Forgotten::Moved));
        }
        match &live.owner {
            Owner::Ours => {}
            Owner::Nobody => return Some(Fate::Keep(Kept::NotOurs { owner: None })),
            Owner::Other(name) => return Some(Fate::Keep(Kept::NotOurs { owner: Some(name.clone()) })),
        }
        live.deleting.is_some().then_some(Fate::Terminating)
    }

    /// The live delay and stamp decide; what was stored only does if nobody looked.
    fn delayed(&self, entry: &Entry, live: Option<&LiveObject>, held_back: bool) -> Option<Fate> {
        if self.policy.purge {
            return None;
        }
        let delay = if self.live.known { live?.delay.as_deref() } else { entry.delay.as_deref() }?;
        let unreadable =
            |field, value: &str| Some(Fate::Keep(Kept::Unreadable { field, value: value.to_owned() }));
        let add = |from: Timestamp| {
            let delay = SignedDuration::try_from(span::parse(delay.trim())?).ok()?;
            from.checked_add(delay).ok()
        };
        let Some(stamp) = live.and_then(|live| live.stamp.as_deref()) else {
            return match add(self.now) {
                None => unreadable(UnreadableField::Delay, delay),
                Some(due) if due <= self.now => None,
                Some(_) if held_back => Some(Fate::Keep(Kept::OwnerNotReady)),
                Some(due) => Some(Fate::Stamp { due }),
            };
        };
        let Some(stamped) = parse_time(stamp.trim()) else {
            return unreadable(UnreadableField::Stamp, stamp);
        };
        match add(stamped) {
            None => unreadable(UnreadableField::Delay, delay),
            Some(due) if due > self.now => Some(Fate::Keep(Kept::Counting { due })),
            Some(_) if held_back => Some(Fate::Keep(Kept::OwnerNotReady)),
            Some(_) => Some(self.delete(&entry.id, Because::Expired)),
        }
    }

    /// A namespace or definition goes only if nothing of others goes with it.
    fn delete(&self, id: &ObjectId, because: Because) -> Fate {
        let foreign = is_container(id) && !self.policy.delete_foreign;
        if let Some(objects) = self.live.foreign.get(id).filter(|objects| foreign && !objects.is_empty()) {
            let count = objects.len();
            return Fate::Keep(Kept::Foreign {
                objects: objects.iter().take(NAMED).cloned().collect(),
                count,
            });
        }
        Fate::Delete { because, recheck: Recheck { foreign, owners: because == Because::Expired } }
    }
}

/// Whether deleting it deletes others: namespaces and definitions.
fn is_container(id: &ObjectId) -> bool {
    matches!(
        (id.group.as_str(), id.kind.as_str()),
        ("", "Namespace") | ("apiextensions.k8s.io", "CustomResourceDefinition")
    )
}
