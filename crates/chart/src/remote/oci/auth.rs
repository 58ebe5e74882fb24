//! Answering a registry's challenge: which scheme it wants, and the tokens it gave.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::net::IpAddr;

use crate::remote::url::{Url, quote};

/// A scheme of authentication, as a registry asks for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Challenge {
    Basic,
    Bearer {
        realm: String,
        service: String,
        scope: String,
    },
    /// One that is not known here, or none.
    Other,
}

impl Challenge {
    /// Reads a `WWW-Authenticate` header.
    pub(super) fn parse(header: &str) -> Self {
        let (scheme, mut rest) = token(header);
        if scheme.eq_ignore_ascii_case("basic") {
            return Self::Basic;
        }
        if !scheme.eq_ignore_ascii_case("bearer") {
            return Self::Other;
        }
        let mut parameters: HashMap<&str, String> = HashMap::new();
        loop {
            let (key, after) = token(rest.trim_start());
            let Some(after) = after.trim_start().strip_prefix('=').filter(|_| !key.is_empty()) else { break };
            let after = after.trim_start();
            let (value, after) = if after.starts_with('"') {
                let Some(quoted) = quoted(after) else { break };
                quoted
            } else {
                let (value, after) = token(after);
                (value.to_owned(), after)
            };
            parameters.insert(key, value);
            let Some(after) = after.trim_start().strip_prefix(',') else { break };
            rest = after;
        }
        let mut take = |key: &str| parameters.remove(key).unwrap_or_default();
        Self::Bearer { realm: take("realm"), service: take("service"), scope: take("scope") }
    }
}

fn token(text: &str) -> (&str, &str) {
    let is_token = |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c);
    text.split_at(text.find(|c| !is_token(c)).unwrap_or(text.len()))
}

fn quoted(text: &str) -> Option<(String, &str)> {
    let mut value = String::new();
    let mut chars = text.char_indices().skip(1);
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => return Some((value, &text[at + 1..])),
            '\\' => value.push(chars.next()?.1),
            c => value.push(c),
        }
    }
    None
}

/// Refuses token servers that a registry must not send credentials to: over plain HTTP when the registry itself
/// has TLS, or inside the private network when the registry is not there.
pub(super) fn check_realm(realm: &str, registry: &Url) -> Result<(), String> {
    if realm.is_empty() {
        return Ok(());
    }
    let url = Url::parse(realm)
        .map_err(|error| format!("failed to parse bearer realm {}: {error}", quote(realm)))?;
    match url.scheme.as_str() {
        "http" if registry.scheme == "https" => {
            return Err(format!(
                "bearer realm {} uses http but registry was contacted over https",
                quote(realm)
            ));
        }
        "http" | "https" => {}
        other => {
            return Err(format!("bearer realm {} uses unsupported scheme {}", quote(realm), quote(other)));
        }
    }
    let inside = url.hostname().parse::<IpAddr>().is_ok_and(|address| match address {
        IpAddr::V4(v4) => v4.is_loopback() || v4.is_link_local() || v4.is_private() || v4.is_unspecified(),
        IpAddr::V6(v6) => {
            v6.is_loopback() || v6.is_unicast_link_local() || v6.is_unique_local() || v6.is_unspecified()
        }
    });
    if inside && url.hostname() != registry.hostname() {
        return Err(format!(
            "bearer realm host {} is a loopback, link-local, private, or unspecified address",
            quote(url.hostname())
        ));
    }
    Ok(())
}

/// Scopes without repetition: the actions on one resource are joined.
pub(super) fn clean_scopes<'a>(scopes: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let mut resources: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for scope in scopes.into_iter().filter(|scope| !scope.is_empty()) {
        let (resource, actions) = scope.rsplit_once(':').unwrap_or((scope, ""));
        let actions = actions.split(',').filter(|action| !action.is_empty());
        resources.entry(resource).or_default().extend(actions);
    }
    let join = |(resource, actions): (&str, BTreeSet<&str>)| {
        if actions.is_empty() {
            return resource.to_owned();
        }
        let actions = if actions.contains("*") { vec!["*"] } else { actions.into_iter().collect() };
        format!("{resource}:{}", actions.join(","))
    };
    resources.into_iter().map(join).collect()
}

/// What registries accepted so far: for a host, the value of the `Authorization` header by scope.
#[derive(Default)]
pub(super) struct Tokens {
    basic: HashMap<String, String>,
    bearer: HashMap<(String, String), String>,
}

impl Tokens {
    pub(super) fn find(&self, host: &str, scopes: &[String]) -> Option<String> {
        let bearer = || self.bearer.get(&(host.to_owned(), scopes.join(" ")));
        self.basic.get(host).or_else(bearer).cloned()
    }

    pub(super) fn keep_basic(&mut self, host: &str, header: String) {
        self.basic.insert(host.to_owned(), header);
    }

    pub(super) fn keep_bearer(&mut self, host: &str, scopes: &[String], header: String) {
        self.bearer.insert((host.to_owned(), scopes.join(" ")), header);
    }
}

impl std::fmt::Debug for Tokens {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Tokens").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn challenges_are_read() {
        let bearer = |realm: &str, service: &str, scope: &str| Challenge::Bearer {
            realm: realm.into(),
            service: service.into(),
            scope: scope.into(),
        };
        for (header, expected) in [
            ("Basic realm=\"x\"", Challenge::Basic),
            ("basic", Challenge::Basic),
            ("Negotiate abc", Challenge::Other),
            ("", Challenge::Other),
            (
                r#"Bearer realm="https://auth/token",service="reg",scope="repository:a/b:pull,push""#,
                bearer("https://auth/token", "reg", "repository:a/b:pull,push"),
            ),
            (r#"bearer realm="a\"b" , service=plain"#, bearer("a\"b", "plain", "")),
            (r#"Bearer realm="torn"#, bearer("", "", "")),
        ] {
            assert_eq!(Challenge::parse(header), expected, "{header}");
        }
    }

    #[test]
    fn realms_that_would_leak_credentials_are_refused() {
        let https = Url::parse("https://reg.example/v2/").unwrap();
        let http = Url::parse("http://127.0.0.1:5000/v2/").unwrap();
        assert!(check_realm("https://auth.example/token", &https).is_ok());
        assert!(check_realm("http://127.0.0.1:9/token", &http).is_ok());
        assert!(check_realm("http://auth.example/token", &https).is_err());
        assert!(check_realm("file:///etc/passwd", &https).is_err());
        assert!(check_realm("https://169.254.169.254/latest", &https).is_err());
        assert!(check_realm("http://10.0.0.1/", &http).is_err());
    }

    #[test]
    fn scopes_are_joined() {
        assert_eq!(
            clean_scopes(["repository:a:pull", "repository:b:push", "repository:a:push,pull", ""]),
            ["repository:a:pull,push", "repository:b:push"]
        );
        assert_eq!(clean_scopes(["registry:catalog:*,pull"]), ["registry:catalog:*"]);
    }
}
