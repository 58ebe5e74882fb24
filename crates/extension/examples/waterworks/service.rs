//! The waterworks: a small HTTP service that lays and removes pipes for whoever has its password.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use http::{Method, Request, Response, StatusCode};
use http_body_util::{BodyExt as _, Collected, Full};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto;
use tokio::net::TcpListener;
use tokio::task::AbortHandle;

/// The service. It closes when this is dropped.
pub(crate) struct Waterworks {
    address: SocketAddr,
    books: Arc<Mutex<Books>>,
    task: AbortHandle,
}

#[derive(Default)]
struct Books {
    password: String,
    /// Each pipe, and how wide it is.
    pipes: BTreeMap<String, String>,
}

impl Waterworks {
    /// Opens on a free port of this machine.
    pub(crate) async fn start(password: &str) -> std::io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        let books = Arc::new(Mutex::new(Books { password: password.to_owned(), ..Books::default() }));
        let task = tokio::spawn(serve(listener, Arc::clone(&books))).abort_handle();
        Ok(Self { address, books, task })
    }

    /// Where it answers.
    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// The pipes that there are.
    #[allow(dead_code, reason = "the tests look at them")]
    pub(crate) fn pipes(&self) -> Vec<String> {
        self.books.lock().unwrap_or_else(PoisonError::into_inner).pipes.keys().cloned().collect()
    }

    /// Takes another password: who has the old one is not let in any more.
    #[allow(dead_code, reason = "the tests do")]
    pub(crate) fn change_password(&self, password: &str) {
        password.clone_into(&mut self.books.lock().unwrap_or_else(PoisonError::into_inner).password);
    }
}

impl Drop for Waterworks {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn serve(listener: TcpListener, books: Arc<Mutex<Books>>) {
    while let Ok((stream, _)) = listener.accept().await {
        let books = Arc::clone(&books);
        let service = service_fn(move |request: Request<Incoming>| {
            let books = Arc::clone(&books);
            async move {
                let (head, body) = request.into_parts();
                let width = body.collect().await.map(Collected::to_bytes).unwrap_or_default();
                let mut response = Response::new(Full::<Bytes>::default());
                *response.status_mut() = entered(&books, &head, &width);
                Ok::<_, Infallible>(response)
            }
        });
        tokio::spawn(async move {
            let builder = auto::Builder::new(TokioExecutor::new());
            let _ = builder.serve_connection(TokioIo::new(stream), service).await;
        });
    }
}

/// `PUT /pipes/NAME` lays a pipe, `DELETE /pipes/NAME` removes it.
fn entered(books: &Mutex<Books>, head: &http::request::Parts, width: &[u8]) -> StatusCode {
    let mut books = books.lock().unwrap_or_else(PoisonError::into_inner);
    if head.headers.get("password").map(http::HeaderValue::as_bytes) != Some(books.password.as_bytes()) {
        return StatusCode::UNAUTHORIZED;
    }
    match (head.uri.path().strip_prefix("/pipes/"), &head.method) {
        (Some(name), &Method::PUT) => {
            books.pipes.insert(name.to_owned(), String::from_utf8_lossy(width).into_owned());
            StatusCode::OK
        }
        (Some(name), &Method::DELETE) => {
            books.pipes.remove(name);
            StatusCode::OK
        }
        _ => StatusCode::NOT_FOUND,
    }
}
