//! Readiness expressions: `{.succeeded} == 1` over an object's status.

mod compare;
mod parse;

use std::fmt;

use goyaml::Value;
use thiserror::Error;

use crate::jsonpath::JsonPath;
use compare::{Comparison, Literal, Operator};

/// One comparison of something in an object's `status` with a literal.
///
/// Two spellings are understood: a JSONPath in braces (`{.conditions[?(@.type=="Ready")].status} == True`), and the
/// bare path (`succeeded==1`). The operators are `==`, `!=`, `<`, `<=`, `>` and `>=`.
#[derive(Debug, Clone)]
pub struct Expression {
    text: String,
    path: JsonPath,
    operator: Operator,
    literal: Literal,
}

/// Why a text is not a readiness expression.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{expression:?} is not a readiness expression: {problem} (character {})", self.character())]
pub struct ExpressionError {
    /// The whole text.
    pub expression: String,
    /// The offset in bytes of the place that is wrong.
    pub at: usize,
    /// What is wrong there.
    pub problem: String,
}

impl ExpressionError {
    /// The place that is wrong, in characters from one.
    pub fn character(&self) -> usize {
        let before = self.expression.get(..self.at).unwrap_or(&self.expression);
        before.chars().count() + 1
    }
}

/// How many of the values that a path finds must satisfy the comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Quantifier {
    /// All, and there must be one: a success.
    All,
    /// One is enough: a failure.
    Any,
}

impl Expression {
    /// Reads an expression.
    pub fn parse(text: &str) -> Result<Self, ExpressionError> {
        parse::expression(text)
    }

    /// The expression as it was written.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Whether a `status` satisfies it, and what was odd. A path that leads nowhere does not.
    pub(super) fn is_met(&self, status: &Value, quantifier: Quantifier, warnings: &mut Vec<String>) -> bool {
        let mut is_one = false;
        for value in self.path.find(status) {
            let met = match compare::compare(&value, self.operator, &self.literal) {
                Comparison::Met => true,
                Comparison::NotMet => false,
                Comparison::Odd(problem) => {
                    warnings.push(format!("{self}: {problem}"));
                    false
                }
            };
            match quantifier {
                Quantifier::Any if met => return true,
                Quantifier::All if !met => return false,
                _ => is_one |= met,
            }
        }
        is_one
    }
}

impl fmt::Display for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl PartialEq for Expression {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for Expression {}

#[cfg(test)]
mod tests;
