//! A server that is asked: requests go out as they are written, and answers come back as they are.

use std::path::Path;
use std::time::Duration;

use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE};
use serde_json::Value;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

/// One server.
#[derive(Debug, Clone)]
pub struct Server {
    /// What it is called in reports.
    pub name: &'static str,
    base: String,
    token: Option<String>,
    /// Whether its controllers need no time.
    pub acts_at_once: bool,
    client: reqwest::Client,
}

/// A request, with nothing left to fill in.
#[derive(Debug, Clone)]
pub struct Request {
    /// The method.
    pub method: &'static str,
    /// Path and query.
    pub target: String,
    /// The `Accept` header, or nothing.
    pub accept: &'static str,
    /// The `Content-Type` header.
    pub content_type: &'static str,
    /// The body.
    pub body: Option<String>,
}

/// An answer.
#[derive(Debug, Clone, Default)]
pub struct Answer {
    /// The status code.
    pub code: u16,
    /// The form of the body.
    pub content_type: String,
    /// The texts of the `Warning` headers.
    pub warnings: Vec<String>,
    /// The body; a string where it is not JSON; the events of a watch as a list.
    pub body: Value,
}

/// Why a server cannot be asked.
#[derive(Debug, thiserror::Error)]
pub enum ServerError {
    /// The kubeconfig cannot be used.
    #[error("kubeconfig {0}: {1}")]
    Kubeconfig(String, String),
    /// The server does not answer.
    #[error("{0}")]
    Http(#[from] reqwest::Error),
}

/// How long a watch that says nothing more is listened to.
const IDLE: Duration = Duration::from_millis(300);
/// How long a watch that has said nothing yet is listened to: a server with much to do may need that long.
const SILENT: Duration = Duration::from_millis(1500);

impl Server {
    /// The server of a kubeconfig, as its first user.
    pub fn of_kubeconfig(name: &'static str, path: &Path) -> Result<Self, ServerError> {
        let wrong = |what: &str| ServerError::Kubeconfig(path.display().to_string(), what.to_owned());
        let text = std::fs::read_to_string(path).map_err(|error| wrong(&error.to_string()))?;
        let config: Value = goyaml::from_str_as(&text).map_err(|error| wrong(&error.to_string()))?;
        let cluster = &config["clusters"][0]["cluster"];
        let base = cluster["server"].as_str().ok_or_else(|| wrong("no server"))?.to_owned();
        let token = config["users"][0]["user"]["token"].as_str().map(str::to_owned);
        // Only so many watches may share one connection.
        let mut builder = reqwest::Client::builder().http1_only();
        if let Some(authority) = cluster["certificate-authority"].as_str() {
            let authority = std::fs::read(authority).map_err(|error| wrong(&error.to_string()))?;
            builder = builder.tls_certs_only(reqwest::Certificate::from_pem_bundle(&authority)?);
        }
        Ok(Self { name, base, token, acts_at_once: false, client: builder.build()? })
    }

    /// A server on this machine that is asked without TLS.
    pub fn plain(name: &'static str, base: String, token: Option<String>) -> Result<Self, ServerError> {
        let client = reqwest::Client::builder().http1_only().build()?;
        Ok(Self { name, base, token, acts_at_once: true, client })
    }

    async fn send(&self, request: &Request) -> Result<reqwest::Response, ServerError> {
        let method = reqwest::Method::from_bytes(request.method.as_bytes()).unwrap_or(reqwest::Method::GET);
        let mut builder = self.client.request(method, format!("{}{}", self.base, request.target));
        builder = builder.header("User-Agent", "conformance/1.0");
        if let Some(token) = &self.token {
            builder = builder.header(AUTHORIZATION, format!("Bearer {token}"));
        }
        builder = builder
            .header(ACCEPT, if request.accept.is_empty() { "application/json" } else { request.accept });
        if let Some(body) = &request.body {
            builder = builder.header(CONTENT_TYPE, request.content_type).body(body.clone());
        }
        Ok(builder.send().await?)
    }

