//! Addresses and ranges of them, read as Go's `net/netip` does.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use super::strings::go_quote;
use super::{Library, failure, text};
use crate::error::{EvalError, Outcome};
use crate::value::Value;

/// A range of addresses: an address, and how many of its first bits they share.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cidr {
    address: IpAddr,
    bits: u8,
}

pub(super) fn add(library: &mut Library) {
    library.add(
        "ip",
        &[
            ("string_to_ip", "string -> net.IP", |args| Ok(Value::Ip(address(text(args, 0)?)?))),
            ("cidr_ip", "net.CIDR . -> net.IP", |args| Ok(Value::Ip(cidr(args, 0)?.address))),
        ],
    );
    library.add(
        "family",
        &[("ip_family", "net.IP . -> int", |args| {
            Ok(Value::Int(if ip(args, 0)?.is_ipv4() { 4 } else { 6 }))
        })],
    );
    library.add(
        "ip.isCanonical",
        &[("ip_is_canonical", "string -> bool", |args| {
            let text = text(args, 0)?;
            Ok(Value::Bool(address(text)?.to_string() == text))
        })],
    );
    library
        .add("isIP", &[("is_ip", "string -> bool", |args| Ok(Value::Bool(address(text(args, 0)?).is_ok())))]);
    library.add(
        "isUnspecified",
        &[("ip_is_unspecified", "net.IP . -> bool", |args| Ok(Value::Bool(ip(args, 0)?.is_unspecified())))],
    );
    library.add(
        "isLoopback",
        &[("ip_is_loopback", "net.IP . -> bool", |args| Ok(Value::Bool(ip(args, 0)?.is_loopback())))],
    );
    library.add(
        "isLinkLocalMulticast",
        &[("ip_is_link_local_multicast", "net.IP . -> bool", |args| {
            Ok(Value::Bool(link_local_multicast(ip(args, 0)?)))
        })],
    );
    library.add(
        "isLinkLocalUnicast",
        &[("ip_is_link_local_unicast", "net.IP . -> bool", |args| {
            Ok(Value::Bool(link_local_unicast(ip(args, 0)?)))
        })],
    );
    library.add(
        "isGlobalUnicast",
        &[("ip_is_global_unicast", "net.IP . -> bool", |args| {
            let ip = ip(args, 0)?;
            let broadcast = ip == IpAddr::V4(Ipv4Addr::BROADCAST);
            let special =
                ip.is_unspecified() || ip.is_loopback() || ip.is_multicast() || link_local_unicast(ip);
            Ok(Value::Bool(!broadcast && !special))
        })],
    );
    library.add(
        "string",
        &[
            ("ip_to_string", "net.IP -> string", |args| Ok(Value::string(ip(args, 0)?.to_string()))),
            ("cidr_to_string", "net.CIDR -> string", |args| Ok(Value::string(cidr(args, 0)?.to_string()))),
        ],
    );
    library.add(
        "cidr",
        &[("string_to_cidr", "string -> net.CIDR", |args| Ok(Value::Cidr(range(text(args, 0)?)?)))],
    );
    library.add(
        "isCIDR",
        &[("is_cidr", "string -> bool", |args| Ok(Value::Bool(range(text(args, 0)?).is_ok())))],
    );
    library.add(
        "containsIP",
        &[
            ("cidr_contains_ip_string", "net.CIDR . string -> bool", |args| {
                // An address that cannot be read is no address, and that is what cel-go tells.
                let address = address(text(args, 1)?).map_err(|_| EvalError::no_overload())?;
                Ok(Value::Bool(cidr(args, 0)?.contains(address)))
            }),
            ("cidr_contains_ip_ip", "net.CIDR . net.IP -> bool", |args| {
                Ok(Value::Bool(cidr(args, 0)?.contains(ip(args, 1)?)))
            }),
        ],
    );
    library.add(
        "containsCIDR",
        &[
            ("cidr_contains_cidr_string", "net.CIDR . string -> bool", |args| {
                Ok(Value::Bool(cidr(args, 0)?.includes(range(text(args, 1)?)?)))
            }),
            ("cidr_contains_cidr", "net.CIDR . net.CIDR -> bool", |args| {
                Ok(Value::Bool(cidr(args, 0)?.includes(cidr(args, 1)?)))
            }),
        ],
    );
    library.add(
        "prefixLength",
        &[("cidr_prefix_length", "net.CIDR . -> int", |args| Ok(Value::Int(cidr(args, 0)?.bits.into())))],
    );
    library.add(
        "masked",
        &[("cidr_masked", "net.CIDR . -> net.CIDR", |args| {
            let Cidr { address, bits } = cidr(args, 0)?;
            Ok(Value::Cidr(Cidr { address: masked(address, bits), bits }))
        })],
    );
}

