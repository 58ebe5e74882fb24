//! Which objects a request means: label selectors and field selectors, with the grammar and words of the real server.

mod fields;
mod kind_fields;
mod labels;
mod lexer;
mod requirement;

pub use fields::{FieldSelector, FieldTerm};
pub use kind_fields::{Selectable, field_value};
pub use labels::LabelSelector;
pub use requirement::{Operator, Requirement};

/// Why a selector is refused; the message of a 400.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct SelectorError(pub String);
