//! Base64 and base32, with Go's treatment of corrupt input.

use super::{Function, FunctionError};
use crate::value::types::STRING;
use crate::value::{Text, Value};

pub(super) static TABLE: &[Function] = &[
    Function::new("b64enc", &[STRING], STRING, |_, args| Ok(BASE64.encode(args.bytes(0)).into())),
    Function::new("b64dec", &[STRING], STRING, |_, args| Ok(decoded(&BASE64, args.bytes(0)))),
    Function::new("b32enc", &[STRING], STRING, |_, args| Ok(BASE32.encode(args.bytes(0)).into())),
    Function::new("b32dec", &[STRING], STRING, |_, args| Ok(decoded(&BASE32, args.bytes(0)))),
];

/// The text that was encoded, or what is wrong with it.
fn decoded(encoding: &Encoding, text: &[u8]) -> Value {
    match encoding.decode(text) {
        Ok(bytes) => Text::from_bytes(bytes).into(),
        Err(error) => error.message().to_owned().into(),
    }
}

/// An encoding of bytes in groups of characters that stand for a few bits each.
pub(super) struct Encoding {
    name: &'static str,
    alphabet: &'static [u8],
    /// Bits per character.
    bits: usize,
    /// Bytes per group, and characters per group.
    group: (usize, usize),
}

pub(in crate::functions) static BASE64: Encoding = Encoding {
    name: "base64",
    alphabet: b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
    bits: 6,
    group: (3, 4),
};

static BASE32: Encoding =
    Encoding { name: "base32", alphabet: b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", bits: 5, group: (5, 8) };

impl Encoding {
    pub(super) fn encode(&self, bytes: &[u8]) -> String {
        let (group_bytes, group_characters) = self.group;
        let mut text = String::with_capacity(bytes.len().div_ceil(group_bytes) * group_characters);
        for group in bytes.chunks(group_bytes) {
            let value = group.iter().fold(0u64, |value, byte| value << 8 | u64::from(*byte));
            let value = value << (8 * (group_bytes - group.len()));
            let used = (group.len() * 8).div_ceil(self.bits);
            for position in 0..group_characters {
                let shift = self.bits * (group_characters - 1 - position);
                let index = (value >> shift) as usize & (self.alphabet.len() - 1);
                text.push(if position < used { char::from(self.alphabet[index]) } else { '=' });
            }
        }
        text
    }

    fn digit(&self, byte: u8) -> Option<u64> {
        self.alphabet.iter().position(|known| *known == byte).map(|digit| digit as u64)
    }

    /// Decodes, ignoring line ends; an error names the byte that is wrong.
    pub(super) fn decode(&self, text: &[u8]) -> Result<Vec<u8>, FunctionError> {
        let decoded = if self.bits == 6 { self.decode_64(text) } else { self.decode_32(text) };
        decoded.map_err(|position| {
            FunctionError::new(format!("illegal {} data at input byte {position}", self.name))
        })
    }

    fn decode_64(&self, text: &[u8]) -> Result<Vec<u8>, usize> {
        let mut output = Vec::with_capacity(text.len() / 4 * 3);
        let is_line_end = |byte: u8| matches!(byte, b'\n' | b'\r');
        let (mut group, mut count) = (0u64, 0);
        let mut position = 0;
        while position < text.len() {
            let byte = text[position];
            position += 1;
            if let Some(digit) = self.digit(byte) {
                group = group << 6 | digit;
                count += 1;
                if count == 4 {
                    output.extend_from_slice(&group.to_be_bytes()[5..]);
                    (group, count) = (0, 0);
                }
                continue;
            }
            if is_line_end(byte) {
                continue;
            }
            if byte != b'=' || count < 2 {
                return Err(position - 1);
            }
            let skip = |from: usize| from + text[from..].iter().take_while(|b| is_line_end(**b)).count();
            if count == 2 {
                position = skip(position);
                match text.get(position) {
                    None => return Err(text.len()),
                    Some(b'=') => position += 1,
                    Some(_) => return Err(position - 1),
                }
            }
            position = skip(position);
            if position < text.len() {
                return Err(position);
            }
            let whole = (group << (6 * (4 - count))).to_be_bytes();
            output.extend_from_slice(&whole[5..4 + count]);
            return Ok(output);
        }
        if count == 0 { Ok(output) } else { Err(text.len() - count) }
    }

    fn decode_32(&self, text: &[u8]) -> Result<Vec<u8>, usize> {
        let text: Vec<u8> = text.iter().copied().filter(|b| !matches!(b, b'\n' | b'\r')).collect();
        let mut output = Vec::with_capacity(text.len() / 8 * 5);
        let mut start = 0;
        while start < text.len() {
            let mut group = 0u64;
            for count in 0..8 {
                let position = start + count;
                let Some(byte) = text.get(position) else {
                    return Err(text.len() - count);
                };
                let rest = &text[position + 1..];
                if *byte == b'=' && count >= 2 && rest.len() < 8 {
                    if rest.len() + count < 7 {
                        return Err(text.len());
                    }
                    if let Some(wrong) = rest.iter().take(7 - count).position(|b| *b != b'=') {
                        return Err(position + wrong);
                    }
                    if matches!(count, 3 | 6) {
                        return Err(position);
                    }
                    let whole = (group << (5 * (8 - count))).to_be_bytes();
                    output.extend_from_slice(&whole[3..3 + count * 5 / 8]);
                    return Ok(output);
                }
                group = group << 5 | self.digit(*byte).ok_or(position)?;
            }
            output.extend_from_slice(&group.to_be_bytes()[3..]);
            start += 8;
        }
        Ok(output)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encoding_and_decoding_are_inverse() {
        for length in 0..20u8 {
            let bytes: Vec<u8> = (0..length).map(|byte| byte.wrapping_mul(71)).collect();
            for encoding in [&BASE64, &BASE32] {
                assert_eq!(encoding.decode(encoding.encode(&bytes).as_bytes()).unwrap(), bytes);
            }
        }
        assert_eq!(BASE64.encode(b"foob"), "Zm9vYg==");
        assert_eq!(BASE32.encode(b"foob"), "MZXW6YQ=");
        assert_eq!(BASE64.decode(b"Zm9v\r\nYg==\n").unwrap(), b"foob");
    }

    proptest::proptest! {
        #[test]
        fn what_is_encoded_is_decoded(bytes: Vec<u8>) {
            for encoding in [&BASE64, &BASE32] {
                proptest::prop_assert_eq!(&encoding.decode(encoding.encode(&bytes).as_bytes()).unwrap(), &bytes);
            }
        }

        #[test]
        fn nothing_makes_decoding_fall_over(text: Vec<u8>) {
            for encoding in [&BASE64, &BASE32] {
                let _ = encoding.decode(&text);
            }
        }
    }
}
