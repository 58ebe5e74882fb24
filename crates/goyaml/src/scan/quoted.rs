//! Quoted scalars, with their escapes and folded line breaks.

use std::borrow::Cow;

use super::plain::Fold;
use super::{ScalarStyle, Scanner, TokenKind};
use crate::YamlError;

impl<'a> Scanner<'a> {
    pub(super) fn scan_quoted(&mut self, single: bool) -> Result<TokenKind<'a>, YamlError> {
        let quote = if single { b'\'' } else { b'"' };
        self.cursor.skip();
        if let Some(text) = self.quoted_slice(quote) {
            return Ok(TokenKind::Scalar(Cow::Borrowed(text), ScalarStyle::Quoted));
        }
        let mut text = String::new();
        let mut fold = Fold::default();
        loop {
            self.cursor.need(4)?;
            if self.cursor.at_document_indicator() {
                return Err(self.error("found unexpected document indicator"));
            }
            if self.cursor.peek() == 0 {
                return Err(self.error("found unexpected end of stream"));
            }
            let mut after_break = false;
            loop {
                let piece = self.cursor.pos();
                let mut place = piece;
                while !self.cursor.is_space_at(place)
                    && self.cursor.at(place) != quote
                    && (single || self.cursor.at(place) != b'\\')
                {
                    place += 1;
                }
                self.cursor.move_to(place);
                text.push_str(self.cursor.slice(piece, place));
                if place > piece {
                    self.cursor.need(2)?;
                }
                match self.cursor.peek() {
                    b'\'' if single && self.cursor.peek_at(1) == b'\'' => {
                        text.push('\'');
                        self.cursor.move_to(place + 2);
                    }
                    b'\\' if !single && self.cursor.break_width(place + 1) > 0 => {
                        self.cursor.need(3)?;
                        self.cursor.skip();
                        self.cursor.take_break();
                        after_break = true;
                        break;
                    }
                    b'\\' if !single => self.escape(&mut text)?,
                    _ => break,
                }
                self.cursor.need(2)?;
            }
            self.cursor.need(1)?;
            if self.cursor.peek() == quote {
                break;
            }
            let blanks = self.cursor.pos();
            let mut blanks_end = blanks;
            loop {
                if self.cursor.is_blank() {
                    self.cursor.skip();
                    if !after_break {
                        blanks_end = self.cursor.pos();
                    }
                } else if self.cursor.is_break() {
                    self.cursor.need(2)?;
                    let reads_as = self.cursor.take_break();
                    if after_break {
                        fold.others.push_str(reads_as);
                    } else {
                        fold.first = reads_as;
                        after_break = true;
                    }
                } else {
                    break;
                }
                self.cursor.need(1)?;
            }
            if after_break {
                fold.flush(&mut text);
            } else {
                text.push_str(self.cursor.slice(blanks, blanks_end));
            }
        }
        self.cursor.skip();
        Ok(TokenKind::Scalar(Cow::Owned(text), ScalarStyle::Quoted))
    }

    /// The content of a quoted scalar that ends on its line and reads as it is written.
    fn quoted_slice(&mut self, quote: u8) -> Option<&'a str> {
        let start = self.cursor.pos();
        let mut place = start;
        loop {
            match self.cursor.at(place) {
                byte if byte == quote => break,
                0 | b'\n' | b'\r' => return None,
                b'\\' if quote == b'"' => return None,
                0xc2 | 0xe2 if self.cursor.break_width(place) > 0 => return None,
                _ => place += 1,
            }
        }
        let doubled = quote == b'\'' && self.cursor.at(place + 1) == quote;
        if doubled || self.cursor.has_problem() {
            return None;
        }
        self.cursor.move_to(place);
        self.cursor.skip();
        Some(self.cursor.slice(start, place))
    }

    /// Reads one escape sequence of a double-quoted scalar.
    fn escape(&mut self, text: &mut String) -> Result<(), YamlError> {
        let digits = match self.cursor.peek_at(1) {
            b'x' => 2,
            b'u' => 4,
            b'U' => 8,
            other => {
                let Some(character) = simple_escape(other) else {
                    return Err(self.error("found unknown escape character"));
                };
                text.push(character);
                self.cursor.move_to(self.cursor.pos() + 2);
                return Ok(());
            }
        };
        self.cursor.move_to(self.cursor.pos() + 2);
        self.cursor.need(digits)?;
        let mut code: u32 = 0;
        for ahead in 0..digits {
            let Some(digit) = char::from(self.cursor.peek_at(ahead)).to_digit(16) else {
                return Err(self.error("did not find expected hexdecimal number"));
            };
            code = (code << 4) | digit;
        }
        let Some(character) = char::from_u32(code) else {
            return Err(self.error("found invalid Unicode character escape code"));
        };
        text.push(character);
        self.cursor.move_to(self.cursor.pos() + digits);
        Ok(())
    }
}

fn simple_escape(byte: u8) -> Option<char> {
    Some(match byte {
        b'0' => '\0',
        b'a' => '\x07',
        b'b' => '\x08',
        b't' | b'\t' => '\t',
        b'n' => '\n',
        b'v' => '\x0b',
        b'f' => '\x0c',
        b'r' => '\r',
        b'e' => '\x1b',
        b' ' => ' ',
        b'"' => '"',
        b'\'' => '\'',
        b'\\' => '\\',
        b'N' => '\u{85}',
        b'_' => '\u{a0}',
        b'L' => '\u{2028}',
        b'P' => '\u{2029}',
        _ => return None,
    })
}
