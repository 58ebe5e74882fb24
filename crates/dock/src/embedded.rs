//! One cluster for all commands of a user: in a file, served by whoever holds it.
//!
//! The first command that opens the file serves the others on a loopback socket, and writes beside the file where, with
//! a token that only the user can read. A command that finds the file held becomes a client of its holder. When the
//! holder ends, the next request of a client takes over: it opens the file itself, or finds who did.
//!
//! [`Embedded`] hides all of this: it is an HTTP service like [`Dock`] itself, to be given to a client in place of a
//! connection.

use std::future::Future;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;
use std::{fs, io};

use bytes::Bytes;
use http::{HeaderValue, Request, Response, Uri, header, request};
use http_body::Body;
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Full};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use serde_json::{Value, json};
use tower_service::Service;

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
/// So often one request may find that the holder has changed.
const CHANGES: u32 = 5;

/// Whatever went wrong below a request.
pub type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// The cluster of a data directory, whoever holds it. Clones are the same connection.
#[derive(Debug, Clone)]
pub struct Embedded {
    directory: Arc<Path>,
    role: Arc<Mutex<Arc<Role>>>,
}

/// What this process is to the cluster.
#[derive(Debug)]
enum Role {
    /// It holds the file, and serves others for as long as this lives.
    Holder { dock: Dock, token: String, _serving: Serving },
    /// Another process holds it.
    Guest { address: Uri, token: String, client: Box<Client<HttpConnector, Full<Bytes>>> },
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
        let role = Role::find(directory).await?;
        Ok(Self { directory: directory.into(), role: Arc::new(Mutex::new(Arc::new(role))) })
    }

    /// Whether this process holds the file.
    pub fn is_holder(&self) -> bool {
        matches!(*self.role(), Role::Holder { .. })
    }

    fn role(&self) -> Arc<Role> {
        self.role.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Looks again who holds the file, unless another request has just done so.
    async fn look_again(&self, known: &Arc<Role>) -> Result<(), EmbeddedError> {
        if !Arc::ptr_eq(known, &self.role()) {
            return Ok(());
        }
        let role = Arc::new(Role::find(&self.directory).await?);
        *self.role.lock().unwrap_or_else(PoisonError::into_inner) = role;
        Ok(())
    }

    async fn answer(self, parts: request::Parts, body: Bytes) -> Result<Response<EmbeddedBody>, BoxError> {
        for _ in 0..CHANGES {
            let role = self.role();
            let mut request = Request::from_parts(parts.clone(), Full::new(body.clone()));
            match &*role {
                Role::Holder { dock, token, .. } => {
                    authorise(&mut request, token)?;
                    let answer = dock.clone().call(request).await?;
                    return Ok(answer.map(|body| body.map_err(BoxError::from).boxed_unsync()));
                }
                Role::Guest { address, token, client } => {
                    authorise(&mut request, token)?;
                    *request.uri_mut() = beneath(address, &parts.uri)?;
                    match client.request(request).await {
                        Ok(answer) => {
                            return Ok(answer.map(|body| body.map_err(BoxError::from).boxed_unsync()));
                        }
                        // Nothing was sent: the holder has ended, and what is asked can be asked of the next.
                        Err(error) if error.is_connect() => self.look_again(&role).await?,
                        Err(error) => return Err(error.into()),
                    }
                }
            }
        }
        Err(EmbeddedError::Unreachable { path: self.directory.join(FILE) }.into())
    }
}

/// The body of an answer, from this process or another.
pub type EmbeddedBody = UnsyncBoxBody<Bytes, BoxError>;

impl<B> Service<Request<B>> for Embedded
where
    B: Body + Send + 'static,
    B::Data: Send,
    B::Error: Into<BoxError>,
{
    type Response = Response<EmbeddedBody>;
    type Error = BoxError;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, BoxError>> + Send>>;

    fn poll_ready(&mut self, _context: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let embedded = self.clone();
        Box::pin(async move {
            let (parts, body) = request.into_parts();
            let body = body.collect().await.map_err(Into::into)?.to_bytes();
            embedded.answer(parts, body).await
        })
    }
}

impl Role {
    async fn find(directory: &Path) -> Result<Self, EmbeddedError> {
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
                        let client = Box::new(Client::builder(TokioExecutor::new()).build_http());
                        return Ok(Self::Guest { address, token, client });
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
        announce(directory, &serving.url(), &token)?;
        Ok(Self::Holder { dock, token, _serving: serving })
    }
}

/// Tells other commands of this user where the cluster of a directory is served.
pub fn announce(directory: &Path, address: &str, token: &str) -> Result<(), EmbeddedError> {
    let file = directory.join(ADDRESS);
    let text = json!({"address": address, "token": token}).to_string();
    private_write(&file, &text).map_err(|source| EmbeddedError::Directory { path: file, source })
}

fn authorise<B>(request: &mut Request<B>, token: &str) -> Result<(), BoxError> {
    let value = HeaderValue::try_from(format!("Bearer {token}"))?;
    request.headers_mut().insert(header::AUTHORIZATION, value);
    Ok(())
}

/// What is asked, at the address of the holder.
fn beneath(address: &Uri, asked: &Uri) -> Result<Uri, BoxError> {
    let mut parts = asked.clone().into_parts();
    parts.scheme = address.scheme().cloned();
    parts.authority = address.authority().cloned();
    Ok(Uri::from_parts(parts)?)
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
