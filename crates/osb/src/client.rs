//! The requests themselves.

use std::fmt;
use std::net::IpAddr;
use std::time::Duration;

use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderValue, RETRY_AFTER};
use reqwest::{Method, RequestBuilder, Url};
use serde::Serialize;
use trust::{Trust, TrustError};

use crate::request::encoded;
use crate::verdict::{failure, unanswered};
use crate::{
    Answer, Auth, BindRequest, BindingId, Catalog, CatalogError, FailureKind, Fetched, Identity, InstanceId,
    Offer, Operation, Poll, ProvisionRequest, Reply, RetryAfter, UpdateRequest, Verdict, interpret,
    interpret_fetch, interpret_poll, unique,
};

/// The version of the API that is spoken.
pub const VERSION: &str = "2.17";

/// How long a broker has for an answer, unless the caller says otherwise: the specification's own figure.
pub const DEFAULT_TIMEOUT: Duration = Duration::from_mins(1);

/// The most that is read of a catalog.
const CATALOG_LIMIT: usize = 16 << 20;
/// The most that is read of any other answer. Credentials go into a Secret, which holds less.
const ANSWER_LIMIT: usize = 2 << 20;

/// Where a broker is, and how to speak with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Broker {
    /// Its address; paths are put behind it.
    pub url: String,
    /// Who is asking.
    pub auth: Auth,
    /// Whom to believe to be it.
    pub trust: Trust,
    /// How long it has for an answer.
    pub timeout: Duration,
}

/// Why a broker cannot be spoken with.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ClientError {
    /// The address cannot be used.
    #[error("the broker's url {why}")]
    Url {
        /// What is wrong with it.
        why: &'static str,
    },
    /// Name, password or token cannot be put into a header.
    #[error("the broker's credentials cannot be sent in a header")]
    Credentials,
    /// Certificates.
    #[error(transparent)]
    Tls(#[from] TrustError),
    /// The client could not be made.
    #[error("the client cannot be made: {cause}")]
    Setup {
        /// Why.
        cause: String,
    },
}

/// A client of one broker.
#[derive(Clone)]
pub struct Client {
    http: reqwest::Client,
    base: String,
    authorization: Option<HeaderValue>,
    timeout: Duration,
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client").field("base", &self.base).finish_non_exhaustive()
    }
}

