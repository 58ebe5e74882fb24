//! Fetching over HTTP: credentials that stay with their server, redirects, proxies, bounded bodies.

mod failure;
mod tls;

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use reqwest::header::{ACCEPT, HeaderMap};

pub(crate) use failure::transport_words;
pub use tls::{TlsError, TlsOptions};

use super::url::{Url, UrlError};

/// What this program calls itself to servers.
pub const USER_AGENT: &str = concat!("Slipway/", env!("CARGO_PKG_VERSION"), " (compatible; Helm/4.3.1)");

/// How long one fetch may take unless the caller says otherwise.
pub const DEFAULT_TIMEOUT: Duration = Duration::from_mins(2);

/// The most bytes that are read of something fetched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limit(pub u64);

impl Limit {
    /// For the index of a repository.
    pub const INDEX: Self = Self(512 << 20);
    /// For a chart archive.
    pub const ARCHIVE: Self = Self(256 << 20);
    /// For provenance files, values files, manifests: things that people write or read.
    pub const DOCUMENT: Self = Self(16 << 20);
}

/// A name and password.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct BasicAuth {
    /// Who.
    pub username: String,
    /// Never shown, not even by `Debug`.
    pub password: String,
}

impl BasicAuth {
    /// Whether both parts are there; Helm sends nothing otherwise.
    pub fn is_complete(&self) -> bool {
        !self.username.is_empty() && !self.password.is_empty()
    }
}

impl std::fmt::Debug for BasicAuth {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let password = if self.password.is_empty() { "" } else { "***" };
        f.debug_struct("BasicAuth").field("username", &self.username).field("password", &password).finish()
    }
}

/// How to fetch.
#[derive(Debug, Clone, Default)]
pub struct FetchOptions {
    /// The server that the credentials are for: an address on it. Other servers do not get them.
    pub credentials_for: String,
    /// The credentials.
    pub auth: BasicAuth,
    /// Give the credentials to any server.
    pub pass_credentials_all: bool,
    /// Certificates.
    pub tls: TlsOptions,
    /// The `Accept` header.
    pub accept: Option<&'static str>,
    /// In place of [`DEFAULT_TIMEOUT`].
    pub timeout: Option<Duration>,
}

