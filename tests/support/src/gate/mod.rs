//! A server in front of a cluster, which can be told to stop at a certain write, to hold one request back for a while, or
//! to have a bad day.

mod mishap;

use std::fmt;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};

use http::{Method, Request};
use http_body_util::BodyExt;
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto;
use kube::Client;
use kube::client::Body;
use tokio::net::TcpListener;
use tokio::sync::Notify;
use tokio::task::AbortHandle;

pub use mishap::Mishap;

use crate::Error;
use mishap::{Answer, BadDay, Befallen};

/// On which side of a write the gate closes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// The cluster never hears of it.
    Before,
    /// It is done, but there is no answer.
    After,
}

/// Lets requests through to a cluster, until it closes. It ends when it is dropped.
#[derive(Debug)]
pub struct Gate {
    address: SocketAddr,
    state: Arc<State>,
    serving: AbortHandle,
}

#[derive(Default)]
struct State {
    counted: Mutex<Counted>,
    closed: Notify,
    day: Mutex<Option<BadDay>>,
    meant: Mutex<Option<Box<Meant>>>,
    held: Notify,
    go_on: Notify,
}

/// Whether a request is meant: its method, and its path with all that is asked.
type Meant = dyn Fn(&Method, &str) -> bool + Send;

impl fmt::Debug for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("State").field("counted", &self.counted).finish_non_exhaustive()
    }
}

#[derive(Debug, Default)]
struct Counted {
    writes: usize,
    asked: Vec<String>,
    close_at: Option<(usize, Side)>,
    is_closed: bool,
}

/// What becomes of a request.
enum Way {
    Through,
    /// The client never gets an answer.
    Nowhere,
    /// It is sent on, and then there is no answer.
    ThroughOnly,
}

impl State {
    fn way(&self, method: &Method, path: &str) -> Way {
        let mut counted = self.counted.lock().unwrap_or_else(PoisonError::into_inner);
        if counted.is_closed {
            return Way::Nowhere;
        }
        if !path.contains("watch=true") {
            counted.asked.push(format!("{method} {path}"));
        }
        if matches!(*method, Method::GET | Method::HEAD) {
            return Way::Through;
        }
        counted.writes += 1;
        match counted.close_at {
            Some((write, side)) if write == counted.writes => {
                counted.is_closed = true;
                if side == Side::Before { Way::Nowhere } else { Way::ThroughOnly }
            }
            _ => Way::Through,
        }
    }

    fn holds(&self, method: &Method, path: &str) -> bool {
        let mut meant = self.meant.lock().unwrap_or_else(PoisonError::into_inner);
        meant.take_if(|meant| meant(method, path)).is_some()
    }

    fn befalls(&self, method: &Method, path: &str) -> Option<Mishap> {
        self.day.lock().unwrap_or_else(PoisonError::into_inner).as_mut()?.befalls(method, path)
    }

    fn is_closed(&self) -> bool {
        self.counted.lock().unwrap_or_else(PoisonError::into_inner).is_closed
    }
}

