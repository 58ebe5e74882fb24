//! Servers for this module's tests: any HTTP server, and a registry. They listen on loopback only.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use super::paths::Paths;
use super::{Remote, sha256_hex};
use crate::{Chart, Metadata};

/// A request that a test server got.
#[derive(Debug, Clone, Default)]
pub(crate) struct Request {
    pub(crate) method: String,
    /// Path and query.
    pub(crate) target: String,
    /// By lowercase name.
    pub(crate) headers: BTreeMap<String, String>,
    pub(crate) body: Vec<u8>,
}

impl Request {
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", String::as_str)
    }

    pub(crate) fn path(&self) -> &str {
        self.target.split('?').next().unwrap_or_default()
    }
}

/// What a test server answers.
#[derive(Debug, Clone)]
pub(crate) struct Response {
    pub(crate) status: u16,
    /// What the server calls the status.
    pub(crate) reason: String,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Response {
    pub(crate) fn new(status: u16, body: impl Into<Vec<u8>>) -> Self {
        let reason = reqwest::StatusCode::from_u16(status).unwrap().canonical_reason().unwrap_or_default();
        Self { status, reason: reason.to_owned(), headers: Vec::new(), body: body.into() }
    }

    pub(crate) fn with(mut self, name: &str, value: impl Into<String>) -> Self {
        self.headers.push((name.to_owned(), value.into()));
        self
    }
}

/// A server that lives as long as this value.
pub(crate) struct Server {
    address: SocketAddr,
    requests: Arc<Mutex<Vec<Request>>>,
    stopped: Arc<AtomicBool>,
}

impl Server {
    pub(crate) fn start(handler: impl Fn(&Request) -> Response + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let server = Self {
            address: listener.local_addr().unwrap(),
            requests: Arc::default(),
            stopped: Arc::default(),
        };
        let (requests, stopped) = (Arc::clone(&server.requests), Arc::clone(&server.stopped));
        let handler = Arc::new(handler);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                if stopped.load(Ordering::SeqCst) {
                    break;
                }
                let (requests, handler) = (Arc::clone(&requests), Arc::clone(&handler));
                std::thread::spawn(move || serve(&stream, &requests, &*handler));
            }
        });
        server
    }

    /// Serves what a map has under a path.
    pub(crate) fn with_files(files: impl IntoIterator<Item = (String, Vec<u8>)>) -> Self {
        let files: HashMap<String, Vec<u8>> = files.into_iter().collect();
        Self::start(move |request| match files.get(request.path()) {
            Some(body) => Response::new(200, body.clone()),
            None => Response::new(404, "no such file"),
        })
    }

    pub(crate) fn host(&self) -> String {
        self.address.to_string()
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    pub(crate) fn requests(&self) -> Vec<Request> {
        self.requests.lock().unwrap().clone()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stopped.store(true, Ordering::SeqCst);
        let _ = TcpStream::connect(self.address);
    }
}

fn serve(
    stream: &TcpStream,
    requests: &Mutex<Vec<Request>>,
    handler: &(impl Fn(&Request) -> Response + ?Sized),
) {
    let Some(request) = read_request(stream) else { return };
    requests.lock().unwrap().push(request.clone());
    let response = handler(&request);
    let mut head = format!("HTTP/1.1 {} {}\r\nconnection: close\r\n", response.status, response.reason);
    for (name, value) in &response.headers {
        head.extend([name, ": ", value, "\r\n"]);
    }
    if !response.headers.iter().any(|(name, _)| name == "content-length" || name == "transfer-encoding") {
        head.extend(["content-length: ", &response.body.len().to_string(), "\r\n"]);
    }
    head.push_str("\r\n");
    let mut stream = stream;
    let _ = stream.write_all(head.as_bytes());
    if request.method != "HEAD" {
        let _ = stream.write_all(&response.body);
    }
}

