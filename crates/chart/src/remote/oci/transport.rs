//! Sending requests to registries: retries, challenges, tokens.

use std::sync::PoisonError;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use reqwest::header::{
    AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, RETRY_AFTER, WWW_AUTHENTICATE,
};
use reqwest::{Method, Response, StatusCode};
use serde::Deserialize;

use super::auth::{Challenge, Tokens, check_realm, clean_scopes};
use super::credentials::Credential;
use super::failure::answer_words;
use super::{OciError, Registry};
use crate::remote::http::{Limit, read_body, transport_words};
use crate::remote::url::Url;

/// A request, in a form that can be sent again.
#[derive(Debug, Clone)]
pub(super) struct Request {
    pub(super) method: Method,
    pub(super) url: String,
    headers: HeaderMap,
    body: Option<Bytes>,
    /// What a token must permit.
    scope: String,
}

impl Request {
    pub(super) fn new(method: Method, url: String, scope: String) -> Self {
        Self { method, url, headers: HeaderMap::new(), body: None, scope }
    }

    pub(super) fn with_header(mut self, name: HeaderName, value: &'static str) -> Self {
        self.headers.insert(name, HeaderValue::from_static(value));
        self
    }

    pub(super) fn with_body(mut self, body: impl Into<Bytes>, media_type: &'static str) -> Self {
        self.body = Some(body.into());
        self.with_header(CONTENT_TYPE, media_type)
    }

    pub(super) fn fault(&self, reason: impl Into<String>) -> OciError {
        OciError::Exchange { method: self.method.to_string(), url: self.url.clone(), reason: reason.into() }
    }

    fn transport(&self, error: &reqwest::Error) -> OciError {
        OciError::Transport {
            method: self.method.to_string(),
            url: self.url.clone(),
            cause: transport_words(error),
        }
    }
}

/// How often and after how long a request is sent again.
#[derive(Debug, Clone, Copy)]
pub(super) struct Patience {
    retries: u32,
    first_pause: Duration,
    longest_pause: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self { retries: 5, first_pause: Duration::from_millis(250), longest_pause: Duration::from_secs(3) }
    }
}

impl Patience {
    #[cfg(test)]
    pub(super) fn none() -> Self {
        Self { retries: 5, first_pause: Duration::ZERO, longest_pause: Duration::ZERO }
    }

    fn pause(&self, attempt: u32, response: &Response) -> Duration {
        let asked = response.headers().get(RETRY_AFTER).and_then(|value| value.to_str().ok()?.parse().ok());
        let pause = match asked.filter(|_| response.status() == StatusCode::TOO_MANY_REQUESTS) {
            Some(seconds) => Duration::from_secs(seconds),
            None => self.first_pause * 2_u32.saturating_pow(attempt),
        };
        pause.min(self.longest_pause)
    }
}

/// How a token is asked for when there is a name and password.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Grant {
    /// As registries do it: a `GET` with basic authentication.
    Distribution,
    /// By `OAuth2`: a form with the password in it.
    OAuth2,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct TokenAnswer {
    token: String,
    access_token: String,
}

impl Registry {
    /// Sends a request, answering one challenge. An answer that is still 401 is returned as it is.
    pub(super) async fn send(&self, request: &Request) -> Result<Response, OciError> {
        self.send_by(request, Grant::Distribution).await
    }

