//! Tokens.

use crate::source::{Issue, Location};

/// A token and where it begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Token<'s> {
    pub(super) kind: Kind,
    pub(super) text: &'s str,
    /// Where it begins, in bytes.
    pub(super) offset: usize,
    /// Where it begins, for people.
    pub(super) location: Location,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// An operator or a mark of punctuation, or one of the words `in`, `true`, `false`, `null`.
    Mark,
    Identifier,
    /// An identifier between backquotes.
    Escaped,
    Int,
    Uint,
    Float,
    String,
    Bytes,
    End,
}

const MARKS: &[&str] = &[
    "==", "!=", "<=", ">=", "&&", "||", "<", ">", "[", "]", "{", "}", "(", ")", ".", ",", "-", "!", "?", ":",
    "+", "*", "/", "%",
];

/// Splits a text into tokens; the last is always [`Kind::End`]. What is no token is reported and left out.
pub(super) fn tokens<'s>(source: &'s str, issues: &mut Vec<Issue>) -> Vec<Token<'s>> {
    let mut lexer = Lexer { source, offset: 0, location: Location { line: 1, column: 0 } };
    let mut tokens = Vec::new();
    loop {
        lexer.skip_blank();
        let rest = &source[lexer.offset..];
        if rest.is_empty() {
            tokens.push(Token {
                kind: Kind::End,
                text: "<EOF>",
                offset: lexer.offset,
                location: lexer.location,
            });
            return tokens;
        }
        match token(rest) {
            Ok((kind, length)) => {
                let text = &rest[..length];
                tokens.push(Token { kind, text, offset: lexer.offset, location: lexer.location });
                lexer.advance(length);
            }
            Err(length) => {
                let text = shown(&rest[..length]);
                let message = format!("Syntax error: token recognition error at: '{text}'");
                issues.push(Issue { location: lexer.location, message });
                lexer.advance(length);
            }
        }
    }
}

struct Lexer<'s> {
    source: &'s str,
    offset: usize,
    location: Location,
}

impl Lexer<'_> {
    fn advance(&mut self, length: usize) {
        for character in self.source[self.offset..self.offset + length].chars() {
            if character == '\n' {
                self.location = Location { line: self.location.line + 1, column: 0 };
            } else {
                self.location.column += 1;
            }
        }
        self.offset += length;
    }

    fn skip_blank(&mut self) {
        loop {
            let rest = &self.source[self.offset..];
            let blank = rest.len() - rest.trim_start_matches(['\t', ' ', '\r', '\n', '\u{c}']).len();
            let length = match rest.strip_prefix("//") {
                Some(comment) => 2 + comment.find('\n').unwrap_or(comment.len()),
                None => blank,
            };
            if length == 0 {
                return;
            }
            self.advance(length);
        }
    }
}

/// The text as ANTLR quotes it in a message.
fn shown(text: &str) -> String {
    text.replace('\n', "\\n").replace('\t', "\\t").replace('\r', "\\r")
}

/// The kind and length of the first token, or the length of what is none.
fn token(rest: &str) -> Result<(Kind, usize), usize> {
    let bytes = rest.as_bytes();
    if let Some(found) = number(bytes) {
        return Ok(found);
    }
    let word = bytes.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count();
    if let Some(found) = text(rest) {
        return found;
    }
    if word > 0 {
        let kind = if matches!(&rest[..word], "in" | "true" | "false" | "null") {
            Kind::Mark
        } else {
            Kind::Identifier
        };
        return Ok((kind, word));
    }
    if bytes[0] == b'`' {
        let allowed = |byte: &u8| byte.is_ascii_alphanumeric() || b"_.-/ ".contains(byte);
        let length = 1 + bytes[1..].iter().take_while(|byte| allowed(byte)).count();
        return if length > 1 && bytes.get(length) == Some(&b'`') {
            Ok((Kind::Escaped, length + 1))
        } else {
            Err((length + rest[length..].chars().next().map_or(0, char::len_utf8)).max(1))
        };
    }
    match MARKS.iter().find(|mark| rest.starts_with(**mark)) {
        Some(mark) => Ok((Kind::Mark, mark.len())),
        // A lone `=`, `&` or `|` takes the next character with it: no token begins so.
        None if matches!(bytes[0], b'=' | b'&' | b'|') => {
            Err(1 + rest[1..].chars().next().map_or(0, char::len_utf8))
        }
        None => Err(rest.chars().next().map_or(1, char::len_utf8)),
    }
}

