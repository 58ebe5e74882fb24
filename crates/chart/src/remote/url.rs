//! Addresses as Go's `net/url` reads and writes them: Helm stores, compares and prints what that package makes
//! of an address, and it keeps more of the original text than a browser's parser does.

mod escape;
mod path;

use std::fmt;

use escape::{Part, escape, is_path_byte, is_user_byte, unescape};
pub use path::{base_name, clean_path, join_paths};

/// Why a text is not an address.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("parse {}: {reason}", quote(text))]
pub struct UrlError {
    /// What was read.
    pub text: String,
    /// Go's words for what is wrong with it.
    pub reason: String,
}

/// An address in its parts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Url {
    /// `https`, `oci`, …; empty in a relative reference.
    pub scheme: String,
    /// What follows the scheme when it is not a path.
    pub opaque: String,
    /// `user` or `user:password`, as written.
    pub user: Option<String>,
    /// Host, with the port if there is one.
    pub host: String,
    /// The path, with escapes resolved.
    pub path: String,
    /// The query, without its `?`.
    pub raw_query: String,
    /// What follows `#`, with escapes resolved.
    pub fragment: String,
    raw_path: String,
    force_query: bool,
}

impl Url {
    /// Reads any address or relative reference.
    pub fn parse(text: &str) -> Result<Self, UrlError> {
        let (rest, fragment) = text.split_once('#').unwrap_or((text, ""));
        let fail = |reason: String| UrlError { text: text.to_owned(), reason };
        let mut url = Self::parse_without_fragment(rest, false).map_err(fail)?;
        url.fragment = unescape(fragment, Part::Fragment).map_err(fail)?;
        Ok(url)
    }

    /// Reads an absolute address or an absolute path, as Go's `ParseRequestURI`.
    pub fn parse_request_uri(text: &str) -> Result<Self, UrlError> {
        Self::parse_without_fragment(text, true).map_err(|reason| UrlError { text: text.to_owned(), reason })
    }

    fn parse_without_fragment(text: &str, via_request: bool) -> Result<Self, String> {
        if text.bytes().any(|byte| byte < 0x20 || byte == 0x7f) {
            return Err("net/url: invalid control character in URL".to_owned());
        }
        if text.is_empty() && via_request {
            return Err("empty url".to_owned());
        }
        let mut url = Self::default();
        if text == "*" {
            "*".clone_into(&mut url.path);
            return Ok(url);
        }
        let (scheme, mut rest) = split_scheme(text)?;
        url.scheme = scheme.to_ascii_lowercase();
        if let Some(before) = rest.strip_suffix('?').filter(|before| !before.contains('?')) {
            url.force_query = true;
            rest = before;
        } else if let Some((before, query)) = rest.split_once('?') {
            query.clone_into(&mut url.raw_query);
            rest = before;
        }
        if !rest.starts_with('/') {
            if !url.scheme.is_empty() {
                rest.clone_into(&mut url.opaque);
                return Ok(url);
            }
            if via_request {
                return Err("invalid URI for request".to_owned());
            }
            let segment = rest.split('/').next().unwrap_or_default();
            if segment.contains(':') {
                return Err("first path segment in URL cannot contain colon".to_owned());
            }
        }
        if (!url.scheme.is_empty() || (!via_request && !rest.starts_with("///")))
            && let Some(after) = rest.strip_prefix("//")
        {
            let (authority, path) = after.find('/').map_or((after, ""), |at| after.split_at(at));
            rest = path;
            let host = match authority.rsplit_once('@') {
                Some((user, host)) => {
                    if !user.bytes().all(is_user_byte) {
                        return Err("net/url: invalid userinfo".to_owned());
                    }
                    url.user = Some(user.to_owned());
                    host
                }
                None => authority,
            };
            url.host = parse_host(host)?;
        }
        url.set_path(rest)?;
        Ok(url)
    }

    /// Whether it has a scheme.
    pub fn is_absolute(&self) -> bool {
        !self.scheme.is_empty()
    }