impl Client {
    /// A client; nothing is sent yet.
    ///
    /// # Errors
    /// An address that is not one of HTTP or that holds credentials, and certificates that are none.
    pub fn new(broker: &Broker) -> Result<Self, ClientError> {
        let url = Url::parse(&broker.url).map_err(|_| ClientError::Url { why: "is not a URL" })?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(ClientError::Url { why: "is neither http nor https" });
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(ClientError::Url { why: "holds credentials, which belong into a Secret" });
        }
        if url.query().is_some() || url.fragment().is_some() {
            return Err(ClientError::Url { why: "has a query or a fragment, and paths are put behind it" });
        }
        let mut builder = reqwest::Client::builder()
            .user_agent(concat!("Slipway/", env!("CARGO_PKG_VERSION")))
            .referer(false)
            .connect_timeout(broker.timeout.min(Duration::from_secs(30)))
            // A redirect of a PUT or DELETE has no meaning in the specification, and would carry the credentials away.
            .redirect(reqwest::redirect::Policy::none())
            .tls_backend_preconfigured(broker.trust.builder()?.with_no_client_auth());
        let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']);
        if host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback()) {
            builder = builder.no_proxy();
        }
        Ok(Self {
            http: builder.build().map_err(|error| ClientError::Setup { cause: words(&error) })?,
            base: broker.url.trim_end_matches('/').to_owned(),
            authorization: authorization(&broker.auth)?,
            timeout: broker.timeout,
        })
    }

    /// What the broker sells.
    pub async fn catalog(&self) -> Result<Catalog, CatalogError> {
        let request = self.request(Method::GET, "/v2/catalog");
        match self.send(request, None, CATALOG_LIMIT).await {
            Reply::Answered(Answer { status: 200, body: Some(body), .. }) => Catalog::read(&body),
            Reply::Answered(Answer { status: 200, body: None, .. }) => {
                Err(CatalogError::Malformed { cause: format!("it is larger than {CATALOG_LIMIT} bytes") })
            }
            Reply::Answered(answer) => Err(CatalogError::Failed(failure(&answer, FailureKind::Unsettled))),
            Reply::TimedOut { cause } | Reply::Unreachable { cause } => {
                Err(CatalogError::Failed(unanswered(FailureKind::Unsettled, &cause)))
            }
        }
    }

    /// Asks for an instance.
    pub async fn provision(
        &self,
        id: &InstanceId,
        wanted: &ProvisionRequest,
        by: Option<&Identity>,
    ) -> Verdict {
        self.change(Operation::Provision, &id.path(), None, Some(wanted), by).await
    }

    /// Asks for a change of an instance.
    pub async fn update(&self, id: &InstanceId, wanted: &UpdateRequest, by: Option<&Identity>) -> Verdict {
        self.change(Operation::Update, &id.path(), None, Some(wanted), by).await
    }

    /// Gives an instance back. All of its bindings must be gone.
    pub async fn deprovision(&self, id: &InstanceId, of: &Offer, by: Option<&Identity>) -> Verdict {
        self.change(Operation::Deprovision, &id.path(), Some(of), None::<&()>, by).await
    }

    /// Asks for a binding.
    pub async fn bind(&self, id: &BindingId, wanted: &BindRequest, by: Option<&Identity>) -> Verdict {
        self.change(Operation::Bind, &id.path(), None, Some(wanted), by).await
    }

    /// Gives a binding back.
    pub async fn unbind(&self, id: &BindingId, of: &Offer, by: Option<&Identity>) -> Verdict {
        self.change(Operation::Unbind, &id.path(), Some(of), None::<&()>, by).await
    }

    /// How far an operation on an instance is; `name` is what the broker called it.
    pub async fn poll_instance(
        &self,
        operation: Operation,
        id: &InstanceId,
        of: &Offer,
        name: Option<&str>,
        by: Option<&Identity>,
    ) -> Poll {
        self.poll(operation, &id.path(), of, name, by).await
    }

    /// How far an operation on a binding is; `name` is what the broker called it.
    pub async fn poll_binding(
        &self,
        operation: Operation,
        id: &BindingId,
        of: &Offer,
        name: Option<&str>,
        by: Option<&Identity>,
    ) -> Poll {
        self.poll(operation, &id.path(), of, name, by).await
    }

    /// What the broker has of an instance; only where its service is `instances_retrievable`.
    pub async fn fetch_instance(&self, id: &InstanceId, of: &Offer, by: Option<&Identity>) -> Fetched {
        self.fetch(&id.path(), of, by).await
    }

    /// What the broker has of a binding; only where its service is `bindings_retrievable`.
    pub async fn fetch_binding(&self, id: &BindingId, of: &Offer, by: Option<&Identity>) -> Fetched {
        self.fetch(&id.path(), of, by).await
    }

    async fn change<T: Serialize>(
        &self,
        operation: Operation,
        path: &str,
        of: Option<&Offer>,
        wanted: Option<&T>,
        by: Option<&Identity>,
    ) -> Verdict {
        let method = match operation {
            Operation::Provision | Operation::Bind => Method::PUT,
            Operation::Update => Method::PATCH,
            Operation::Deprovision | Operation::Unbind => Method::DELETE,
        };
        let query = of.map_or_else(String::new, |of| format!("&{}", of.query()));
        let mut request = self.request(method, &format!("{path}?accepts_incomplete=true{query}"));
        if let Some(wanted) = wanted {
            // Maps with text for keys and structs of them have no way not to become JSON.
            let json = serde_json::to_vec(wanted).unwrap_or_default();
            request = request.header(CONTENT_TYPE, "application/json").body(json);
        }
        interpret(operation, &self.send(request, by, ANSWER_LIMIT).await)
    }

    async fn poll(
        &self,
        operation: Operation,
        path: &str,
        of: &Offer,
        name: Option<&str>,
        by: Option<&Identity>,
    ) -> Poll {
        let name = name.map_or_else(String::new, |name| format!("&operation={}", encoded(name)));
        let request = self.request(Method::GET, &format!("{path}/last_operation?{}{name}", of.query()));
        interpret_poll(operation, &self.send(request, by, ANSWER_LIMIT).await)
    }

    async fn fetch(&self, path: &str, of: &Offer, by: Option<&Identity>) -> Fetched {
        let request = self.request(Method::GET, &format!("{path}?{}", of.query()));
        interpret_fetch(&self.send(request, by, ANSWER_LIMIT).await)
    }

    fn request(&self, method: Method, path: &str) -> RequestBuilder {
        self.http.request(method, format!("{}{path}", self.base)).timeout(self.timeout)
    }

    async fn send(&self, mut request: RequestBuilder, by: Option<&Identity>, limit: usize) -> Reply {
        let identity = match unique() {
            Ok(identity) => identity,
            Err(error) => {
                return Reply::Unreachable { cause: format!("no identity for the request: {error}") };
            }
        };
        request = request
            .header(ACCEPT, "application/json")
            .header("X-Broker-API-Version", VERSION)
            .header("X-Broker-API-Request-Identity", identity);
        if let Some(authorization) = &self.authorization {
            request = request.header(AUTHORIZATION, authorization);
        }
        if let Some(by) = by {
            request = request.header("X-Broker-API-Originating-Identity", by.header());
        }
        let response = match request.send().await {
            Ok(response) => response,
            Err(error) if error.is_connect() || error.is_builder() => {
                return Reply::Unreachable { cause: words(&error) };
            }
            Err(error) => return Reply::TimedOut { cause: words(&error) },
        };
        let status = response.status().as_u16();
        let retry_after = response.headers().get(RETRY_AFTER);
        let retry_after = retry_after.and_then(|header| RetryAfter::parse(header.to_str().ok()?));
        match read(response, limit).await {
            Ok(body) => Reply::Answered(Answer { status, retry_after, body }),
            // A refusal is one even if its words were lost.
            Err(_) if (400..500).contains(&status) => {
                Reply::Answered(Answer { status, retry_after, body: Some(Vec::new()) })
            }
            Err(error) => Reply::TimedOut { cause: words(&error) },
        }
    }
}