    /// Sends a request, asking for tokens in this way.
    pub(super) async fn send_by(&self, request: &Request, grant: Grant) -> Result<Response, OciError> {
        let url = Url::parse(&request.url)?;
        let scopes = clean_scopes([request.scope.as_str()]);
        let known = self.tokens().find(&url.host, &scopes);
        let response = self.send_with(request, known.as_deref()).await?;
        // A server that the registry sent us on to has no claim to the registry's credentials.
        if response.status() != StatusCode::UNAUTHORIZED || !same_origin(&url, &response) {
            return Ok(response);
        }
        let challenge = response.headers().get(WWW_AUTHENTICATE).and_then(|value| value.to_str().ok());
        let header = match Challenge::parse(challenge.unwrap_or_default()) {
            Challenge::Other => return Ok(response),
            Challenge::Basic => {
                let header = self.basic(request, &url.host).await?;
                self.tokens().keep_basic(&url.host, header.clone());
                header
            }
            Challenge::Bearer { realm, service, scope } => {
                check_realm(&realm, &url).map_err(|reason| request.fault(reason))?;
                let wanted = clean_scopes(scopes.iter().map(String::as_str).chain(scope.split(' ')));
                let token = self.token(&url.host, &realm, &service, &wanted, grant).await;
                let header = format!("Bearer {}", token.map_err(|error| request.fault(error.to_string()))?);
                // Kept under what the next such request will ask for, which is not always what was granted.
                self.tokens().keep_bearer(&url.host, &scopes, header.clone());
                header
            }
        };
        self.send_with(request, Some(&header)).await
    }

    /// Sends a request with this authorization, and again while the registry is out of breath.
    async fn send_with(&self, request: &Request, authorization: Option<&str>) -> Result<Response, OciError> {
        let url = Url::parse(&request.url)?;
        let client = self.http.client(&self.options.tls, url.hostname(), true)?;
        let mut headers = request.headers.clone();
        if let Some(mut value) = authorization.and_then(|value| HeaderValue::from_str(value).ok()) {
            value.set_sensitive(true);
            headers.insert(AUTHORIZATION, value);
        }
        let mut attempt = 0;
        loop {
            let mut builder =
                client.request(request.method.clone(), request.url.as_str()).headers(headers.clone());
            if let Some(body) = &request.body {
                builder = builder.body(body.clone());
            }
            let response = builder.send().await.map_err(|error| request.transport(&error))?;
            if attempt >= self.patience.retries || !is_passing(response.status()) {
                return Ok(response);
            }
            tokio::time::sleep(self.patience.pause(attempt, &response)).await;
            attempt += 1;
        }
    }

    /// The body of an answer.
    pub(super) async fn body(
        &self,
        request: &Request,
        response: Response,
        limit: Limit,
    ) -> Result<Vec<u8>, OciError> {
        let body = read_body(response, limit).await.map_err(|error| request.transport(&error))?;
        body.ok_or_else(|| request.fault(format!("the answer is larger than {} bytes", limit.0)))
    }

    /// The error that an answer is, when it is not the one that was hoped for.
    pub(super) async fn refusal(&self, request: &Request, response: Response) -> OciError {
        let code = response.status();
        let body = read_body(response, Limit(8 << 10)).await.ok().flatten().unwrap_or_default();
        OciError::Status {
            method: request.method.to_string(),
            url: request.url.clone(),
            code: code.as_u16(),
            message: answer_words(&body, code),
        }
    }

    fn tokens(&self) -> std::sync::MutexGuard<'_, Tokens> {
        self.tokens.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn basic(&self, request: &Request, host: &str) -> Result<String, OciError> {
        let credential = self.credential(host).await?;
        if credential == Credential::default() {
            return Err(request.fault("basic credential not found"));
        }
        if credential.username.is_empty() || credential.password.is_empty() {
            return Err(request.fault("missing username or password for basic auth"));
        }
        Ok(basic_header(&credential))
    }

