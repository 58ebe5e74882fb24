//! Scalars: which style a text needs, and writing it in that style.

use super::layout::Layout;
use crate::resolve::{Resolved, resolve};

/// The ways to write a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    Plain,
    SingleQuoted,
    DoubleQuoted,
    Literal,
}

/// What a text can do without.
#[derive(Debug, Clone, Copy)]
#[expect(clippy::struct_excessive_bools, reason = "four answers that do not depend on each other")]
pub(super) struct Analysis {
    /// It has line breaks of any kind.
    pub(super) multiline: bool,
    plain: bool,
    single_quoted: bool,
    literal: bool,
}

/// Bytes that mean nothing special anywhere but at the beginning.
const SAFE: [bool; 256] = {
    let mut safe = [false; 256];
    let bytes = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=+@$%^&*()~;!<>|\\\"'`";
    let mut at = 0;
    while at < bytes.len() {
        safe[bytes[at] as usize] = true;
        at += 1;
    }
    safe
};

impl Analysis {
    pub(super) fn of(text: &str, v3: bool) -> Self {
        let bytes = text.as_bytes();
        let Some(&first) = bytes.first() else {
            return Self { multiline: false, plain: true, single_quoted: true, literal: false };
        };
        let starts_plainly = first.is_ascii_alphanumeric() || matches!(first, b'/' | b'_' | b'$' | b'(');
        if starts_plainly && bytes.iter().all(|&byte| SAFE[usize::from(byte)]) {
            return Self { multiline: false, plain: true, single_quoted: true, literal: true };
        }
        Self::in_full(text, v3)
    }

    fn in_full(text: &str, v3: bool) -> Self {
        let mut indicators = text.starts_with("---") || text.starts_with("...");
        let (mut line_breaks, mut special, mut tabs) = (false, false, false);
        let (mut break_space, mut space_break) = (false, false);
        let (mut after_blank, mut after_space, mut after_break) = (true, false, false);
        for (at, c) in text.char_indices() {
            let next = text[at + c.len_utf8()..].bytes().next();
            let before_blank = matches!(next, None | Some(b' ' | b'\t'));
            indicators |= match c {
                ',' | '[' | ']' | '{' | '}' | '&' | '*' | '!' | '|' | '>' | '\'' | '"' | '%' | '@' | '`' => {
                    at == 0
                }
                '?' | '-' => at == 0 && before_blank,
                ':' => before_blank,
                '#' => after_blank,
                _ => false,
            };
            if c == '\t' && v3 {
                tabs = true;
            } else {
                special |= !is_printable(c);
            }
            let is_break = is_break(c);
            line_breaks |= is_break;
            break_space |= c == ' ' && after_break;
            space_break |= is_break && after_space;
            after_space = c == ' ';
            after_break = is_break;
            after_blank = matches!(c, ' ' | '\t' | '\0') || is_break;
        }
        let ends_in_space = after_space;
        let at_the_ends = text.starts_with(' ') || ends_in_space;
        let single_quoted = !(break_space || space_break || special || tabs);
        Self {
            multiline: line_breaks,
            plain: single_quoted && !(at_the_ends || line_breaks || indicators),
            single_quoted,
            literal: !(ends_in_space || space_break || special),
        }
    }

    /// The style for a text that would like to be written in `wanted`.
    pub(super) fn style(self, wanted: Style, simple_key: bool, empty: bool) -> Style {
        let mut style = wanted;
        if simple_key && self.multiline {
            style = Style::DoubleQuoted;
        }
        if style == Style::Plain && (!self.plain || empty && simple_key) {
            style = Style::SingleQuoted;
        }
        if style == Style::SingleQuoted && !self.single_quoted {
            style = Style::DoubleQuoted;
        }
        if style == Style::Literal && (!self.literal || simple_key) {
            style = Style::DoubleQuoted;
        }
        style
    }
}

/// What goyaml prints without an escape; it knows no characters beyond the first plane.
fn is_printable(c: char) -> bool {
    matches!(c, '\n' | ' '..='~' | '\u{a0}'..='\u{fefe}' | '\u{ff00}'..='\u{fffd}')
}

fn is_break(c: char) -> bool {
    matches!(c, '\r' | '\n' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// The style in which goyaml first tries to write a text, so that it reads back as text. goyaml v3 does
/// not read `yes` as a boolean any more, but quotes it for those who do.
pub(super) fn wanted_style(text: &str) -> Style {
    if text.contains('\n') {
        return Style::Literal;
    }
    if resolve(text) == Resolved::Text && !is_base60(text) { Style::Plain } else { Style::DoubleQuoted }
}

/// `[-+]?[0-9][0-9_]*(:[0-5]?[0-9])+(\.[0-9_]*)?`: a number with base 60, in YAML 1.1.
fn is_base60(text: &str) -> bool {
    if !text.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '+' | '-')) || !text.contains(':') {
        return false;
    }
    let rest = text.strip_prefix(['+', '-']).unwrap_or(text);
    let mut parts = rest.split(':');
    let whole = parts.next().unwrap_or_default();
    if !whole.starts_with(|c: char| c.is_ascii_digit()) || !whole.bytes().all(is_digit_or_underscore) {
        return false;
    }
    let mut parts = parts.peekable();
    while let Some(part) = parts.next() {
        let (digits, fraction) = match part.split_once('.') {
            Some((digits, fraction)) if parts.peek().is_none() => (digits, fraction),
            Some(_) => return false,
            None => (part, ""),
        };
        let sixty = matches!(digits.as_bytes(), [b'0'..=b'9'] | [b'0'..=b'5', b'0'..=b'9']);
        if !sixty || !fraction.bytes().all(is_digit_or_underscore) {
            return false;
        }
    }
    true
}