fn authorization(auth: &Auth) -> Result<Option<HeaderValue>, ClientError> {
    use base64::Engine as _;
    let text = match auth {
        Auth::None => return Ok(None),
        Auth::Basic { username, password } => {
            let pair = format!("{username}:{}", password.0);
            format!("Basic {}", base64::engine::general_purpose::STANDARD.encode(pair))
        }
        Auth::Bearer(token) => format!("Bearer {}", token.0.trim()),
    };
    let mut value = HeaderValue::from_str(&text).map_err(|_| ClientError::Credentials)?;
    value.set_sensitive(true);
    Ok(Some(value))
}

async fn read(mut response: reqwest::Response, limit: usize) -> reqwest::Result<Option<Vec<u8>>> {
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await? {
        if body.len() + chunk.len() > limit {
            return Ok(None);
        }
        body.extend_from_slice(&chunk);
    }
    Ok(Some(body))
}

/// What went wrong on the wire: the deepest cause, as the layers around it only repeat the address.
fn words(error: &reqwest::Error) -> String {
    if error.is_timeout() {
        return "the broker did not answer in time".to_owned();
    }
    let mut deepest: &dyn std::error::Error = error;
    while let Some(source) = deepest.source() {
        deepest = source;
    }
    let what =
        if error.is_connect() { "no connection to the broker" } else { "the connection to the broker broke" };
    format!("{what}: {deepest}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Secret;

    #[test]
    fn addresses_that_cannot_be_used_are_refused() {
        let make = |url: &str| {
            let broker =
                Broker { url: url.into(), auth: Auth::None, trust: Trust::System, timeout: DEFAULT_TIMEOUT };
            Client::new(&broker).map(|_| ()).map_err(|error| error.to_string())
        };
        assert_eq!(make("http://broker.example/base/"), Ok(()));
        assert_eq!(make("broker").unwrap_err(), "the broker's url is not a URL");
        assert_eq!(make("ftp://broker").unwrap_err(), "the broker's url is neither http nor https");
        let held = make("http://admin:hunter2@broker").unwrap_err();
        assert_eq!(held, "the broker's url holds credentials, which belong into a Secret");
        assert!(make("http://broker?x=1").is_err());
    }

    #[test]
    fn nothing_secret_is_shown() {
        let broker = Broker {
            url: "https://broker.example".into(),
            auth: Auth::Basic { username: "admin".into(), password: Secret("hunter2".into()) },
            trust: Trust::System,
            timeout: DEFAULT_TIMEOUT,
        };
        let client = Client::new(&broker).unwrap();
        assert!(!format!("{broker:?} {client:?} {:?}", client.request(Method::GET, "/")).contains("hunter2"));
        let wrong = Auth::Bearer(Secret("hunter\n2".into()));
        let error = Client::new(&Broker { auth: wrong, ..broker }).unwrap_err();
        assert_eq!(error.to_string(), "the broker's credentials cannot be sent in a header");
    }
}
