//! The broker that is told what to answer.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use http::{Request, Response};
use http_body_util::{BodyExt as _, Full};
use hyper::body::{Bytes, Incoming};
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;
use tokio::sync::Notify;
use tokio::task::AbortHandle;
use tokio_rustls::TlsAcceptor;

use crate::seen::{query, route};
use crate::state::State;
use crate::{Answer, Behaviour, Instance, Manner, Route, Seen};

/// A broker of ours on a loopback port. It ends when it is dropped.
#[derive(Debug)]
pub struct Scripted {
    address: SocketAddr,
    secure: bool,
    inner: Arc<Inner>,
    serving: AbortHandle,
}

#[derive(Debug, Default)]
struct Inner {
    state: Mutex<Held>,
    changed: Notify,
}

#[derive(Debug, Default)]
struct Held {
    behaviour: Behaviour,
    state: State,
    script: Vec<(Route, Answer)>,
    seen: Vec<Seen>,
}

impl Inner {
    fn held(&self) -> MutexGuard<'_, Held> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Scripted {
    /// Starts one.
    pub async fn start(behaviour: Behaviour) -> io::Result<Self> {
        Self::listen(behaviour, None).await
    }

    /// Starts one that speaks TLS.
    pub async fn start_tls(behaviour: Behaviour, tls: Arc<rustls::ServerConfig>) -> io::Result<Self> {
        Self::listen(behaviour, Some(TlsAcceptor::from(tls))).await
    }

    async fn listen(behaviour: Behaviour, tls: Option<TlsAcceptor>) -> io::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        let address = listener.local_addr()?;
        let inner = Arc::new(Inner::default());
        inner.held().behaviour = behaviour;
        let (known, secure) = (inner.clone(), tls.is_some());
        let serving = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (inner, tls) = (known.clone(), tls.clone());
                tokio::spawn(async move {
                    match tls {
                        None => serve(inner, TokioIo::new(stream)).await,
                        Some(tls) => {
                            if let Ok(stream) = tls.accept(stream).await {
                                serve(inner, TokioIo::new(stream)).await;
                            }
                        }
                    }
                });
            }
        })
        .abort_handle();
        Ok(Self { address, secure, inner, serving })
    }

    /// Where it is.
    pub fn url(&self) -> String {
        let scheme = if self.secure { "https" } else { "http" };
        let host = if self.secure { "localhost" } else { "127.0.0.1" };
        format!("{scheme}://{host}:{}", self.address.port())
    }

    /// What to answer to the next request of a sort that has no answer yet.
    pub fn next(&self, route: Route, answer: Answer) {
        self.inner.held().script.push((route, answer));
    }

    /// Works in another way from now on.
    pub fn behave(&self, change: impl FnOnce(&mut Behaviour)) {
        change(&mut self.inner.held().behaviour);
    }

    /// All requests so far.
    pub fn seen(&self) -> Vec<Seen> {
        self.inner.held().seen.clone()
    }

    /// The requests of one sort so far.
    pub fn seen_of(&self, route: Route) -> Vec<Seen> {
        self.seen().into_iter().filter(|seen| seen.route == route).collect()
    }

    /// Returns once so many requests of a sort have come.
    pub async fn until(&self, route: Route, count: usize) {
        loop {
            let changed = self.inner.changed.notified();
            if self.seen_of(route).len() >= count {
                return;
            }
            changed.await;
        }
    }

    /// What it has.
    pub fn instances(&self) -> BTreeMap<String, Instance> {
        self.inner.held().state.instances.clone()
    }

    /// How often it has really made something, by sort and identifier.
    pub fn made(&self) -> BTreeMap<(Route, String), usize> {
        self.inner.held().state.made.clone()
    }
}

impl Drop for Scripted {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

async fn serve<S>(inner: Arc<Inner>, stream: TokioIo<S>)
where
    S: tokio::io::AsyncRead + tokio::io::AsyncWrite + Unpin + Send + 'static,
{
    // To hang up is to end the connection while an answer is owed.
    let hang_up = Arc::new(Notify::new());
    let service = service_fn(|request| answer(inner.clone(), hang_up.clone(), request));
    let connection = hyper::server::conn::http1::Builder::new().serve_connection(stream, service);
    tokio::select! {
        // A connection that breaks is the client's affair.
        _ = connection => {}
        () = hang_up.notified() => {}
    }
}

async fn answer(
    inner: Arc<Inner>,
    hang_up: Arc<Notify>,
    request: Request<Incoming>,
) -> Result<Response<Full<Bytes>>, Infallible> {
    let (parts, body) = request.into_parts();
    let body = body.collect().await.map(http_body_util::Collected::to_bytes).unwrap_or_default();
    let Some((route, instance, binding)) = route(&parts.method, parts.uri.path()) else {
        return Ok(response(&Answer::new(404, "")));
    };
    let text = |value: &http::HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
    let seen = Seen {
        route,
        instance,
        binding,
        query: query(parts.uri.query().unwrap_or_default()),
        headers: parts.headers.iter().map(|(name, value)| (name.as_str().to_owned(), text(value))).collect(),
        body: serde_json::from_slice(&body).unwrap_or_default(),
    };
    let answer = {
        let mut held = inner.held();
        held.seen.push(seen.clone());
        let Held { behaviour, state, script, .. } = &mut *held;
        match script.iter().position(|(to, _)| *to == route) {
            Some(index) => {
                let (_, scripted) = script.remove(index);
                if scripted.done {
                    state.work(&seen);
                }
                scripted
            }
            None => state.answer(behaviour, &seen),
        }
    };
    inner.changed.notify_waiters();
    match answer.manner {
        Manner::Plainly => {}
        Manner::Silence => std::future::pending().await,
        Manner::HangUp => {
            hang_up.notify_one();
            std::future::pending::<()>().await;
        }
    }
    Ok(response(&answer))
}

fn response(answer: &Answer) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(Bytes::from(answer.body.clone())));
    *response.status_mut() = http::StatusCode::from_u16(answer.status).unwrap_or_default();
    let headers = response.headers_mut();
    headers.insert("content-type", http::HeaderValue::from_static("application/json"));
    for (name, value) in &answer.headers {
        if let Ok(value) = value.parse() {
            headers.insert(*name, value);
        }
    }
    response
}