    /// The host without its port and without the brackets of an IPv6 address.
    pub fn hostname(&self) -> &str {
        let host = if self.port().is_empty() {
            self.host.strip_suffix(':').unwrap_or(&self.host)
        } else {
            self.host.rsplit_once(':').map_or(self.host.as_str(), |(host, _)| host)
        };
        host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host)
    }

    /// The port, if one is written.
    pub fn port(&self) -> &str {
        match self.host.rsplit_once(':') {
            Some((_, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => port,
            _ => "",
        }
    }

    /// The path as it is sent and printed.
    pub fn escaped_path(&self) -> String {
        if !self.raw_path.is_empty()
            && self.raw_path.bytes().all(is_path_byte)
            && unescape(&self.raw_path, Part::Path).is_ok_and(|path| path == self.path)
        {
            return self.raw_path.clone();
        }
        if self.path == "*" {
            return "*".to_owned();
        }
        escape(&self.path, Part::Path)
    }

    /// Replaces the path, given with escapes.
    pub fn set_path(&mut self, escaped: &str) -> Result<(), String> {
        self.path = unescape(escaped, Part::Path)?;
        self.raw_path =
            if escape(&self.path, Part::Path) == escaped { String::new() } else { escaped.to_owned() };
        Ok(())
    }

    /// The address that a reference means when it stands on a page at this address (RFC 3986, 5.2).
    #[must_use]
    pub fn resolve(&self, reference: &Self) -> Self {
        let mut url = reference.clone();
        if reference.scheme.is_empty() {
            url.scheme.clone_from(&self.scheme);
        }
        let keep = |url: &mut Self, base: &str| {
            let path = resolve_path(base, &reference.escaped_path());
            if url.set_path(&path).is_err() {
                url.path = path;
            }
        };
        if !reference.scheme.is_empty() || !reference.host.is_empty() || reference.user.is_some() {
            keep(&mut url, "");
            return url;
        }
        if !reference.opaque.is_empty() {
            url.user = None;
            url.host.clear();
            url.path.clear();
            return url;
        }
        if reference.path.is_empty() && !reference.force_query && reference.raw_query.is_empty() {
            url.raw_query.clone_from(&self.raw_query);
            if reference.fragment.is_empty() {
                url.fragment.clone_from(&self.fragment);
            }
        }
        url.host.clone_from(&self.host);
        url.user.clone_from(&self.user);
        keep(&mut url, &self.escaped_path());
        url
    }
}

impl fmt::Display for Url {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.scheme.is_empty() {
            write!(f, "{}:", self.scheme)?;
        }
        if self.opaque.is_empty() {
            let path = self.escaped_path();
            if !self.scheme.is_empty() || !self.host.is_empty() || self.user.is_some() {
                if !self.host.is_empty() || !self.path.is_empty() || self.user.is_some() {
                    f.write_str("//")?;
                }
                if let Some(user) = &self.user {
                    write!(f, "{user}@")?;
                }
                f.write_str(&escape(&self.host, Part::Host))?;
            }
            if !path.is_empty() && !path.starts_with('/') && !self.host.is_empty() {
                f.write_str("/")?;
            }
            if self.scheme.is_empty()
                && self.host.is_empty()
                && path.split('/').next().is_some_and(|segment| segment.contains(':'))
            {
                f.write_str("./")?;
            }
            f.write_str(&path)?;
        } else {
            f.write_str(&self.opaque)?;
        }
        if self.force_query || !self.raw_query.is_empty() {
            write!(f, "?{}", self.raw_query)?;
        }
        if !self.fragment.is_empty() {
            write!(f, "#{}", escape(&self.fragment, Part::Fragment))?;
        }
        Ok(())
    }
}

/// The address of `reference` in the repository at `base`: absolute references stand for themselves, relative
/// ones lie below the base, and the base's query (a token, often) is kept.
pub fn resolve_reference(base: &str, reference: &str) -> Result<String, UrlError> {
    let parsed = Url::parse(reference)?;
    if parsed.is_absolute() {
        return Ok(reference.to_owned());
    }
    let mut base = Url::parse(base)?;
    base.path = format!("{}/", base.path.strip_suffix('/').unwrap_or(&base.path));
    base.raw_path = format!("{}/", base.raw_path.strip_suffix('/').unwrap_or(&base.raw_path));
    let mut resolved = base.resolve(&parsed);
    resolved.raw_query.clone_from(&base.raw_query);
    Ok(resolved.to_string())
}

/// The base with path components joined to its path.
pub fn join(base: &str, component: &str) -> Result<String, UrlError> {
    let mut url = Url::parse(base)?;
    url.path = join_paths(&[&url.path, component]);
    url.raw_path.clear();
    Ok(url.to_string())
}

/// Whether two addresses are the same but for how their paths are written.
pub fn same(a: &str, b: &str) -> bool {
    let Ok(mut first) = Url::parse(a) else { return clean_path(a) == clean_path(b) };
    let Ok(mut second) = Url::parse(b) else { return false };
    for url in [&mut first, &mut second] {
        url.path = clean_path(if url.path.is_empty() { "/" } else { &url.path });
    }
    first.to_string() == second.to_string()
}

/// A text in double quotes with Go's escapes.
pub(crate) fn quote(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for c in text.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            c if c.is_ascii_control() => {
                quoted.push_str("\\x");
                quoted.push_str(&super::hex(&[c as u8]));
            }
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

fn split_scheme(text: &str) -> Result<(&str, &str), String> {
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' => {}
            b'0'..=b'9' | b'+' | b'-' | b'.' if at > 0 => {}
            b':' if at == 0 => return Err("missing protocol scheme".to_owned()),
            b':' => return Ok((&text[..at], &text[at + 1..])),
            _ => break,
        }
    }
    Ok(("", text))
}

