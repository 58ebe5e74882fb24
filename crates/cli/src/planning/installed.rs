//! A cluster as it would be if the current revision had just been installed: what plans from files go by.

use std::collections::HashMap;

use plan::Plan;
use plan::input::{Digest, Inventory, Live, LiveObject, Owner, Wanted};

/// What UIDs begin with that no server gave.
const FROM_FILES: &str = "from-files:";

/// Every stored object is there, ours, and as it was applied.
pub(crate) fn as_installed(stored: &Inventory, wanted: &Wanted) -> Live {
    let digests: HashMap<_, Digest> =
        wanted.members.iter().map(|member| (&member.id, member.digest)).collect();
    let live = |entry: &plan::input::Entry| LiveObject {
        uid: entry.uid.clone().unwrap_or_else(|| format!("{FROM_FILES}{}", entry.id)),
        owner: Owner::Ours,
        delay: entry.delay.clone(),
        keep: entry.keep,
        in_sync: digests.get(&entry.id) == Some(&entry.digest),
        ..LiveObject::default()
    };
    let objects = stored.entries.iter().map(|entry| (entry.id.clone(), live(entry))).collect();
    Live { objects, ..Live::empty() }
}

/// Takes the UIDs that no server gave out of a plan again.
pub(crate) fn forget_files(plan: &mut Plan) {
    let objects = plan.objects.iter_mut().map(|object| &mut object.uid);
    let entries = plan.intent.entries.iter_mut().map(|entry| &mut entry.uid);
    for uid in objects.chain(entries) {
        if uid.as_ref().is_some_and(|uid| uid.starts_with(FROM_FILES)) {
            *uid = None;
        }
    }
}
