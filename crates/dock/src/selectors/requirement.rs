//! One requirement of a label selector.

use std::fmt;

use serde_json::{Map, Value};

use super::SelectorError;
use crate::field::{FieldError, Path};
use crate::meta::{label_key, label_value};

/// How the label is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operator {
    /// It is there with one of the values.
    In,
    /// It is not there, or with none of the values.
    NotIn,
    /// It has the value, written `=`.
    Equals,
    /// It has the value, written `==`.
    DoubleEquals,
    /// It is not there, or has another value.
    NotEquals,
    /// It is there.
    Exists,
    /// It is not there.
    DoesNotExist,
    /// It is a greater integer.
    GreaterThan,
    /// It is a lesser integer.
    LessThan,
}

/// One requirement of a label selector.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Requirement {
    /// The key of the label.
    pub key: String,
    /// How it is compared.
    pub operator: Operator,
    /// With what.
    pub values: Vec<String>,
}

impl Requirement {
    /// A requirement that can be met.
    pub fn new(key: &str, operator: Operator, values: Vec<String>) -> Result<Self, SelectorError> {
        let mut errors = Vec::new();
        errors.extend(key_error(key, &Path::new("key")));
        let path = Path::new("values");
        let all = || Value::from(values.clone());
        match operator {
            Operator::In | Operator::NotIn if values.is_empty() => errors.push(FieldError::invalid(
                &path,
                all(),
                "for 'in', 'notin' operators, values set can't be empty",
            )),
            Operator::Equals | Operator::DoubleEquals | Operator::NotEquals if values.len() != 1 => errors
                .push(FieldError::invalid(
                    &path,
                    all(),
                    "exact-match compatibility requires one single value",
                )),
            Operator::Exists | Operator::DoesNotExist if !values.is_empty() => errors.push(
                FieldError::invalid(&path, all(), "values set must be empty for exists and does not exist"),
            ),
            Operator::GreaterThan | Operator::LessThan => {
                if values.len() != 1 {
                    errors.push(FieldError::invalid(
                        &path,
                        all(),
                        "for 'Gt', 'Lt' operators, exactly one value is required",
                    ));
                }
                for (index, value) in values.iter().enumerate() {
                    if integer(value).is_none() {
                        errors.push(FieldError::invalid(
                            &path.index(index),
                            value.as_str(),
                            "for 'Gt', 'Lt' operators, the value must be an integer",
                        ));
                    }
                }
            }
            _ => {}
        }
        for (index, value) in values.iter().enumerate() {
            let wrong = label_value(value);
            if !wrong.is_empty() {
                let place = path.index(index).key(key);
                errors.push(FieldError::invalid(&place, value.as_str(), wrong.join("; ")));
            }
        }
        aggregate(&errors)?;
        Ok(Self { key: key.to_owned(), operator, values })
    }

    /// Whether labels meet the requirement.
    pub fn matches(&self, labels: Option<&Map<String, Value>>) -> bool {
        let value =
            labels.and_then(|labels| labels.get(&self.key)).map(|value| value.as_str().unwrap_or_default());
        let listed = |value: &str| self.values.iter().any(|one| one == value);
        match self.operator {
            Operator::In | Operator::Equals | Operator::DoubleEquals => value.is_some_and(listed),
            Operator::NotIn | Operator::NotEquals => !value.is_some_and(listed),
            Operator::Exists => value.is_some(),
            Operator::DoesNotExist => value.is_none(),
            Operator::GreaterThan | Operator::LessThan => {
                let limit = self.values.first().and_then(|value| integer(value));
                let (Some(value), Some(limit)) = (value.and_then(integer), limit) else { return false };
                if self.operator == Operator::GreaterThan { value > limit } else { value < limit }
            }
        }
    }
}

/// Go's integers may have a sign.
fn integer(text: &str) -> Option<i64> {
    goyaml::strconv::parse_int(text, 10, 64).ok()
}

/// What is wrong with a key, all in one.
pub(super) fn key_error(key: &str, path: &Path) -> Option<FieldError> {
    let wrong = label_key(key);
    (!wrong.is_empty()).then(|| FieldError::invalid(path, key, wrong.join("; ")))
}

/// Several errors are told in brackets, each once.
fn aggregate(errors: &[FieldError]) -> Result<(), SelectorError> {
    let mut words: Vec<String> = Vec::new();
    for error in errors {
        let text = error.to_string();
        if !words.contains(&text) {
            words.push(text);
        }
    }
    match words.as_slice() {
        [] => Ok(()),
        [one] => Err(SelectorError(one.clone())),
        many => Err(SelectorError(format!("[{}]", many.join(", ")))),
    }
}

impl fmt::Display for Requirement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut values = self.values.clone();
        values.sort();
        let (key, values) = (&self.key, values.join(","));
        match self.operator {
            Operator::DoesNotExist => write!(f, "!{key}"),
            Operator::Exists => write!(f, "{key}"),
            Operator::Equals => write!(f, "{key}={values}"),
            Operator::DoubleEquals => write!(f, "{key}=={values}"),
            Operator::NotEquals => write!(f, "{key}!={values}"),
            Operator::In => write!(f, "{key} in ({values})"),
            Operator::NotIn => write!(f, "{key} notin ({values})"),
            Operator::GreaterThan => write!(f, "{key}>{values}"),
            Operator::LessThan => write!(f, "{key}<{values}"),
        }
    }
}
