//! Releases as Helm stores them, and what Slipway keeps beside.
//!
//! A release is a row of revisions, each a [`Record`] in a Secret of the name, labels and encoding that Helm gives it
//! ([`Storage`]), so that both tools read each other's. What Helm does not know is kept apart ([`Inventories`]): the
//! objects of each revision, with their layers, ranks, delays and UIDs, from which they are taken out again without
//! rendering anything.
//!
//! A [`Session`] is work on one release, under its lock: what is stored and what the cluster has become a plan, the
//! intent is written, then the record that tells of it, and only then is anything done. Whoever is interrupted in between
//! finds the inventory of all that was there and all that was meant to be, and goes on from there.

mod codec;
mod describe;
mod inventory;
mod record;
mod session;
mod storage;
mod wanted;

pub use codec::{CodecError, decode, encode};
pub use inventory::{Inventories, Kept};
pub use record::{HookRecord, Info, Record, Status};
pub use session::{Deployed, Deployment, MANAGER, ReleaseError, Session};
pub use storage::{Storage, StorageError, Stored, secret_name};
pub use wanted::{DocumentError, documents, wanted};
