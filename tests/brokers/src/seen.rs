//! What a broker saw.

use std::collections::BTreeMap;

use base64::Engine as _;
use serde_json::Value;

/// Which of the protocol's requests one is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Route {
    /// `GET /v2/catalog`
    Catalog,
    /// `PUT` of an instance
    Provision,
    /// `PATCH` of an instance
    Update,
    /// `DELETE` of an instance
    Deprovision,
    /// `GET` of an instance
    FetchInstance,
    /// `GET` of the last operation of an instance
    PollInstance,
    /// `PUT` of a binding
    Bind,
    /// `DELETE` of a binding
    Unbind,
    /// `GET` of a binding
    FetchBinding,
    /// `GET` of the last operation of a binding
    PollBinding,
}

/// A request.
#[derive(Debug, Clone, PartialEq)]
pub struct Seen {
    /// Which it is.
    pub route: Route,
    /// The instance's identifier, if it is about one.
    pub instance: String,
    /// The binding's identifier, if it is about one.
    pub binding: String,
    /// The query.
    pub query: BTreeMap<String, String>,
    /// The headers, with names in small letters.
    pub headers: BTreeMap<String, String>,
    /// The body.
    pub body: Value,
}

impl Seen {
    /// The user on whose behalf it was made, decoded.
    ///
    /// # Panics
    /// When the platform is another.
    pub fn identity(&self) -> Option<Value> {
        let (platform, value) = self.headers.get("x-broker-api-originating-identity")?.split_once(' ')?;
        assert_eq!(platform, "kubernetes");
        serde_json::from_slice(&base64::engine::general_purpose::STANDARD.decode(value).ok()?).ok()
    }

    /// The name of that user.
    pub fn username(&self) -> Option<String> {
        Some(self.identity()?["username"].as_str()?.to_owned())
    }
}

pub(crate) fn route(method: &http::Method, path: &str) -> Option<(Route, String, String)> {
    let parts: Vec<String> = path.trim_start_matches('/').split('/').map(decoded).collect();
    let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
    let (route, instance, binding) = match (method.as_str(), parts.as_slice()) {
        ("GET", ["v2", "catalog"]) => (Route::Catalog, "", ""),
        ("PUT", ["v2", "service_instances", id]) => (Route::Provision, *id, ""),
        ("PATCH", ["v2", "service_instances", id]) => (Route::Update, *id, ""),
        ("DELETE", ["v2", "service_instances", id]) => (Route::Deprovision, *id, ""),
        ("GET", ["v2", "service_instances", id]) => (Route::FetchInstance, *id, ""),
        ("GET", ["v2", "service_instances", id, "last_operation"]) => (Route::PollInstance, *id, ""),
        ("PUT", ["v2", "service_instances", id, "service_bindings", binding]) => (Route::Bind, *id, *binding),
        ("DELETE", ["v2", "service_instances", id, "service_bindings", binding]) => {
            (Route::Unbind, *id, *binding)
        }
        ("GET", ["v2", "service_instances", id, "service_bindings", binding]) => {
            (Route::FetchBinding, *id, *binding)
        }
        ("GET", ["v2", "service_instances", id, "service_bindings", binding, "last_operation"]) => {
            (Route::PollBinding, *id, *binding)
        }
        _ => return None,
    };
    Some((route, instance.to_owned(), binding.to_owned()))
}

pub(crate) fn query(query: &str) -> BTreeMap<String, String> {
    let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
    pairs.map(|(name, value)| (decoded(name), decoded(value))).collect()
}

fn decoded(text: &str) -> String {
    let mut bytes = text.bytes();
    let mut out = Vec::new();
    while let Some(byte) = bytes.next() {
        let hex = |byte: Option<u8>| char::from(byte?).to_digit(16);
        match byte {
            b'%' => match (hex(bytes.next()), hex(bytes.next())) {
                (Some(high), Some(low)) => out.push((high * 16 + low) as u8),
                _ => out.push(b'%'),
            },
            other => out.push(other),
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}
