//! Through which proxy a server is reached, if through any, by the rules of Go: a variable for each scheme, `NO_PROXY`
//! for exceptions, and never for this machine itself.

use std::net::IpAddr;

use http::Uri;

/// The proxy that the environment names for a server.
pub(super) fn from_environment(server: &Uri, variable: impl Fn(&str) -> Option<String>) -> Option<String> {
    let either = |name: &str| {
        let set = |name: &str| variable(name).filter(|text| !text.is_empty());
        set(name).or_else(|| set(&name.to_lowercase()))
    };
    let proxy = match server.scheme_str() {
        Some("https") => either("HTTPS_PROXY"),
        Some("http") => either("HTTP_PROXY"),
        _ => None,
    }?;
    let host = server.host()?.trim_matches(['[', ']']).to_lowercase();
    let port = server.port_u16().unwrap_or(if server.scheme_str() == Some("https") { 443 } else { 80 });
    if is_this_machine(&host) || is_excepted(&host, port, &either("NO_PROXY").unwrap_or_default()) {
        return None;
    }
    Some(if proxy.contains("://") { proxy } else { format!("http://{proxy}") })
}

fn is_this_machine(host: &str) -> bool {
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// Whether `NO_PROXY` has a host: `*`, a name, a domain, an address or a network, each with a port if it likes.
fn is_excepted(host: &str, port: u16, exceptions: &str) -> bool {
    let address = host.parse::<IpAddr>().ok();
    exceptions.split(',').map(|one| one.trim().to_lowercase()).filter(|one| !one.is_empty()).any(|one| {
        if one == "*" {
            return true;
        }
        if let (Some(address), Some(network)) = (address, Network::read(&one)) {
            return network.has(address);
        }
        let (name, only) = match one.rsplit_once(':') {
            Some((name, number)) if !name.contains(':') => (name.to_owned(), number.parse::<u16>().ok()),
            _ => (one.trim_matches(['[', ']']).to_owned(), None),
        };
        if only.is_some_and(|only| only != port) {
            return false;
        }
        if let Some(known) = address {
            return name.parse::<IpAddr>().is_ok_and(|excepted| excepted == known);
        }
        let name = name.strip_prefix('*').unwrap_or(&name);
        match name.strip_prefix('.') {
            Some(domain) => host.strip_suffix(domain).is_some_and(|rest| rest.ends_with('.')),
            None => host == name || host.strip_suffix(name).is_some_and(|rest| rest.ends_with('.')),
        }
    })
}

/// Addresses with the same first bits.
struct Network {
    bits: u128,
    length: u32,
    is_v4: bool,
}

impl Network {
    fn read(text: &str) -> Option<Self> {
        let (address, length) = text.split_once('/')?;
        let address: IpAddr = address.parse().ok()?;
        let length: u32 = length.parse().ok()?;
        (length <= if address.is_ipv4() { 32 } else { 128 }).then(|| Self {
            bits: bits(address),
            length,
            is_v4: address.is_ipv4(),
        })
    }

    fn has(&self, address: IpAddr) -> bool {
        let width = if self.is_v4 { 32 } else { 128 };
        let shift = width - self.length;
        let same = |one: u128| one.checked_shr(shift).unwrap_or_default();
        address.is_ipv4() == self.is_v4 && same(bits(address)) == same(self.bits)
    }
}

fn bits(address: IpAddr) -> u128 {
    match address {
        IpAddr::V4(address) => u128::from(u32::from(address)),
        IpAddr::V6(address) => u128::from(address),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn proxy(server: &'static str, variables: &[(&str, &str)]) -> Option<String> {
        let variable = |name: &str| {
            variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
        };
        from_environment(&Uri::from_static(server), variable)
    }

    #[test]
    fn each_scheme_has_its_variable() {
        let both = [("HTTPS_PROXY", "http://a:1"), ("http_proxy", "b:2")];
        assert_eq!(proxy("https://api.example.com:6443", &both).as_deref(), Some("http://a:1"));
        assert_eq!(proxy("http://api.example.com", &both).as_deref(), Some("http://b:2"));
        assert_eq!(proxy("https://api.example.com", &both[1..]), None);
        assert_eq!(proxy("https://localhost:6443", &both), None);
        assert_eq!(proxy("https://127.0.0.1:6443", &both), None);
        assert_eq!(proxy("https://[::1]:6443", &both), None);
    }

    #[test]
    fn exceptions_are_names_domains_addresses_and_networks() {
        for (exceptions, server, excepted) in [
            ("*", "https://api.example.com", true),
            ("example.com", "https://api.example.com", true),
            ("example.com", "https://example.com", true),
            (".example.com", "https://example.com", false),
            (".example.com", "https://api.example.com", true),
            ("*.example.com", "https://api.example.com", true),
            ("ample.com", "https://api.example.com", false),
            ("api.example.com:6443", "https://api.example.com:6443", true),
            ("api.example.com:6443", "https://api.example.com", false),
            ("other, 10.0.0.0/8", "https://10.96.0.1", true),
            ("10.0.0.0/8", "https://11.0.0.1", false),
            ("10.96.0.1", "https://10.96.0.1:443", true),
            ("fd00::/8", "https://[fd12::1]", true),
            ("0.0.0.0/0", "https://10.1.1.1", true),
            ("", "https://10.1.1.1", false),
        ] {
            let variables = [("HTTPS_PROXY", "http://a:1"), ("NO_PROXY", exceptions)];
            assert_eq!(proxy(server, &variables).is_none(), excepted, "{exceptions} {server}");
        }
    }
}