fn number(bytes: &[u8]) -> Option<(Kind, usize)> {
    let digits = |from: usize| bytes[from..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    if bytes.starts_with(b"0x") {
        let hex = bytes[2..].iter().take_while(|byte| byte.is_ascii_hexdigit()).count();
        if hex > 0 {
            let unsigned = matches!(bytes.get(2 + hex), Some(b'u' | b'U'));
            return Some((if unsigned { Kind::Uint } else { Kind::Int }, 2 + hex + usize::from(unsigned)));
        }
    }
    let whole = digits(0);
    let mut length = whole;
    let mut float = false;
    if bytes.get(whole) == Some(&b'.') && digits(whole + 1) > 0 {
        length = whole + 1 + digits(whole + 1);
        float = true;
    }
    if length == 0 {
        return None;
    }
    if matches!(bytes.get(length), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(length + 1), Some(b'+' | b'-')));
        let exponent = bytes.get(length + 1 + sign..).map_or(0, |_| digits(length + 1 + sign));
        if exponent > 0 {
            return Some((Kind::Float, length + 1 + sign + exponent));
        }
    }
    if float {
        return Some((Kind::Float, length));
    }
    let unsigned = matches!(bytes.get(length), Some(b'u' | b'U'));
    Some((if unsigned { Kind::Uint } else { Kind::Int }, length + usize::from(unsigned)))
}

/// A text or bytes with its prefix and quotes, escapes not yet read. `None` if there is no quote here.
fn text(rest: &str) -> Option<Result<(Kind, usize), usize>> {
    let bytes = rest.as_bytes();
    let mut start = 0;
    let mut kind = Kind::String;
    if matches!(bytes.first(), Some(b'b' | b'B')) {
        kind = Kind::Bytes;
        start += 1;
    }
    let raw = matches!(bytes.get(start), Some(b'r' | b'R'));
    start += usize::from(raw);
    let quote = *bytes.get(start).filter(|byte| matches!(byte, b'"' | b'\''))?;
    let triple = bytes[start..].starts_with(&[quote; 3]);
    if triple && let Some(end) = end_of_text(bytes, start + 3, quote, true, raw) {
        return Some(Ok((kind, end)));
    }
    if let Some(end) = end_of_text(bytes, start + 1, quote, false, raw) {
        Some(Ok((kind, end)))
    } else {
        let stop = unfinished(rest, start + 1, raw);
        // The word before the quote is a token of its own.
        if start > 0 { None } else { Some(Err(stop)) }
    }
}

/// How long an escape sequence is, backslash included; 0 if it is none.
fn escape(bytes: &[u8]) -> usize {
    let hex =
        |count: usize| bytes.len() >= 2 + count && bytes[2..2 + count].iter().all(u8::is_ascii_hexdigit);
    match bytes.get(1) {
        Some(b'a' | b'b' | b'f' | b'n' | b'r' | b't' | b'v' | b'"' | b'\'' | b'\\' | b'?' | b'`') => 2,
        Some(b'x' | b'X') if hex(2) => 4,
        Some(b'u') if hex(4) => 6,
        Some(b'U') if hex(8) => 10,
        Some(b'0'..=b'3')
            if bytes.len() >= 4 && bytes[2..4].iter().all(|byte| (b'0'..=b'7').contains(byte)) =>
        {
            4
        }
        _ => 0,
    }
}

fn end_of_text(bytes: &[u8], mut at: usize, quote: u8, triple: bool, raw: bool) -> Option<usize> {
    loop {
        let byte = *bytes.get(at)?;
        if triple && bytes[at..].starts_with(&[quote; 3]) {
            return Some(at + 3);
        }
        if !triple && byte == quote {
            return Some(at + 1);
        }
        if byte == b'\\' && !raw {
            let length = escape(&bytes[at..]);
            if length == 0 {
                return None;
            }
            at += length;
        } else if !triple && matches!(byte, b'\n' | b'\r') {
            return None;
        } else {
            at += 1;
        }
    }
}

/// How far a text that does not end was read.
fn unfinished(rest: &str, mut at: usize, raw: bool) -> usize {
    let bytes = rest.as_bytes();
    loop {
        match bytes.get(at) {
            None => return rest.len(),
            Some(b'\n' | b'\r') => return at + 1,
            Some(b'\\') if !raw => match escape(&bytes[at..]) {
                0 => {
                    let next = rest[at + 1..].chars().next().map_or(0, char::len_utf8);
                    return at + 1 + next;
                }
                length => at += length,
            },
            Some(_) => at += 1,
        }
    }
}
