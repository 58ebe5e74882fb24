//! Deciding which token comes next, and the tokens that are only punctuation.

use std::borrow::Cow;

use super::keys::MAX_KEY_LENGTH;
use super::{MAX_DEPTH, Mark, ScalarStyle, Scanner, TokenKind};
use crate::YamlError;

impl<'a> Scanner<'a> {
    /// Scans at least one more token into the queue.
    pub(super) fn fetch(&mut self) -> Result<(), YamlError> {
        self.cursor.need(1)?;
        if !self.started {
            self.started = true;
            self.push(TokenKind::StreamStart, Mark::default());
            return Ok(());
        }
        self.skip_to_token()?;
        self.unroll_indent(self.cursor.column());
        self.cursor.need(4)?;

        let first = self.cursor.peek();
        let before_space = |scanner: &Self| scanner.cursor.is_space_at(scanner.cursor.pos() + 1);
        let flow = self.flow_level > 0;
        match first {
            0 => self.fetch_stream_end(),
            b'%' if self.cursor.column() == 0 => self.fetch_directive(),
            b'-' if self.cursor.at_document_indicator() => {
                self.fetch_document_indicator(TokenKind::DocumentStart)
            }
            b'.' if self.cursor.at_document_indicator() => {
                self.fetch_document_indicator(TokenKind::DocumentEnd)
            }
            b'[' => self.fetch_flow_start(TokenKind::FlowSequenceStart),
            b'{' => self.fetch_flow_start(TokenKind::FlowMappingStart),
            b']' => self.fetch_flow_end(TokenKind::FlowSequenceEnd),
            b'}' => self.fetch_flow_end(TokenKind::FlowMappingEnd),
            b',' => {
                self.remove_key()?;
                self.simple_key_allowed = true;
                self.push_indicator(TokenKind::FlowEntry);
                Ok(())
            }
            b'-' if before_space(self) => self.fetch_block_entry(),
            b'?' if flow || before_space(self) => self.fetch_key(),
            b':' if flow || before_space(self) => self.fetch_value(),
            b'*' => self.fetch_anchor(true),
            b'&' => self.fetch_anchor(false),
            b'!' => self.fetch_tag(),
            b'|' if !flow => self.fetch_block_scalar(true),
            b'>' if !flow => self.fetch_block_scalar(false),
            b'\'' => self.fetch_quoted(true),
            b'"' => self.fetch_quoted(false),
            b' ' | b'\t' | b'|' | b'>' | b'%' | b'@' | b'`' | b'#' => {
                Err(self.error("found character that cannot start any token"))
            }
            _ => self.fetch_plain(),
        }
    }

    /// Eats white space and comments. Where a key may begin, a tab is not white space.
    fn skip_to_token(&mut self) -> Result<(), YamlError> {
        loop {
            self.cursor.need(1)?;
            self.cursor.skip_spaces();
            if self.cursor.peek() == b'\t' && (self.flow_level > 0 || !self.simple_key_allowed) {
                self.cursor.skip_blanks();
            }
            self.cursor.need(1)?;
            if self.cursor.peek() == b'#' {
                self.cursor.skip_rest_of_line();
                self.cursor.need(1)?;
            }
            if !self.cursor.is_break() {
                return Ok(());
            }
            self.cursor.need(2)?;
            self.cursor.take_break();
            if self.flow_level == 0 {
                self.simple_key_allowed = true;
            }
        }
    }

    /// Queues a token of one character and steps over it.
    fn push_indicator(&mut self, kind: TokenKind<'a>) {
        let mark = self.cursor.mark();
        self.cursor.skip();
        self.push(kind, mark);
    }

    /// Opens a block collection if this column is deeper than the one that is open; its token goes
    /// before the token `number`, or to the end.
    fn roll_indent(
        &mut self,
        column: i32,
        number: Option<usize>,
        kind: TokenKind<'a>,
        mark: Mark,
    ) -> Result<(), YamlError> {
        if self.flow_level > 0 || self.indent >= column {
            return Ok(());
        }
        self.indents.push(self.indent);
        self.indent = column;
        if self.indents.len() > MAX_DEPTH {
            return Err(self.too_deep());
        }
        match number {
            Some(number) => self.insert(number, kind, mark),
            None => self.push(kind, mark),
        }
        Ok(())
    }

