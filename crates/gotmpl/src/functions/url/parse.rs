//! Reading and printing URLs as Go's package `net/url` does.

use std::net::Ipv6Addr;

use goyaml::strconv::quote;

use super::escape::{Part, escape, unescape};

/// What is wrong with a URL.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum Problem {
    #[error("net/url: invalid control character in URL")]
    ControlCharacter,
    #[error("missing protocol scheme")]
    MissingScheme,
    #[error("first path segment in URL cannot contain colon")]
    ColonInFirstSegment,
    #[error("net/url: invalid userinfo")]
    Userinfo,
    #[error("invalid IP-literal")]
    IpLiteral,
    #[error("missing ']' in host")]
    MissingBracket,
    #[error("invalid port {} after host", quote(.0))]
    Port(String),
    #[error("invalid host: ParseAddr({}): unable to parse IP", quote(.0))]
    Address(String),
    #[error("invalid URL escape {}", quote(.0))]
    Escape(String),
    #[error("invalid character {} in host name", quote(&.0.to_string()))]
    HostCharacter(char),
}

/// A URL that cannot be read, and why.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("parse {}: {problem}", quote(.url))]
pub(super) struct ParseError {
    url: String,
    problem: Problem,
}

/// A name with or without a password.
pub(super) struct User {
    name: Vec<u8>,
    password: Option<Vec<u8>>,
}

impl User {
    pub(super) fn printed(&self) -> Vec<u8> {
        let mut output = escape(&self.name, Part::User);
        if let Some(password) = &self.password {
            output.push(b':');
            output.extend(escape(password, Part::User));
        }
        output
    }
}

/// The parts of a URL, not escaped but for the query.
#[derive(Default)]
pub(super) struct Url {
    pub(super) scheme: Vec<u8>,
    pub(super) opaque: Vec<u8>,
    pub(super) user: Option<User>,
    pub(super) host: Vec<u8>,
    pub(super) path: Vec<u8>,
    pub(super) query: Vec<u8>,
    pub(super) fragment: Vec<u8>,
}

impl Url {
    pub(super) fn parse(text: &[u8]) -> Result<Self, ParseError> {
        let (rest, fragment) = cut(text, b'#');
        let error =
            |url: &[u8], problem| ParseError { url: String::from_utf8_lossy(url).into_owned(), problem };
        let mut url = Self::parse_without_fragment(rest).map_err(|problem| error(rest, problem))?;
        if let Some(fragment) = fragment {
            url.fragment = unescape(fragment, Part::Fragment).map_err(|problem| error(text, problem))?;
        }
        Ok(url)
    }

    fn parse_without_fragment(text: &[u8]) -> Result<Self, Problem> {
        if text.iter().any(u8::is_ascii_control) {
            return Err(Problem::ControlCharacter);
        }
        let mut url = Self::default();
        if text == b"*" {
            url.path = text.to_vec();
            return Ok(url);
        }
        let (scheme, rest) = split_scheme(text)?;
        url.scheme = scheme.to_ascii_lowercase();
        let (mut rest, query) = cut(rest, b'?');
        url.query = query.unwrap_or_default().to_vec();
        if !rest.starts_with(b"/") {
            if !url.scheme.is_empty() {
                url.opaque = rest.to_vec();
                return Ok(url);
            }
            if cut(rest, b'/').0.contains(&b':') {
                return Err(Problem::ColonInFirstSegment);
            }
        }
        if rest.starts_with(b"//") && (!url.scheme.is_empty() || !rest.starts_with(b"///")) {
            let after = &rest[2..];
            let end = after.iter().position(|b| *b == b'/').unwrap_or(after.len());
            url.read_authority(&after[..end])?;
            rest = &after[end..];
        }
        url.path = unescape(rest, Part::Path)?;
        Ok(url)
    }

    fn read_authority(&mut self, authority: &[u8]) -> Result<(), Problem> {
        let at = authority.iter().rposition(|b| *b == b'@');
        self.host = parse_host(&self.scheme, &authority[at.map_or(0, |at| at + 1)..])?;
        let Some(userinfo) = at.map(|at| &authority[..at]) else {
            return Ok(());
        };
        let valid = |b: &u8| b.is_ascii_alphanumeric() || b"-._:~!$&'()*+,;=%@".contains(b);
        if !userinfo.iter().all(valid) {
            return Err(Problem::Userinfo);
        }
        let (name, password) = cut(userinfo, b':');
        self.user = Some(User {
            name: unescape(name, Part::User)?,
            password: password.map(|password| unescape(password, Part::User)).transpose()?,
        });
        Ok(())
    }

