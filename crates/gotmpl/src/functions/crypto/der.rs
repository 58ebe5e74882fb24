//! The little of DER that keys and certificates need.

/// Tags of the types used here.
pub(super) mod tag {
    pub(crate) const BOOLEAN: u8 = 0x01;
    pub(crate) const INTEGER: u8 = 0x02;
    pub(crate) const BIT_STRING: u8 = 0x03;
    pub(crate) const OCTET_STRING: u8 = 0x04;
    pub(crate) const NULL: u8 = 0x05;
    pub(crate) const OID: u8 = 0x06;
    pub(crate) const UTF8_STRING: u8 = 0x0c;
    pub(crate) const PRINTABLE_STRING: u8 = 0x13;
    pub(crate) const UTC_TIME: u8 = 0x17;
    pub(crate) const GENERALIZED_TIME: u8 = 0x18;
    pub(crate) const SEQUENCE: u8 = 0x30;
    pub(crate) const SET: u8 = 0x31;
    /// A context-specific tag that holds other values.
    pub(crate) const fn explicit(number: u8) -> u8 {
        0xa0 | number
    }
    /// A context-specific tag in place of another.
    pub(crate) const fn implicit(number: u8) -> u8 {
        0x80 | number
    }
}

/// Object identifiers, already encoded.
pub(super) mod oid {
    pub(crate) const RSA: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01];
    pub(crate) const SHA256_RSA: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x0b];
    pub(crate) const EC: &[u8] = &[0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01];
    pub(crate) const P256: &[u8] = &[0x2a, 0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07];
    pub(crate) const P384: &[u8] = &[0x2b, 0x81, 0x04, 0x00, 0x22];
    pub(crate) const P521: &[u8] = &[0x2b, 0x81, 0x04, 0x00, 0x23];
    pub(crate) const ECDSA_SHA256: &[u8] = &[0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02];
    pub(crate) const ECDSA_SHA384: &[u8] = &[0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x03];
    pub(crate) const ECDSA_SHA512: &[u8] = &[0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x04];
    pub(crate) const ED25519: &[u8] = &[0x2b, 0x65, 0x70];
    pub(crate) const COMMON_NAME: &[u8] = &[0x55, 0x04, 0x03];
    pub(crate) const SUBJECT_KEY_ID: &[u8] = &[0x55, 0x1d, 0x0e];
    pub(crate) const KEY_USAGE: &[u8] = &[0x55, 0x1d, 0x0f];
    pub(crate) const SUBJECT_ALT_NAME: &[u8] = &[0x55, 0x1d, 0x11];
    pub(crate) const BASIC_CONSTRAINTS: &[u8] = &[0x55, 0x1d, 0x13];
    pub(crate) const AUTHORITY_KEY_ID: &[u8] = &[0x55, 0x1d, 0x23];
    pub(crate) const EXTENDED_KEY_USAGE: &[u8] = &[0x55, 0x1d, 0x25];
    pub(crate) const SERVER_AUTH: &[u8] = &[0x2b, 0x06, 0x01, 0x05, 0x05, 0x07, 0x03, 0x01];
    pub(crate) const CLIENT_AUTH: &[u8] = &[0x2b, 0x06, 0x01, 0x05, 0x05, 0x07, 0x03, 0x02];
}

/// A value with its tag and length.
pub(super) fn value(tag: u8, content: &[u8]) -> Vec<u8> {
    let mut output = vec![tag];
    let length = content.len();
    if length < 0x80 {
        output.push(length as u8);
    } else {
        let bytes = length.to_be_bytes();
        let significant = &bytes[length.leading_zeros() as usize / 8..];
        output.push(0x80 | significant.len() as u8);
        output.extend_from_slice(significant);
    }
    output.extend_from_slice(content);
    output
}

/// A sequence of values that are encoded already.
pub(super) fn sequence(values: &[&[u8]]) -> Vec<u8> {
    value(tag::SEQUENCE, &values.concat())
}

/// An integer that is not negative, from its bytes, most significant first.
pub(super) fn integer(bytes: &[u8]) -> Vec<u8> {
    let zeros = bytes.iter().take_while(|byte| **byte == 0).count();
    let significant = &bytes[zeros..];
    // A leading one bit would be a sign.
    let mut content = Vec::with_capacity(significant.len() + 1);
    if significant.first().is_none_or(|byte| byte & 0x80 != 0) {
        content.push(0);
    }
    content.extend_from_slice(significant);
    value(tag::INTEGER, &content)
}

/// A bit string of whole bytes.
pub(super) fn bit_string(bytes: &[u8]) -> Vec<u8> {
    value(tag::BIT_STRING, &[&[0], bytes].concat())
}

/// An algorithm with its parameters, encoded already.
pub(super) fn algorithm(oid: &[u8], parameters: &[u8]) -> Vec<u8> {
    sequence(&[&value(tag::OID, oid), parameters])
}

/// Reads values one after the other.
#[derive(Clone, Copy)]
pub(super) struct Reader<'a>(pub(super) &'a [u8]);

impl<'a> Reader<'a> {
    /// The next value: its tag, its content, and all its bytes.
    pub(super) fn next(&mut self) -> Option<(u8, &'a [u8], &'a [u8])> {
        let (tag, rest) = self.0.split_first()?;
        let (first, mut rest) = rest.split_first()?;
        let mut length = usize::from(*first);
        if length >= 0x80 {
            let count = length & 0x7f;
            if count == 0 || count > 4 || rest.len() < count {
                return None;
            }
            length = rest[..count].iter().fold(0, |length, byte| length << 8 | usize::from(*byte));
            rest = &rest[count..];
        }
        let content = rest.get(..length)?;
        let whole = &self.0[..self.0.len() - rest.len() + length];
        self.0 = &rest[length..];
        Some((*tag, content, whole))
    }

    /// The content of the next value, if it has the tag.
    pub(super) fn expect(&mut self, tag: u8) -> Option<&'a [u8]> {
        self.next().filter(|(found, ..)| *found == tag).map(|(_, content, _)| content)
    }

    /// The tag of the next value.
    pub(super) fn peek(&self) -> Option<u8> {
        self.0.first().copied()
    }
}
