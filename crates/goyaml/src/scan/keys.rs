//! Where a mapping key without `?` might have begun, one place per flow level.

use std::collections::VecDeque;

use super::{Mark, Scanner};
use crate::YamlError;

/// How many characters may lie between the start of such a key and its `:`.
pub(super) const MAX_KEY_LENGTH: usize = 1024;

/// A place where a key might have begun.
#[derive(Clone, Copy, Default)]
struct SimpleKey {
    possible: bool,
    /// Nothing but a key may stand here.
    required: bool,
    /// The number of the token that begins it.
    number: usize,
    index: usize,
    mark: Mark,
}

/// The possible keys of all open flow levels, innermost last.
pub(super) struct SimpleKeys {
    levels: Vec<SimpleKey>,
    /// Which token begins the key of which level, in order of the tokens. An entry can outlive its key.
    by_number: VecDeque<(usize, usize)>,
}

impl SimpleKeys {
    pub(super) fn new() -> Self {
        Self { levels: vec![SimpleKey::default()], by_number: VecDeque::new() }
    }

    /// The level whose key begins with the token `number`.
    #[inline]
    pub(super) fn level_of(&mut self, number: usize) -> Option<usize> {
        while let Some(&(first, level)) = self.by_number.front() {
            if first == number {
                return Some(level);
            }
            if first > number {
                return None;
            }
            self.by_number.pop_front();
        }
        None
    }

    fn forget(&mut self, number: usize) {
        if let Some(at) = self.by_number.iter().rposition(|&(entry, _)| entry == number) {
            self.by_number.remove(at);
        }
    }
}

impl Scanner<'_> {
    /// Whether the key of `level` can still become one: its `:` must come on its line, and soon.
    pub(super) fn key_is_possible(&mut self, level: usize) -> Result<bool, YamlError> {
        let (line, index) = (self.cursor.line(), self.cursor.index());
        let Some(key) = self.keys.levels.get_mut(level) else { return Ok(false) };
        if !key.possible {
            return Ok(false);
        }
        if key.mark.line < line || key.index + MAX_KEY_LENGTH < index {
            if key.required {
                return Err(self.missing_colon());
            }
            key.possible = false;
            return Ok(false);
        }
        Ok(true)
    }

    #[cold]
    fn missing_colon(&self) -> YamlError {
        self.error("could not find expected ':'")
    }

    /// Notes that a key might begin here.
    pub(super) fn save_key(&mut self) -> Result<(), YamlError> {
        if !self.simple_key_allowed {
            return Ok(());
        }
        let key = SimpleKey {
            possible: true,
            required: self.flow_level == 0 && self.indent == self.cursor.column(),
            number: self.next_number(),
            index: self.cursor.index(),
            mark: self.cursor.mark(),
        };
        self.remove_key()?;
        let level = self.keys.levels.len() - 1;
        self.keys.levels[level] = key;
        self.keys.by_number.push_back((key.number, level));
        Ok(())
    }

    /// Whether a possible key of this level is waiting for its `:`.
    #[inline]
    pub(super) fn has_possible_key(&self) -> bool {
        self.keys.levels.last().is_some_and(|key| key.possible)
    }

    /// Gives up the possible key of this level; an error if nothing else may stand there.
    pub(super) fn remove_key(&mut self) -> Result<(), YamlError> {
        if let Some(key) = self.keys.levels.last_mut()
            && key.possible
        {
            if key.required {
                return Err(self.missing_colon());
            }
            key.possible = false;
            let number = key.number;
            self.keys.forget(number);
        }
        Ok(())
    }

    /// The `:` has come: takes the key of this level, if there is one, as its token's number and place.
    pub(super) fn take_key(&mut self) -> Result<Option<(usize, Mark)>, YamlError> {
        let level = self.keys.levels.len() - 1;
        if !self.key_is_possible(level)? {
            return Ok(None);
        }
        let key = &mut self.keys.levels[level];
        key.possible = false;
        let (number, mark) = (key.number, key.mark);
        self.keys.forget(number);
        Ok(Some((number, mark)))
    }

    /// Enters a flow collection.
    pub(super) fn push_key_level(&mut self) {
        // The number is that of the opening bracket, as in Go: leaving an empty collection then
        // forgets the key which that bracket began.
        let number = self.next_number();
        self.keys.levels.push(SimpleKey { number, ..SimpleKey::default() });
    }

    /// Leaves a flow collection.
    pub(super) fn pop_key_level(&mut self) {
        if let Some(key) = self.keys.levels.pop() {
            self.keys.forget(key.number);
        }
    }
}
