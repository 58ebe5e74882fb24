//! Calls of webhooks over HTTPS, with connections that are kept.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use bytes::Bytes;
use http::{Request, StatusCode, header};
use http_body_util::{BodyExt, Full, Limited};
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper_util::rt::TokioIo;
use rustls::ClientConfig;
use rustls::pki_types::ServerName;
use serde_json::Value;
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;

use super::trust;

/// An answer may not be larger.
const LIMIT: usize = 3 * 1024 * 1024;
/// So many connections to one webhook wait for the next call.
const IDLE: usize = 8;

/// Where a webhook answers, as its configuration says.
#[derive(Debug, Clone)]
pub(super) struct Endpoint {
    /// The authority and path as error messages show them.
    url: String,
    host: String,
    port: u16,
    path: String,
    /// Namespace and name of the Service behind which it is.
    pub(super) service: Option<(String, String)>,
    bundle: Vec<u8>,
}

/// The connections to webhooks.
#[derive(Default)]
pub(crate) struct Clients {
    idle: Mutex<HashMap<Peer, Vec<SendRequest<Full<Bytes>>>>>,
    trust: Mutex<HashMap<Vec<u8>, Arc<ClientConfig>>>,
}

/// Whom a connection leads to: an address, by a name, believed for certain certificates.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Peer {
    address: String,
    host: String,
    bundle: Vec<u8>,
}

impl fmt::Debug for Clients {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Clients")
    }
}

impl Endpoint {
    pub(super) fn read(config: &Value) -> Self {
        let bundle = config["caBundle"].as_str().and_then(|text| BASE64_STANDARD.decode(text).ok());
        let bundle = bundle.unwrap_or_default();
        let service = &config["service"];
        if service.is_object() {
            let text = |field: &str| service[field].as_str().unwrap_or_default().to_owned();
            let (namespace, name) = (text("namespace"), text("name"));
            let port = service["port"].as_u64().and_then(|port| u16::try_from(port).ok()).unwrap_or(443);
            let path = match text("path") {
                path if path.is_empty() => "/".to_owned(),
                path => path,
            };
            let host = format!("{name}.{namespace}.svc");
            let url = format!("https://{host}:{port}{path}");
            return Self { url, host, port, path, service: Some((namespace, name)), bundle };
        }
        let url = config["url"].as_str().unwrap_or_default();
        let rest = url.strip_prefix("https://").unwrap_or(url);
        let split = rest.find('/').unwrap_or(rest.len());
        let (authority, path) = rest.split_at(split);
        let (host, port) = match authority.rsplit_once(':') {
            Some((host, port)) if !port.ends_with(']') => (host, port.parse().unwrap_or(443)),
            _ => (authority, 443),
        };
        let path = if path.is_empty() { "/".to_owned() } else { path.to_owned() };
        Self {
            url: format!("https://{host}:{port}{path}"),
            host: host.trim_matches(['[', ']']).to_owned(),
            port,
            path,
            service: None,
            bundle,
        }
    }

    /// The address of its host and port.
    pub(super) fn address(&self, host: &str) -> String {
        if host.contains(':') { format!("[{host}]:{}", self.port) } else { format!("{host}:{}", self.port) }
    }

    /// Its own host.
    pub(super) fn host(&self) -> &str {
        &self.host
    }

    /// A failure to call it, in the words of Go.
    pub(super) fn failed(&self, timeout: u64, why: &str) -> String {
        format!("failed to call webhook: Post \"{}?timeout={timeout}s\": {why}", self.url)
    }
}

impl Clients {
    /// Sends a body to a webhook at an address, and reads the answer.
    pub(super) async fn post(
        &self,
        endpoint: &Endpoint,
        address: &str,
        body: &Value,
        timeout: u64,
    ) -> Result<Value, String> {
        let peer =
            Peer { address: address.into(), host: endpoint.host.clone(), bundle: endpoint.bundle.clone() };
        let body = Bytes::from(body.to_string());
        let exchange = self.exchange(&peer, endpoint, body, timeout);
        let answer = match tokio::time::timeout(Duration::from_secs(timeout), exchange).await {
            Ok(answer) => answer.map_err(|why| endpoint.failed(timeout, &why))?,
            Err(_) => return Err(endpoint.failed(timeout, "context deadline exceeded")),
        };
        answer.read().map_err(|why| format!("failed to call webhook: {why}"))
    }

