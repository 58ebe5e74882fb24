//! URLs, taken apart as Go's `net/url` does.

use std::collections::BTreeMap;
use std::fmt::{self, Write as _};
use std::sync::Arc;

use super::strings::go_quote;
use super::{Library, failure, net, text};
use crate::error::{EvalError, Outcome};
use crate::value::{Key, Map, Text, Value};

/// A URL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Url {
    scheme: String,
    opaque: String,
    user: Option<String>,
    host: String,
    omit_host: bool,
    path: Vec<u8>,
    /// The path as it was written.
    raw_path: String,
    query: Option<String>,
    fragment: Option<String>,
}

pub(super) fn add(library: &mut Library) {
    library.add(
        "url",
        &[("string_to_url", "string -> kubernetes.URL", |args| {
            let text = text(args, 0)?;
            match parse_request(text).and_then(|()| parse(text)) {
                Ok(url) => Ok(Value::Url(Arc::new(url))),
                Err(problem) => failure(format!(
                    "URL parse error during conversion from string: parse {}: {problem}",
                    go_quote(text)
                )),
            }
        })],
    );
    library.add(
        "isURL",
        &[("is_url_string", "string -> bool", |args| Ok(Value::Bool(parse_request(text(args, 0)?).is_ok())))],
    );
    library.add(
        "getScheme",
        &[("url_get_scheme", "kubernetes.URL . -> string", |args| {
            Ok(Value::string(url(args)?.scheme.as_str()))
        })],
    );
    library.add(
        "getHost",
        &[("url_get_host", "kubernetes.URL . -> string", |args| Ok(Value::string(url(args)?.host.as_str())))],
    );
    library.add(
        "getHostname",
        &[("url_get_hostname", "kubernetes.URL . -> string", |args| {
            Ok(Value::string(host_and_port(&url(args)?.host).0))
        })],
    );
    library.add(
        "getPort",
        &[("url_get_port", "kubernetes.URL . -> string", |args| {
            Ok(Value::string(host_and_port(&url(args)?.host).1))
        })],
    );
    library.add(
        "getEscapedPath",
        &[("url_get_escaped_path", "kubernetes.URL . -> string", |args| {
            Ok(Value::string(url(args)?.escaped_path()))
        })],
    );
    library.add(
        "getQuery",
        &[("url_get_query", "kubernetes.URL . -> map(string, list(string))", |args| {
            Ok(Value::Map(url(args)?.query_map()))
        })],
    );
}

