//! One cluster for all commands of a user: in a file, served by whoever holds it.
//!
//! The first command that opens the file serves the others on a loopback socket, and writes beside the file where, with
//! a token that only the user can read. A command that finds the file held becomes a client of its holder. When the
//! holder ends, the next request of a client takes over: it opens the file itself, or finds who did.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use std::{fs, io};

use http::Uri;
use serde_json::{Value, json};

use crate::http::user::User;
use crate::meta;
use crate::serve::{ServeError, Serving};
use crate::server::Dock;
use crate::store::{Disk, OpenError, Store};

/// The file of the cluster in the data directory.
const FILE: &str = "dock.redb";
/// Where its holder answers.
const ADDRESS: &str = "dock.json";
/// So often somebody looks again for a holder that is starting or ending.
const ATTEMPTS: u32 = 100;
const PAUSE: Duration = Duration::from_millis(20);

/// The cluster of a data directory.
#[derive(Debug)]
pub enum Embedded {
    /// This process holds the file, and serves others.
    Held {
        /// The server.
        dock: Dock,
        /// Its socket.
        serving: Serving,
        /// What others need to be let in.
        token: String,
    },
    /// Another process holds it.
    Served {
        /// Where it answers.
        address: Uri,
        /// What is needed to be let in.
        token: String,
    },
}

/// Why a data directory could not be used.
#[derive(Debug, thiserror::Error)]
pub enum EmbeddedError {
    /// The directory cannot be made or written.
    #[error("{}: {source}", path.display())]
    Directory {
        /// Which directory or file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The file cannot be used.
    #[error("{}: {source}", path.display())]
    File {
        /// Which file.
        path: PathBuf,
        /// Why.
        source: OpenError,
    },
    /// The socket cannot be had.
    #[error(transparent)]
    Serve(#[from] ServeError),
    /// Somebody holds the file and cannot be reached.
    #[error("{} is held by a process that does not answer", path.display())]
    Unreachable {
        /// Which file.
        path: PathBuf,
    },
}

impl Embedded {
    /// Opens the cluster of a data directory, or finds who has it open.
    pub async fn open(directory: &Path) -> Result<Self, EmbeddedError> {
        let path = directory.join(FILE);
        let failed = |source| EmbeddedError::Directory { path: directory.to_owned(), source };
        fs::create_dir_all(directory).map_err(failed)?;
        for _ in 0..ATTEMPTS {
            match Disk::open(&path) {
                Ok((disk, saved)) => {
                    let store = Store::with_journal(Arc::new(disk), saved);
                    return Self::hold(directory, store).await;
                }
                Err(OpenError::InUse) => {
                    if let Some((address, token)) = holder(directory)
                        && answers(&address).await
                    {
                        return Ok(Self::Served { address, token });
                    }
                }
                Err(source) => return Err(EmbeddedError::File { path, source }),
            }
            tokio::time::sleep(PAUSE).await;
        }
        Err(EmbeddedError::Unreachable { path })
    }

    async fn hold(directory: &Path, store: Store) -> Result<Self, EmbeddedError> {
        let token = meta::random_uid();
        let dock = Dock::builder().store(store).token(&token, User::admin()).start().await;
        let serving = dock.serve(0).await?;
        let file = directory.join(ADDRESS);
        let text = json!({"address": serving.url(), "token": token}).to_string();
        private_write(&file, &text).map_err(|source| EmbeddedError::Directory { path: file, source })?;
        Ok(Self::Held { dock, serving, token })
    }
}

fn holder(directory: &Path) -> Option<(Uri, String)> {
    let text = fs::read_to_string(directory.join(ADDRESS)).ok()?;
    let value: Value = serde_json::from_str(&text).ok()?;
    Some((value["address"].as_str()?.parse().ok()?, value["token"].as_str()?.to_owned()))
}

/// Whether somebody listens there: the file may be older than its holder.
async fn answers(address: &Uri) -> bool {
    let Some(authority) = address.authority() else { return false };
    tokio::net::TcpStream::connect(authority.as_str()).await.is_ok()
}

/// Writes a file that only the user can read, whole or not at all.
pub fn private_write(path: &Path, text: &str) -> io::Result<()> {
    use std::io::Write;
    let draft = path.with_extension("json.new");
    let mut options = fs::OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(&draft)?.write_all(text.as_bytes())?;
    fs::rename(draft, path)
}