impl Gate {
    /// Opens a gate to a cluster on a loopback port.
    pub async fn open(client: Client) -> Result<Self, Error> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        let address = listener.local_addr()?;
        let state = Arc::new(State::default());
        let known = state.clone();
        let serving = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (client, state) = (client.clone(), known.clone());
                let _ = stream.set_nodelay(true);
                tokio::spawn(async move {
                    let service = service_fn(|request| pass(client.clone(), state.clone(), request));
                    // A connection that breaks is the client's affair.
                    let _ = auto::Builder::new(TokioExecutor::new())
                        .serve_connection(TokioIo::new(stream), service)
                        .await;
                });
            }
        })
        .abort_handle();
        Ok(Self { address, state, serving })
    }

    /// Closes with this write, counted from one; `None` never closes. The count begins anew.
    pub fn close_at(&self, write: Option<(usize, Side)>) {
        let mut counted = self.state.counted.lock().unwrap_or_else(PoisonError::into_inner);
        *counted = Counted { close_at: write, ..Counted::default() };
    }

    /// Returns once it is closed.
    pub async fn closed(&self) {
        let closed = self.state.closed.notified();
        if !self.state.is_closed() {
            closed.await;
        }
    }

    /// How many writes went through or were stopped.
    pub fn writes(&self) -> usize {
        self.state.counted.lock().unwrap_or_else(PoisonError::into_inner).writes
    }

    /// What was asked since this was last called, watches aside.
    pub fn asked(&self) -> Vec<String> {
        std::mem::take(&mut self.state.counted.lock().unwrap_or_else(PoisonError::into_inner).asked)
    }

    /// Holds back the first request that is meant, until [`Gate::let_go`]: somebody else may act before it.
    pub fn hold(&self, meant: impl Fn(&Method, &str) -> bool + Send + 'static) {
        *self.state.meant.lock().unwrap_or_else(PoisonError::into_inner) = Some(Box::new(meant));
    }

    /// Returns once a request is held back.
    pub async fn held(&self) {
        self.state.held.notified().await;
    }

    /// Lets the request that is held back go on.
    pub fn let_go(&self) {
        self.state.go_on.notify_one();
    }

    /// From now on this happens to some of the requests to which it can happen; `None` ends it. Which of them, the seed
    /// says.
    pub fn have_a_bad_day(&self, mishap: Option<Mishap>, seed: u64) {
        let day = mishap.map(|mishap| BadDay::new(mishap, seed));
        *self.state.day.lock().unwrap_or_else(PoisonError::into_inner) = day;
    }

    /// To how many requests something has happened on this day.
    pub fn mishaps(&self) -> usize {
        let day = self.state.day.lock().unwrap_or_else(PoisonError::into_inner);
        day.as_ref().map_or(0, BadDay::hits)
    }

    /// A client whose requests go through it.
    pub fn client(&self) -> Result<Client, Error> {
        let uri = http::Uri::try_from(format!("http://{}", self.address)).map_err(std::io::Error::other)?;
        let mut config = kube::Config::new(uri);
        // Watches are quiet when nothing happens.
        config.read_timeout = None;
        Ok(Client::try_from(config)?)
    }

    /// A kubeconfig that leads through it.
    pub fn kubeconfig(&self) -> String {
        format!(
            "apiVersion: v1\nkind: Config\ncurrent-context: gate\nclusters:\n- name: gate\n  cluster: {{server: 'http://{}'}}\nusers:\n- name: gate\n  user: {{}}\ncontexts:\n- name: gate\n  context: {{cluster: gate, user: gate}}\n",
            self.address
        )
    }
}

impl Drop for Gate {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

async fn pass(client: Client, state: Arc<State>, request: Request<Incoming>) -> Result<Answer, kube::Error> {
    let (parts, body) = request.into_parts();
    let path = parts.uri.path_and_query().map(ToString::to_string).unwrap_or_default();
    let way = state.way(&parts.method, &path);
    let bytes = body.collect().await.map(http_body_util::Collected::to_bytes).unwrap_or_default();
    if state.holds(&parts.method, &path) {
        state.held.notify_one();
        state.go_on.notified().await;
    }
    let befallen = match state.befalls(&parts.method, &path) {
        Some(mishap) => mishap.before().await?,
        None => Befallen::Nothing,
    };
    if let Befallen::Answered(answer) = befallen {
        return Ok(answer);
    }
    if !matches!(way, Way::Nowhere) {
        let answer = client.send(Request::from_parts(parts, Body::from(bytes.to_vec()))).await;
        if matches!(way, Way::Through) {
            // Where the way to the cluster breaks, this one does.
            return befallen.after(answer?);
        }
    }
    state.closed.notify_waiters();
    std::future::pending().await
}