fn url<'v>(args: &'v [Value<'_>]) -> Outcome<&'v Url> {
    match args.first() {
        Some(Value::Url(url)) => Ok(url),
        _ => Err(EvalError::no_overload()),
    }
}

/// What is wrong with a URL in a request; `parse "…": ` stands before it.
pub(super) fn parse_request(text: &str) -> Result<(), String> {
    parse_part(text, true).map(drop)
}

fn parse(text: &str) -> Result<Url, String> {
    let (text, fragment) = match text.split_once('#') {
        Some((text, fragment)) => (text, Some(fragment)),
        None => (text, None),
    };
    let mut url = parse_part(text, false)?;
    if let Some(fragment) = fragment {
        unescape(fragment, Mode::Fragment)?;
        url.fragment = Some(fragment.to_owned());
    }
    Ok(url)
}

fn parse_part(text: &str, request: bool) -> Result<Url, String> {
    if text.bytes().any(|byte| byte < b' ' || byte == 0x7f) {
        return Err("net/url: invalid control character in URL".into());
    }
    if text.is_empty() && request {
        return Err("empty url".into());
    }
    let mut url = Url {
        scheme: String::new(),
        opaque: String::new(),
        user: None,
        host: String::new(),
        omit_host: false,
        path: Vec::new(),
        raw_path: String::new(),
        query: None,
        fragment: None,
    };
    if text == "*" {
        url.path = b"*".to_vec();
        url.raw_path = "*".into();
        return Ok(url);
    }
    let (scheme, rest) = scheme(text)?;
    url.scheme = scheme.to_ascii_lowercase();
    let (mut rest, query) = match rest.split_once('?') {
        Some((rest, query)) => (rest, Some(query)),
        None => (rest, None),
    };
    url.query = query.map(ToOwned::to_owned);
    if !rest.starts_with('/') {
        if !url.scheme.is_empty() {
            rest.clone_into(&mut url.opaque);
            return Ok(url);
        }
        if request {
            return Err("invalid URI for request".into());
        }
        if rest.split('/').next().is_some_and(|segment| segment.contains(':')) {
            return Err("first path segment in URL cannot contain colon".into());
        }
    }
    let has_authority = !url.scheme.is_empty() || (!request && !rest.starts_with("///"));
    if let (true, Some(authority)) = (has_authority, rest.strip_prefix("//")) {
        let end = authority.find('/').unwrap_or(authority.len());
        rest = &authority[end..];
        let authority = &authority[..end];
        let (user, host) = match authority.rsplit_once('@') {
            Some((user, host)) => (Some(user), host),
            None => (None, authority),
        };
        url.host = parse_host(&url.scheme, host)?;
        if let Some(user) = user {
            let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"-._:~!$&'()*+,;=%@".contains(&byte);
            if !user.bytes().all(allowed) {
                return Err("net/url: invalid userinfo".into());
            }
            for part in user.splitn(2, ':') {
                unescape(part, Mode::User)?;
            }
            url.user = Some(user.to_owned());
        }
    } else if !url.scheme.is_empty() && rest.starts_with('/') {
        url.omit_host = true;
    }
    url.path = unescape(rest, Mode::Path)?;
    rest.clone_into(&mut url.raw_path);
    Ok(url)
}

fn scheme(text: &str) -> Result<(&str, &str), String> {
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' => {}
            b'0'..=b'9' | b'+' | b'-' | b'.' if at > 0 => {}
            b':' if at == 0 => return Err("missing protocol scheme".into()),
            b':' => return Ok((&text[..at], &text[at + 1..])),
            _ => return Ok(("", text)),
        }
    }
    Ok(("", text))
}

fn check_port(port: &str) -> Result<(), String> {
    let valid = port.is_empty()
        || port.strip_prefix(':').is_some_and(|port| port.bytes().all(|b| b.is_ascii_digit()));
    if valid { Ok(()) } else { Err(format!("invalid port {} after host", go_quote(port))) }
}

fn parse_host(scheme: &str, host: &str) -> Result<String, String> {
    let lossy = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    match host.rfind('[') {
        Some(0) => {
            let Some(close) = host.rfind(']') else { return Err("missing ']' in host".into()) };
            let port = &host[close + 1..];
            check_port(port)?;
            let name = &host[1..close];
            let name = match name.find("%25") {
                Some(zone) => {
                    let start = lossy(unescape(&name[..zone], Mode::Host)?);
                    start + &lossy(unescape(&name[zone..], Mode::Zone)?)
                }
                None => lossy(unescape(name, Mode::Host)?),
            };
            match net::parse_address(&name) {
                Ok((std::net::IpAddr::V4(_), _)) => return Err("invalid IP-literal".into()),
                Ok(_) => {}
                Err(problem) => return Err(format!("invalid host: {problem}")),
            }
            return Ok(format!("[{name}]{port}"));
        }
        Some(_) => return Err("invalid IP-literal".into()),
        None => {
            let colon = if matches!(scheme, "http" | "https") { host.find(':') } else { host.rfind(':') };
            if let Some(colon) = colon {
                check_port(&host[colon..])?;
            }
        }
    }
    Ok(lossy(unescape(host, Mode::Host)?))
}

