//! Errors with Go's texts.

/// The error of a template that a function ran.
#[derive(Debug, Clone)]
pub(crate) struct Cause {
    _message: String,
}