    async fn exchange(
        &self,
        peer: &Peer,
        endpoint: &Endpoint,
        body: Bytes,
        timeout: u64,
    ) -> Result<Reply, String> {
        let request = || {
            Request::post(format!("{}?timeout={timeout}s", endpoint.path))
                .header(header::HOST, format!("{}:{}", endpoint.host, endpoint.port))
                .header(header::ACCEPT, "application/json, */*")
                .header(header::CONTENT_TYPE, "application/json")
                .header(header::USER_AGENT, "kube-apiserver-admission")
                .body(Full::new(body.clone()))
                .map_err(|error| error.to_string())
        };
        while let Some(mut connection) = self.take(peer) {
            // One that was closed meanwhile is no reason to fail: there is always a new one.
            if connection.ready().await.is_err() {
                continue;
            }
            match self.send(peer, connection, request()?).await {
                Err(Unsent::NotSent) => {}
                Err(Unsent::Failed(why)) => return Err(why),
                Ok(reply) => return Ok(reply),
            }
        }
        let connection = self.connect(peer).await?;
        self.send(peer, connection, request()?).await.map_err(|unsent| match unsent {
            Unsent::NotSent => "EOF".to_owned(),
            Unsent::Failed(why) => why,
        })
    }

    async fn send(
        &self,
        peer: &Peer,
        mut connection: SendRequest<Full<Bytes>>,
        request: Request<Full<Bytes>>,
    ) -> Result<Reply, Unsent> {
        let response = connection.try_send_request(request).await.map_err(|mut error| {
            if error.take_message().is_some() {
                Unsent::NotSent
            } else {
                Unsent::Failed(broken(error.error()))
            }
        })?;
        let (parts, body) = response.into_parts();
        let body = Limited::new(body, LIMIT).collect().await;
        let body = body.map_err(|_| Unsent::Failed("unexpected EOF".to_owned()))?;
        self.give_back(peer, connection);
        let kind = parts.headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
        Ok(Reply { code: parts.status, kind: kind.unwrap_or_default().to_owned(), body: body.to_bytes() })
    }

    async fn connect(&self, peer: &Peer) -> Result<SendRequest<Full<Bytes>>, String> {
        let stream = TcpStream::connect(&peer.address).await.map_err(|error| dial(&peer.address, &error))?;
        let _ = stream.set_nodelay(true);
        let name = ServerName::try_from(peer.host.clone()).map_err(|error| error.to_string())?;
        let stream = TlsConnector::from(self.trust(&peer.bundle)?)
            .connect(name, stream)
            .await
            .map_err(|error| trust::problem(&error, &peer.host))?;
        let (sender, connection) =
            handshake(TokioIo::new(stream)).await.map_err(|error| error.to_string())?;
        // It ends when the webhook closes it, or when its other end is dropped.
        tokio::spawn(async move {
            let _ = connection.await;
        });
        Ok(sender)
    }

    fn trust(&self, bundle: &[u8]) -> Result<Arc<ClientConfig>, String> {
        let mut known = self.trust.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(config) = known.get(bundle) {
            return Ok(config.clone());
        }
        let config = Arc::new(trust::client_config(bundle)?);
        known.insert(bundle.to_owned(), config.clone());
        Ok(config)
    }

    fn take(&self, peer: &Peer) -> Option<SendRequest<Full<Bytes>>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).get_mut(peer)?.pop()
    }

    fn give_back(&self, peer: &Peer, connection: SendRequest<Full<Bytes>>) {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let idle = idle.entry(peer.clone()).or_default();
        idle.retain(|connection| !connection.is_closed());
        if idle.len() < IDLE && !connection.is_closed() {
            idle.push(connection);
        }
    }
}