fn is_digit_or_underscore(byte: u8) -> bool {
    byte.is_ascii_digit() || byte == b'_'
}

impl Layout {
    /// Writes a text in a style; `breaks` allows long lines to be folded.
    pub(super) fn write_scalar(&mut self, text: &str, style: Style, breaks: bool) {
        let outer = self.indent;
        self.indent = self.deeper(false);
        match style {
            Style::Plain => self.write_plain(text, breaks),
            Style::SingleQuoted => self.write_single_quoted(text, breaks),
            Style::DoubleQuoted => self.write_double_quoted(text, breaks),
            Style::Literal => self.write_literal(text),
        }
        self.indent = outer;
    }

    fn write_plain(&mut self, text: &str, breaks: bool) {
        self.separate();
        if !breaks || self.fits(text.len()) {
            self.put_str(text);
        } else {
            self.write_folded(text, false);
        }
        self.after_text();
    }

    fn write_single_quoted(&mut self, text: &str, breaks: bool) {
        self.write_indicator("'", true, false);
        let simple = !text.contains(['\'', '\n', '\u{2028}', '\u{2029}']);
        if simple && (!breaks || self.fits(text.len())) {
            self.put_str(text);
        } else {
            self.write_folded_if(text, true, breaks);
        }
        self.write_indicator("'", false, false);
        self.after_text();
    }

    fn write_folded(&mut self, text: &str, quoted: bool) {
        self.write_folded_if(text, quoted, true);
    }

    /// Writes plain or single-quoted text, breaking lines at single spaces beyond the width.
    fn write_folded_if(&mut self, text: &str, quoted: bool, breaks: bool) {
        let (mut after_space, mut after_break) = (false, false);
        for (at, c) in text.char_indices() {
            let rest = &text[at + c.len_utf8()..];
            if c == ' ' {
                let inside = !quoted || at > 0 && !rest.is_empty();
                if breaks && !after_space && self.past_width() && inside && !rest.starts_with(' ') {
                    self.write_indent();
                } else {
                    self.put(c);
                }
                after_space = true;
            } else if is_break(c) {
                if !after_break && c == '\n' {
                    self.put_break();
                }
                if c == '\n' {
                    self.put_break();
                } else {
                    self.put_other_break(c);
                }
                self.enter_indention();
                after_break = true;
            } else {
                if after_break {
                    self.write_indent();
                }
                if quoted && c == '\'' {
                    self.put('\'');
                }
                self.put(c);
                self.leave_indention();
                after_space = false;
                after_break = false;
            }
        }
    }

    fn write_double_quoted(&mut self, text: &str, breaks: bool) {
        self.write_indicator("\"", true, false);
        // goyaml looks for the mark at the beginning whatever character it is at.
        let marked = text.starts_with('\u{feff}');
        let mut after_space = false;
        for (at, c) in text.char_indices() {
            let rest = &text[at + c.len_utf8()..];
            if marked || !is_printable(c) || is_break(c) || matches!(c, '"' | '\\') {
                self.write_escape(c);
                after_space = false;
            } else if c == ' ' {
                if breaks && !after_space && self.past_width() && at > 0 && !rest.is_empty() {
                    self.write_indent();
                    if rest.starts_with(' ') {
                        self.put('\\');
                    }
                } else {
                    self.put(c);
                }
                after_space = true;
            } else {
                self.put(c);
                after_space = false;
            }
        }
        self.write_indicator("\"", false, false);
        self.after_text();
    }

    fn write_escape(&mut self, c: char) {
        self.put('\\');
        let letter = match c {
            '\0' => '0',
            '\x07' => 'a',
            '\x08' => 'b',
            '\t' => 't',
            '\n' => 'n',
            '\x0b' => 'v',
            '\x0c' => 'f',
            '\r' => 'r',
            '\x1b' => 'e',
            '"' => '"',
            '\\' => '\\',
            '\u{85}' => 'N',
            '\u{a0}' => '_',
            '\u{2028}' => 'L',
            '\u{2029}' => 'P',
            _ => {
                let code = u32::from(c);
                let escape = match code {
                    0..=0xff => format!("x{code:02X}"),
                    0x100..=0xffff => format!("u{code:04X}"),
                    _ => format!("U{code:08X}"),
                };
                self.put_str(&escape);
                return;
            }
        };
        self.put(letter);
    }

    fn write_literal(&mut self, text: &str) {
        self.write_indicator("|", true, false);
        if text.starts_with([' ', '\r', '\n', '\u{85}', '\u{2028}', '\u{2029}']) {
            self.write_indicator("2", false, false);
        }
        let mut ends = text.chars().rev();
        match (ends.next().is_some_and(is_break), ends.next()) {
            (false, _) => self.write_indicator("-", false, false),
            (true, None) => self.write_indicator("+", false, false),
            (true, Some(c)) if is_break(c) => self.write_indicator("+", false, false),
            (true, Some(_)) => {}
        }
        self.start_block();
        let mut after_break = true;
        let mut rest = text;
        while let Some(c) = rest.chars().next() {
            if is_break(c) {
                if c == '\n' {
                    self.put_break();
                } else {
                    self.put_other_break(c);
                }
                self.enter_indention();
                after_break = true;
                rest = &rest[c.len_utf8()..];
            } else {
                if after_break {
                    self.write_indent();
                }
                let line = rest.find(['\r', '\n', '\u{85}', '\u{2028}', '\u{2029}']).unwrap_or(rest.len());
                self.put_str(&rest[..line]);
                self.leave_indention();
                after_break = false;
                rest = &rest[line..];
            }
        }
    }
}
