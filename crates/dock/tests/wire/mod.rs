//! Requests to a dock in this process, and webhooks for it to call.
#![allow(dead_code, reason = "not every test uses everything")]

use std::future::Future;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use bytes::Bytes;
use dock::Dock;
use dock::faults::ConnectionLost;
use http::{Request, Response, header};
use http_body_util::{BodyExt, Full};
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio_rustls::TlsAcceptor;
use tower_service::Service;

/// What came back.
pub(crate) struct Reply {
    pub(crate) code: u16,
    pub(crate) body: Value,
    pub(crate) warnings: Vec<String>,
    pub(crate) retry_after: Option<String>,
}

/// Asks a dock in this process.
pub(crate) trait Exchange {
    fn ask(&self, method: &str, path: &str, body: &Value) -> impl Future<Output = Reply>;
    fn ask_with(
        &self,
        method: &str,
        path: &str,
        body: &Value,
        headers: &[(&str, &str)],
    ) -> impl Future<Output = Reply>;
    fn try_ask(
        &self,
        method: &str,
        path: &str,
        body: &Value,
        headers: &[(&str, &str)],
    ) -> impl Future<Output = Result<Reply, ConnectionLost>>;
}

pub(crate) fn request(
    method: &str,
    path: &str,
    body: &Value,
    headers: &[(&str, &str)],
) -> Request<Full<Bytes>> {
    let mut request = Request::builder().method(method).uri(path);
    if !body.is_null() && !headers.iter().any(|(name, _)| *name == "content-type") {
        let kind = if method == "PATCH" { "application/merge-patch+json" } else { "application/json" };
        request = request.header(header::CONTENT_TYPE, kind);
    }
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let bytes = if body.is_null() { Bytes::new() } else { Bytes::from(body.to_string()) };
    request.body(Full::new(bytes)).expect("a request")
}

impl Exchange for Dock {
    async fn ask(&self, method: &str, path: &str, body: &Value) -> Reply {
        self.ask_with(method, path, body, &[]).await
    }

    async fn ask_with(&self, method: &str, path: &str, body: &Value, headers: &[(&str, &str)]) -> Reply {
        self.try_ask(method, path, body, headers).await.expect("an answer")
    }

    async fn try_ask(
        &self,
        method: &str,
        path: &str,
        body: &Value,
        headers: &[(&str, &str)],
    ) -> Result<Reply, ConnectionLost> {
        let response = self.clone().call(request(method, path, body, headers)).await?;
        let (parts, body) = response.into_parts();
        let texts = |name| {
            let values = parts.headers.get_all(name).iter();
            values.filter_map(|value| value.to_str().ok()).map(ToOwned::to_owned).collect::<Vec<String>>()
        };
        let bytes = body.collect().await?.to_bytes();
        Ok(Reply {
            code: parts.status.as_u16(),
            body: serde_json::from_slice(&bytes).unwrap_or(Value::Null),
            warnings: texts(header::WARNING),
            retry_after: texts(header::RETRY_AFTER).pop(),
        })
    }
}

type Decide = dyn Fn(&Value) -> Value + Send + Sync;

/// A webhook on a loopback port.
pub(crate) struct Webhook {
    port: u16,
    certificate: String,
    asked: Arc<Mutex<Vec<Value>>>,
    connections: Arc<AtomicUsize>,
    task: JoinHandle<()>,
}

impl Webhook {
    /// Answers with what `decide` says of a review; the UID is filled in.
    pub(crate) async fn start(decide: impl Fn(&Value) -> Value + Send + Sync + 'static) -> Self {
        Self::run(Duration::ZERO, Arc::new(decide)).await
    }

    /// Answers when nobody listens any more.
    pub(crate) async fn slow() -> Self {
        Self::run(Duration::from_secs(30), Arc::new(|_: &Value| json!({"allowed": true}))).await
    }

    async fn run(pause: Duration, decide: Arc<Decide>) -> Self {
        let names = ["127.0.0.1".to_owned(), "hook.default.svc".to_owned()];
        let made = rcgen::generate_simple_self_signed(names).expect("a certificate");
        let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(made.signing_key.serialize_der()));
        let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
        let config = rustls::ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .expect("versions")
            .with_no_client_auth()
            .with_single_cert(vec![made.cert.der().clone()], key)
            .expect("a key");
        let acceptor = TlsAcceptor::from(Arc::new(config));
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let asked: Arc<Mutex<Vec<Value>>> = Arc::default();
        let connections = Arc::new(AtomicUsize::new(0));
        let (noted, counted) = (asked.clone(), connections.clone());
        let task = tokio::spawn(async move {
            loop {
                let Ok((stream, _)) = listener.accept().await else { return };
                let (acceptor, decide) = (acceptor.clone(), decide.clone());
                let (noted, counted) = (noted.clone(), counted.clone());
                tokio::spawn(async move {
                    let Ok(stream) = acceptor.accept(stream).await else { return };
                    counted.fetch_add(1, Ordering::Relaxed);
                    let service = service_fn(|request: Request<hyper::body::Incoming>| {
                        let (decide, noted) = (decide.clone(), noted.clone());
                        async move {
                            let body = request.into_body().collect().await.expect("a body").to_bytes();
                            let review: Value = serde_json::from_slice(&body).expect("a review");
                            noted.lock().expect("a lock").push(review.clone());
                            tokio::time::sleep(pause).await;
                            let mut response = decide(&review);
                            response["uid"] = review["request"]["uid"].clone();
                            let answer = json!({
                                "apiVersion": review["apiVersion"], "kind": "AdmissionReview", "response": response,
                            });
                            Ok::<_, std::convert::Infallible>(Response::new(Full::new(Bytes::from(
                                answer.to_string(),
                            ))))
                        }
                    });
                    let _ = hyper::server::conn::http1::Builder::new()
                        .serve_connection(TokioIo::new(stream), service)
                        .await;
                });
            }
        });
        Self { port, certificate: made.cert.pem(), asked, connections, task }
    }

    /// The same address, with nobody there.
    pub(crate) async fn closed(self) -> Self {
        self.task.abort();
        while tokio::net::TcpStream::connect(self.address()).await.is_ok() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        self
    }

    /// Says that it has the certificate of another.
    pub(crate) fn with_certificate_of(mut self, other: &Self) -> Self {
        self.certificate.clone_from(&other.certificate);
        self
    }

    pub(crate) fn address(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    pub(crate) fn client_config(&self) -> Value {
        json!({
            "url": format!("https://{}/", self.address()),
            "caBundle": BASE64_STANDARD.encode(&self.certificate),
        })
    }

    pub(crate) fn asked(&self) -> Vec<Value> {
        self.asked.lock().expect("a lock").clone()
    }

    pub(crate) fn connections(&self) -> usize {
        self.connections.load(Ordering::Relaxed)
    }
}