/// Why there is no answer.
enum Unsent {
    /// The request did not leave: it can be sent again.
    NotSent,
    /// It may have arrived.
    Failed(String),
}

/// What became of a connection, in the words of Go.
fn broken(error: &hyper::Error) -> String {
    use std::error::Error;
    let cause = error.source().and_then(|source| source.downcast_ref::<std::io::Error>());
    match cause.map(std::io::Error::kind) {
        Some(std::io::ErrorKind::ConnectionReset) => "read: connection reset by peer".to_owned(),
        Some(std::io::ErrorKind::UnexpectedEof) => "EOF".to_owned(),
        _ if error.is_incomplete_message() => "EOF".to_owned(),
        _ => error.to_string(),
    }
}

/// Why there is no connection, in the words of Go.
fn dial(address: &str, error: &std::io::Error) -> String {
    use std::io::ErrorKind;
    let host = address.rsplit_once(':').map_or(address, |(host, _)| host);
    match error.kind() {
        ErrorKind::ConnectionRefused => format!("dial tcp {address}: connect: connection refused"),
        ErrorKind::ConnectionReset => "read: connection reset by peer".to_owned(),
        ErrorKind::TimedOut => format!("dial tcp {address}: i/o timeout"),
        ErrorKind::HostUnreachable => format!("dial tcp {address}: connect: no route to host"),
        ErrorKind::NetworkUnreachable => format!("dial tcp {address}: connect: network is unreachable"),
        _ if host.parse::<std::net::IpAddr>().is_err() => {
            format!("dial tcp: lookup {host}: no such host")
        }
        _ => format!("dial tcp {address}: {error}"),
    }
}

/// What a webhook sent back.
#[derive(Debug)]
struct Reply {
    code: StatusCode,
    kind: String,
    body: Bytes,
}

impl Reply {
    /// The review in it; an error in the words of Go's client.
    fn read(&self) -> Result<Value, String> {
        let value: Result<Value, _> = serde_json::from_slice(&self.body);
        if !self.code.is_success() {
            if let Ok(value) = &value
                && value["kind"] == "Status"
                && let Some(message) = value["message"].as_str()
            {
                return Err(message.to_owned());
            }
            return Err(self.refused());
        }
        if self.body.is_empty() {
            return Err(format!(
                "0-length response with status code: {} and content type: {}",
                self.code.as_u16(),
                self.kind
            ));
        }
        value.map_err(|_| {
            let text = String::from_utf8_lossy(&self.body);
            let why = match goyaml::from_str_as::<Value>(&text) {
                Ok(Value::String(_)) => {
                    "json: cannot unmarshal string into Go value of type struct { APIVersion string \
                     \"json:\\\"apiVersion,omitempty\\\"\"; Kind string \"json:\\\"kind,omitempty\\\"\" }"
                        .to_owned()
                }
                _ => schema::Tree::parse(&text).err().map(|error| error.to_string()).unwrap_or_default(),
            };
            format!("couldn't get version/kind; json parse error: {why}")
        })
    }

    fn refused(&self) -> String {
        let is_text = self.kind.is_empty() || self.kind.starts_with("text/");
        let text =
            if is_text { String::from_utf8_lossy(&self.body).trim().to_owned() } else { "unknown".into() };
        let words = match self.code.as_u16() {
            400 => "the server rejected our request for an unknown reason",
            401 => "the server has asked for the client to provide credentials",
            403 => return text,
            404 => "the server could not find the requested resource",
            405 => "the server does not allow this method on the requested resource",
            409 => "the server reported a conflict",
            422 => "the server rejected our request due to an error in our request",
            429 => "the server has received too many requests and has asked us to try again later",
            503 => "the server is currently unable to handle the request",
            504 => {
                "the server was unable to return a response in the time allotted, but may still be processing the request"
            }
            code if code >= 500 => {
                return format!(
                    "an error on the server ({text:?}) has prevented the request from succeeding"
                );
            }
            code => {
                return format!(
                    "the server responded with the status code {code} but did not return more information"
                );
            }
        };
        words.to_owned()
    }
}
