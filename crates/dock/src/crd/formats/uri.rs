//! URIs as Go's `url.ParseRequestURI` reads them.

/// Whether a text is an absolute URI or an absolute path.
pub(crate) fn is_request_uri(text: &str) -> bool {
    parts(text).is_some()
}

/// Whether a text is a URI with a scheme and a host.
pub(crate) fn has_scheme_and_host(text: &str) -> bool {
    parts(text).is_some_and(|(scheme, host)| !scheme.is_empty() && !host.is_empty())
}

/// The scheme and the host.
fn parts(text: &str) -> Option<(&str, &str)> {
    if text.is_empty() || text.bytes().any(|byte| byte < b' ' || byte == 0x7f) {
        return None;
    }
    if text == "*" {
        return Some(("", ""));
    }
    let (scheme, rest) = split_scheme(text)?;
    let rest = rest.split_once('?').map_or(rest, |(before, _)| before);
    if !rest.starts_with('/') {
        return (!scheme.is_empty()).then_some((scheme, ""));
    }
    let (authority, path) = match rest.strip_prefix("//") {
        Some(after) if !scheme.is_empty() || !rest.starts_with("///") => match after.find('/') {
            Some(at) => after.split_at(at),
            None => (after, ""),
        },
        _ => ("", rest),
    };
    (is_authority(authority) && is_escaped(path)).then_some((scheme, authority))
}

fn split_scheme(text: &str) -> Option<(&str, &str)> {
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' => {}
            b'0'..=b'9' | b'+' | b'-' | b'.' if at > 0 => {}
            b':' if at == 0 => return None,
            b':' => return Some((&text[..at], &text[at + 1..])),
            _ => return Some(("", text)),
        }
    }
    Some(("", text))
}

fn is_authority(text: &str) -> bool {
    let (user, host) = match text.rsplit_once('@') {
        Some((user, host)) => (user, host),
        None => ("", text),
    };
    let user_fits = is_escaped(user)
        && user.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._:~!$&'()*+,;=%@".contains(&byte));
    user_fits && is_host(host)
}

fn is_host(host: &str) -> bool {
    if let Some(inner) = host.strip_prefix('[') {
        let Some((address, port)) = inner.rsplit_once(']') else { return false };
        let address = address.split_once("%25").map_or(address, |(address, _)| address);
        return is_port(port) && address.parse::<std::net::Ipv6Addr>().is_ok();
    }
    let (name, port) = match host.rfind(':') {
        Some(at) => host.split_at(at),
        None => (host, ""),
    };
    is_port(port)
        && is_escaped(name)
        && !name.contains(':')
        && name.bytes().all(|byte| {
            byte >= 0x80 || byte.is_ascii_alphanumeric() || b"-._~!$&'()*+,;=%[]<>\"".contains(&byte)
        })
        && escapes(name).all(|byte| byte >= 0x80)
}

fn is_port(port: &str) -> bool {
    port.is_empty()
        || port.strip_prefix(':').is_some_and(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()))
}

fn is_escaped(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.iter().enumerate().filter(|(_, byte)| **byte == b'%').all(|(at, _)| {
        bytes.get(at + 1).is_some_and(u8::is_ascii_hexdigit)
            && bytes.get(at + 2).is_some_and(u8::is_ascii_hexdigit)
    })
}

fn escapes(text: &str) -> impl Iterator<Item = u8> {
    text.match_indices('%').filter_map(|(at, _)| u8::from_str_radix(text.get(at + 1..at + 3)?, 16).ok())
}