    /// The host without its port and without brackets.
    pub(super) fn hostname(&self) -> &[u8] {
        let mut host = self.host.as_slice();
        if let Some(colon) = host.iter().rposition(|b| *b == b':').filter(|colon| is_port(&host[*colon..])) {
            host = &host[..colon];
        }
        host.strip_prefix(b"[").and_then(|inner| inner.strip_suffix(b"]")).unwrap_or(host)
    }

    pub(super) fn printed(&self) -> Vec<u8> {
        let mut output = Vec::new();
        if !self.scheme.is_empty() {
            output.extend_from_slice(&self.scheme);
            output.push(b':');
        }
        if self.opaque.is_empty() {
            self.print_hierarchy(&mut output);
        } else {
            output.extend_from_slice(&self.opaque);
        }
        if !self.query.is_empty() {
            output.push(b'?');
            output.extend_from_slice(&self.query);
        }
        if !self.fragment.is_empty() {
            output.push(b'#');
            output.extend(escape(&self.fragment, Part::Fragment));
        }
        output
    }

    fn print_hierarchy(&self, output: &mut Vec<u8>) {
        let has_authority = !self.host.is_empty() || self.user.is_some();
        if has_authority || !self.scheme.is_empty() && !self.path.is_empty() {
            output.extend_from_slice(b"//");
            if let Some(user) = &self.user {
                output.extend(user.printed());
                output.push(b'@');
            }
            output.extend(escape(&self.host, Part::Host));
        }
        let path = if self.path == b"*" { self.path.clone() } else { escape(&self.path, Part::Path) };
        if !path.is_empty() && !path.starts_with(b"/") && !self.host.is_empty() {
            output.push(b'/');
        }
        if output.is_empty() && cut(&path, b'/').0.contains(&b':') {
            output.extend_from_slice(b"./");
        }
        output.extend(path);
    }
}

fn cut(text: &[u8], separator: u8) -> (&[u8], Option<&[u8]>) {
    match text.iter().position(|b| *b == separator) {
        Some(position) => (&text[..position], Some(&text[position + 1..])),
        None => (text, None),
    }
}

fn split_scheme(text: &[u8]) -> Result<(&[u8], &[u8]), Problem> {
    for (index, byte) in text.iter().enumerate() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' => {}
            b'0'..=b'9' | b'+' | b'-' | b'.' if index > 0 => {}
            b':' if index == 0 => return Err(Problem::MissingScheme),
            b':' => return Ok((&text[..index], &text[index + 1..])),
            _ => break,
        }
    }
    Ok((&[], text))
}

/// Whether this is nothing, or a colon with digits.
fn is_port(text: &[u8]) -> bool {
    match text {
        [] => true,
        [b':', digits @ ..] => digits.iter().all(u8::is_ascii_digit),
        _ => false,
    }
}

fn check_port(text: &[u8]) -> Result<(), Problem> {
    if is_port(text) { Ok(()) } else { Err(Problem::Port(String::from_utf8_lossy(text).into_owned())) }
}

fn parse_host(scheme: &[u8], host: &[u8]) -> Result<Vec<u8>, Problem> {
    match host.iter().rposition(|b| *b == b'[') {
        Some(0) => return parse_bracketed(host),
        Some(_) => return Err(Problem::IpLiteral),
        None => {}
    }
    let colon = if matches!(scheme, b"http" | b"https") {
        host.iter().position(|b| *b == b':')
    } else {
        host.iter().rposition(|b| *b == b':')
    };
    if let Some(colon) = colon {
        check_port(&host[colon..])?;
    }
    unescape(host, Part::Host)
}

fn parse_bracketed(host: &[u8]) -> Result<Vec<u8>, Problem> {
    let close = host.iter().rposition(|b| *b == b']').ok_or(Problem::MissingBracket)?;
    let port = &host[close + 1..];
    check_port(port)?;
    let port = unescape(port, Part::Host)?;
    let name = &host[1..close];
    let zone = name.windows(3).position(|window| window == b"%25").unwrap_or(name.len());
    let mut address = unescape(&name[..zone], Part::Host)?;
    address.extend(unescape(&name[zone..], Part::Zone)?);
    let text = String::from_utf8_lossy(&address).into_owned();
    let without_zone = text.split('%').next().unwrap_or_default();
    if without_zone.parse::<std::net::Ipv4Addr>().is_ok() {
        return Err(Problem::IpLiteral);
    }
    if without_zone.parse::<Ipv6Addr>().is_err() {
        return Err(Problem::Address(text));
    }
    Ok([b"[", address.as_slice(), b"]", port.as_slice()].concat())
}
