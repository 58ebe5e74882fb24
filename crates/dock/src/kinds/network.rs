//! IP addresses and ranges, read strictly and as sloppily as older servers did.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use super::report::Errors;
use crate::field::Path;

/// Reads an address; numbers of version 4 may have leading zeros.
pub(crate) fn sloppy(text: &str) -> Option<IpAddr> {
    if text.contains(':') {
        return text.parse::<Ipv6Addr>().ok().map(IpAddr::V6);
    }
    let mut octets = [0_u8; 4];
    let mut parts = text.split('.');
    for octet in &mut octets {
        let part = parts.next()?;
        if part.is_empty() || !part.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        *octet = part.parse::<u32>().ok().and_then(|number| u8::try_from(number).ok())?;
    }
    parts.next().is_none().then(|| IpAddr::V4(Ipv4Addr::from(octets)))
}

/// An address as Go shows it: version 4 in version 6 is version 4.
pub(crate) fn shown(address: IpAddr) -> String {
    address.to_canonical().to_string()
}

/// Whether an address is of version 6 in Go's eyes.
pub(crate) fn is_v6(text: &str) -> bool {
    sloppy(text).is_some_and(|address| address.to_canonical().is_ipv6())
}

fn is_mapped(address: IpAddr) -> bool {
    matches!(address, IpAddr::V6(address) if address.to_ipv4_mapped().is_some())
}

/// What is wrong with an address in a field where older objects may have sloppy ones. Those in `old` are right.
pub(crate) fn address(text: &str, old: &[&str], path: &Path, errors: &mut Errors) {
    if old.contains(&text) {
        return;
    }
    let Some(address) = sloppy(text) else {
        errors.invalid(path, text, "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)");
        return;
    };
    if text.parse::<IpAddr>().is_err() {
        errors.invalid(path, text, "must not have leading 0s");
    }
    if is_mapped(address) {
        errors.invalid(path, text, "must not be an IPv4-mapped IPv6 address");
    }
}

/// An address that can be written in several ways must be written in the usual one.
pub(crate) fn canonical(text: &str, path: &Path, errors: &mut Errors) {
    let Some(usual) = sloppy(text).map(shown).filter(|usual| usual != text) else { return };
    errors.invalid(path, text, format!("must be in canonical form ({usual:?})"));
}

/// A range of addresses.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Range {
    /// The address before the slash.
    pub(crate) address: IpAddr,
    /// How many bits are fixed.
    pub(crate) bits: u8,
}

impl Range {
    /// Reads a range; numbers may have leading zeros.
    pub(crate) fn sloppy(text: &str) -> Option<Self> {
        let (address, bits) = text.split_once('/')?;
        let address = sloppy(address)?;
        let max = if address.is_ipv4() { 32 } else { 128 };
        let digits = !bits.is_empty() && bits.bytes().all(|byte| byte.is_ascii_digit());
        let bits = digits.then(|| bits.parse::<u32>().ok()).flatten().filter(|bits| *bits <= max)?;
        Some(Self { address, bits: u8::try_from(bits).ok()? })
    }

    /// The first address of the range.
    pub(crate) fn first(self) -> IpAddr {
        match self.address {
            IpAddr::V4(address) => {
                let mask = u32::MAX.checked_shl(32 - u32::from(self.bits)).unwrap_or(0);
                IpAddr::V4(Ipv4Addr::from_bits(address.to_bits() & mask))
            }
            IpAddr::V6(address) => {
                let mask = u128::MAX.checked_shl(128 - u32::from(self.bits)).unwrap_or(0);
                IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() & mask))
            }
        }
    }

    /// Whether the range holds an address.
    pub(crate) fn contains(self, address: IpAddr) -> bool {
        address.is_ipv4() == self.address.is_ipv4()
            && Self { address, bits: self.bits }.first() == self.first()
    }

    /// The range as Go shows it.
    pub(crate) fn shown(self) -> String {
        format!("{}/{}", shown(self.first()), self.bits)
    }
}

