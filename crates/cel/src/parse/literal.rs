//! What numbers, texts and bytes mean as they are written.

/// Why a text's escapes cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(super) enum EscapeError {
    #[error("unable to unescape string")]
    Unknown,
    #[error("invalid unicode code point")]
    CodePoint,
}

/// An integer in base 10 or, after `0x`, in base 16.
pub(super) fn int(text: &str, negative: bool) -> Option<i64> {
    let sign = if negative { "-" } else { "" };
    match text.strip_prefix("0x") {
        Some(hex) => i64::from_str_radix(&format!("{sign}{hex}"), 16).ok(),
        None => format!("{sign}{text}").parse().ok(),
    }
}

/// An unsigned integer, with its `u` at the end.
pub(super) fn uint(text: &str) -> Option<u64> {
    let text = &text[..text.len() - 1];
    match text.strip_prefix("0x") {
        Some(hex) => u64::from_str_radix(hex, 16).ok(),
        None => text.parse().ok(),
    }
}

/// A floating point number; one that is too large is none.
pub(super) fn double(text: &str, negative: bool) -> Option<f64> {
    let value = text.parse::<f64>().ok().filter(|value| value.is_finite())?;
    Some(if negative { -value } else { value })
}

/// The characters of a text that is written with prefix and quotes.
pub(super) fn text(written: &str) -> Result<String, EscapeError> {
    let (content, raw) = content(written);
    let content = newlines(content);
    if raw || !content.contains('\\') {
        return Ok(content);
    }
    let mut out = String::with_capacity(content.len());
    let mut rest = content.as_str();
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        let (code, length) = escape(&rest[at..]).ok_or(EscapeError::Unknown)?;
        out.push(char::from_u32(code).ok_or(EscapeError::CodePoint)?);
        rest = &rest[at + length..];
    }
    out.push_str(rest);
    Ok(out)
}

/// The bytes that are written with prefix and quotes, without the leading `b`. Code points have no place in bytes.
pub(super) fn bytes(written: &str) -> Result<Vec<u8>, EscapeError> {
    let (content, raw) = content(written);
    let content = newlines(content);
    if raw || !content.contains('\\') {
        return Ok(content.into_bytes());
    }
    let mut out = Vec::with_capacity(content.len());
    let mut rest = content.as_str();
    while let Some(at) = rest.find('\\') {
        out.extend_from_slice(&rest.as_bytes()[..at]);
        let (code, length) = escape(&rest[at..]).ok_or(EscapeError::Unknown)?;
        if matches!(rest.as_bytes()[at + 1], b'u' | b'U') {
            return Err(EscapeError::Unknown);
        }
        out.push(code as u8);
        rest = &rest[at + length..];
    }
    out.extend_from_slice(rest.as_bytes());
    Ok(out)
}

/// Every way to end a line becomes the one.
fn newlines(text: &str) -> String {
    if text.contains('\r') { text.replace("\r\n", "\n").replace('\r', "\n") } else { text.to_owned() }
}

/// What stands between the quotes, and whether backslashes mean themselves.
fn content(written: &str) -> (&str, bool) {
    let unprefixed = written.strip_prefix(['r', 'R']);
    let quoted = unprefixed.unwrap_or(written);
    let width =
        if quoted.len() >= 6 && (quoted.starts_with("'''") || quoted.starts_with("\"\"\"")) { 3 } else { 1 };
    (&quoted[width..quoted.len() - width], unprefixed.is_some())
}

/// The code that an escape sequence stands for, and how long it is.
fn escape(text: &str) -> Option<(u32, usize)> {
    let bytes = text.as_bytes();
    let hex =
        |length: usize| u32::from_str_radix(text.get(2..2 + length)?, 16).ok().map(|code| (code, 2 + length));
    let simple = |character: char| Some((character as u32, 2));
    match bytes.get(1)? {
        b'a' => simple('\u{7}'),
        b'b' => simple('\u{8}'),
        b'f' => simple('\u{c}'),
        b'n' => simple('\n'),
        b'r' => simple('\r'),
        b't' => simple('\t'),
        b'v' => simple('\u{b}'),
        byte @ (b'\\' | b'\'' | b'"' | b'`' | b'?') => simple(char::from(*byte)),
        b'x' | b'X' => hex(2),
        b'u' => hex(4),
        b'U' => hex(8),
        b'0'..=b'3' => u32::from_str_radix(text.get(1..4)?, 8).ok().map(|code| (code, 4)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_read() {
        for (written, meant) in [
            (r#""a\tb""#, "a\tb"),
            (r"'\x41\101\u00e9'", "AAé"),
            (r"r'\n'", r"\n"),
            ("'''a'b'''", "a'b"),
            ("\"\"\"a\r\nb\"\"\"", "a\nb"),
        ] {
            assert_eq!(text(written).as_deref(), Ok(meant), "{written}");
        }
        assert_eq!(text(r"'\ud800'"), Err(EscapeError::CodePoint));
        assert_eq!(bytes(r"'\xff\303é'").as_deref(), Ok(&[0xff, 0xc3, 0xc3, 0xa9][..]));
        assert_eq!(bytes(r"'\u00ff'"), Err(EscapeError::Unknown));
    }

    #[test]
    fn numbers_are_read_to_their_limits() {
        assert_eq!(int("9223372036854775808", true), Some(i64::MIN));
        assert_eq!(int("9223372036854775808", false), None);
        assert_eq!(int("0xff", true), Some(-255));
        assert_eq!(uint("0xffu"), Some(255));
        assert_eq!(double("1e400", false), None);
    }
}
