//! Plain scalars: no quotes, ended by what follows them.

use std::borrow::Cow;

use super::{ScalarStyle, Scanner, TokenKind};
use crate::YamlError;

/// What a byte means inside a plain scalar.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Text,
    /// Blank, break or end.
    Space,
    Colon,
    /// Ends the scalar inside a flow collection.
    Flow,
    /// May begin one of the line breaks beyond ASCII.
    Unicode,
}

const CLASSES: [Class; 256] = {
    let mut classes = [Class::Text; 256];
    let spaces = [b' ', b'\t', b'\n', b'\r', 0];
    let flows = [b',', b'?', b'[', b']', b'{', b'}'];
    let mut i = 0;
    while i < spaces.len() {
        classes[spaces[i] as usize] = Class::Space;
        i += 1;
    }
    i = 0;
    while i < flows.len() {
        classes[flows[i] as usize] = Class::Flow;
        i += 1;
    }
    classes[b':' as usize] = Class::Colon;
    classes[0xc2] = Class::Unicode;
    classes[0xe2] = Class::Unicode;
    classes
};

#[inline]
fn is_text(byte: u8) -> bool {
    CLASSES[usize::from(byte)] == Class::Text
}

/// The line breaks between two pieces of a scalar, which fold into a space or fewer breaks.
#[derive(Default)]
pub(super) struct Fold<'a> {
    pub(super) first: &'a str,
    pub(super) others: String,
}

impl Fold<'_> {
    /// Writes what the breaks fold to, and starts anew.
    pub(super) fn flush(&mut self, text: &mut String) {
        if !self.first.starts_with('\n') {
            text.push_str(self.first);
            text.push_str(&self.others);
        } else if self.others.is_empty() {
            text.push(' ');
        } else {
            text.push_str(&self.others);
        }
        self.first = "";
        self.others.clear();
    }
}

impl<'a> Scanner<'a> {
    pub(super) fn scan_plain(&mut self) -> Result<TokenKind<'a>, YamlError> {
        let indent = self.indent + 1;
        let start = self.cursor.pos();
        let mut end = start;
        // A scalar on one line is a slice of the input; only folding makes a copy.
        let mut folded: Option<String> = None;
        let mut fold = Fold::default();
        let mut after_break = false;
        loop {
            self.cursor.need(4)?;
            if self.cursor.at_document_indicator() || self.cursor.peek() == b'#' {
                break;
            }
            let piece = self.cursor.pos();
            let piece_end = self.plain_piece_end();
            if piece_end > piece {
                self.cursor.move_to(piece_end);
                if after_break {
                    let text = folded.get_or_insert_with(|| self.cursor.slice(start, end).to_owned());
                    fold.flush(text);
                    text.push_str(self.cursor.slice(piece, piece_end));
                    after_break = false;
                } else if let Some(text) = &mut folded {
                    text.push_str(self.cursor.slice(end, piece_end));
                }
                end = piece_end;
                self.cursor.need(2)?;
            }
            if !(self.cursor.is_blank() || self.cursor.is_break()) {
                break;
            }
            loop {
                if self.cursor.is_blank() {
                    if after_break && self.cursor.column() < indent && self.cursor.peek() == b'\t' {
                        return Err(self.error("found a tab character that violates indentation"));
                    }
                    self.cursor.skip();
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
            if self.flow_level == 0 && self.cursor.column() < indent {
                break;
            }
        }
        if after_break {
            self.simple_key_allowed = true;
        }
        let text = folded.map_or_else(|| Cow::Borrowed(self.cursor.slice(start, end)), Cow::Owned);
        Ok(TokenKind::Scalar(text, ScalarStyle::Plain))
    }

    /// Where the run of characters that belong to the scalar ends.
    #[inline]
    pub(super) fn plain_piece_end(&self) -> usize {
        let flow = self.flow_level > 0;
        let mut place = self.cursor.pos();
        loop {
            place += self.cursor.rest(place).iter().take_while(|&&byte| is_text(byte)).count();
            match CLASSES[usize::from(self.cursor.at(place))] {
                Class::Space => return place,
                Class::Colon if self.cursor.is_space_at(place + 1) => return place,
                Class::Flow if flow => return place,
                Class::Unicode if self.cursor.break_width(place) > 0 => return place,
                _ => {}
            }
            place += 1;
        }
    }
}