/// What is wrong with a range in a field where older objects may have sloppy ones. Those in `old` are right.
pub(crate) fn range(text: &str, old: &[&str], path: &Path, errors: &mut Errors) {
    if old.contains(&text) {
        return;
    }
    let Some(range) = Range::sloppy(text) else {
        errors.invalid(path, text, "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)");
        return;
    };
    let (address, bits) = text.split_once('/').unwrap_or((text, ""));
    if address.parse::<IpAddr>().is_err() || bits.len() > 1 && bits.starts_with('0') {
        errors.invalid(path, text, "must not have leading 0s in IP or prefix length");
    } else if is_mapped(range.address) {
        errors.invalid(path, text, "must not have an IPv4-mapped IPv6 address");
    } else if range.first() != range.address {
        errors.invalid(path, text, "must not have bits set beyond the prefix length");
    }
}

/// What the server warns of in an address that is right.
pub(crate) fn address_warnings(text: &str, path: &Path) -> Vec<String> {
    let Some(address) = sloppy(text) else { return Vec::new() };
    if text.parse::<IpAddr>().is_err() || is_mapped(address) {
        let better = shown(address);
        return vec![format!("{path}: non-standard IP address {text:?} is invalid: use {better:?}")];
    }
    if address.is_ipv6() && address.to_string() != text {
        return vec![format!(
            "{path}: IPv6 address {text:?} should be in RFC 5952 canonical format ({:?})",
            address.to_string()
        )];
    }
    Vec::new()
}

/// What the server warns of in a range that is right.
pub(crate) fn range_warnings(text: &str, path: &Path) -> Vec<String> {
    let Some(range) = Range::sloppy(text) else { return Vec::new() };
    let mut warnings = Vec::new();
    if range.first() != range.address {
        let length = if range.address.is_ipv4() { 32 } else { 128 };
        warnings.push(format!(
            "{path}: CIDR value {text:?} is ambiguous in this context (should be {:?} or {:?}?)",
            range.shown(),
            format!("{}/{length}", shown(range.address))
        ));
    }
    let (address, bits) = text.split_once('/').unwrap_or((text, ""));
    let strict = address.parse::<IpAddr>().is_ok() && (bits.len() == 1 || !bits.starts_with('0'));
    if !strict || is_mapped(range.address) {
        warnings
            .push(format!("{path}: non-standard CIDR value {text:?} is invalid: use {:?}", range.shown()));
    }
    if warnings.is_empty() && range.address.is_ipv6() && range.shown() != text {
        warnings.push(format!(
            "{path}: IPv6 CIDR value {text:?} should be in RFC 5952 canonical format ({:?})",
            range.shown()
        ));
    }
    warnings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_strictly() {
        for (text, wrong) in [
            ("10.0.0.1", None),
            ("::1", None),
            ("010.0.0.1", Some("must not have leading 0s")),
            ("::ffff:1.2.3.4", Some("must not be an IPv4-mapped IPv6 address")),
            ("10.0.0", Some("must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)")),
            ("a", Some("must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)")),
        ] {
            let mut errors = Errors::new();
            address(text, &[], &Path::new("ip"), &mut errors);
            assert_eq!(errors.found().first().map(|error| error.detail.as_str()), wrong, "{text}");
        }
    }

    #[test]
    fn ranges_are_read_strictly() {
        for (text, wrong) in [
            ("10.0.0.0/8", None),
            ("2001:db8::/64", None),
            ("10.0.0.1/8", Some("must not have bits set beyond the prefix length")),
            ("010.0.0.0/8", Some("must not have leading 0s in IP or prefix length")),
            ("10.0.0.0/33", Some("must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)")),
            ("10.0.0.0", Some("must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)")),
        ] {
            let mut errors = Errors::new();
            range(text, &[], &Path::new("cidr"), &mut errors);
            assert_eq!(errors.found().first().map(|error| error.detail.as_str()), wrong, "{text}");
        }
        assert_eq!(
            range_warnings("10.0.0.1/8", &Path::new("cidr")),
            [
                r#"cidr: CIDR value "10.0.0.1/8" is ambiguous in this context (should be "10.0.0.0/8" or "10.0.0.1/32"?)"#
            ]
        );
    }
}