/// Why a fetch gave nothing.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FetchError {
    /// The address cannot be read.
    #[error(transparent)]
    Url(#[from] UrlError),
    /// Nothing here speaks this scheme.
    #[error("scheme {scheme:?} not supported")]
    Scheme {
        /// The scheme.
        scheme: String,
    },
    /// The certificates cannot be used.
    #[error("can't create TLS config for client: {0}")]
    Tls(#[from] TlsError),
    /// The server answered with something else than the thing.
    #[error("failed to fetch {url} : {status}")]
    Status {
        /// What was asked for.
        url: String,
        /// The code and its name.
        status: String,
        /// The code.
        code: u16,
    },
    /// The server could not be spoken with.
    #[error("Get \"{url}\": {cause}")]
    Transport {
        /// What was asked for, without credentials.
        url: String,
        /// What went wrong.
        cause: String,
    },
    /// The answer is larger than anything sensible.
    #[error("Get \"{url}\": the answer is larger than {limit} bytes")]
    TooLarge {
        /// What was asked for.
        url: String,
        /// The most that is read.
        limit: u64,
    },
}

/// The HTTP clients of a run; one is made for each set of certificates, when first needed.
#[derive(Clone, Default)]
pub struct Http {
    clients: Arc<Mutex<HashMap<ClientKey, reqwest::Client>>>,
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct ClientKey {
    tls: TlsOptions,
    loopback: bool,
    redirects: bool,
}

impl std::fmt::Debug for Http {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Http").finish_non_exhaustive()
    }
}

impl Http {
    /// Clients that are yet to be made.
    pub fn new() -> Self {
        Self::default()
    }

    /// Fetches what is at an address.
    pub async fn get(
        &self,
        address: &str,
        options: &FetchOptions,
        limit: Limit,
    ) -> Result<Vec<u8>, FetchError> {
        let url = Url::parse(address)?;
        if url.scheme != "http" && url.scheme != "https" {
            return Err(FetchError::Scheme { scheme: url.scheme });
        }
        let client = self.client(&options.tls, url.hostname(), true)?;
        let mut headers = HeaderMap::new();
        if let Some(accept) = options.accept {
            headers.insert(ACCEPT, reqwest::header::HeaderValue::from_static(accept));
        }
        let mut request =
            client.get(address).headers(headers).timeout(options.timeout.unwrap_or(DEFAULT_TIMEOUT));
        if options.auth.is_complete() && may_have_credentials(&url, options) {
            request = request.basic_auth(&options.auth.username, Some(&options.auth.password));
        }
        let transport = |error: reqwest::Error| FetchError::Transport {
            url: without_password(&url),
            cause: transport_words(&error),
        };
        let response = request.send().await.map_err(transport)?;
        if response.status() != reqwest::StatusCode::OK {
            return Err(FetchError::Status {
                url: without_password(&url),
                status: status_words(&response),
                code: response.status().as_u16(),
            });
        }
        let too_large = || FetchError::TooLarge { url: without_password(&url), limit: limit.0 };
        read_body(response, limit).await.map_err(transport)?.ok_or_else(too_large)
    }

    /// The client for a server. Proxies of the environment are never used for this machine itself.
    pub(crate) fn client(
        &self,
        tls: &TlsOptions,
        hostname: &str,
        redirects: bool,
    ) -> Result<reqwest::Client, TlsError> {
        let key = ClientKey { tls: tls.clone(), loopback: is_loopback(hostname), redirects };
        let mut clients = self.clients.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(client) = clients.get(&key) {
            return Ok(client.clone());
        }
        let mut builder = reqwest::Client::builder()
            .user_agent(USER_AGENT)
            .referer(false)
            .connect_timeout(Duration::from_secs(30))
            .tls_backend_preconfigured(tls.client_config()?)
            .redirect(if redirects {
                reqwest::redirect::Policy::limited(10)
            } else {
                reqwest::redirect::Policy::none()
            });
        if key.loopback {
            builder = builder.no_proxy();
        }
        let client = builder.build().map_err(|error| TlsError::Client { cause: transport_words(&error) })?;
        clients.insert(key, client.clone());
        Ok(client)
    }
}

/// Reads an answer's body; `None` when it is larger than the limit.
pub(crate) async fn read_body(
    mut response: reqwest::Response,
    limit: Limit,
) -> reqwest::Result<Option<Vec<u8>>> {
    let announced = response.content_length().unwrap_or_default();
    if announced > limit.0 {
        return Ok(None);
    }
    let mut body = Vec::with_capacity(usize::try_from(announced.min(64 << 20)).unwrap_or_default());
    while let Some(chunk) = response.chunk().await? {
        if body.len() as u64 + chunk.len() as u64 > limit.0 {
            return Ok(None);
        }
        body.extend_from_slice(&chunk);
    }
    Ok(Some(body))
}

/// `404 Not Found`, or whatever the server calls it.
fn status_words(response: &reqwest::Response) -> String {
    let own = response.extensions().get::<hyper::ext::ReasonPhrase>();
    let own = own.map(|reason| String::from_utf8_lossy(reason.as_bytes()));
    let reason = own.as_deref().or(response.status().canonical_reason()).unwrap_or_default();
    format!("{} {reason}", response.status().as_u16()).trim_end().to_owned()
}

fn may_have_credentials(url: &Url, options: &FetchOptions) -> bool {
    options.pass_credentials_all
        || Url::parse(&options.credentials_for)
            .is_ok_and(|home| home.scheme == url.scheme && home.host == url.host)
}

fn is_loopback(hostname: &str) -> bool {
    hostname == "localhost" || hostname.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

fn without_password(url: &Url) -> String {
    let mut url = url.clone();
    if let Some((user, _)) = url.user.as_deref().and_then(|user| user.split_once(':')) {
        url.user = Some(format!("{user}:***"));
    }
    url.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::remote::testing::{Response, Server};

    #[tokio::test]
    async fn refusals_are_in_the_words_of_the_server() {
        let server =
            Server::start(|_| Response { reason: "File not found".into(), ..Response::new(404, "") });
        let error =
            Http::new().get(&server.url("/x"), &FetchOptions::default(), Limit::DOCUMENT).await.unwrap_err();
        assert_eq!(error.to_string(), format!("failed to fetch {} : 404 File not found", server.url("/x")));
    }

    #[tokio::test]
    async fn redirects_end() {
        let server = Server::start(|request| Response::new(302, "").with("location", request.target.clone()));
        let error =
            Http::new().get(&server.url("/x"), &FetchOptions::default(), Limit::DOCUMENT).await.unwrap_err();
        assert_eq!(error.to_string(), format!("Get \"{}\": stopped after 10 redirects", server.url("/x")));
        assert_eq!(server.requests().len(), 11);
    }

    #[tokio::test]
    async fn servers_that_do_not_answer_are_not_waited_for() {
        let server = Server::start(|_| {
            std::thread::sleep(Duration::from_secs(5));
            Response::new(200, "")
        });
        let options = FetchOptions { timeout: Some(Duration::from_millis(50)), ..FetchOptions::default() };
        let error = Http::new().get(&server.url("/x"), &options, Limit::DOCUMENT).await.unwrap_err();
        assert!(error.to_string().contains("context deadline exceeded"), "{error}");
    }

    #[test]
    fn credentials_stay_with_their_server() {
        let options =
            FetchOptions { credentials_for: "https://a:8443/charts".into(), ..FetchOptions::default() };
        let may = |address: &str| may_have_credentials(&Url::parse(address).unwrap(), &options);
        assert!(may("https://a:8443/other/x.tgz"));
        assert!(!may("https://a/x.tgz"));
        assert!(!may("http://a:8443/x.tgz"));
        assert!(!may("https://b:8443/x.tgz"));
        let all = FetchOptions { pass_credentials_all: true, ..options.clone() };
        assert!(may_have_credentials(&Url::parse("https://b/x").unwrap(), &all));
    }

    #[test]
    fn secrets_are_not_shown() {
        let auth = BasicAuth { username: "u".into(), password: "hunter2".into() };
        assert!(!format!("{auth:?}").contains("hunter2"));
        let url = Url::parse("https://u:hunter2@a/x").unwrap();
        assert_eq!(without_password(&url), "https://u:***@a/x");
    }
}
