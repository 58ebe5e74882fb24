//! Literal (`|`) and folded (`>`) block scalars.

use std::borrow::Cow;

use super::{ScalarStyle, Scanner, TokenKind};
use crate::YamlError;

/// What happens to the line breaks at the end.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Chomping {
    Clip,
    Strip,
    Keep,
}

impl<'a> Scanner<'a> {
    pub(super) fn scan_block_scalar(&mut self, literal: bool) -> Result<TokenKind<'a>, YamlError> {
        self.cursor.skip();
        let (chomping, increment) = self.block_header()?;
        let mut indent = match increment {
            0 => 0,
            increment if self.indent >= 0 => self.indent + increment,
            increment => increment,
        };

        let mut text = String::new();
        let mut first_break = "";
        let mut other_breaks = String::new();
        self.block_breaks(&mut indent, &mut other_breaks)?;
        self.cursor.need(1)?;
        let mut after_blank = false;
        while self.cursor.column() == indent && self.cursor.peek() != 0 {
            let starts_blank = self.cursor.is_blank();
            if !literal && !after_blank && !starts_blank && first_break.starts_with('\n') {
                if other_breaks.is_empty() {
                    text.push(' ');
                }
            } else {
                text.push_str(first_break);
            }
            text.push_str(&other_breaks);
            other_breaks.clear();
            after_blank = starts_blank;

            let line = self.cursor.pos();
            self.cursor.skip_rest_of_line();
            text.push_str(self.cursor.slice(line, self.cursor.pos()));
            self.cursor.need(2)?;
            first_break = self.cursor.take_break();
            self.block_breaks(&mut indent, &mut other_breaks)?;
        }

        if chomping != Chomping::Strip {
            text.push_str(first_break);
        }
        if chomping == Chomping::Keep {
            text.push_str(&other_breaks);
        }
        Ok(TokenKind::Scalar(Cow::Owned(text), ScalarStyle::Block))
    }

    /// Reads the chomping and indentation indicators, in either order, and the rest of their line.
    fn block_header(&mut self) -> Result<(Chomping, i32), YamlError> {
        let mut chomping = Chomping::Clip;
        let mut increment = 0;
        self.cursor.need(1)?;
        let chomping_first = self.chomping_indicator(&mut chomping)?;
        self.cursor.need(1)?;
        match self.cursor.peek() {
            b'0' => return Err(self.error("found an indentation indicator equal to 0")),
            digit @ b'1'..=b'9' => {
                increment = i32::from(digit - b'0');
                self.cursor.skip();
                self.cursor.need(1)?;
                if !chomping_first {
                    self.chomping_indicator(&mut chomping)?;
                }
            }
            _ => {}
        }
        self.end_of_line()?;
        Ok((chomping, increment))
    }

    fn chomping_indicator(&mut self, chomping: &mut Chomping) -> Result<bool, YamlError> {
        *chomping = match self.cursor.peek() {
            b'+' => Chomping::Keep,
            b'-' => Chomping::Strip,
            _ => return Ok(false),
        };
        self.cursor.skip();
        self.cursor.need(1)?;
        Ok(true)
    }

    /// Expects nothing but blanks and a comment up to the end of the line, and steps over its break.
    pub(super) fn end_of_line(&mut self) -> Result<(), YamlError> {
        self.cursor.need(1)?;
        self.cursor.skip_blanks();
        self.cursor.need(1)?;
        if self.cursor.peek() == b'#' {
            self.cursor.skip_rest_of_line();
            self.cursor.need(1)?;
        }
        if !self.cursor.is_break_or_end() {
            return Err(self.error("did not find expected comment or line break"));
        }
        if self.cursor.is_break() {
            self.cursor.need(2)?;
            self.cursor.take_break();
        }
        Ok(())
    }

    /// Eats indentation and empty lines; the first non-empty line settles an indentation left open.
    fn block_breaks(&mut self, indent: &mut i32, breaks: &mut String) -> Result<(), YamlError> {
        let mut deepest = 0;
        loop {
            self.cursor.need(1)?;
            while (*indent == 0 || self.cursor.column() < *indent) && self.cursor.peek() == b' ' {
                self.cursor.skip();
            }
            self.cursor.need(1)?;
            deepest = deepest.max(self.cursor.column());
            if (*indent == 0 || self.cursor.column() < *indent) && self.cursor.peek() == b'\t' {
                return Err(self.error("found a tab character where an indentation space is expected"));
            }
            if !self.cursor.is_break() {
                break;
            }
            self.cursor.need(2)?;
            breaks.push_str(self.cursor.take_break());
        }
        if *indent == 0 {
            *indent = deepest.max(self.indent + 1).max(1);
        }
        Ok(())
    }
}
