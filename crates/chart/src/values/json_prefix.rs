//! Where a JSON value at the start of a text ends.

/// The length of the first JSON value, or of the whole text if it does not end within it.
pub(super) fn length(text: &str) -> usize {
    let bytes = text.as_bytes();
    match bytes.first() {
        Some(b'{' | b'[') => bracketed(bytes),
        Some(b'"') => string(bytes, 0),
        Some(b'-' | b'0'..=b'9') => number(bytes),
        _ => ["true", "false", "null"]
            .iter()
            .find(|word| text.starts_with(**word))
            .map_or(text.len(), |w| w.len()),
    }
}

fn bracketed(bytes: &[u8]) -> usize {
    let mut depth = 0_usize;
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'"' => {
                at = string(bytes, at);
                continue;
            }
            b'{' | b'[' => depth += 1,
            b'}' | b']' => {
                depth -= 1;
                if depth == 0 {
                    return at + 1;
                }
            }
            _ => {}
        }
        at += 1;
    }
    bytes.len()
}

/// The end of the string whose opening quote is at `start`.
fn string(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 2,
            b'"' => return at + 1,
            _ => at += 1,
        }
    }
    bytes.len()
}

fn number(bytes: &[u8]) -> usize {
    let digits = |from: usize| from + bytes[from..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let mut at = usize::from(bytes[0] == b'-');
    at = if bytes.get(at) == Some(&b'0') { at + 1 } else { digits(at) };
    if bytes.get(at) == Some(&b'.') {
        at = digits(at + 1);
    }
    if matches!(bytes.get(at), Some(b'e' | b'E')) {
        at += 1;
        at += usize::from(matches!(bytes.get(at), Some(b'+' | b'-')));
        at = digits(at);
    }
    at
}

#[cfg(test)]
mod tests {
    use super::length;

    #[test]
    fn finds_the_end_of_the_first_value() {
        for (text, rest) in [
            ("{\"a\":\"}\"},b=1", ",b=1"),
            ("[1,[2]] , x", " , x"),
            ("\"a\\\"b\",c", ",c"),
            ("12.5e3,x", ",x"),
            ("012", "12"),
            ("truex", "x"),
            ("{\"a\":1", ""),
            ("nonsense", ""),
        ] {
            assert_eq!(&text[length(text)..], rest, "{text}");
        }
    }
}
