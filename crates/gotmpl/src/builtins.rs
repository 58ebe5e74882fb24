//! The functions that text/template has built in.

use crate::functions::Function;

/// The built-in functions that run inside the engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Builtin {
    /// `not`
    Not,
}

/// The table of them.
pub(crate) static TABLE: &[Function] = &[];
