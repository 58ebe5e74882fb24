//! `strconv.Quote` and its relatives, and `strconv.Unquote`.

use std::fmt::Write;

use crate::carried::byte_of;

/// `unicode.IsPrint`: letters, marks, numbers, punctuation, symbols and the ASCII space.
pub fn is_print(c: char) -> bool {
    if c.is_ascii() {
        return matches!(c, ' '..='~');
    }
    // Rust prints a string for debugging by the same categories; after another character it does
    // not escape marks, which Go does not either.
    let mut pair = [b'a', 0, 0, 0, 0];
    let length = c.encode_utf8(&mut pair[1..]).len();
    std::str::from_utf8(&pair[..=length]).is_ok_and(|text| text.escape_debug().nth(1) == Some(c))
}

/// `strconv.Quote`.
pub fn quote(text: &str) -> String {
    quote_bytes(text.as_bytes())
}

/// `strconv.Quote` of a Go string that need not be UTF-8.
pub fn quote_bytes(bytes: &[u8]) -> String {
    quoted(bytes, '"', false)
}

/// `strconv.QuoteToASCII`.
pub fn quote_to_ascii(text: &str) -> String {
    quoted(text.as_bytes(), '"', true)
}

/// `strconv.QuoteRune`.
pub fn quote_rune(rune: char) -> String {
    quoted(rune.encode_utf8(&mut [0; 4]).as_bytes(), '\'', false)
}

/// `strconv.QuoteRuneToASCII`.
pub fn quote_rune_to_ascii(rune: char) -> String {
    quoted(rune.encode_utf8(&mut [0; 4]).as_bytes(), '\'', true)
}

fn quoted(bytes: &[u8], quote: char, ascii: bool) -> String {
    let mut text = String::with_capacity(bytes.len() + 2);
    text.push(quote);
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            push_escaped(&mut text, c, quote, ascii);
        }
        for byte in chunk.invalid() {
            push_hex(&mut text, 'x', u32::from(*byte), 2);
        }
    }
    text.push(quote);
    text
}

fn push_hex(text: &mut String, letter: char, code: u32, width: usize) {
    // Writing to a String cannot fail.
    let _ = write!(text, "\\{letter}{code:0width$x}");
}

fn push_escaped(text: &mut String, c: char, quote: char, ascii: bool) {
    match c {
        _ if c == quote || c == '\\' => {
            text.push('\\');
            text.push(c);
        }
        _ if (!ascii || c.is_ascii()) && is_print(c) => text.push(c),
        '\x07' => text.push_str("\\a"),
        '\x08' => text.push_str("\\b"),
        '\x0c' => text.push_str("\\f"),
        '\n' => text.push_str("\\n"),
        '\r' => text.push_str("\\r"),
        '\t' => text.push_str("\\t"),
        '\x0b' => text.push_str("\\v"),
        '\0'..' ' | '\x7f' => push_hex(text, 'x', u32::from(c), 2),
        _ if u32::from(c) < 0x10000 => push_hex(text, 'u', u32::from(c), 4),
        _ => match byte_of(c) {
            Some(byte) => push_hex(text, 'x', u32::from(byte), 2),
            None => push_hex(text, 'U', u32::from(c), 8),
        },
    }
}

/// `strconv.CanBackquote`.
pub fn can_backquote(text: &str) -> bool {
    text.chars().all(|c| c == '\t' || !matches!(c, '\0'..' ' | '`' | '\x7f' | '\u{feff}'))
}

/// `strconv.Unquote`; `None` is Go's `ErrSyntax`. Bytes that are not UTF-8 become U+FFFD.
pub fn unquote(text: &str) -> Option<String> {
    unquote_bytes(text).map(|bytes| crate::text_of(&bytes).into_owned())
}

