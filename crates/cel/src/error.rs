//! Why an expression has no value.

/// Why an expression has no value, in cel-go's words.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EvalError {
    /// An operator or function was given values it does not know; which one is told where cel-go tells it.
    #[error("no such overload{}", .0.as_ref().map_or_else(String::new, |call| format!(": {call}")))]
    NoSuchOverload(Option<String>),
    /// A map has no such key, or an object no such field.
    #[error("no such key: {0}")]
    NoSuchKey(String),
    /// A list has no such item.
    #[error("index out of bounds: {0}")]
    IndexOutOfBounds(String),
    /// A variable has no value.
    #[error("no such attribute(s): {0}")]
    NoSuchAttribute(String),
    /// A number became too large.
    #[error("{0} overflow")]
    Overflow(&'static str),
    /// A division by nothing.
    #[error("{0} by zero")]
    ByZero(&'static str),
    /// A value cannot become one of that type.
    #[error("type conversion error from '{from}' to '{to}'")]
    Conversion {
        /// The type it has.
        from: String,
        /// The type it was to have.
        to: &'static str,
    },
    /// The expression took more steps than it may.
    #[error("operation cancelled: actual cost limit exceeded")]
    CostExceeded,
    /// What a function says of its arguments.
    #[error("{0}")]
    Function(String),
}

impl EvalError {
    pub(crate) fn no_overload() -> Self {
        Self::NoSuchOverload(None)
    }

    /// Whether the evaluation ends here, whatever stands on the other side of an `||`.
    pub(crate) fn is_final(&self) -> bool {
        matches!(self, Self::CostExceeded)
    }
}

/// The outcome of a part of an evaluation.
pub(crate) type Outcome<T> = Result<T, EvalError>;