    async fn token(
        &self,
        host: &str,
        realm: &str,
        service: &str,
        scopes: &[String],
        grant: Grant,
    ) -> Result<String, OciError> {
        let credential = self.credential(host).await?;
        if !credential.access_token.is_empty() {
            return Ok(credential.access_token);
        }
        let anonymous = credential == Credential::default();
        let by_form = !anonymous && (!credential.refresh_token.is_empty() || grant == Grant::OAuth2);
        let request = if by_form {
            form_request(realm, service, scopes, &credential)?
        } else {
            let service = (!service.is_empty()).then_some(("service", service));
            let scopes = scopes.iter().map(|scope| ("scope", scope.as_str()));
            Request::new(Method::GET, with_query(realm, service.into_iter().chain(scopes)), String::new())
        };
        let nameless = credential.username.is_empty() && credential.password.is_empty();
        let authorization = (!by_form && !nameless).then(|| basic_header(&credential));
        let response = self.send_with(&request, authorization.as_deref()).await?;
        if response.status() != StatusCode::OK {
            return Err(self.refusal(&request, response).await);
        }
        let body = self.body(&request, response, Limit(128 << 10)).await?;
        let answer: TokenAnswer = serde_json::from_slice(&body)
            .map_err(|_| request.fault("failed to decode response: it is not what a token server answers"))?;
        let token = if answer.access_token.is_empty() { answer.token } else { answer.access_token };
        if token.is_empty() { Err(request.fault("empty token returned")) } else { Ok(token) }
    }
}

fn basic_header(credential: &Credential) -> String {
    format!("Basic {}", STANDARD.encode(format!("{}:{}", credential.username, credential.password)))
}

fn form_request(
    realm: &str,
    service: &str,
    scopes: &[String],
    credential: &Credential,
) -> Result<Request, OciError> {
    let request = Request::new(Method::POST, realm.to_owned(), String::new());
    let mut form = vec![("client_id", "oras-go"), ("service", service)];
    if !credential.refresh_token.is_empty() {
        form.extend([("grant_type", "refresh_token"), ("refresh_token", &credential.refresh_token)]);
    } else if !credential.username.is_empty() && !credential.password.is_empty() {
        let (username, password) = (&credential.username, &credential.password);
        form.extend([("grant_type", "password"), ("username", username), ("password", password)]);
    } else {
        return Err(request.fault("missing username or password for bearer auth"));
    }
    let scope = scopes.join(" ");
    if !scope.is_empty() {
        form.push(("scope", &scope));
    }
    Ok(request.with_body(encode_form(form), "application/x-www-form-urlencoded"))
}

/// Whether the answer may be a better one in a moment.
fn is_passing(status: StatusCode) -> bool {
    status.is_server_error()
        || status == StatusCode::TOO_MANY_REQUESTS
        || status == StatusCode::REQUEST_TIMEOUT
}

fn same_origin(asked: &Url, response: &Response) -> bool {
    let answered = response.url();
    answered.scheme() == asked.scheme
        && answered
            .host_str()
            .is_some_and(|host| host.trim_matches(['[', ']']).eq_ignore_ascii_case(asked.hostname()))
        && answered.port_or_known_default() == port(asked)
}

/// The port of an address, written or not.
pub(super) fn port(url: &Url) -> Option<u16> {
    url.port().parse().ok().or(if url.scheme == "https" { Some(443) } else { Some(80) })
}

/// An address with more pairs in its query.
pub(super) fn with_query<'a>(address: &str, pairs: impl IntoIterator<Item = (&'a str, &'a str)>) -> String {
    let query = encode_form(pairs);
    match (query.is_empty(), address.contains('?')) {
        (true, _) => address.to_owned(),
        (false, true) => format!("{address}&{query}"),
        (false, false) => format!("{address}?{query}"),
    }
}

fn encode_form<'a>(pairs: impl IntoIterator<Item = (&'a str, &'a str)>) -> String {
    let escape = |text: &str| {
        text.bytes().fold(String::new(), |mut escaped, byte| {
            if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'~') {
                escaped.push(char::from(byte));
            } else {
                escaped.push('%');
                escaped.push_str(&crate::remote::hex(&[byte]).to_ascii_uppercase());
            }
            escaped
        })
    };
    let pairs = pairs.into_iter().map(|(key, value)| format!("{}={}", escape(key), escape(value)));
    pairs.collect::<Vec<_>>().join("&")
}