    #[cold]
    fn too_deep(&self) -> YamlError {
        self.error(&format!("exceeded max depth of {MAX_DEPTH}"))
    }

    /// Closes the block collections that are deeper than `column`.
    #[inline]
    fn unroll_indent(&mut self, column: i32) {
        if self.flow_level > 0 {
            return;
        }
        while self.indent > column {
            self.push(TokenKind::BlockEnd, self.cursor.mark());
            self.indent = self.indents.pop().unwrap_or(-1);
        }
    }

    fn fetch_stream_end(&mut self) -> Result<(), YamlError> {
        self.cursor.force_new_line();
        self.unroll_indent(-1);
        self.remove_key()?;
        self.simple_key_allowed = false;
        self.push(TokenKind::StreamEnd, self.cursor.mark());
        Ok(())
    }

    fn fetch_directive(&mut self) -> Result<(), YamlError> {
        self.unroll_indent(-1);
        self.remove_key()?;
        self.simple_key_allowed = false;
        let mark = self.cursor.mark();
        let kind = self.scan_directive()?;
        self.push(kind, mark);
        Ok(())
    }

    fn fetch_document_indicator(&mut self, kind: TokenKind<'a>) -> Result<(), YamlError> {
        self.unroll_indent(-1);
        self.remove_key()?;
        self.simple_key_allowed = false;
        let mark = self.cursor.mark();
        self.cursor.move_to(self.cursor.pos() + 3);
        self.push(kind, mark);
        Ok(())
    }

    fn fetch_flow_start(&mut self, kind: TokenKind<'a>) -> Result<(), YamlError> {
        self.save_key()?;
        self.push_key_level();
        self.flow_level += 1;
        if self.flow_level > MAX_DEPTH {
            return Err(self.too_deep());
        }
        self.simple_key_allowed = true;
        self.push_indicator(kind);
        Ok(())
    }

    fn fetch_flow_end(&mut self, kind: TokenKind<'a>) -> Result<(), YamlError> {
        self.remove_key()?;
        if self.flow_level > 0 {
            self.flow_level -= 1;
            self.pop_key_level();
        }
        self.simple_key_allowed = false;
        self.push_indicator(kind);
        Ok(())
    }

    fn fetch_block_entry(&mut self) -> Result<(), YamlError> {
        if self.flow_level == 0 {
            if !self.simple_key_allowed {
                return Err(self.error("block sequence entries are not allowed in this context"));
            }
            let mark = self.cursor.mark();
            self.roll_indent(self.cursor.column(), None, TokenKind::BlockSequenceStart, mark)?;
        }
        self.remove_key()?;
        self.simple_key_allowed = true;
        self.push_indicator(TokenKind::BlockEntry);
        Ok(())
    }

    fn fetch_key(&mut self) -> Result<(), YamlError> {
        if self.flow_level == 0 {
            if !self.simple_key_allowed {
                return Err(self.error("mapping keys are not allowed in this context"));
            }
            let mark = self.cursor.mark();
            self.roll_indent(self.cursor.column(), None, TokenKind::BlockMappingStart, mark)?;
        }
        self.remove_key()?;
        self.simple_key_allowed = self.flow_level == 0;
        self.push_indicator(TokenKind::Key);
        Ok(())
    }

    fn fetch_value(&mut self) -> Result<(), YamlError> {
        if let Some((number, mark)) = self.take_key()? {
            self.insert(number, TokenKind::Key, mark);
            self.roll_indent(mark.column as i32, Some(number), TokenKind::BlockMappingStart, mark)?;
            self.simple_key_allowed = false;
        } else {
            if self.flow_level == 0 {
                if !self.simple_key_allowed {
                    return Err(self.error("mapping values are not allowed in this context"));
                }
                let mark = self.cursor.mark();
                self.roll_indent(self.cursor.column(), None, TokenKind::BlockMappingStart, mark)?;
            }
            self.simple_key_allowed = self.flow_level == 0;
        }
        self.push_indicator(TokenKind::Value);
        Ok(())
    }

