//! `html`, `js` and `urlquery`.

use std::fmt::Write as _;

use crate::fmt;
use crate::value::{Text, Value};

/// The arguments printed one after another as actions would print them.
pub(super) fn joined(args: &[Value]) -> Text {
    if let [Value::String(text)] = args {
        return text.clone();
    }
    let printable: Vec<Value> = args
        .iter()
        .map(|arg| match arg {
            Value::Nil => Value::from("<no value>"),
            other => other.clone(),
        })
        .collect();
    fmt::sprint_indirect(&printable)
}

/// HTML's special characters as entities.
pub(super) fn html(text: &Text) -> Text {
    let mut escaped = Vec::with_capacity(text.len());
    for byte in text.as_bytes() {
        match byte {
            0 => escaped.extend_from_slice("\u{fffd}".as_bytes()),
            b'"' => escaped.extend_from_slice(b"&#34;"),
            b'\'' => escaped.extend_from_slice(b"&#39;"),
            b'&' => escaped.extend_from_slice(b"&amp;"),
            b'<' => escaped.extend_from_slice(b"&lt;"),
            b'>' => escaped.extend_from_slice(b"&gt;"),
            _ => escaped.push(*byte),
        }
    }
    Text::from_bytes(escaped)
}

/// A string as it can stand in JavaScript.
pub(super) fn js(text: &Text) -> Text {
    let mut escaped = Vec::with_capacity(text.len());
    for chunk in text.as_bytes().utf8_chunks() {
        chunk.valid().chars().for_each(|c| push_for_js(&mut escaped, c));
        // Taken for U+FFFD, which can be printed, and printed as it is.
        escaped.extend_from_slice(chunk.invalid());
    }
    Text::from_bytes(escaped)
}

fn push_for_js(escaped: &mut Vec<u8>, c: char) {
    match c {
        '\\' | '\'' | '"' => escaped.extend_from_slice(&[b'\\', c as u8]),
        '<' | '>' | '&' | '=' | '\0'..='\x1f' => push_code(escaped, c),
        c if c.is_ascii() || fmt::is_print(c) => {
            escaped.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
        }
        c => push_code(escaped, c),
    }
}

/// A character by its number.
fn push_code(escaped: &mut Vec<u8>, c: char) {
    escaped.extend_from_slice(format!("\\u{:04X}", u32::from(c)).as_bytes());
}

/// `url.QueryEscape`.
pub(super) fn url_query(text: &Text) -> Text {
    let mut escaped = String::with_capacity(text.len());
    for byte in text.as_bytes() {
        match byte {
            b' ' => escaped.push('+'),
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => {
                escaped.push(char::from(*byte));
            }
            _ => {
                // Writing to a string cannot fail.
                let _ = write!(escaped, "%{byte:02X}");
            }
        }
    }
    escaped.into()
}
