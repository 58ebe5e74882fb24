//! Base64 as Go's `base64.StdEncoding` decodes it, for `!!binary`.

/// The bytes, or `None` if the text is not base64. Line breaks are ignored, padding is not optional.
pub(crate) fn decode(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    let mut symbols = text.bytes().filter(|byte| !matches!(byte, b'\r' | b'\n'));
    loop {
        let mut group = [0u8; 4];
        let mut known = 0;
        for (at, slot) in group.iter_mut().enumerate() {
            let Some(byte) = symbols.next() else { return (at == 0).then_some(bytes) };
            match value_of(byte) {
                Some(value) if known == at => {
                    *slot = value;
                    known += 1;
                }
                _ if byte == b'=' && at >= 2 => {}
                _ => return None,
            }
        }
        let whole = [group[0] << 2 | group[1] >> 4, group[1] << 4 | group[2] >> 2, group[2] << 6 | group[3]];
        bytes.extend_from_slice(&whole[..known - 1]);
        if known < 4 {
            return symbols.next().is_none().then_some(bytes);
        }
    }
}

fn value_of(byte: u8) -> Option<u8> {
    match byte {
        b'A'..=b'Z' => Some(byte - b'A'),
        b'a'..=b'z' => Some(byte - b'a' + 26),
        b'0'..=b'9' => Some(byte - b'0' + 52),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    }
}

/// Base64 with padding, as `base64.StdEncoding` writes it.
pub(crate) fn encode(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let byte = |at: usize| u32::from(group.get(at).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for at in 0..4 {
            let symbol = ALPHABET[(bits >> (18 - 6 * at)) as usize & 63];
            text.push(if at <= group.len() { char::from(symbol) } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_and_back() {
        for bytes in [&b""[..], b"a", b"ab", b"abc", b"\xff\x00\xfe", b"hello, world"] {
            assert_eq!(decode(&encode(bytes)).as_deref(), Some(bytes));
        }
        assert_eq!(encode(b"ab"), "YWI=");
        for text in ["YQ", "YQ=", "YQ==YQ==", "Y===", "a b=", "YW=I"] {
            assert_eq!(decode(text), None, "{text:?}");
        }
        assert_eq!(decode("Y\nQ==\n").as_deref(), Some(&b"a"[..]));
    }
}