    /// Asks, and reads the whole answer.
    pub async fn ask(&self, request: &Request) -> Result<Answer, ServerError> {
        loop {
            let response = self.send(request).await?;
            let mut answer = head(&response);
            let bytes = response.bytes().await?;
            answer.body = read(&bytes);
            if !is_starting(&answer) {
                return Ok(answer);
            }
            tokio::time::sleep(IDLE).await;
        }
    }

    /// Watches until nothing more is said, or all that was there at the beginning has been.
    pub async fn watch(&self, request: &Request) -> Result<Answer, ServerError> {
        let (mut answer, response) = self.open(request).await?;
        let Some(mut response) = response else { return Ok(answer) };
        let mut events = Events::default();
        while !events.all.last().is_some_and(ends_beginning) {
            let patience = if events.all.is_empty() { SILENT } else { IDLE };
            let Ok(Ok(Some(chunk))) = tokio::time::timeout(patience, response.chunk()).await else { break };
            events.add(&chunk);
        }
        answer.body = Value::Array(events.all);
        Ok(answer)
    }

    /// Watches until somebody wants to know what has been told.
    pub fn follow(&self, request: Request) -> Following {
        let (end, mut ended) = oneshot::channel();
        let server = self.clone();
        let task = tokio::spawn(async move {
            let (mut answer, response) = server.open(&request).await?;
            let Some(mut response) = response else { return Ok(answer) };
            let mut events = Events::default();
            loop {
                tokio::select! {
                    _ = &mut ended => break,
                    chunk = response.chunk() => match chunk {
                        Ok(Some(chunk)) => events.add(&chunk),
                        _ => break,
                    },
                }
            }
            answer.body = Value::Array(events.all);
            Ok(answer)
        });
        Following { end, task }
    }

    /// Begins a watch; without one the answer says why.
    async fn open(&self, request: &Request) -> Result<(Answer, Option<reqwest::Response>), ServerError> {
        loop {
            let response = self.send(request).await?;
            let mut answer = head(&response);
            if answer.code == 200 {
                return Ok((answer, Some(response)));
            }
            answer.body = read(&response.bytes().await?);
            if !is_starting(&answer) {
                return Ok((answer, None));
            }
            tokio::time::sleep(IDLE).await;
        }
    }
}

/// A watch beside other requests.
#[derive(Debug)]
pub struct Following {
    end: oneshot::Sender<()>,
    task: JoinHandle<Result<Answer, ServerError>>,
}

impl Following {
    /// All that was told.
    pub async fn end(self) -> Result<Answer, ServerError> {
        let _ = self.end.send(());
        match self.task.await {
            Ok(answer) => answer,
            Err(error) => std::panic::resume_unwind(error.into_panic()),
        }
    }
}

/// The events of a watch, and what has come of the next one.
#[derive(Default)]
struct Events {
    all: Vec<Value>,
    rest: Vec<u8>,
}

impl Events {
    fn add(&mut self, chunk: &[u8]) {
        self.rest.extend_from_slice(chunk);
        while let Some(end) = self.rest.iter().position(|byte| *byte == b'\n') {
            let line: Vec<u8> = self.rest.drain(..=end).collect();
            self.all.push(read(&line));
        }
    }
}

/// Whether an event says that all that was there at the beginning has been told.
fn ends_beginning(event: &Value) -> bool {
    event["object"]["metadata"]["annotations"]["k8s.io/initial-events-end"] == "true"
}

/// Whether the server only says that it has not yet read what it has of a kind, and asks to come again.
fn is_starting(answer: &Answer) -> bool {
    answer.code == 429
        && answer.body["message"].as_str().is_some_and(|words| words.contains("(re)initializing"))
}

fn head(response: &reqwest::Response) -> Answer {
    let text = |value: &reqwest::header::HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
    Answer {
        code: response.status().as_u16(),
        content_type: response.headers().get(CONTENT_TYPE).map(text).unwrap_or_default(),
        warnings: response.headers().get_all("Warning").iter().map(text).collect(),
        body: Value::Null,
    }
}

fn read(bytes: &[u8]) -> Value {
    serde_json::from_slice(bytes)
        .unwrap_or_else(|_| Value::String(String::from_utf8_lossy(bytes).into_owned()))
}
