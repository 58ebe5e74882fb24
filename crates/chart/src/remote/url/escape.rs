//! Percent-escapes: which bytes of which part stand for themselves.

use super::quote;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    Host,
    Path,
    Fragment,
}

fn is_unreserved(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'~')
}

fn stands_for_itself(byte: u8, part: Part) -> bool {
    match part {
        Part::Host => {
            is_unreserved(byte)
                || matches!(
                    byte,
                    b'!' | b'$'
                        | b'&'
                        | b'\''
                        | b'('
                        | b')'
                        | b'*'
                        | b'+'
                        | b','
                        | b';'
                        | b'='
                        | b':'
                        | b'['
                        | b']'
                        | b'<'
                        | b'>'
                        | b'"'
                )
        }
        Part::Path => {
            is_unreserved(byte)
                || matches!(byte, b'$' | b'&' | b'+' | b',' | b'/' | b':' | b';' | b'=' | b'@')
        }
        Part::Fragment => {
            is_unreserved(byte)
                || matches!(
                    byte,
                    b'$' | b'&'
                        | b'+'
                        | b','
                        | b'/'
                        | b':'
                        | b';'
                        | b'='
                        | b'?'
                        | b'@'
                        | b'!'
                        | b'('
                        | b')'
                        | b'*'
                )
        }
    }
}

pub(super) fn is_path_byte(byte: u8) -> bool {
    stands_for_itself(byte, Part::Path)
        || matches!(byte, b'!' | b'\'' | b'(' | b')' | b'*' | b'[' | b']' | b'%')
}

pub(super) fn is_user_byte(byte: u8) -> bool {
    is_unreserved(byte)
        || matches!(
            byte,
            b':' | b'!' | b'$' | b'&' | b'\'' | b'(' | b')' | b'*' | b'+' | b',' | b';' | b'=' | b'%' | b'@'
        )
}

pub(super) fn escape(text: &str, part: Part) -> String {
    let mut escaped = String::with_capacity(text.len());
    for byte in text.bytes() {
        if stands_for_itself(byte, part) {
            escaped.push(char::from(byte));
        } else {
            escaped.push('%');
            escaped.push_str(&crate::remote::hex(&[byte]).to_ascii_uppercase());
        }
    }
    escaped
}

pub(super) fn unescape(text: &str, part: Part) -> Result<String, String> {
    let bytes = text.as_bytes();
    let mut plain = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        if bytes[at] == b'%' {
            let digits = text.get(at + 1..at + 3).and_then(|digits| u8::from_str_radix(digits, 16).ok());
            let Some(byte) = digits else {
                let end = (at + 3).min(bytes.len());
                let bad = String::from_utf8_lossy(&bytes[at..end]).into_owned();
                return Err(format!("invalid URL escape {}", quote(&bad)));
            };
            if part == Part::Host && byte.is_ascii() && byte != b'%' {
                return Err(format!("invalid URL escape {}", quote(&text[at..at + 3])));
            }
            plain.push(byte);
            at += 3;
            continue;
        }
        if part == Part::Host && bytes[at].is_ascii() && !stands_for_itself(bytes[at], part) {
            return Err(format!("invalid character {} in host name", quote(&text[at..=at])));
        }
        plain.push(bytes[at]);
        at += 1;
    }
    Ok(String::from_utf8_lossy(&plain).into_owned())
}