    fn fetch_anchor(&mut self, alias: bool) -> Result<(), YamlError> {
        self.save_key()?;
        self.simple_key_allowed = false;
        let mark = self.cursor.mark();
        let name = self.scan_anchor()?;
        self.push(if alias { TokenKind::Alias(name) } else { TokenKind::Anchor(name) }, mark);
        Ok(())
    }

    fn scan_anchor(&mut self) -> Result<&'a str, YamlError> {
        self.cursor.skip();
        let start = self.cursor.pos();
        self.skip_word()?;
        let name = self.cursor.slice(start, self.cursor.pos());
        let ended = self.cursor.is_space_at(self.cursor.pos())
            || matches!(self.cursor.peek(), b'?' | b':' | b',' | b']' | b'}' | b'%' | b'@' | b'`');
        if name.is_empty() || !ended {
            return Err(self.error("did not find expected alphabetic or numeric character"));
        }
        Ok(name)
    }

    /// Steps over ASCII letters, digits, `_` and `-`.
    pub(super) fn skip_word(&mut self) -> Result<(), YamlError> {
        self.cursor.need(1)?;
        while matches!(self.cursor.peek(), b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' | b'_' | b'-') {
            self.cursor.skip();
        }
        self.cursor.need(1)
    }

    fn fetch_tag(&mut self) -> Result<(), YamlError> {
        self.save_key()?;
        self.simple_key_allowed = false;
        let mark = self.cursor.mark();
        let (handle, suffix) = self.scan_tag()?;
        self.push(TokenKind::Tag(Box::new((handle, suffix))), mark);
        Ok(())
    }

    fn fetch_block_scalar(&mut self, literal: bool) -> Result<(), YamlError> {
        self.remove_key()?;
        self.simple_key_allowed = true;
        let mark = self.cursor.mark();
        let kind = self.scan_block_scalar(literal)?;
        self.push(kind, mark);
        Ok(())
    }

    fn fetch_quoted(&mut self, single: bool) -> Result<(), YamlError> {
        self.save_key()?;
        self.simple_key_allowed = false;
        let mark = self.cursor.mark();
        let kind = self.scan_quoted(single)?;
        self.push(kind, mark);
        Ok(())
    }

    /// The common case, in one go: a word in a block mapping with its `:` right behind it. The tokens
    /// are those that noting a possible key and finding its `:` later would give.
    fn fetch_plain_key(&mut self) -> Result<bool, YamlError> {
        let start = self.cursor.pos();
        let end = self.plain_piece_end();
        let is_key = self.cursor.at(end) == b':' && end - start <= MAX_KEY_LENGTH;
        if !is_key || self.cursor.has_problem() || self.has_possible_key() {
            return Ok(false);
        }
        let mark = self.cursor.mark();
        self.roll_indent(mark.column as i32, None, TokenKind::BlockMappingStart, mark)?;
        self.push(TokenKind::Key, mark);
        self.cursor.move_to(end);
        let word = Cow::Borrowed(self.cursor.slice(start, end));
        self.push(TokenKind::Scalar(word, ScalarStyle::Plain), mark);
        self.push_indicator(TokenKind::Value);
        self.simple_key_allowed = false;
        Ok(true)
    }

    fn fetch_plain(&mut self) -> Result<(), YamlError> {
        if self.simple_key_allowed && self.flow_level == 0 && self.fetch_plain_key()? {
            return Ok(());
        }
        self.save_key()?;
        self.simple_key_allowed = false;
        let mark = self.cursor.mark();
        let kind = self.scan_plain()?;
        self.push(kind, mark);
        Ok(())
    }
}
