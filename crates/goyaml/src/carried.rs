//! Strings that are not UTF-8, on their way through what works on text.
//!
//! Each byte that is no part of a character travels as a character that nobody uses, one of the last 128 of the last
//! private plane, and is itself again where it lands; quoted, it shows as `\xff`.

use std::borrow::Cow;

/// The character for the byte 0.
const FIRST: u32 = 0x10_ff00;
/// What these characters begin with in UTF-8, which hardly any text has in it.
const LEAD: u8 = 0xf4;

/// The bytes as text.
pub fn carried(bytes: &[u8]) -> Cow<'_, str> {
    if let Ok(text) = std::str::from_utf8(bytes) {
        return Cow::Borrowed(text);
    }
    let mut text = String::with_capacity(bytes.len() + 16);
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().filter_map(|byte| char::from_u32(FIRST + u32::from(*byte))));
    }
    Cow::Owned(text)
}

/// The byte that a character stands for.
pub fn byte_of(c: char) -> Option<u8> {
    u32::from(c).checked_sub(FIRST).and_then(|byte| u8::try_from(byte).ok()).filter(|byte| *byte >= 0x80)
}

/// The bytes that arrive.
pub fn bytes_of(text: &str) -> Cow<'_, [u8]> {
    if !text.as_bytes().contains(&LEAD) {
        return Cow::Borrowed(text.as_bytes());
    }
    let mut bytes = Vec::with_capacity(text.len());
    for c in text.chars() {
        match byte_of(c) {
            Some(byte) => bytes.push(byte),
            None => bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
    Cow::Owned(bytes)
}

/// The text as it is written where nothing but text can be: U+FFFD for each byte.
pub fn shown(text: &str) -> Cow<'_, str> {
    match bytes_of(text) {
        Cow::Borrowed(_) => Cow::Borrowed(text),
        Cow::Owned(bytes) => Cow::Owned(crate::text_of(&bytes).into_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_carried_lands_as_it_was() {
        for bytes in [&b"plain"[..], b"a\xff\xe6\x97b", "日本 \u{10fe80}".as_bytes(), b"\x80\xc3"] {
            assert_eq!(bytes_of(&carried(bytes)), bytes);
            assert_eq!(shown(&carried(bytes)), crate::text_of(bytes));
        }
    }
}