/// `strconv.Unquote` with the bytes as Go has them.
pub fn unquote_bytes(text: &str) -> Option<Vec<u8>> {
    let quote = text.chars().next().filter(|c| matches!(c, '"' | '\'' | '`'))?;
    let inner = text.strip_prefix(quote)?.strip_suffix(quote)?;
    if quote == '`' {
        return (!inner.contains('`')).then(|| inner.bytes().filter(|&byte| byte != b'\r').collect());
    }
    let mut bytes = Vec::with_capacity(inner.len());
    let mut characters = 0;
    let mut rest = inner;
    while let Some(c) = rest.chars().next() {
        characters += 1;
        if c == quote || c == '\n' {
            return None;
        }
        rest = &rest[c.len_utf8()..];
        if c == '\\' {
            rest = unescape(rest, quote, &mut bytes)?;
        } else {
            bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
        }
    }
    (quote == '"' || characters <= 1).then_some(bytes)
}

/// Reads what follows a backslash, and returns the rest.
fn unescape<'a>(text: &'a str, quote: char, bytes: &mut Vec<u8>) -> Option<&'a str> {
    let letter = text.chars().next()?;
    let rest = &text[letter.len_utf8()..];
    let simple = match letter {
        'a' => 0x07,
        'b' => 0x08,
        'f' => 0x0c,
        'n' => b'\n',
        'r' => b'\r',
        't' => b'\t',
        'v' => 0x0b,
        '\\' => b'\\',
        '\'' | '"' if letter == quote => letter as u8,
        'x' => {
            let code = digits(rest, 2, 16)?;
            bytes.push(code as u8);
            return Some(&rest[2..]);
        }
        'u' | 'U' => {
            let width = if letter == 'u' { 4 } else { 8 };
            let c = char::from_u32(digits(rest, width, 16)?)?;
            bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
            return Some(&rest[width..]);
        }
        '0'..='7' => {
            bytes.push(u8::try_from(digits(text, 3, 8)?).ok()?);
            return Some(&text[3..]);
        }
        _ => return None,
    };
    bytes.push(simple);
    Some(rest)
}

fn digits(text: &str, width: usize, base: u32) -> Option<u32> {
    let written = text.get(..width)?;
    written.chars().try_fold(0u32, |sum, c| Some(sum * base + c.to_digit(base)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quoting() {
        let cases = [
            ("a\"b\\", r#""a\"b\\""#, r#""a\"b\\""#),
            ("\x07\x00\x7f\n\t", r#""\a\x00\x7f\n\t""#, r#""\a\x00\x7f\n\t""#),
            ("é☺\u{301}", "\"é☺\u{301}\"", r#""\u00e9\u263a\u0301""#),
            ("\u{a0}\u{feff}\u{2028}", r#""\u00a0\ufeff\u2028""#, r#""\u00a0\ufeff\u2028""#),
            ("\u{1f600}\u{e0001}", "\"\u{1f600}\\U000e0001\"", r#""\U0001f600\U000e0001""#),
        ];
        for (text, quoted, ascii) in cases {
            assert_eq!(quote(text), quoted);
            assert_eq!(quote_to_ascii(text), ascii);
            assert_eq!(unquote(quoted).as_deref(), Some(text));
            assert_eq!(unquote(ascii).as_deref(), Some(text));
        }
        assert_eq!(quote_bytes(b"a\xff"), r#""a\xff""#);
        assert_eq!(quote_rune('\''), r"'\''");
        assert_eq!(quote_rune_to_ascii('☺'), r"'\u263a'");
    }

    #[test]
    fn what_is_not_a_quoted_string() {
        for text in ["", "\"", "a", "'ab'", "\"a\nb\"", r#""\'""#, r#""\400""#, r#""\ud800""#, "`a`b`"] {
            assert_eq!(unquote(text), None, "{text:?}");
        }
        assert_eq!(unquote(r#""\101\x41""#).as_deref(), Some("AA"));
        assert_eq!(unquote("`a\r\\n`").as_deref(), Some("a\\n"));
    }
}
