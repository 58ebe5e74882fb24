//! What the scripted broker is told to answer.

use serde_json::Value;

/// How an answer is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Manner {
    /// As it should be.
    Plainly,
    /// Never: the connection stays open, and nothing comes.
    Silence,
    /// Not at all: the connection breaks.
    HangUp,
}

/// An answer to one request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// The code.
    pub status: u16,
    /// The body.
    pub body: String,
    /// Headers beside the usual.
    pub headers: Vec<(&'static str, String)>,
    /// How it is given.
    pub manner: Manner,
    /// Whether the broker first does what it was asked.
    pub done: bool,
}

impl Answer {
    /// A code and a body.
    pub fn new(status: u16, body: impl Into<String>) -> Self {
        Self { status, body: body.into(), headers: Vec::new(), manner: Manner::Plainly, done: false }
    }

    /// A code and a body of JSON.
    #[expect(clippy::needless_pass_by_value, reason = "what is written with json! is a value")]
    pub fn json(status: u16, body: Value) -> Self {
        Self::new(status, body.to_string())
    }

    /// No answer, in one of the two ways.
    pub fn none(manner: Manner) -> Self {
        Self { manner, ..Self::new(0, "") }
    }

    /// With a header.
    #[must_use]
    pub fn with(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }

    /// The work is done all the same.
    #[must_use]
    pub fn but_done(mut self) -> Self {
        self.done = true;
        self
    }
}
