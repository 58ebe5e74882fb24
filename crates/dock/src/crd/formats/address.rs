//! Names and addresses of hosts.

use std::sync::LazyLock;

use regex::Regex;

pub(super) fn is_hostname(text: &str) -> bool {
    #[expect(clippy::unwrap_used, reason = "a fixed pattern")]
    static NAME: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(concat!(
            r"^([a-zA-Z0-9\p{S}\p{L}]((-?[a-zA-Z0-9\p{S}\p{L}]{0,62})?)",
            r"|([a-zA-Z0-9\p{S}\p{L}](([a-zA-Z0-9\-\p{S}\p{L}]{0,61}[a-zA-Z0-9\p{S}\p{L}])?)(\.)){1,}([a-zA-Z\p{L}]){2,63})$"
        ))
        .unwrap()
    });
    NAME.is_match(text) && text.len() <= 255 && text.split('.').all(|part| part.len() <= 63)
}

/// Whether a text is an address of either family. Zeros may lead the numbers of the old one if `sloppy`.
pub(super) fn ip(text: &str, sloppy: bool) -> bool {
    match text.find(['.', ':']) {
        Some(at) if text[at..].starts_with('.') => ipv4(text, sloppy),
        Some(_) => ipv6(text, sloppy),
        None => false,
    }
}

fn ipv4(text: &str, sloppy: bool) -> bool {
    let parts: Vec<&str> = text.split('.').collect();
    parts.len() == 4
        && parts.iter().all(|part| {
            let number = if sloppy { part.trim_start_matches('0') } else { part };
            !part.is_empty()
                && part.bytes().all(|byte| byte.is_ascii_digit())
                && (number.is_empty() || number.parse::<u8>().is_ok())
                && (sloppy || part.len() == 1 || !part.starts_with('0'))
        })
}

fn ipv6(text: &str, sloppy: bool) -> bool {
    let (head, tail) = match text.rsplit_once(':') {
        Some((head, tail)) if tail.contains('.') => (head, Some(tail)),
        _ => (text, None),
    };
    if let Some(tail) = tail {
        if !ipv4(tail, sloppy) {
            return false;
        }
        return format!("{head}:0:0").parse::<std::net::Ipv6Addr>().is_ok();
    }
    text.parse::<std::net::Ipv6Addr>().is_ok()
}

pub(super) fn is_cidr(text: &str) -> bool {
    let Some((address, length)) = text.split_once('/') else { return false };
    let most = if address.contains(':') { 128 } else { 32 };
    ip(address, true)
        && !length.is_empty()
        && length.bytes().all(|byte| byte.is_ascii_digit())
        && length.parse::<u16>().is_ok_and(|length| length <= most)
}

/// Six, eight or twenty bytes, as pairs after `:` or `-`, or as fours after `.`.
pub(super) fn is_mac(text: &str) -> bool {
    let hex =
        |part: &str, length: usize| part.len() == length && part.bytes().all(|byte| byte.is_ascii_hexdigit());
    let grouped = |separator: char, length: usize| {
        let parts: Vec<&str> = text.split(separator).collect();
        parts.iter().all(|part| hex(part, length)).then(|| parts.len() * length / 2)
    };
    let bytes = match text.as_bytes().get(2) {
        Some(b':') => grouped(':', 2),
        Some(b'-') => grouped('-', 2),
        _ if text.as_bytes().get(4) == Some(&b'.') => grouped('.', 4),
        _ => None,
    };
    matches!(bytes, Some(6 | 8 | 20))
}