fn host_and_port(host: &str) -> (&str, &str) {
    let (name, port) = match host.rfind(':') {
        Some(colon) if check_port(&host[colon..]).is_ok() => (&host[..colon], &host[colon + 1..]),
        _ => (host, ""),
    };
    (name.strip_prefix('[').and_then(|name| name.strip_suffix(']')).unwrap_or(name), port)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    Path,
    Query,
    User,
    Host,
    Zone,
    Fragment,
}

fn unescape(text: &str, mode: Mode) -> Result<Vec<u8>, String> {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let byte = bytes[at];
        if byte == b'%' {
            let code = bytes.get(at + 1..at + 3).and_then(|hex| {
                let hex = std::str::from_utf8(hex).ok()?;
                if hex.starts_with('+') { None } else { u8::from_str_radix(hex, 16).ok() }
            });
            let Some(code) = code else {
                let end = (at + 3).min(bytes.len());
                let shown = String::from_utf8_lossy(&bytes[at..end]);
                return Err(format!("invalid URL escape {}", go_quote(&shown)));
            };
            // A host may only escape what is not ASCII, a zone only what is harmless.
            let refused = match mode {
                Mode::Host => code < 0x80 && code != b'%',
                Mode::Zone => code != b'%' && code != b' ' && code < 0x80 && !host_byte(code),
                _ => false,
            };
            if refused {
                return Err(format!("invalid URL escape {}", go_quote(&text[at..at + 3])));
            }
            out.push(code);
            at += 3;
            continue;
        }
        if matches!(mode, Mode::Host | Mode::Zone) && byte < 0x80 && !host_byte(byte) {
            let shown = go_quote(&char::from(byte).to_string());
            return Err(format!("invalid character {shown} in host name"));
        }
        out.push(if byte == b'+' && mode == Mode::Query { b' ' } else { byte });
        at += 1;
    }
    Ok(out)
}

fn host_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-_.~!$&'()*+,;=:[]<>\"".contains(&byte)
}

impl Url {
    fn escaped_path(&self) -> String {
        let as_written = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.~!$&'()*+,;=:@[]%/".contains(&byte);
        if self.raw_path.bytes().all(as_written) {
            return self.raw_path.clone();
        }
        let mut out = String::new();
        for byte in &self.path {
            if byte.is_ascii_alphanumeric() || b"-_.~$&+,/:;=@".contains(byte) {
                out.push(char::from(*byte));
            } else {
                let _ = write!(out, "%{byte:02X}");
            }
        }
        out
    }

    fn query_map<'a>(&self) -> Map<'a> {
        let mut values: BTreeMap<String, Vec<Value<'a>>> = BTreeMap::new();
        for pair in self.query.as_deref().unwrap_or_default().split('&') {
            if pair.is_empty() || pair.contains(';') {
                continue;
            }
            let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
            let (Ok(key), Ok(value)) = (unescape(key, Mode::Query), unescape(value, Mode::Query)) else {
                continue;
            };
            let value = Value::string(String::from_utf8_lossy(&value).into_owned());
            values.entry(String::from_utf8_lossy(&key).into_owned()).or_default().push(value);
        }
        let entry = |(key, values): (String, Vec<Value<'a>>)| {
            (Key::String(Text::Shared(key.into())), Value::list(values))
        };
        values.into_iter().map(entry).collect::<BTreeMap<_, _>>().into()
    }
}

impl fmt::Display for Url {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.scheme.is_empty() {
            write!(f, "{}:", self.scheme)?;
        }
        if self.opaque.is_empty() {
            if !self.scheme.is_empty() && !self.omit_host || !self.host.is_empty() || self.user.is_some() {
                f.write_str("//")?;
                if let Some(user) = &self.user {
                    write!(f, "{user}@")?;
                }
                f.write_str(&self.host)?;
            }
            f.write_str(&self.escaped_path())?;
        } else {
            f.write_str(&self.opaque)?;
        }
        if let Some(query) = &self.query {
            write!(f, "?{query}")?;
        }
        match &self.fragment {
            Some(fragment) if !fragment.is_empty() => write!(f, "#{fragment}"),
            _ => Ok(()),
        }
    }
}