fn ip(args: &[Value<'_>], index: usize) -> Outcome<IpAddr> {
    match args.get(index) {
        Some(Value::Ip(address)) => Ok(*address),
        _ => Err(EvalError::no_overload()),
    }
}

fn cidr(args: &[Value<'_>], index: usize) -> Outcome<Cidr> {
    match args.get(index) {
        Some(Value::Cidr(range)) => Ok(*range),
        _ => Err(EvalError::no_overload()),
    }
}

fn link_local_multicast(ip: IpAddr) -> bool {
    match ip {
        IpAddr::V4(ip) => ip.octets()[..3] == [224, 0, 0],
        IpAddr::V6(ip) => ip.segments()[0] & 0xff0f == 0xff02,
    }
}

fn link_local_unicast(ip: IpAddr) -> bool {
    match ip {
        IpAddr::V4(ip) => ip.is_link_local(),
        IpAddr::V6(ip) => ip.segments()[0] & 0xffc0 == 0xfe80,
    }
}

impl Cidr {
    pub(crate) fn bits(self) -> u8 {
        self.bits
    }

    fn contains(self, address: IpAddr) -> bool {
        self.address.is_ipv4() == address.is_ipv4()
            && masked(self.address, self.bits) == masked(address, self.bits)
    }

    fn includes(self, other: Self) -> bool {
        self.bits <= other.bits && self.contains(other.address)
    }
}

impl fmt::Display for Cidr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.address, self.bits)
    }
}

fn masked(address: IpAddr, bits: u8) -> IpAddr {
    match address {
        IpAddr::V4(ip) => {
            let mask = u32::MAX.checked_shl(32 - u32::from(bits)).unwrap_or(0);
            IpAddr::V4(Ipv4Addr::from_bits(ip.to_bits() & mask))
        }
        IpAddr::V6(ip) => {
            let mask = u128::MAX.checked_shl(128 - u32::from(bits)).unwrap_or(0);
            IpAddr::V6(Ipv6Addr::from_bits(ip.to_bits() & mask))
        }
    }
}

fn is_mapped(address: IpAddr) -> bool {
    matches!(address, IpAddr::V6(ip) if ip.to_ipv4_mapped().is_some())
}

fn address(text: &str) -> Outcome<IpAddr> {
    match parse_address(text) {
        Err(problem) => failure(format!(
            "IP Address {} parse error during conversion from string: {problem}",
            go_quote(text)
        )),
        Ok((_, true)) => failure(format!("IP address {} with zone value is not allowed", go_quote(text))),
        Ok((address, false)) if is_mapped(address) => {
            failure(format!("IPv4-mapped IPv6 address {} is not allowed", go_quote(text)))
        }
        Ok((address, false)) => Ok(address),
    }
}

fn range(text: &str) -> Outcome<Cidr> {
    const PROBLEM: &str = "network address parse error during conversion from string: ";
    let cidr = parse_range(text).map_err(|problem| {
        EvalError::Function(format!("{PROBLEM}{PROBLEM}netip.ParsePrefix({}): {problem}", go_quote(text)))
    })?;
    if is_mapped(cidr.address) {
        return failure(format!("{PROBLEM}IPv4-mapped IPv6 address {} is not allowed", go_quote(text)));
    }
    Ok(cidr)
}

fn parse_range(text: &str) -> Result<Cidr, String> {
    let (address, bits) = text.rsplit_once('/').ok_or("no '/'")?;
    let (address, zone) = parse_address(address)?;
    if zone {
        return Err("IPv6 zones cannot be present in a prefix".into());
    }
    let bad = || format!("bad bits after slash: {}", go_quote(bits));
    if bits.len() > 1 && !bits.starts_with(|c: char| ('1'..='9').contains(&c)) {
        return Err(bad());
    }
    let number = goyaml::strconv::atoi(bits).map_err(|_| bad())?;
    let most = if address.is_ipv4() { 32 } else { 128 };
    match u8::try_from(number) {
        Ok(bits) if bits <= most => Ok(Cidr { address, bits }),
        _ => Err("prefix length out of range".into()),
    }
}

/// An address, and whether it has a zone; else what is wrong, as Go's `ParseAddr` says it.
pub(super) fn parse_address(text: &str) -> Result<(IpAddr, bool), String> {
    let parsed = match text.bytes().find(|byte| b".:%".contains(byte)) {
        Some(b'.') => parse_v4(text, 0).map(|ip| (IpAddr::V4(ip), false)),
        Some(b':') => parse_v6(text).map(|(ip, zone)| (IpAddr::V6(ip), zone)),
        Some(_) => Err(("missing IPv6 address", String::new())),
        None => Err(("unable to parse IP", String::new())),
    };
    parsed.map_err(|(problem, at)| {
        let place = if at.is_empty() { String::new() } else { format!(" (at {})", go_quote(&at)) };
        format!("ParseAddr({}): {problem}{place}", go_quote(text))
    })
}

