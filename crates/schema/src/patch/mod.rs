//! The three kinds of patches that change an object: operations (RFC 6902), merges (RFC 7386) and strategic merges.
//!
//! Each takes the object as it is and the text of the patch. The first two give a [`Tree`], to be read as a request
//! body is; a strategic merge gives a [`Value`], to be read by [`convert`](crate::convert). What the server says of
//! patches that it cannot read or apply, and with which code, is in [`PatchError`].

mod items;
mod merge;
mod operations;
mod order;
mod strategic;
#[cfg(test)]
mod tests;

use serde_json::Value;

pub use merge::merge_patch;
pub use operations::{OperationError, json_patch};
pub use strategic::{StrategicError, strategic_merge_patch};

use crate::json::{SyntaxError, Tree};

/// How many operations a patch may have.
pub const MAX_OPERATIONS: usize = 10_000;

/// The result of a patch.
#[derive(Debug, Clone, PartialEq)]
pub struct Patched<T> {
    /// The object after the patch, not yet read into its type.
    pub object: T,
    /// What strict decoding complains of in the patch itself, such as doubled fields.
    pub complaints: Vec<String>,
}

/// The result of a strategic merge: the object, and what is left of the patch, which the server shows in refusals.
#[derive(Debug, Clone, PartialEq)]
pub struct Merged {
    /// The object after the patch, not yet read into its type.
    pub object: Value,
    /// The patch without the directives that have been obeyed.
    pub patch: Value,
    /// What strict decoding complains of in the patch itself, such as doubled fields.
    pub complaints: Vec<String>,
}

/// Why a patch is refused, in the server's words.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PatchError {
    /// It cannot be read: 400, `BadRequest`.
    #[error("{0}")]
    Unreadable(String),
    /// It has too many operations: 413, `RequestEntityTooLarge`.
    #[error("The allowed maximum operations in a JSON patch is {MAX_OPERATIONS}, got {0}")]
    TooLarge(usize),
    /// It does not fit the object: 422.
    #[error("{0}")]
    Inapplicable(String),
    /// The server did not expect it: 500.
    #[error("{0}")]
    Unexpected(String),
}

impl PatchError {
    /// The HTTP status with which the server answers.
    pub fn code(&self) -> u16 {
        match self {
            Self::Unreadable(_) => 400,
            Self::TooLarge(_) => 413,
            Self::Inapplicable(_) => 422,
            Self::Unexpected(_) => 500,
        }
    }
}

impl From<OperationError> for PatchError {
    fn from(error: OperationError) -> Self {
        Self::Inapplicable(error.to_string())
    }
}

impl From<StrategicError> for PatchError {
    fn from(error: StrategicError) -> Self {
        use StrategicError as Error;
        match error {
            Error::PrimitiveListFormat | Error::RetainKeysFormat | Error::ElementOrderFormat => {
                Self::Unreadable(error.to_string())
            }
            Error::ListOfLists => Self::Inapplicable(error.to_string()),
            _ => Self::Unexpected(error.to_string()),
        }
    }
}

/// Reads the text of a patch. What is wrong with its syntax the server tells with `prefix`.
fn parse(text: &str, prefix: &str) -> Result<Tree, PatchError> {
    Tree::parse(text).map_err(|error: SyntaxError| PatchError::Unreadable(format!("{prefix}{error}")))
}