fn parse_host(host: &str) -> Result<String, String> {
    let after_host = if host.starts_with('[') {
        let Some(end) = host.rfind(']') else { return Err("missing ']' in host".to_owned()) };
        &host[end + 1..]
    } else {
        host.rfind(':').map_or("", |at| &host[at..])
    };
    if !after_host.is_empty() {
        let port = after_host.strip_prefix(':');
        if !port.is_some_and(|port| port.bytes().all(|byte| byte.is_ascii_digit())) {
            return Err(format!("invalid port {} after host", quote(after_host)));
        }
    }
    unescape(host, Part::Host)
}

fn resolve_path(base: &str, reference: &str) -> String {
    let full = if reference.is_empty() {
        base.to_owned()
    } else if reference.starts_with('/') {
        reference.to_owned()
    } else {
        format!("{}{reference}", &base[..base.rfind('/').map_or(0, |at| at + 1)])
    };
    if full.is_empty() {
        return full;
    }
    let mut parts: Vec<&str> = Vec::new();
    let segments: Vec<&str> = full.split('/').collect();
    let last = segments.len() - 1;
    for (at, segment) in segments.iter().enumerate() {
        match *segment {
            "." => {
                if at == last {
                    parts.push("");
                }
            }
            ".." => {
                if parts.len() > 1 {
                    parts.pop();
                }
                if at == last {
                    parts.push("");
                }
            }
            segment => parts.push(segment),
        }
    }
    let joined = parts.join("/");
    if joined.starts_with('/') { joined } else { format!("/{joined}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_keep_their_text() {
        for text in [
            "https://example.com",
            "https://example.com/charts/",
            "https://user:pw@example.com:8443/a%2Fb?x=1&y=%20#top",
            "oci://127.0.0.1:5000/team/app:1.0.0+b1",
            "file://../sub",
            "repo/chart",
            "http://[::1]:80/x",
        ] {
            assert_eq!(Url::parse(text).unwrap().to_string(), text);
        }
    }

    #[test]
    fn faults_are_named_as_go_names_them() {
        for (text, expected) in [
            (":foo", "parse \":foo\": missing protocol scheme"),
            ("a:b:c/d", ""),
            ("1a:b", "parse \"1a:b\": first path segment in URL cannot contain colon"),
            ("http://a:b/c", "parse \"http://a:b/c\": invalid port \":b\" after host"),
            ("http://a/%zz", "parse \"http://a/%zz\": invalid URL escape \"%zz\""),
            ("http://a b/", "parse \"http://a b/\": invalid character \" \" in host name"),
            ("http://a\u{7f}/", "parse \"http://a\\x7f/\": net/url: invalid control character in URL"),
        ] {
            let message = Url::parse(text).map_or_else(|error| error.to_string(), |_| String::new());
            assert_eq!(message, expected, "{text}");
        }
    }

    #[test]
    fn references_lie_below_the_repository() {
        for (base, reference, expected) in [
            ("http://a/charts", "x-1.tgz", "http://a/charts/x-1.tgz"),
            ("http://a/charts/", "sub/x-1.tgz", "http://a/charts/sub/x-1.tgz"),
            ("http://a/charts", "/x-1.tgz", "http://a/x-1.tgz"),
            ("http://a/charts", "../x-1.tgz", "http://a/x-1.tgz"),
            ("http://a/charts?token=t%2F", "x-1.tgz", "http://a/charts/x-1.tgz?token=t%2F"),
            ("http://a/charts?token=t", "x-1.tgz?own=1", "http://a/charts/x-1.tgz?token=t"),
            ("http://a/charts", "https://b/x.tgz?q", "https://b/x.tgz?q"),
            ("http://a/a%2Fb", "x.tgz", "http://a/a%2Fb/x.tgz"),
            ("http://a", "index.yaml", "http://a/index.yaml"),
        ] {
            assert_eq!(resolve_reference(base, reference).unwrap(), expected, "{base} + {reference}");
        }
    }

    #[test]
    fn equality_forgives_slashes() {
        assert!(same("https://a/b/", "https://a/b"));
        assert!(same("https://a", "https://a/"));
        assert!(!same("https://a:443", "https://a"));
        assert!(!same("https://a/b", "https://a/c"));
    }

    #[test]
    fn joining_keeps_the_query() {
        assert_eq!(join("https://a/b?x=1", "c.tgz").unwrap(), "https://a/b/c.tgz?x=1");
        assert_eq!(join("", "c.tgz").unwrap(), "c.tgz");
        assert_eq!(join("charts", "c.tgz").unwrap(), "charts/c.tgz");
    }

    #[test]
    fn hosts_fall_apart() {
        let url = Url::parse("https://[::1]:5000/x").unwrap();
        assert_eq!((url.hostname(), url.port()), ("::1", "5000"));
        let url = Url::parse("https://a.b/x").unwrap();
        assert_eq!((url.hostname(), url.port()), ("a.b", ""));
    }
}
