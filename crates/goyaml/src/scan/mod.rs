//! From text to tokens: the scanner of `go.yaml.in/yaml/v2`, with its look-ahead and its limits.
//!
//! Go's scanner finds out late that something was a mapping key: it remembers where a key might have
//! begun and, when the `:` comes, puts the missing tokens in front of those already queued. How far it
//! looks ahead decides which error is seen first, so the same bookkeeping is kept here.

mod block;
mod cursor;
mod fetch;
mod input;
mod keys;
mod plain;
mod quoted;
mod tag;
mod token;

use std::collections::VecDeque;

use cursor::Cursor;
pub(crate) use cursor::Mark;
pub(crate) use input::Input;
use keys::SimpleKeys;
pub(crate) use token::{ScalarStyle, Token, TokenKind};

use crate::YamlError;

/// How deep block or flow collections may nest.
const MAX_DEPTH: usize = 10_000;

/// The scanner's state between two tokens.
pub(crate) struct Scanner<'a> {
    cursor: Cursor<'a>,
    queue: VecDeque<Token<'a>>,
    /// How many tokens have left the queue.
    taken: usize,
    /// The front of the queue may be handed out.
    ready: bool,
    started: bool,
    indent: i32,
    indents: Vec<i32>,
    flow_level: usize,
    simple_key_allowed: bool,
    keys: SimpleKeys,
}

impl<'a> Scanner<'a> {
    pub(crate) fn new(input: Input<'a>) -> Self {
        Self {
            cursor: Cursor::new(input),
            queue: VecDeque::with_capacity(16),
            taken: 0,
            ready: false,
            started: false,
            indent: -1,
            indents: Vec::with_capacity(16),
            flow_level: 0,
            simple_key_allowed: true,
            keys: SimpleKeys::new(),
        }
    }

    /// The next token, left in place.
    #[inline]
    pub(crate) fn peek(&mut self) -> Result<&Token<'a>, YamlError> {
        if !self.ready {
            self.fill()?;
        }
        match self.queue.front() {
            Some(token) => Ok(token),
            None => Err(YamlError::new("yaml: unknown problem parsing YAML content", None)),
        }
    }

    /// Takes the token that was last peeked at.
    #[inline]
    pub(crate) fn take(&mut self) -> Option<Token<'a>> {
        self.ready = false;
        self.taken += 1;
        self.queue.pop_front()
    }

    /// Scans until the front of the queue can no longer turn out to be a mapping key.
    fn fill(&mut self) -> Result<(), YamlError> {
        loop {
            if !self.queue.is_empty() {
                match self.keys.level_of(self.taken) {
                    None => break,
                    Some(level) => {
                        if !self.key_is_possible(level)? {
                            break;
                        }
                    }
                }
            }
            self.fetch()?;
        }
        self.ready = true;
        Ok(())
    }

    /// The number the next token to be queued will have.
    fn next_number(&self) -> usize {
        self.taken + self.queue.len()
    }

    fn push(&mut self, kind: TokenKind<'a>, mark: Mark) {
        self.queue.push_back(Token { kind, mark });
    }

    /// Puts a token before the one numbered `number`; at the end if that one has already left.
    fn insert(&mut self, number: usize, kind: TokenKind<'a>, mark: Mark) {
        let token = Token { kind, mark };
        match number.checked_sub(self.taken) {
            Some(place) if place < self.queue.len() => self.queue.insert(place, token),
            _ => self.queue.push_back(token),
        }
    }

    /// An error at the current place.
    #[cold]
    fn error(&self, problem: &str) -> YamlError {
        YamlError::at(self.cursor.line(), true, problem)
    }
}