fn read_request(stream: &TcpStream) -> Option<Request> {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line).ok()?;
    let mut parts = line.split_whitespace();
    let mut request =
        Request { method: parts.next()?.to_owned(), target: parts.next()?.to_owned(), ..Request::default() };
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let Some((name, value)) = line.trim_end().split_once(':') else { break };
        request.headers.insert(name.to_ascii_lowercase(), value.trim().to_owned());
    }
    let length = request.header("content-length").parse().unwrap_or(0);
    request.body = vec![0; length];
    reader.read_exact(&mut request.body).ok()?;
    Some(request)
}

/// What a registry asks for before it serves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Guard {
    Open,
    /// The name `me` and the password `secret`.
    Basic,
    /// A token from its own token server, which asks for the same.
    Bearer,
}

#[derive(Default)]
pub(crate) struct RegistryState {
    pub(crate) blobs: HashMap<String, Vec<u8>>,
    /// By repository and tag or digest: media type and bytes.
    pub(crate) manifests: HashMap<(String, String), (String, Vec<u8>)>,
    /// Answers to give first, by a part of the target.
    pub(crate) faults: Vec<(String, VecDeque<Response>)>,
}

impl RegistryState {
    pub(crate) fn put_manifest(&mut self, repository: &str, tag: &str, media_type: &str, body: &[u8]) {
        let digest = format!("sha256:{}", sha256_hex(body));
        for name in [tag.to_owned(), digest] {
            self.manifests.insert((repository.to_owned(), name), (media_type.to_owned(), body.to_vec()));
        }
    }

    pub(crate) fn put_blob(&mut self, body: &[u8]) -> String {
        let digest = format!("sha256:{}", sha256_hex(body));
        self.blobs.insert(digest.clone(), body.to_vec());
        digest
    }

    pub(crate) fn fail(&mut self, part: &str, responses: impl IntoIterator<Item = Response>) {
        self.faults.push((part.to_owned(), responses.into_iter().collect()));
    }
}

/// A registry in this process.
pub(crate) struct FakeRegistry {
    pub(crate) server: Server,
    pub(crate) state: Arc<Mutex<RegistryState>>,
}

impl FakeRegistry {
    pub(crate) fn start(guard: Guard) -> Self {
        let state: Arc<Mutex<RegistryState>> = Arc::default();
        let shared = Arc::clone(&state);
        let server = Server::start(move |request| answer(&mut shared.lock().unwrap(), guard, request));
        Self { server, state }
    }

    pub(crate) fn edit(&self, edit: impl FnOnce(&mut RegistryState)) {
        edit(&mut self.state.lock().unwrap());
    }
}

