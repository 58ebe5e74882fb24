//! Bytes of a Go string as text.

use std::borrow::Cow;

/// The text that Go takes these bytes for when it goes by characters, and that its JSON writes: every byte that is
/// not part of one shows as U+FFFD.
pub fn text_of(bytes: &[u8]) -> Cow<'_, str> {
    // Checking a whole text is several times quicker than walking through it for what is not UTF-8.
    match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => Cow::Owned(shown(bytes)),
    }
}

fn shown(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() + 2);
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().map(|_| char::REPLACEMENT_CHARACTER));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::text_of;

    #[test]
    fn every_byte_that_is_no_character_shows_for_itself() {
        assert_eq!(text_of(b"a\xff\xe2\x82"), "a\u{fffd}\u{fffd}\u{fffd}");
        assert_eq!(text_of("日".as_bytes()), "日");
    }
}
