//! Repositories: an `index.yaml` behind HTTP, and the charts it names.
//!
//! [`RepositoryFile`] is the user's list of them (`repositories.yaml`), [`Index`] what one offers. The functions of
//! [`Remote`](super::Remote) add, update and remove repositories as the commands do; [`search`] looks through the
//! cached indexes, [`generate`] makes an index from a directory of archives.

mod config;
mod failure;
mod find;
pub mod generate;
mod index;
mod load;
mod manage;
pub mod search;
mod time;
mod update;

pub use config::{RepositoryEntry, RepositoryFile};
pub use failure::{IndexError, RepositoryError};
pub use find::RepositoryAccess;
pub use index::{ChartVersion, Index};
pub use manage::AddOptions;
pub(super) use manage::{FAREWELL, GREETING, failure_words};
pub use time::{TimeError, Timestamp};

#[cfg(test)]
mod tests;
