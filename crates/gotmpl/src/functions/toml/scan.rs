//! The text of a TOML document, read character by character with the errors of the Go library.

use std::cell::Cell;

use goyaml::strconv::{quote, quote_rune};

/// What is wrong with a document, and in which line.
pub(super) struct Problem {
    pub(super) line: usize,
    pub(super) message: String,
}

type Result<T> = std::result::Result<T, Problem>;

/// A position in a document.
pub(super) struct Scanner<'t> {
    text: &'t str,
    position: usize,
    /// Where the string that is read begins.
    token: usize,
    /// Whether it was looked for more than there is.
    ended: Cell<bool>,
    /// The line of the position, from 1.
    pub(super) line: usize,
}

pub(super) fn is_space(character: char) -> bool {
    matches!(character, ' ' | '\t')
}

pub(super) fn is_line_end(character: char) -> bool {
    matches!(character, '\n' | '\r')
}

/// The character as `%q` prints it; the end of the document is a zero.
pub(super) fn printed(character: Option<char>) -> String {
    quote_rune(character.unwrap_or('\0'))
}

impl<'t> Scanner<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self { text, position: 0, token: 0, ended: Cell::new(false), line: 1 }
    }

    pub(super) fn rest(&self) -> &'t str {
        &self.text[self.position..]
    }

    /// A problem right here; at the end of a document, in its last line.
    pub(super) fn problem<T>(&self, message: impl Into<String>) -> Result<T> {
        let at_end = self.rest().is_empty() && self.text.ends_with('\n');
        Err(Problem { line: self.line - usize::from(at_end), message: message.into() })
    }

    /// A problem with the character just read, which counts to the line before if it ends one.
    pub(super) fn problem_with<T>(&self, read: Option<char>, message: impl Into<String>) -> Result<T> {
        if read == Some('\n') {
            return Err(Problem { line: self.line - 1, message: message.into() });
        }
        self.problem(message)
    }

    /// The next character, without reading it.
    pub(super) fn peek(&self) -> Option<char> {
        let next = self.rest().chars().next();
        self.ended.set(self.ended.get() || next.is_none());
        next
    }

    /// Whether it was looked for more than there is.
    pub(super) fn has_ended(&self) -> bool {
        self.ended.get()
    }

    /// Reads a character; there are some that no document may have.
    pub(super) fn next(&mut self) -> Result<Option<char>> {
        let Some(character) = self.peek() else { return Ok(None) };
        let lonely_return = character == '\r' && !self.rest().starts_with("\r\n");
        if lonely_return || character.is_ascii_control() && !matches!(character, '\t' | '\r' | '\n') {
            let code = u32::from(character);
            return self.problem(format!("TOML files cannot contain control characters: '0x{code:02x}'"));
        }
        self.position += character.len_utf8();
        self.line += usize::from(character == '\n');
        Ok(Some(character))
    }

    /// Reads a text if it comes next.
    pub(super) fn accept(&mut self, text: &str) -> bool {
        let found = self.rest().starts_with(text);
        if found {
            self.position += text.len();
        }
        found
    }

    /// Reads the characters that fit.
    pub(super) fn take_while(&mut self, fits: impl Fn(char) -> bool) -> &'t str {
        let rest = self.rest();
        let taken = &rest[..rest.find(|c| !fits(c)).unwrap_or(rest.len())];
        self.position += taken.len();
        self.peek();
        taken
    }

    pub(super) fn skip_spaces(&mut self) {
        self.take_while(is_space);
    }

    /// Skips spaces, line ends and comments.
    pub(super) fn skip_blank(&mut self) -> Result<()> {
        loop {
            match self.peek() {
                Some(c) if is_space(c) || is_line_end(c) => {
                    self.next()?;
                }
                Some('#') => self.skip_comment()?,
                _ => return Ok(()),
            }
        }
    }

    /// Skips up to the end of the line.
    pub(super) fn skip_comment(&mut self) -> Result<()> {
        while self.peek().is_some_and(|c| !is_line_end(c)) {
            self.next()?;
        }
        Ok(())
    }

    /// Reads a string whose first quote comes next, in any of the four forms or only the single-line ones.
    pub(super) fn string(&mut self, allow_multiline: bool) -> Result<String> {
        if allow_multiline && self.accept("\"\"\"") {
            return self.multiline(true);
        }
        if allow_multiline && self.accept("'''") {
            return self.multiline(false);
        }
        let close = self.next()?;
        self.token = self.position;
        let escapes = close == Some('"');
        let mut output = String::new();
        loop {
            match self.next()? {
                None if escapes => return self.problem("unexpected EOF; expected '\"'"),
                None => return self.problem("unexpected EOF; expected \"'\""),
                Some(c) if is_line_end(c) => {
                    return Err(Problem {
                        line: self.line - 1,
                        message: "strings cannot contain newlines".to_owned(),
                    });
                }
                Some('\\') if escapes => output.push(self.escape()?),
                character if character == close => return Ok(output),
                Some(character) => output.push(character),
            }
        }
    }

    fn multiline(&mut self, escapes: bool) -> Result<String> {
        self.token = self.position;
        let quote = if escapes { '"' } else { '\'' };
        let end = if escapes { "\"\"\"" } else { "'''" };
        // A line end right after the quotes does not count.
        if self.rest().starts_with('\n') || self.rest().starts_with("\r\n") {
            self.take_line_end()?;
        }
        let mut output = String::new();
        loop {
            if self.rest().starts_with(end) {
                let quotes = self.take_while(|c| c == quote).len();
                if quotes > 5 {
                    let shown = if escapes { "'\"\"\"\"\"\"'" } else { "\"''''''\"" };
                    return self.problem(format!("unexpected {shown}"));
                }
                // Up to two quotes right before the end are part of the string.
                output.extend(std::iter::repeat_n(quote, quotes - 3));
                return Ok(output);
            }
            match self.next()? {
                None if escapes => return self.problem("unexpected EOF; expected '\"\"\"'"),
                None => return self.problem("unexpected EOF; expected \"'''\""),
                Some('\\') if escapes => {
                    let spaces = self.rest().len() - self.rest().trim_start_matches(is_space).len();
                    if self.rest()[spaces..].starts_with(is_line_end) {
                        while self.peek().is_some_and(|c| is_space(c) || is_line_end(c)) {
                            self.next()?;
                        }
                    } else {
                        output.push(self.escape()?);
                    }
                }
                Some(character) => output.push(character),
            }
        }
    }

    fn take_line_end(&mut self) -> Result<()> {
        if self.next()? == Some('\r') {
            self.next()?;
        }
        Ok(())
    }

    /// Reads what follows a backslash.
    fn escape(&mut self) -> Result<char> {
        let read = self.next()?;
        let (digits, number) = match read {
            Some('b') => return Ok('\x08'),
            Some('t') => return Ok('\t'),
            Some('n') => return Ok('\n'),
            Some('f') => return Ok('\x0c'),
            Some('r') => return Ok('\r'),
            Some('e') => return Ok('\x1b'),
            Some(character @ ('"' | '\\')) => return Ok(character),
            Some(character) if is_space(character) => {
                return self.problem(format!("invalid escape: '\\{character}'"));
            }
            Some('x') => (2, "two"),
            Some('u') => (4, "four"),
            Some('U') => (8, "eight"),
            other => {
                let shown = other.unwrap_or('\0');
                return self.problem_with(other, format!("invalid escape in string '\\{shown}'"));
            }
        };
        let mut code = 0u64;
        let start = self.position;
        for _ in 0..digits {
            let Some(digit) = self.next()?.and_then(|c| c.to_digit(16)) else {
                let letter = read.unwrap_or_default();
                let shown = quote(&self.text[self.token..self.position]);
                return self.problem(format!(
                    "expected {number} hexadecimal digits after '\\{letter}', but got {shown} instead"
                ));
            };
            code = code * 16 + u64::from(digit);
        }
        let Some(character) = u32::try_from(code).ok().and_then(char::from_u32) else {
            let written = &self.text[start..self.position];
            return self.problem(format!("Escaped character '\\u{written}' is not valid UTF-8."));
        };
        Ok(character)
    }
}
