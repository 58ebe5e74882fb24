//! Releases as Helm stores them, and what Slipway keeps beside.
//!
//! A release is a row of revisions, each a [`Record`] in a Secret of the name, labels and encoding that Helm gives it
//! ([`Storage`]), so that both tools read each other's. What Helm does not know is kept apart ([`Inventories`]): the
//! objects of each revision, with their layers, ranks, delays and UIDs, from which they are taken out again without
//! rendering anything.
//!
//! A [`Release`] is what is stored and what the cluster has, and can be asked what an operation would do: that is a
//! [`Prepared`] plan. A [`Session`] is work on one release, under its lock: the intent of such a plan is written, then
//! the record that tells of it, and only then is anything done. Whoever is interrupted in between
//! finds the inventory of all that was there and all that was meant to be, and goes on from there.

mod codec;
mod describe;
mod difference;
mod inventory;
mod record;
mod release;
mod session;
mod sets;
mod shards;
mod standing;
mod storage;
mod tombstone;
mod values;
mod wanted;
mod why;
mod written;

pub use codec::{CodecError, decode, encode};
pub use difference::{Difference, Fate, differences};
pub use inventory::{Inventories, Kept, Origins};
pub use record::{HookRecord, Info, Record, Status};
pub use release::{Deployment, PENDING_GRACE, Prepared, Release};
pub use session::{
    Choice, Deployed, Finish, InTrash, MANAGER, ReleaseError, Removal, Session, Unlocked, Worker,
    sweep_tombstones, trash, unlock,
};
pub use sets::{DUE, SetInventory, Sets};
pub use standing::{Standing, members, standing};
pub use storage::{Storage, StorageError, Stored, secret_name};
pub use tombstone::{Tombstone, Tombstones};
pub use values::Reuse;
pub use wanted::{DocumentError, documents, wanted};
pub use why::{Answer, Workload, finalizer_manager, why_member, why_object, why_release, workload_called};
pub use written::RevisionError;
