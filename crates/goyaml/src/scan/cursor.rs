//! A place in the text, with the line and column Go would report for it.

use super::Input;
use crate::YamlError;

/// A line and a column, both from zero; the column counts characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Mark {
    pub(crate) line: u32,
    pub(crate) column: u32,
}

/// Looks at the text byte by byte. The end of the text reads as NUL, which cannot occur inside it.
pub(super) struct Cursor<'a> {
    text: &'a str,
    bytes: &'a [u8],
    ascii: bool,
    problem: Option<(&'static str, usize)>,
    pos: usize,
    /// Bytes before `pos` that continue a character; `pos - continued` counts characters.
    continued: usize,
    line: u32,
    /// The character at which the line begins.
    line_start: usize,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(input: Input<'a>) -> Self {
        Self {
            text: input.text,
            bytes: input.text.as_bytes(),
            ascii: input.ascii,
            problem: input.problem,
            pos: 0,
            continued: 0,
            line: 0,
            line_start: 0,
        }
    }

    #[inline]
    pub(super) fn pos(&self) -> usize {
        self.pos
    }

    /// How many characters precede this place.
    #[inline]
    pub(super) fn index(&self) -> usize {
        self.pos - self.continued
    }

    #[inline]
    pub(super) fn line(&self) -> u32 {
        self.line
    }

    #[inline]
    pub(super) fn column(&self) -> i32 {
        (self.index() - self.line_start) as i32
    }

    #[inline]
    pub(super) fn mark(&self) -> Mark {
        Mark { line: self.line, column: (self.index() - self.line_start) as u32 }
    }

    #[inline]
    pub(super) fn slice(&self, from: usize, to: usize) -> &'a str {
        &self.text[from..to]
    }

    #[inline]
    pub(super) fn peek(&self) -> u8 {
        self.at(self.pos)
    }

    #[inline]
    pub(super) fn peek_at(&self, ahead: usize) -> u8 {
        self.at(self.pos + ahead)
    }

    #[inline]
    pub(super) fn at(&self, place: usize) -> u8 {
        self.bytes.get(place).copied().unwrap_or(0)
    }

    /// What comes from `place` on.
    #[inline]
    pub(super) fn rest(&self, place: usize) -> &'a [u8] {
        self.bytes.get(place..).unwrap_or_default()
    }

    /// The width of the line break at `place`, `0` if there is none; CR LF counts as one break.
    #[inline]
    pub(super) fn break_width(&self, place: usize) -> usize {
        match self.at(place) {
            b'\r' if self.at(place + 1) == b'\n' => 2,
            b'\r' | b'\n' => 1,
            0xc2 if self.at(place + 1) == 0x85 => 2,
            0xe2 if self.at(place + 1) == 0x80 && matches!(self.at(place + 2), 0xa8 | 0xa9) => 3,
            _ => 0,
        }
    }

    #[inline]
    pub(super) fn is_break(&self) -> bool {
        self.break_width(self.pos) > 0
    }

    #[inline]
    pub(super) fn is_blank(&self) -> bool {
        matches!(self.peek(), b' ' | b'\t')
    }

    #[inline]
    pub(super) fn is_break_or_end(&self) -> bool {
        self.peek() == 0 || self.is_break()
    }

    /// Blank, line break or end of the text.
    #[inline]
    pub(super) fn is_space_at(&self, place: usize) -> bool {
        match self.at(place) {
            b' ' | b'\t' | b'\n' | b'\r' | 0 => true,
            0xc2 | 0xe2 => self.break_width(place) > 0,
            _ => false,
        }
    }

    /// `---` or `...` at the beginning of a line, followed by a blank, a break or the end.
    #[inline]
    pub(super) fn at_document_indicator(&self) -> bool {
        matches!(self.peek(), b'-' | b'.')
            && self.column() == 0
            && self.peek_at(1) == self.peek()
            && self.peek_at(2) == self.peek()
            && self.is_space_at(self.pos + 3)
    }

    /// Steps over one character that is not a line break.
    #[inline]
    pub(super) fn skip(&mut self) {
        let width = match self.peek() {
            0..0x80 => 1,
            0x80..0xe0 => 2,
            0xe0..0xf0 => 3,
            0xf0.. => 4,
        };
        self.pos += width;
        self.continued += width - 1;
    }

    /// Moves to `place`, on the same line.
    #[inline]
    pub(super) fn move_to(&mut self, place: usize) {
        if !self.ascii {
            let passed = &self.bytes[self.pos..place];
            self.continued += passed.iter().filter(|&&byte| byte & 0xc0 == 0x80).count();
        }
        self.pos = place;
    }

    /// Steps over the line break here, if there is one, and tells what it reads as.
    #[inline]
    pub(super) fn take_break(&mut self) -> &'a str {
        let width = self.break_width(self.pos);
        if width == 0 {
            return "";
        }
        let first = self.peek();
        let reads_as = if width == 3 { self.slice(self.pos, self.pos + 3) } else { "\n" };
        self.pos += width;
        if first >= 0x80 {
            self.continued += width - 1;
        }
        self.line += 1;
        self.line_start = self.index();
        reads_as
    }

    /// Steps over spaces.
    #[inline]
    pub(super) fn skip_spaces(&mut self) {
        self.pos += self.rest(self.pos).iter().take_while(|&&byte| byte == b' ').count();
    }

    /// Steps over spaces and tabs.
    pub(super) fn skip_blanks(&mut self) {
        while self.is_blank() {
            self.pos += 1;
        }
    }

    /// Steps over the rest of the line, up to its break.
    pub(super) fn skip_rest_of_line(&mut self) {
        self.move_to(self.line_end());
    }

    /// Where this line's break is, or the end of the text.
    #[inline]
    pub(super) fn line_end(&self) -> usize {
        // Without a problem there is no NUL, and in ASCII there are no other breaks.
        if self.ascii && self.problem.is_none() {
            let rest = self.rest(self.pos);
            return self.pos + memchr::memchr2(b'\n', b'\r', rest).unwrap_or(rest.len());
        }
        let mut place = self.pos;
        loop {
            let text = |byte: &u8| !matches!(byte, b'\n' | b'\r' | 0 | 0xc2 | 0xe2);
            place += self.rest(place).iter().take_while(|&byte| text(byte)).count();
            match self.at(place) {
                b'\n' | b'\r' | 0 => return place,
                0xc2 | 0xe2 if self.break_width(place) > 0 => return place,
                _ => place += 1,
            }
        }
    }

    /// At the end of the text Go pretends that the last line was complete.
    pub(super) fn force_new_line(&mut self) {
        if self.column() != 0 {
            self.line += 1;
            self.line_start = self.index();
        }
    }

    /// Fails if fewer than `count` characters can be had before Go would stumble on a bad one.
    #[inline]
    pub(super) fn need(&self, count: usize) -> Result<(), YamlError> {
        match self.problem {
            None => Ok(()),
            Some((problem, limit)) => self.need_before(problem, limit, count),
        }
    }

    /// Whether the text holds a bad character somewhere, so that shortcuts are not to be taken.
    #[inline]
    pub(super) fn has_problem(&self) -> bool {
        self.problem.is_some()
    }

    #[cold]
    fn need_before(&self, problem: &str, limit: usize, count: usize) -> Result<(), YamlError> {
        let known = self.text.get(self.pos..limit).map_or(0, |known| known.chars().take(count).count());
        if known < count { Err(YamlError::new(format!("yaml: {problem}"), None)) } else { Ok(()) }
    }
}
