//! What becomes of a stored object that is not wanted: a chain of questions, each with its own answer.

use std::collections::HashSet;

use jiff::{SignedDuration, Timestamp};
use objects::{ObjectId, parse_time};

use crate::input::{Entry, Live, LiveObject, Owner, Policy};
use crate::output::{Because, Forgotten, Kept, Operation, Recheck, UnreadableField};
use crate::span;

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
        let stamp = live.and_then(|live| live.stamp.as_deref());
        Some(match countdown(delay, stamp, self.now) {
            Countdown::Unreadable(kept) => Fate::Keep(kept),
            Countdown::None => return None,
            Countdown::Over if !held_back => self.delete(&entry.id, Because::Expired),
            Countdown::Running(due) => Fate::Keep(Kept::Counting { due }),
            Countdown::Begins(due) if !held_back => Fate::Stamp { due },
            Countdown::Over | Countdown::Begins(_) => Fate::Keep(Kept::OwnerNotReady),
        })
    }

    /// A namespace or definition goes only if nothing of others goes with it.
    fn delete(&self, id: &ObjectId, because: Because) -> Fate {
        let foreign = is_container(id) && !self.policy.delete_foreign;
        if let Some(objects) = self.live.foreign.get(id).filter(|objects| foreign && !objects.is_empty()) {
            return Fate::Keep(Kept::foreign(objects));
        }
        let recheck = Recheck { foreign, owners: because == Because::Expired, countdown: !self.policy.purge };
        Fate::Delete { because, recheck }
    }
}

impl Recheck {
    /// Why an object that was read once more directly before its delete, and that still has its UID, stays after all.
    pub fn objection(self, live: &LiveObject, now: Timestamp) -> Option<Kept> {
        match &live.owner {
            Owner::Ours => {}
            Owner::Nobody => return Some(Kept::NotOurs { owner: None }),
            Owner::Other(name) => return Some(Kept::NotOurs { owner: Some(name.clone()) }),
        }
        if live.keep {
            return Some(Kept::Policy);
        }
        let delay = live.delay.as_deref().filter(|_| self.countdown)?;
        match countdown(delay, live.stamp.as_deref(), now) {
            Countdown::None | Countdown::Over => None,
            Countdown::Unreadable(kept) => Some(kept),
            // One that begins only now is stamped by the next command.
            Countdown::Running(due) | Countdown::Begins(due) => Some(Kept::Counting { due }),
        }
    }
}

/// How a countdown stands.
enum Countdown {
    /// There is none: it would be over at once.
    None,
    Begins(Timestamp),
    Running(Timestamp),
    Over,
    Unreadable(Kept),
}

fn countdown(delay: &str, stamp: Option<&str>, now: Timestamp) -> Countdown {
    let unreadable =
        |field, value: &str| Countdown::Unreadable(Kept::Unreadable { field, value: value.to_owned() });
    let add = |from: Timestamp| {
        let delay = SignedDuration::try_from(span::parse(delay.trim())?).ok()?;
        from.checked_add(delay).ok()
    };
    let Some(stamp) = stamp else {
        return match add(now) {
            None => unreadable(UnreadableField::Delay, delay),
            Some(due) if due <= now => Countdown::None,
            Some(due) => Countdown::Begins(due),
        };
    };
    let Some(stamped) = parse_time(stamp.trim()) else {
        return unreadable(UnreadableField::Stamp, stamp);
    };
    match add(stamped) {
        None => unreadable(UnreadableField::Delay, delay),
        Some(due) if due > now => Countdown::Running(due),
        Some(_) => Countdown::Over,
    }
}

/// Whether deleting it deletes others: namespaces and definitions.
fn is_container(id: &ObjectId) -> bool {
    matches!(
        (id.group.as_str(), id.kind.as_str()),
        ("", "Namespace") | ("apiextensions.k8s.io", "CustomResourceDefinition")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_look_may_find_a_reason_to_stay() {
        let now: Timestamp = "2026-01-01T00:00:00Z".parse().unwrap();
        let ours = LiveObject { owner: Owner::Ours, ..LiveObject::default() };
        let delayed = LiveObject { delay: Some("1h".into()), ..ours.clone() };
        let expired = LiveObject { stamp: Some("2025-12-31T22:00:00Z".into()), ..delayed.clone() };
        let other = LiveObject { owner: Owner::Other("release b/c".into()), ..ours.clone() };
        let due = "2026-01-01T01:00:00Z".parse().unwrap();
        for (live, countdown, expected) in [
            (ours.clone(), true, None),
            (LiveObject::default(), true, Some(Kept::NotOurs { owner: None })),
            (other, true, Some(Kept::NotOurs { owner: Some("release b/c".into()) })),
            (LiveObject { keep: true, ..ours }, true, Some(Kept::Policy)),
            (delayed.clone(), true, Some(Kept::Counting { due })),
            (delayed, false, None),
            (expired, true, None),
        ] {
            let recheck = Recheck { countdown, ..Recheck::default() };
            assert_eq!(recheck.objection(&live, now), expected, "{live:?}");
        }
    }
}