fn refuse(status: u16, code: &str, message: &str) -> Response {
    Response::new(status, format!(r#"{{"errors":[{{"code":"{code}","message":"{message}"}}]}}"#))
}

fn answer(state: &mut RegistryState, guard: Guard, request: &Request) -> Response {
    let fault =
        state.faults.iter_mut().find(|(part, queue)| request.target.contains(part) && !queue.is_empty());
    if let Some(response) = fault.and_then(|(_, queue)| queue.pop_front()) {
        return response;
    }
    let credentials = "Basic bWU6c2VjcmV0";
    let authorization = request.header("authorization");
    if request.path() == "/token" {
        let form = String::from_utf8_lossy(&request.body).into_owned();
        let known = authorization == credentials || form.contains("username=me&password=secret");
        if !known && !authorization.is_empty() {
            return refuse(401, "UNAUTHORIZED", "who are you");
        }
        let scope = request.target.contains("push");
        let token = if known {
            "full"
        } else if scope {
            "none"
        } else {
            "read"
        };
        return Response::new(200, format!(r#"{{"token":"{token}"}}"#));
    }
    let host = request.header("host").to_owned();
    let granted = match guard {
        Guard::Open => true,
        Guard::Basic => authorization == credentials,
        Guard::Bearer => authorization == "Bearer full",
    };
    if !granted {
        let challenge = match guard {
            Guard::Bearer => format!("Bearer realm=\"http://{host}/token\",service=\"test\""),
            _ => "Basic realm=\"test\"".to_owned(),
        };
        return refuse(401, "UNAUTHORIZED", "authentication required").with("WWW-Authenticate", challenge);
    }
    serve_registry(state, request)
}

fn serve_registry(state: &mut RegistryState, request: &Request) -> Response {
    let path = request.path().to_owned();
    let Some(rest) = path.strip_prefix("/v2/") else { return refuse(404, "UNSUPPORTED", "no such page") };
    if rest.is_empty() {
        return Response::new(200, "{}");
    }
    if let Some(repository) = rest.strip_suffix("/tags/list") {
        let mut tags: Vec<&String> = state
            .manifests
            .keys()
            .filter(|(of, tag)| of == repository && !tag.contains(':'))
            .map(|(_, tag)| tag)
            .collect();
        if tags.is_empty() {
            return refuse(404, "NAME_UNKNOWN", "repository name not known to registry");
        }
        tags.sort();
        // Two tags to a page.
        let last = request.target.split("last=").nth(1).unwrap_or_default();
        let page: Vec<_> = tags.iter().filter(|tag| tag.as_str() > last).take(2).collect();
        let more = page.last().is_some_and(|last| tags.last().is_some_and(|end| end != *last));
        let body = format!(r#"{{"name":"{repository}","tags":{}}}"#, serde_json::to_string(&page).unwrap());
        let response = Response::new(200, body);
        return match page.last().filter(|_| more) {
            Some(last) => {
                response.with("Link", format!("</v2/{repository}/tags/list?last={last}>; rel=\"next\""))
            }
            None => response,
        };
    }
    if let Some((repository, name)) = rest.split_once("/manifests/") {
        let key = (repository.to_owned(), name.to_owned());
        if request.method == "PUT" {
            state.put_manifest(repository, name, request.header("content-type"), &request.body);
            return Response::new(201, "");
        }
        return match state.manifests.get(&key) {
            Some((media_type, body)) => Response::new(200, body.clone())
                .with("content-type", media_type.clone())
                .with("docker-content-digest", format!("sha256:{}", sha256_hex(body))),
            None => refuse(404, "MANIFEST_UNKNOWN", "manifest unknown"),
        };
    }
    if let Some((repository, upload)) = rest.split_once("/blobs/uploads/") {
        if request.method == "POST" {
            return Response::new(202, "")
                .with("location", format!("/v2/{repository}/blobs/uploads/1?state=s"));
        }
        let digest = upload.to_owned() + &request.target;
        let digest = digest.split("digest=").nth(1).unwrap_or_default().replace("%3A", ":");
        if digest != format!("sha256:{}", sha256_hex(&request.body)) {
            return refuse(400, "DIGEST_INVALID", "provided digest did not match");
        }
        state.blobs.insert(digest, request.body.clone());
        return Response::new(201, "");
    }
    if let Some((_, digest)) = rest.split_once("/blobs/") {
        return match state.blobs.get(digest) {
            Some(body) => Response::new(200, body.clone()),
            None => refuse(404, "BLOB_UNKNOWN", "blob unknown"),
        };
    }
    refuse(404, "UNSUPPORTED", "no such page")
}

/// The archive of a chart with nothing in it but its name and version.
pub(crate) fn archive(name: &str, version: &str) -> Vec<u8> {
    let metadata = Metadata {
        api_version: "v2".into(),
        name: name.into(),
        version: version.into(),
        ..Metadata::default()
    };
    crate::package::archive(&Chart { metadata, ..Chart::default() }).unwrap()
}

/// A user with nothing but a directory.
pub(crate) fn remote(home: &Path) -> Remote {
    let home = home.to_str().unwrap().to_owned();
    Remote::new(Paths::new(&|name| (name == "HOME").then(|| home.clone())))
}
