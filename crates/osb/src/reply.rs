//! What came back from a broker, before anybody has thought about it.

use std::fmt;

use crate::RetryAfter;

/// An answer, or why there is none.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reply {
    /// The broker answered.
    Answered(Answer),
    /// It did not answer in time, or the connection broke while it was at it: it may have done anything.
    TimedOut {
        /// What happened.
        cause: String,
    },
    /// The request was never sent: there was no connection to send it on.
    Unreachable {
        /// Why.
        cause: String,
    },
}

/// An answer.
#[derive(Clone, PartialEq, Eq)]
pub struct Answer {
    /// The code.
    pub status: u16,
    /// How long the broker asks to be left alone.
    pub retry_after: Option<RetryAfter>,
    /// What it said; `None` when that was more than is read.
    pub body: Option<Vec<u8>>,
}

impl fmt::Debug for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Bodies hold credentials and parameters.
        let length = self.body.as_ref().map(Vec::len);
        f.debug_struct("Answer")
            .field("status", &self.status)
            .field("retry_after", &self.retry_after)
            .field("body", &format_args!("{length:?} bytes"))
            .finish()
    }
}

impl Reply {
    /// An answer with a body.
    pub fn answer(status: u16, body: impl Into<Vec<u8>>) -> Self {
        Self::Answered(Answer { status, retry_after: None, body: Some(body.into()) })
    }
}
