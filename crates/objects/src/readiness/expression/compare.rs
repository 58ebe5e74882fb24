//! Compares what a path has found with a literal: as numbers, else as booleans, else as texts.

use std::cmp::Ordering;

use goyaml::Value;

use super::parse::{boolean, number};
use crate::go_text;

/// What stands between path and literal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operator {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

impl Operator {
    /// The operator that a text begins with, and its length.
    pub(super) fn at(text: &str) -> Option<(Self, usize)> {
        [
            ("==", Self::Equal),
            ("!=", Self::NotEqual),
            ("<=", Self::LessOrEqual),
            (">=", Self::GreaterOrEqual),
            ("<", Self::Less),
            (">", Self::Greater),
        ]
        .into_iter()
        .find(|(spelling, _)| text.starts_with(spelling))
        .map(|(spelling, operator)| (operator, spelling.len()))
    }

    fn holds(self, ordering: Ordering) -> bool {
        match self {
            Self::Equal => ordering.is_eq(),
            Self::NotEqual => ordering.is_ne(),
            Self::Less => ordering.is_lt(),
            Self::LessOrEqual => ordering.is_le(),
            Self::Greater => ordering.is_gt(),
            Self::GreaterOrEqual => ordering.is_ge(),
        }
    }

    fn is_about_equality(self) -> bool {
        matches!(self, Self::Equal | Self::NotEqual)
    }
}

/// The scalar on the right.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Literal {
    /// Apart from other numbers, since a `f64` cannot hold all of them.
    Integer(i64),
    Number(f64),
    Bool(bool),
    Text(String),
}

/// What came of it.
#[derive(Debug, PartialEq)]
pub(super) enum Comparison {
    Met,
    NotMet,
    /// Not met, and it never can be: the user should know.
    Odd(String),
}

/// A value that is absent in all but name (`null`) does not satisfy anything.
pub(super) fn compare(value: &Value, operator: Operator, literal: &Literal) -> Comparison {
    let text = match value {
        Value::Null => return Comparison::NotMet,
        Value::Sequence(_) | Value::Mapping(_) => {
            return Comparison::Odd("a list or mapping has no order and equals no literal".to_owned());
        }
        scalar => go_text::text(scalar),
    };
    let ordering = match literal {
        Literal::Integer(right) => match value.as_i64() {
            Some(left) => Some(left.cmp(right)),
            None => as_numbers(value, *right as f64, operator),
        },
        Literal::Number(right) => as_numbers(value, *right, operator),
        Literal::Bool(right) if operator.is_about_equality() => match as_bool(value) {
            Some(left) => Some(left.cmp(right)),
            None => Some(Ordering::Less),
        },
        Literal::Text(right) if operator.is_about_equality() => Some(text.as_str().cmp(right)),
        Literal::Bool(_) | Literal::Text(_) => None,
    };
    match ordering {
        Some(ordering) if operator.holds(ordering) => Comparison::Met,
        Some(_) => Comparison::NotMet,
        None => Comparison::Odd(format!("{text:?} has no order: only numbers do")),
    }
}

fn as_numbers(value: &Value, right: f64, operator: Operator) -> Option<Ordering> {
    match as_number(value) {
        Some(left) => left.partial_cmp(&right),
        None if operator.is_about_equality() => Some(Ordering::Less),
        None => None,
    }
}

/// Texts that read as numbers count as such: quantities and counters are sometimes quoted.
fn as_number(value: &Value) -> Option<f64> {
    match value {
        Value::String(text) => number(text),
        other => other.as_f64(),
    }
}

fn as_bool(value: &Value) -> Option<bool> {
    match value {
        Value::String(text) => boolean(text),
        other => other.as_bool(),
    }
}