/// A problem, and the rest of the text where it was found.
type Problem = (&'static str, String);

fn parse_v4(text: &str, start: usize) -> Result<Ipv4Addr, Problem> {
    let text = &text[start..];
    let bytes = text.as_bytes();
    let (mut fields, mut position, mut value, mut digits) = ([0_u8; 4], 0, 0_u32, 0);
    for (at, byte) in bytes.iter().enumerate() {
        match byte {
            b'0'..=b'9' => {
                if digits == 1 && value == 0 {
                    return Err(("IPv4 field has octet with leading zero", String::new()));
                }
                value = value * 10 + u32::from(byte - b'0');
                digits += 1;
                if value > 255 {
                    return Err(("IPv4 field has value >255", String::new()));
                }
            }
            b'.' => {
                if at == 0 || at == bytes.len() - 1 || bytes[at - 1] == b'.' {
                    return Err(("IPv4 field must have at least one digit", text[at..].to_owned()));
                }
                if position == 3 {
                    return Err(("IPv4 address too long", String::new()));
                }
                fields[position] = value as u8;
                position += 1;
                (value, digits) = (0, 0);
            }
            _ => return Err(("unexpected character", String::from_utf8_lossy(&bytes[at..]).into_owned())),
        }
    }
    if position < 3 {
        return Err(("IPv4 address too short", String::new()));
    }
    fields[3] = value as u8;
    Ok(Ipv4Addr::from(fields))
}

fn parse_v6(text: &str) -> Result<(Ipv6Addr, bool), Problem> {
    let (whole, zone) = match text.split_once('%') {
        Some((_, "")) => return Err(("zone must be a non-empty string", String::new())),
        Some((address, _)) => (address, true),
        None => (text, false),
    };
    let mut rest = whole;
    let mut octets: Vec<u8> = Vec::with_capacity(16);
    let mut ellipsis = None;
    if let Some(behind) = rest.strip_prefix("::") {
        ellipsis = Some(0);
        rest = behind;
        if rest.is_empty() {
            return Ok((Ipv6Addr::UNSPECIFIED, zone));
        }
    }
    while octets.len() < 16 {
        let length = rest.bytes().take_while(u8::is_ascii_hexdigit).count();
        if length > 4 {
            return Err(("each group must have 4 or less digits", rest.to_owned()));
        }
        if length == 0 {
            return Err(("each colon-separated field must have at least one digit", rest.to_owned()));
        }
        if rest[length..].starts_with('.') {
            if ellipsis.is_none() && octets.len() != 12 {
                let problem = "embedded IPv4 address must replace the final 2 fields of the address";
                return Err((problem, rest.to_owned()));
            }
            if octets.len() + 4 > 16 {
                let problem = "too many hex fields to fit an embedded IPv4 at the end of the address";
                return Err((problem, rest.to_owned()));
            }
            octets.extend(parse_v4(whole, whole.len() - rest.len())?.octets());
            rest = "";
            break;
        }
        let group = u16::from_str_radix(&rest[..length], 16).unwrap_or_default();
        octets.extend(group.to_be_bytes());
        rest = &rest[length..];
        if rest.is_empty() {
            break;
        }
        if !rest.starts_with(':') {
            return Err(("unexpected character, want colon", rest.to_owned()));
        }
        if rest.len() == 1 {
            return Err(("colon must be followed by more characters", rest.to_owned()));
        }
        rest = &rest[1..];
        if rest.starts_with(':') {
            if ellipsis.is_some() {
                return Err(("multiple :: in address", rest.to_owned()));
            }
            ellipsis = Some(octets.len());
            rest = &rest[1..];
            if rest.is_empty() {
                break;
            }
        }
    }
    if !rest.is_empty() {
        return Err(("trailing garbage after address", rest.to_owned()));
    }
    match (16 - octets.len(), ellipsis) {
        (0, None) => {}
        (0, Some(_)) => return Err(("the :: must expand to at least one field of zeros", String::new())),
        (_, None) => return Err(("address string too short", String::new())),
        (missing, Some(at)) => {
            octets.splice(at..at, std::iter::repeat_n(0, missing));
        }
    }
    let mut whole = [0; 16];
    whole.copy_from_slice(&octets);
    Ok((Ipv6Addr::from(whole), zone))
}
